//go:build !linux

package kernel

import "time"

var clockStart = time.Now()

// threadTime is the time of the wall clock.
func threadTime() time.Duration { return time.Since(clockStart) }
