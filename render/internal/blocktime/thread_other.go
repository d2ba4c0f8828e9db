//go:build !linux

package blocktime

import "time"

// threadTime returns 0, because this system does not report the processor time of a thread.
func threadTime() time.Duration { return 0 }
