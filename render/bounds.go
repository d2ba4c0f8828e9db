package render

import (
	"sync"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/groups"
	"lockstep/scenes"
	"lockstep/scenes/leaves"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// bounds are the boxes of the groups of a surface, which are found when it is drawn again: a single picture would not gain
// what they take.
type bounds struct {
	mu      sync.Mutex
	drawn   bool
	groups  *groups.Groups // in the order of the mesh
	ordered *groups.Groups // see Surface.Order
	took    time.Duration  // to order them, until a frame has told
}

// Order puts the triangles of a large surface into an order in which neighbours lie close together, for frames to come:
// these then read less of what is hidden or outside the picture. It takes 40 bytes for a triangle, 16
// more while it works, and pays where the surface is drawn some hundred times. Pictures are the same. It works on so many
// workers, 0: all cores.
func (s *Surface) Order(workers int) {
	start := time.Now()
	m := machine.New(machine.Options{Workers: workers, NoPin: true})
	defer m.Close()
	loop := vp.For{Machine: m, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
	order := leaves.New(&s.Block, loop.Run)
	made := groups.New(&order.Block, loop.Run)
	made.Numbers = order.Numbers
	s.bounds.mu.Lock()
	defer s.bounds.mu.Unlock()
	s.bounds.ordered, s.bounds.took = made, time.Since(start)
}

// leastGrouped is the number of triangles from which on groups are worth the while: the others are drawn in less than a
// millisecond.
const leastGrouped = 1 << 15

// groupsKnown reports whether groups of a source are found by now, or will be in this frame, and whether to defer them has not
// been given up for a while.
func (e *engine) groupsKnown(source scenes.Source) bool {
	s, ok := source.(interface{ whole() *Surface })
	if !ok || e.options.Leaves == lb.Never {
		return false
	}
	if e.options.Leaves == lb.Always {
		return true
	}
	b := &s.whole().bounds
	b.mu.Lock()
	defer b.mu.Unlock()
	return (b.drawn || b.ordered != nil) && !e.leaves.Resting(b.groups) && !e.leaves.Resting(b.ordered)
}

// groupsOf returns the groups of a source, nil if it has none or all triangles are to be drawn: where blocks are timed or
// traced, or have numbers.
func (e *engine) groupsOf(source scenes.Source) *groups.Groups {
	s, ok := source.(interface{ whole() *Surface })
	j := &e.job
	if !ok || j.unitSize == 0 || j.timed || j.traced || j.to == toLayer || e.options.Leaves == lb.Never || source.Len() < leastGrouped && e.leastDeferred == 0 {
		return nil
	}
	b := &s.whole().bounds
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ordered != nil && j.leaves {
		j.orderTime, b.took = b.took, 0
		return b.ordered
	}
	if b.groups == nil && (b.drawn || e.options.Leaves == lb.Always) {
		start := time.Now()
		loop := vp.For{Machine: e.machine, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
		b.groups = groups.New(&s.whole().Block, loop.Run)
		j.leavesTime = time.Since(start)
	}
	b.drawn = true
	return b.groups
}
