//go:build unix

package meshtest

import (
	"syscall"
	"time"
)

// processorTime returns the processor time of all threads of the process. It does not include other work on the
// machine.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
