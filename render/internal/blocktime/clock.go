// Package blocktime measures how long a block of a mesh takes to draw.
package blocktime

import "time"

// A Clock measures the time to draw a block: the processor time of its thread if the system reports it, otherwise
// wall time.
type Clock struct {
	began  time.Time
	thread time.Duration
}

// Start starts the measurement.
func (c *Clock) Start() { c.thread, c.began = threadTime(), time.Now() }

// Seconds returns the time since Start. A goroutine that is not locked to a thread may have moved to another one,
// whose processor time is unrelated. If the difference of the two processor times is impossible, Seconds returns wall
// time.
func (c *Clock) Seconds() float64 {
	passed := time.Since(c.began)
	if used := threadTime() - c.thread; used > 0 && used <= passed {
		return used.Seconds()
	}
	return passed.Seconds()
}
