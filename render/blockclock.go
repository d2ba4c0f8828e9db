package render

import "time"

// A blockClock measures the work of a block: the processor time of its thread where that is
// known, else the time that passes.
type blockClock struct {
	began  time.Time
	thread time.Duration
}

func (c *blockClock) start() { c.thread, c.began = threadTime(), time.Now() }

// seconds returns the time since start. A worker that has no thread of its own may have been
// moved to another, whose time has nothing to do with the first one's.
func (c *blockClock) seconds() float64 {
	passed := time.Since(c.began)
	if used := threadTime() - c.thread; used > 0 && used <= passed {
		return used.Seconds()
	}
	return passed.Seconds()
}
