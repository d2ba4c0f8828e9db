//go:build unix

package smallfile

import "syscall"

// openNonblock makes opening a pipe return without waiting for a writer.
const openNonblock = syscall.O_NONBLOCK
