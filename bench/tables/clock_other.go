//go:build !linux

package tables

import "time"

var clockStart = time.Now()

// threadTime is the wall time where the system has no clock for a thread.
func threadTime() time.Duration { return time.Since(clockStart) }
