package render

import (
	"sync"

	"lockstep/lb"
	"lockstep/render/internal/groups"
	"lockstep/scenes"
	"lockstep/vp"
)

// bounds are the boxes of the groups of a surface, which are found when it is drawn again: a single picture would not gain
// what they take.
type bounds struct {
	mu     sync.Mutex
	drawn  bool
	groups *groups.Groups
}

// leastGrouped is the number of triangles from which on groups are worth the while: the others are drawn in less than a
// millisecond.
const leastGrouped = 1 << 15

// groupsOf returns the groups of a source, nil if it has none or all triangles are to be drawn: where blocks are timed or
// traced, or have numbers.
func (e *engine) groupsOf(source scenes.Source) *groups.Groups {
	s, ok := source.(interface{ whole() *Surface })
	j := &e.job
	if !ok || j.unitSize == 0 || j.timed || j.traced || j.to == toLayer || source.Len() < leastGrouped && e.leastDeferred == 0 {
		return nil
	}
	b := &s.whole().bounds
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawn && b.groups == nil {
		loop := vp.For{Machine: e.machine, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
		b.groups = groups.New(&s.whole().Block, loop.Run)
	}
	b.drawn = true
	return b.groups
}
