package quality

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// A flatEnds tells how flat the two ends of a mesh along an axis are. Each number is the area of the flat part of an
// end, as a fraction of the footprint. The footprint is the cross-section of the box of the mesh.
type flatEnds struct{ lower, upper float64 }

// flatness is how far a flat base may be from the end of the box, as a fraction of the extent of the box. The flat
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
		// Component i is twice the area as seen along axis i.
		normal := vector.Cross(vector.Sub(p[1], p[0]), vector.Sub(p[2], p[0]))
		for axis := range s {
			lowest, highest := min(p[0][axis], p[1][axis], p[2][axis]), max(p[0][axis], p[1][axis], p[2][axis])
			seen := math.Abs(normal[axis]) / 2 / (size[(axis+1)%3] * size[(axis+2)%3])
			switch near := flatness * size[axis]; {
			case !(seen > 0 && seen <= 1): // not finite, or the footprint has no area
			case highest <= box.Min[axis]+near:
				s[axis].lower += seen
			case lowest >= box.Max[axis]-near:
				s[axis].upper += seen
			}
		}
	}
	return s
}

// Limits of Stands. A flat part between maxNoBase and largeBase of the footprint proves neither that there is a base
// nor that there is none.
const (
	largeBase = 0.25 // fraction of the footprint; bases of figures, cups and hemispheres are larger
	maxNoBase = 0.02 // fraction of the footprint; contact areas of rounded bodies are smaller
	leastRise = 0.25 // fraction of the largest extent; a flatter mesh is a relief, meant to stand on edge
)

// Stands returns the axis, +y or +z, that is probably the true up axis of a mesh. `up` is the axis that the file's
// format defines. Stands returns the other axis only if all of these hold along that other axis:
//
//   - the mesh is not flat (leastRise);
//   - its lower end has a large flat base (largeBase);
//   - neither its upper end nor any end along the remaining axes has a flat part (maxNoBase).
//
// In all other cases it returns `up`.
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
