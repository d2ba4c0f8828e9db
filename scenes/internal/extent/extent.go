// Package extent computes bounding boxes in float32, the precision of vertices.
package extent

import "math"

// An Extent is an axis-aligned box that includes its boundary.
type Extent struct{ Lo, Hi [3]float32 }

// Empty returns the extent of no vertices.
func Empty() Extent {
	inf := float32(math.Inf(1))
	return Extent{
		Lo: [3]float32{inf, inf, inf},
		Hi: [3]float32{-inf, -inf, -inf},
	}
}

// AddColumns extends e by those vertices (x[i], y[i], z[i]) that are finite.
//
// Nearly every vertex lies inside the box of the vertices before it. Therefore the processor predicts the six
// comparisons for a vertex well. The comparisons then cost less than six minima and maxima. NaN and infinities fail
// the comparisons, so the slow path handles them.
func (e *Extent) AddColumns(x, y, z []float32) {
	// These are separate variables, because the compiler does not keep arrays in registers.
	lox, loy, loz, hix, hiy, hiz := e.Lo[0], e.Lo[1], e.Lo[2], e.Hi[0], e.Hi[1], e.Hi[2]
	y, z = y[:len(x)], z[:len(x)]
	for i, px := range x {
		py, pz := y[i], z[i]
		if px >= lox && px <= hix && py >= loy && py <= hiy && pz >= loz && pz <= hiz {
			continue
		}
		e.Add(px, py, pz)
		lox, loy, loz, hix, hiy, hiz = e.Lo[0], e.Lo[1], e.Lo[2], e.Hi[0], e.Hi[1], e.Hi[2]
	}
}

// Holds reports whether a vertex lies in e. It is false for NaN and infinities.
func (e *Extent) Holds(x, y, z float32) bool {
	return x >= e.Lo[0] && x <= e.Hi[0] && y >= e.Lo[1] && y <= e.Hi[1] && z >= e.Lo[2] && z <= e.Hi[2]
}

// Add extends e by one vertex if the vertex is finite, and reports whether it is.
func (e *Extent) Add(x, y, z float32) bool {
	if !finite(x) || !finite(y) || !finite(z) {
		return false
	}
	for c, v := range [3]float32{x, y, z} {
		e.Lo[c] = min(e.Lo[c], v)
		e.Hi[c] = max(e.Hi[c], v)
	}
	return true
}

// Join extends e to contain o.
func (e *Extent) Join(o *Extent) {
	for c := range 3 {
		e.Lo[c] = min(e.Lo[c], o.Lo[c])
		e.Hi[c] = max(e.Hi[c], o.Hi[c])
	}
}

func finite(v float32) bool { return v-v == 0 }
