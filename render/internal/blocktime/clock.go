// Package blocktime measures how long a block of a mesh takes to draw.
package blocktime

import "time"

// A Clock measures the work of a block: the processor time of its thread where that is
// known, else the time that passes.
type Clock struct {
	began  time.Time
	thread time.Duration
}

// Start begins to measure.
func (c *Clock) Start() { c.thread, c.began = threadTime(), time.Now() }

// Seconds returns the time since Start. A worker that has no thread of its own may have been
// moved to another, whose time has nothing to do with the first one's.
func (c *Clock) Seconds() float64 {
	passed := time.Since(c.began)
	if used := threadTime() - c.thread; used > 0 && used <= passed {
		return used.Seconds()
	}
	return passed.Seconds()
}
