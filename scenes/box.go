package scenes

import (
	"fmt"
	"math"
)

// A Box is an axis-aligned box, both ends included. The zero Box is the
// single point (0, 0, 0); EmptyBox returns the box that holds nothing.
type Box struct{ Min, Max [3]float64 }

// EmptyBox returns the box without points, the identity of Union.
func EmptyBox() Box {
	inf := math.Inf(1)
	return Box{
		Min: [3]float64{inf, inf, inf},
		Max: [3]float64{-inf, -inf, -inf},
	}
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

// Center returns the middle of b, which must not be empty. It does not
// overflow for any finite box.
func (b Box) Center() (p [3]float64) {
	for c := range p {
		p[c] = b.Min[c]/2 + b.Max[c]/2
	}
	return p
}

// Size returns the extent of b along each axis; zeros for an empty box.
func (b Box) Size() (d [3]float64) {
	if b.Empty() {
		return d
	}
	for c := range d {
		d[c] = b.Max[c] - b.Min[c]
	}
	return d
}

// Extend returns the smallest box around b and p.
func (b Box) Extend(p [3]float64) Box { return b.Union(Box{Min: p, Max: p}) }

// Union returns the smallest box around b and o. It is associative and
// commutative, so boxes of parts may be joined in any order.
func (b Box) Union(o Box) Box {
	for c := range 3 {
		b.Min[c] = min(b.Min[c], o.Min[c])
		b.Max[c] = max(b.Max[c], o.Max[c])
	}
	return b
}

// String returns "[minx miny minz]..[maxx maxy maxz]".
func (b Box) String() string { return fmt.Sprintf("%v..%v", b.Min, b.Max) }

// Bounds returns the box of all finite vertices of b, relative to the origin
// of its mesh; empty if there are none. A vertex is finite if its three
// coordinates are. Cost: one pass over 36 bytes a triangle.
func (b *Block) Bounds() Box {
	e := emptyExtent()
	for k := range 3 {
		e.addSoA(b.X[k], b.Y[k], b.Z[k])
	}
	return e.box()
}

// extent is a growing box in the float32 of the data.
type extent struct{ lo, hi [3]float32 }

func emptyExtent() extent {
	inf := float32(math.Inf(1))
	return extent{
		lo: [3]float32{inf, inf, inf},
		hi: [3]float32{-inf, -inf, -inf},
	}
}

func (e *extent) box() Box {
	b := EmptyBox()
	for c := range 3 {
		if e.lo[c] <= e.hi[c] {
			b.Min[c], b.Max[c] = float64(e.lo[c]), float64(e.hi[c])
		}
	}
	return b
}

// addSoA extends e by the finite ones of the vertices (x[i], y[i], z[i]).
//
// Nearly every vertex lies inside the box of those before it, so the six
// comparisons are well predicted and cheaper than six minima; NaN and
// infinities fail them and land in the slow path too.
func (e *extent) addSoA(x, y, z []float32) {
	// Scalars, because the compiler keeps no arrays in registers.
	lox, loy, loz, hix, hiy, hiz := e.lo[0], e.lo[1], e.lo[2], e.hi[0], e.hi[1], e.hi[2]
	y, z = y[:len(x)], z[:len(x)]
	for i, px := range x {
		py, pz := y[i], z[i]
		if px >= lox && px <= hix && py >= loy && py <= hiy && pz >= loz && pz <= hiz {
			continue
		}
		e.addVertex(px, py, pz)
		lox, loy, loz, hix, hiy, hiz = e.lo[0], e.lo[1], e.lo[2], e.hi[0], e.hi[1], e.hi[2]
	}
}

// holds reports whether a vertex lies in e; NaN and infinities never do.
func (e *extent) holds(x, y, z float32) bool {
	return x >= e.lo[0] && x <= e.hi[0] && y >= e.lo[1] && y <= e.hi[1] && z >= e.lo[2] && z <= e.hi[2]
}

// addVertex extends e by one vertex and reports whether it was finite.
func (e *extent) addVertex(x, y, z float32) bool {
	if !finite(x) || !finite(y) || !finite(z) {
		return false
	}
	for c, v := range [3]float32{x, y, z} {
		e.lo[c] = min(e.lo[c], v)
		e.hi[c] = max(e.hi[c], v)
	}
	return true
}

func finite(v float32) bool { return v-v == 0 }
