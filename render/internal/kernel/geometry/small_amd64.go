//go:build amd64 && !purego

package geometry

import (
	"math"
	"unsafe"

	"lockstep/scenes/leaves"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func (a *smallArgs) setView(v *View) {
	a.pivotX, a.pivotY, a.pivotZ, a.scale, a.near = v.Pivot[0], v.Pivot[1], v.Pivot[2], v.Scale, v.Near
	a.rowX0, a.rowX1, a.rowX2, a.rowX3 = v.X[0], v.X[1], v.X[2], v.X[3]
	a.rowY0, a.rowY1, a.rowY2, a.rowY3 = v.Y[0], v.Y[1], v.Y[2], v.Y[3]
	depth := v.W
	a.orthographic, a.below = 0, int32(math.Float32bits(v.Near))-1
	if v.Orthographic {
		depth, a.orthographic, a.below = v.E, 1, -1
	}
	a.depth0, a.depth1, a.depth2, a.depth3 = depth[0], depth[1], depth[2], depth[3]
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
	a := &s.args
	for first := 0; first < n; first += smallBatch {
		a.groups, a.covering = (*uint8)(unsafe.Pointer(&groups[first])), &covering[first]
		a.n = int64(min(smallBatch, n-first))
		smallAVX512(a)
	}
	a.groups, a.covering = nil, nil
}
