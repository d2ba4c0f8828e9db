package render_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of this process. Other programs change it less than the elapsed time.
func processorTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}
