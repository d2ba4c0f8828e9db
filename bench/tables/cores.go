package tables

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	pinned "lockstep/vp/machine"
)

// polygonData and spanData are the data that a redistribution sends to a processor. A polygon takes thirteen words (see
// array.Polygons) and a span five (see array.Spans). The first task and the number of tasks follow.
type (
	polygonData [13 + 2]uint32
	spanData    [5 + 2]uint32
)

const (
	// hopRounds is the number of messages back and forth in one sample of a hop, a message between two cores.
	// barrierRounds is the number of barriers in one sample. A sample takes some ten microseconds, far above the
	// clock's resolution.
	hopRounds, barrierRounds = 100, 50

	// minRunFraction is the fraction of a sample's time for which its thread must have run. If the thread ran for a
	// smaller fraction, the system gave the core to another program, and the sample is ignored.
	minRunFraction = 0.95
)

// errOneCore says that a hop, a message between two cores, cannot be measured.
var errOneCore = errors.New("tables: a hop between cores cannot be measured on one core; --hop gives its time")

// A coreCosts holds the times of operations that two cores do together.
type coreCosts struct {
	hop, barrier  samples
	polygon, span samples // copying the data of one polygon or span that another core has written
}

// measure measures the times of messages, barriers and copies of problem data between two pinned workers.
func (c *coreCosts) measure(ctx context.Context, runs int) error {
	if runtime.GOMAXPROCS(0) < 2 {
		return errOneCore
	}
	m := pinned.New(pinned.Options{Workers: 2})
	defer m.Close()
	w := pairTimer{machine: m}
	turn, polygons, spans := new(pingPong), newDelivery[polygonData](), newDelivery[spanData]()
	for range runs * attempts {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.Run(func(worker int) {
			w.time(worker, 2*hopRounds, &c.hop, turn.reset, turn.play)
			w.time(worker, barrierRounds, &c.barrier, nil, func(int) {
				for range barrierRounds {
					m.Sync()
				}
			})
			w.time(worker, measuredArray, &c.polygon, polygons.write, polygons.copy)
			w.time(worker, measuredArray, &c.span, spans.write, spans.copy)
		})
	}
	return nil
}

// A pairTimer measures the times of operations that two workers do together.
type pairTimer struct {
	machine *pinned.Machine
	ran     [2]struct {
		share float64 // fraction of the time for which the worker's thread ran
		_     [120]byte
	}
}

// time calls the function `before`, unless it is nil, and then f. Each worker makes both calls. The time of f on worker
// 0, divided by elements, is added to t. The first sample always counts. A later one counts only if both threads ran
// for at least the fraction minRunFraction of its time.
func (w *pairTimer) time(worker int, elements float64, t *samples, before, f func(worker int)) {
	if before != nil {
		before(worker)
	}
	w.machine.Sync()
	wall, ran := time.Now(), threadTime()
	f(worker)
	took := time.Since(wall)
	w.ran[worker].share = float64(threadTime()-ran) / float64(took)
	w.machine.Sync()
	if worker > 0 {
		return
	}
	if len(t[0]) == 0 || min(w.ran[0].share, w.ran[1].share) >= minRunFraction {
		t.add(0, 0, float64(took.Nanoseconds())/elements)
	}
}

// A pingPong is a word that two workers write in turn.
type pingPong struct {
	_    [64]byte
	word atomic.Uint32
	_    [64]byte
}

func (p *pingPong) reset(worker int) {
	if worker == 0 {
		p.word.Store(0)
	}
}

// play sends messages back and forth. Each round has two hops.
func (p *pingPong) play(worker int) {
	for round := range uint32(hopRounds) {
		mine := 2*round + uint32(worker)
		for p.word.Load() != mine {
		}
		p.word.Store(mine + 1)
	}
}

// A delivery measures how long problem data take from one core to another: worker 1 writes the data and worker 0 copies
// them.
type delivery[T any] struct {
	from, to []T
}

func newDelivery[T any]() *delivery[T] {
	return &delivery[T]{make([]T, measuredArray), make([]T, measuredArray)}
}

func (d *delivery[T]) write(worker int) {
	if worker == 1 {
		clear(d.from)
	}
}

func (d *delivery[T]) copy(worker int) {
	if worker == 0 {
		copy(d.to, d.from)
	}
}

// measureCores measures a hop between two cores, a barrier and the copying of problem data. It stores these costs in s.
// If hop is above 0, it replaces the measured hop.
func (s *StepCosts) measureCores(ctx context.Context, runs int, hop time.Duration) error {
	var c coreCosts
	if err := c.measure(ctx, runs); err != nil {
		return err
	}
	s.Hop, s.Barrier = c.hop.cost(), c.barrier.cost()
	s.Scan.Data, s.ZBuffer.Data = c.polygon.cost(), c.span.cost()
	if given := float64(hop.Nanoseconds()); hop > 0 {
		s.Hop = PhaseCost{given, given, given}
	}
	return nil
}
