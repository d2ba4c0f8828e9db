package render_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time that this process has taken, which other programs lengthen less than the time
// by the clock.
func processorTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}
