//go:build !linux

package kernel

import "time"

var clockStart = time.Now()

// threadTime returns the elapsed time, because this system has no clock for threads.
func threadTime() time.Duration { return time.Since(clockStart) }
