//go:build unix

package smallfile

import "syscall"

// openNonblock is the flag with which opening a pipe does not wait for a writer.
const openNonblock = syscall.O_NONBLOCK
