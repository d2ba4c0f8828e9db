//go:build !unix

package meshtest

import "time"

// processorTime returns the time of the clock, because this system does not say how long the process has worked.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
