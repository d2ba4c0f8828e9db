package quality

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// A flatEnds says how flat the two ends of a mesh along an axis are. Each number is the area of the flat part of an
// end, divided by the area of the footprint. The footprint is the cross-section of the box of the mesh.
type flatEnds struct{ lower, upper float64 }

// flatness is the greatest distance of a flat base from the end of the box, relative to the extent of the box. The flat
// bases in files of scanners and printers all deviate less.
const flatness = 1e-3

// measureEnds measures how flat the ends of a mesh are along the x, y and z axes.
func measureEnds(m *scenes.Mesh) (s [3]flatEnds) {
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
		// Component i is twice the area seen along axis i
		normal := vector.Cross(vector.Sub(p[1], p[0]), vector.Sub(p[2], p[0]))
		for axis := range s {
			lowest, highest := min(p[0][axis], p[1][axis], p[2][axis]), max(p[0][axis], p[1][axis], p[2][axis])
			seen := math.Abs(normal[axis]) / 2 / (size[(axis+1)%3] * size[(axis+2)%3])
			switch near := flatness * size[axis]; {
			case !(seen > 0 && seen <= 1): // not finite, or the mesh has no footprint
			case highest <= box.Min[axis]+near:
				s[axis].lower += seen
			case lowest >= box.Max[axis]-near:
				s[axis].upper += seen
			}
		}
	}
	return s
}

// Limits of Stands. A share of the footprint between maxNoBase and largeBase proves neither a base nor the absence of
// one.
const (
	largeBase = 0.25 // fraction of the footprint; the base of a figure, a cup or a hemisphere is larger
	maxNoBase = 0.02 // fraction of the footprint; the contact area of a rounded body is smaller
	leastRise = 0.25 // fraction of the largest extent; a flatter mesh is a relief, which is meant to stand on its edge
)

// Stands returns the axis, +y or +z, that is probably the real up axis of a mesh. up is the axis that the file's format
// claims. Stands returns the other axis only if
//
//   - the mesh is not flat along it (leastRise);
//   - the mesh has a large flat base at its lower end (largeBase);
//   - no other end of the box has a flat side (maxNoBase).
//
// Otherwise the mesh may lie as intended.
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
	s := measureEnds(m)
	for axis, ends := range s {
		if axis != at && ends.lower > maxNoBase || ends.upper > maxNoBase {
			return up
		}
	}
	if s[at].lower < largeBase {
		return up
	}
	return other
}
