//go:build unix

package smallfile

import "syscall"

// openAtOnce is the flag with which opening a pipe does not wait for its writer.
const openAtOnce = syscall.O_NONBLOCK
