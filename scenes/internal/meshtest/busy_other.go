//go:build !unix

package meshtest

import "time"

// processorTime returns the time of the clock, because this system does not report the processor time of a process.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
