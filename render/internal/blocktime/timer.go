package blocktime

import "lockstep/render/internal/scratch"

// A Timer measures how long units take. It is a frame.Watcher.
type Timer struct {
	Seconds []float64 // drawing time of each unit, in seconds, in the last timed frame
	workers []timerWorker
}

// timerWorker measures the unit that a worker draws.
type timerWorker struct {
	clock Clock
	unit  int
	_     [64]byte // padding, so that two workers do not share a cache line
}

// Begin prepares for a frame with the given numbers of workers and units.
func (t *Timer) Begin(workers, units int) {
	t.Seconds = scratch.Resize(t.Seconds, units)
	clear(t.Seconds)
	t.workers = scratch.Resize(t.workers, workers)
}

// BeginUnit, BeginBlock, EndUnit and Leave implement frame.Watcher.
func (t *Timer) BeginUnit(worker, unit int) {
	t.workers[worker].unit = unit
	t.workers[worker].clock.Start()
}

func (t *Timer) BeginBlock(int, int, int) {}

func (t *Timer) EndUnit(worker int, err error) error {
	if w := &t.workers[worker]; err == nil {
		t.Seconds[w.unit] = w.clock.Seconds()
	}
	return err
}

func (t *Timer) Leave(int) {}
