package scenes

import (
	"fmt"
	"math"

	"lockstep/scenes/internal/extent"
)

// A Box is an axis-aligned box that includes its boundary. The zero Box is the single point (0, 0, 0); EmptyBox returns
// the box that holds no point.
type Box struct{ Min, Max [3]float64 }

// EmptyBox returns the box without points. Its union with any other box is the other box.
func EmptyBox() Box {
	inf := math.Inf(1)
	return Box{
		Min: [3]float64{inf, inf, inf},
		Max: [3]float64{-inf, -inf, -inf},
	}
}

// BoxOf returns the box from lo to hi. If lo exceeds hi along an axis, the box is empty.
func BoxOf(lo, hi [3]float32) Box {
	b := EmptyBox()
	for c := range 3 {
		if lo[c] <= hi[c] {
			b.Min[c], b.Max[c] = float64(lo[c]), float64(hi[c])
		}
	}
	return b
}

// Empty reports whether b holds no point.
func (b Box) Empty() bool {
	for c := range 3 {
		if !(b.Min[c] <= b.Max[c]) {
			return true
		}
	}
	return false
}

// Center returns the middle of b, which must not be empty. The computation does not overflow for any finite box.
func (b Box) Center() (p [3]float64) {
	for c := range p {
		p[c] = b.Min[c]/2 + b.Max[c]/2
	}
	return p
}

// Size returns the extent of b along each axis, or zeros if b is empty.
func (b Box) Size() (d [3]float64) {
	if b.Empty() {
		return d
	}
	for c := range d {
		d[c] = b.Max[c] - b.Min[c]
	}
	return d
}

// Extend returns the smallest box that contains b and p.
func (b Box) Extend(p [3]float64) Box { return b.Union(Box{Min: p, Max: p}) }

// Union returns the smallest box that contains b and o. It is associative and commutative, so boxes of parts may be
// joined in any order.
func (b Box) Union(o Box) Box {
	for c := range 3 {
		b.Min[c] = min(b.Min[c], o.Min[c])
		b.Max[c] = max(b.Max[c], o.Max[c])
	}
	return b
}

// String returns "[minx miny minz]..[maxx maxy maxz]".
func (b Box) String() string { return fmt.Sprintf("%v..%v", b.Min, b.Max) }

// Bounds returns the box of all finite vertices of b, relative to the origin of its mesh. A vertex is finite if its
// three coordinates are finite. The box is empty if no vertex is finite. Cost: one pass over 36 bytes per triangle.
func (b *Block) Bounds() Box {
	e := extent.Empty()
	for k := range 3 {
		e.AddColumns(b.X[k], b.Y[k], b.Z[k])
	}
	return BoxOf(e.Lo, e.Hi)
}
