package render

import (
	"sync"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/groups"
	"lockstep/scenes/leaves"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// groupCache holds the groups of a surface's triangles. A group has 64 triangles, and a box around them by which a
// hidden group is skipped whole. Groups are found when the surface is drawn for the second time. For a single picture
// they would save less time than finding them takes.
type groupCache struct {
	mu        sync.Mutex
	wasDrawn  bool
	groups    *groups.Groups // groups of the triangles in the order of the mesh
	ordered   *groups.Groups // groups of the triangles in the order that Surface.Order made
	orderTime time.Duration  // time that Order took; 0 if a frame has reported it
	unpacked  bool           // LeaveUnpacked was called: groups must not be packed
}

// LeaveUnpacked keeps frames from packing the groups of the surface. A packed group stores each vertex once; all packed
// groups together take footprint.Packed bytes. Without packed groups, frames of meshes with many triangles a sample
// take longer. LeaveUnpacked is for callers that have little memory.
func (s *Surface) LeaveUnpacked() {
	s.groups.mu.Lock()
	defer s.groups.mu.Unlock()
	s.groups.unpacked = true
}

// Order sorts the triangles of a large surface so that neighbouring triangles lie close together in memory. Later
// frames then read fewer triangles that are hidden or outside the picture. Pictures stay the same.
//
// The sorted copy has 40 bytes a triangle; sorting needs 16 more. Order saves time if the surface is drawn some
// hundred times. It uses the given number of workers; 0 means all cores.
func (s *Surface) Order(workers int) {
	start := time.Now()
	m := machine.New(machine.Options{Workers: workers, NoPin: true})
	defer m.Close()
	loop := vp.For{Machine: m, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
	order := leaves.New(&s.Block, loop.Run)
	made := groups.New(&order.Block, loop.Run)
	made.Numbers = order.Numbers
	s.groups.mu.Lock()
	defer s.groups.mu.Unlock()
	s.groups.ordered, s.groups.orderTime = made, time.Since(start)
}

// minGrouped is the least number of triangles for which groups save time. A smaller mesh is drawn in less than a
// millisecond.
const minGrouped = 1 << 15

// mayUseGroups reports whether the frame may defer groups of triangles. It returns false if the source is not a surface
// in memory. Otherwise the result is true with lb.Always in Options.Leaves, and false with lb.Never. With
// lb.CostEffective two conditions must hold:
//
//   - Groups exist, or will be found because the surface was drawn before.
//   - Deferring is not switched off for now because it took more time than it saved in an earlier frame.
func (e *engine) mayUseGroups() bool {
	s := e.job.subject.surface
	if s == nil || e.options.Leaves == lb.Never {
		return false
	}
	if e.options.Leaves == lb.Always {
		return true
	}
	b := &s.groups
	b.mu.Lock()
	defer b.mu.Unlock()
	return (b.wasDrawn || b.ordered != nil) && !e.leaves.Resting(b.groups) && !e.leaves.Resting(b.ordered)
}

// groupsOf returns the groups of the source's triangles. It finds them if the surface was drawn before. It returns nil
// in these cases:
//
//   - The source is small, or is not a surface in memory.
//   - Groups are switched off.
//   - Blocks are traced or drawn into a layer. Then every block must be drawn whole.
func (e *engine) groupsOf() *groups.Groups {
	j := &e.job
	s := j.subject.surface
	if s == nil || j.unitSize == 0 || j.traced || j.to == toLayer || e.options.Leaves == lb.Never || s.Len() < minGrouped && e.minDeferred == 0 {
		return nil
	}
	b := &s.groups
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ordered != nil && j.leaves && !j.timed { // blocks are timed in the order of the mesh
		j.orderTime, b.orderTime = b.orderTime, 0
		e.pack(b, b.ordered)
		return b.ordered
	}
	if b.groups == nil && (b.wasDrawn || e.options.Leaves == lb.Always) {
		start := time.Now()
		loop := vp.For{Machine: e.machine, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
		b.groups = groups.New(&s.Block, loop.Run)
		j.leavesTime = time.Since(start)
	}
	b.wasDrawn = true
	e.pack(b, b.groups)
	return b.groups
}

// pack packs the groups g, which are b.groups or b.ordered, if that is expected to save time. g may be nil. The caller
// must hold the lock of b.
func (e *engine) pack(b *groupCache, g *groups.Groups) {
	always := e.options.Leaves == lb.Always
	if g == nil || g.Packed() || b.unpacked || !e.leaves.WantsPacked(g) && !always {
		return
	}
	start := time.Now()
	if always || g.WorthPacking() {
		loop := vp.For{Machine: e.machine, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
		g.Pack(loop.Run)
	} else {
		e.leaves.RefusePacked()
	}
	e.job.leavesTime += time.Since(start)
}
