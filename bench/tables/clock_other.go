//go:build !linux

package tables

import "time"

var clockStart = time.Now()

// threadTime returns the wall time, because this system has no clock for a thread.
func threadTime() time.Duration { return time.Since(clockStart) }
