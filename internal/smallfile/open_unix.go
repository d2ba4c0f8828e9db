//go:build unix

package smallfile

import "syscall"

// openAtOnce makes opening a pipe return without waiting for a writer.
const openAtOnce = syscall.O_NONBLOCK
