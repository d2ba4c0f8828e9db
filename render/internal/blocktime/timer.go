package blocktime

import (
	"sync"

	"lockstep/render/internal/scratch"
)

// A Timer measures how long each unit takes. A unit is a part of the mesh that one worker draws at a time. Timer
// implements frame.Watcher. The time of work that is done for several units at once (shared work) is divided among
// these units.
type Timer struct {
	Seconds []float64 // drawing time of each unit, in seconds, in the last timed frame
	// Meter, if not nil, is called instead of reading the clock of a worker. Tests set it to count work in place of
	// time.
	Meter   func(worker int) float64
	mu      sync.Mutex // guards Seconds, because several workers may do shared work for a unit
	workers []timerWorker
}

// timerWorker measures the unit that a worker draws, and work that it does for several units.
type timerWorker struct {
	clock, sharedClock Clock
	unit               int
	metered            [2]float64 // result of Meter at the start of the unit, and at the start of the shared work
	shared             float64    // time of shared work since the unit began
	shares             []share    // units for which the shared work is done
	divided            int        // number of shares among which DivideShared has divided time
	_                  [64]byte   // padding, so that two workers do not share a cache line
}

// A share says that some equal parts of the shared work are done for a unit. parts is the number of these parts.
type share struct{ unit, parts int }

// Begin prepares for a frame with the given numbers of workers and units.
func (t *Timer) Begin(workers, units int) {
	t.Seconds = scratch.Resize(t.Seconds, units)
	clear(t.Seconds)
	t.workers = scratch.Resize(t.workers, workers)
	for i := range t.workers {
		t.workers[i].shares, t.workers[i].divided = t.workers[i].shares[:0], 0
	}
}

// BeginUnit, BeginBlock, EndUnit and Leave implement frame.Watcher.
func (t *Timer) BeginUnit(worker, unit int) {
	w := &t.workers[worker]
	w.unit, w.shared = unit, 0
	t.start(worker, 0, &w.clock)
}

func (t *Timer) BeginBlock(int, int, int) {}

func (t *Timer) EndUnit(worker int, err error) error {
	if w := &t.workers[worker]; err == nil {
		spent := max(0, t.since(worker, 0, &w.clock)-w.shared)
		t.mu.Lock()
		t.Seconds[w.unit] += spent
		t.mu.Unlock()
	}
	return err
}

func (t *Timer) Leave(int) {}

// Unit returns the unit that the worker draws, or drew last. It returns 0 if t is nil.
func (t *Timer) Unit(worker int) int {
	if t == nil {
		return 0
	}
	return t.workers[worker].unit
}

// Share records that the given number of parts of a worker's shared work is for the unit. All parts of the work are
// equal. Share may be called before or during the work. Share, BeginShared, EndShared and DivideShared do nothing if t
// is nil.
func (t *Timer) Share(worker, unit, parts int) {
	if t == nil || parts == 0 {
		return
	}
	w := &t.workers[worker]
	w.shares = append(w.shares, share{unit, parts})
}

// BeginShared starts to measure work that the worker does for several units.
func (t *Timer) BeginShared(worker int) {
	if t != nil {
		t.start(worker, 1, &t.workers[worker].sharedClock)
	}
}

// EndShared divides the time since BeginShared among units by the parts that Share has recorded, and then drops all
// parts. The time does not count for the unit that the worker draws.
func (t *Timer) EndShared(worker int) {
	if t == nil {
		return
	}
	w := &t.workers[worker]
	t.divide(worker, w.shares)
	w.shares, w.divided = w.shares[:0], 0
}

// DivideShared is like EndShared, but divides the time only by the parts that were recorded since the last call of
// DivideShared. It keeps all parts for the next call of EndShared.
func (t *Timer) DivideShared(worker int) {
	if t == nil {
		return
	}
	w := &t.workers[worker]
	t.divide(worker, w.shares[w.divided:])
	w.divided = len(w.shares)
}

// divide divides the time since BeginShared among the units of shares.
func (t *Timer) divide(worker int, shares []share) {
	w, parts := &t.workers[worker], 0
	spent := t.since(worker, 1, &w.sharedClock)
	w.shared += spent
	for _, s := range shares {
		parts += s.parts
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range shares {
		t.Seconds[s.unit] += spent * float64(s.parts) / float64(parts)
	}
}

// start starts one of a worker's two measurements: 0 is for its unit, 1 for shared work. c is the clock of the
// measurement.
func (t *Timer) start(worker, which int, c *Clock) {
	if t.Meter != nil {
		t.workers[worker].metered[which] = t.Meter(worker)
		return
	}
	c.Start()
}

// since returns the time since the call of start, in seconds, or by how much the result of Meter has grown since then.
func (t *Timer) since(worker, which int, c *Clock) float64 {
	if t.Meter != nil {
		return t.Meter(worker) - t.workers[worker].metered[which]
	}
	return c.Seconds()
}
