//go:build amd64 && !purego

package geometry

import (
	"unsafe"

	"lockstep/scenes/leaves"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func (a *smallArgs) setView(v *View) {
	a.pivotX, a.pivotY, a.pivotZ, a.scale, a.near = v.Pivot[0], v.Pivot[1], v.Pivot[2], v.Scale, v.Near
	a.rowX0, a.rowX1, a.rowX2, a.rowX3 = v.X[0], v.X[1], v.X[2], v.X[3]
	a.rowY0, a.rowY1, a.rowY2, a.rowY3 = v.Y[0], v.Y[1], v.Y[2], v.Y[3]
	a.rowW0, a.rowW1, a.rowW2, a.rowW3 = v.W[0], v.W[1], v.W[2], v.W[3]
	a.rowE0, a.rowE1, a.rowE2, a.rowE3 = v.E[0], v.E[1], v.E[2], v.E[3]
	a.snapX, a.snapY = v.CenterX-snapMagicBits, v.CenterY-snapMagicBits
}

// This index is out of range, so that the package does not build, unless the fields of a group lie where the assembly
// loop reads them.
var _ = [1]struct{}{}[unsafe.Offsetof(leaves.Group{}.Words)|unsafe.Offsetof(leaves.Group{}.Vertices)^24|unsafe.Sizeof(leaves.Group{})^32]

// smallBatch is the largest number of groups that one call of the assembly loop handles, because the call cannot be
// preempted. A call takes less than 20 microseconds.
const smallBatch = 128

// coverAll does what Cover does. The view must not be distant, see View.Distant.
func (s *Small) coverAll(groups []leaves.Group, covering []uint64) {
	if s.level != isa.AVX512 {
		s.coverEach(groups, covering)
		return
	}
	n := len(groups)
	for _, g := range groups {
		race.Read(g.Words)
	}
	groups = groups[:n+SmallAhead]
	for i := n; i < len(groups); i++ { // prefetched, but not used
		groups[i] = groups[n-1]
	}
	a := &s.args
	for first := 0; first < n; first += smallBatch {
		a.groups, a.covering = (*uint8)(unsafe.Pointer(&groups[first])), &covering[first]
		a.n = int64(min(smallBatch, n-first))
		if s.view.Orthographic {
			smallOrthographicAVX512(a)
		} else {
			smallPerspectiveAVX512(a)
		}
	}
	a.groups, a.covering = nil, nil
}
