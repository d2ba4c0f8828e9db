package cluster

import (
	"sync"
	"time"
)

// A node is what Work works with.
type node struct {
	*Cluster
	WorkOptions
	painter Painter
	job     Job // that frames draw
	frames  Frames
	commits commit
	busy    gauge
	usual   time.Duration        // the latest frame of the job in hand took; 0: there was none
	slow    map[string]time.Time // jobs that could not be opened, and until when they are left alone
	pauses  time.Duration        // how long the last of them is left alone
	lost    int                  // connections, when a frame was last begun
	doubts  int                  // how many of the next frames may be done already
}

// WorkOptions say how a node works.
type WorkOptions struct {
	Name string // of the node: letters, digits, - and _; one node at a time has it
	// Idle ends Work without an error when there has been nothing to draw for so long;
	// 0: never.
	Idle time.Duration
	// Report, unless nil, is told of frames that failed. Calls may overlap.
	Report func(job Job, frame int, err error)
	// Opened, unless nil, is a job that the painter has opened already. Work closes its frames.
	Opened *Opened

	noHeartbeat bool // for tests: leases end while frames are drawn
}

// Opened is a job whose frames can be drawn.
type Opened struct {
	Job    Job
	Frames Frames
}

// A gauge measures how long a node draws.
type gauge struct {
	mu    sync.Mutex
	began time.Time     // the frame in hand; zero: there is none
	drawn time.Duration // since the last look
}

// begin and end enclose a frame.
func (g *gauge) begin() { g.mu.Lock(); defer g.mu.Unlock(); g.began = time.Now() }

func (g *gauge) end() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drawn += time.Since(g.began)
	g.began = time.Time{}
}

// share returns the share of the time since the last look that was drawn.
func (g *gauge) share(last, now time.Time) float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	drawn := g.drawn
	g.drawn = 0
	if !g.began.IsZero() {
		drawn += now.Sub(g.began)
		g.began = now
	}
	if now.Sub(last) <= 0 {
		return 0
	}
	return min(1, drawn.Seconds()/now.Sub(last).Seconds())
}
