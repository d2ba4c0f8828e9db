package quality

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// A side is how much of the footprint of a mesh along an axis, the rectangle that its box has across it, is
// flat at the lower and at the upper end of the box: 0 to 1.
type side struct{ lower, upper float64 }

// flatness is how far from the end of the box a flat base may lie, in parts of the box's extent: scanners
// and printers' files are rounder than that nowhere.
const flatness = 1e-3

// sides measures the ends of a mesh along x, y and z.
func sides(m *scenes.Mesh) (s [3]side) {
	box := m.Bounds()
	if box.Empty() {
		return s
	}
	size := box.Size()
	for t := range m.Len() {
		c := m.Triangle(t)
		var p [3][3]float64
		for k := range c {
			p[k] = vector.Double(c[k])
		}
		normal := vector.Cross(vector.Sub(p[1], p[0]), vector.Sub(p[2], p[0])) // across an axis, twice the area as seen along it
		for axis := range s {
			lowest, highest := min(p[0][axis], p[1][axis], p[2][axis]), max(p[0][axis], p[1][axis], p[2][axis])
			seen := math.Abs(normal[axis]) / 2 / (size[(axis+1)%3] * size[(axis+2)%3])
			switch near := flatness * size[axis]; {
			case !(seen > 0 && seen <= 1): // not finite, or of a mesh without a footprint
			case highest <= box.Min[axis]+near:
				s[axis].lower += seen
			case lowest >= box.Max[axis]-near:
				s[axis].upper += seen
			}
		}
	}
	return s
}

// The bounds of Stands. Between them nothing is said: half a base is no proof of anything.
const (
	largeBase = 0.25 // of the footprint: that of a figure's foot, a cup, a half of a sphere's disc is above
	noBase    = 0.02 // and what a rounded body touches the ground with is below
	leastRise = 0.25 // of the largest extent: a relief is a wall's, and stands on its edge as it was meant to
)

// Stands returns the axis that is probably up in a mesh that is drawn with the axis up, one of +y and +z: up
// itself, unless the mesh has a large flat base at the lower end of the other one and none at any other end of
// its box. A part that has flat sides elsewhere, or a base as well as a flat top, may lie as it was meant to.
func Stands(m *scenes.Mesh, up scenes.Axis) scenes.Axis {
	other, at := scenes.PlusY, 1
	switch up {
	case scenes.PlusZ:
	case scenes.PlusY:
		other, at = scenes.PlusZ, 2
	default:
		return up
	}
	if size := m.Bounds().Size(); !(size[at] >= leastRise*max(size[0], size[1], size[2])) {
		return up
	}
	s := sides(m)
	for axis, ends := range s {
		if axis != at && ends.lower > noBase || ends.upper > noBase {
			return up
		}
	}
	if s[at].lower < largeBase {
		return up
	}
	return other
}
