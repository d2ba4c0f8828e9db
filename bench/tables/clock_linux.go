package tables

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time of the calling thread. Work of other programs on the machine does not count.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(fmt.Sprintf("tables: clock of the thread: %v", err))
	}
	return time.Duration(t.Nano())
}
