package x3d

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/turn"
	"lockstep/scenes/internal/vector"
)

// An extrusion is an outline that is moved along a line, the spine. It is scaled and turned at each point of the spine.
type extrusion struct {
	outline [][2]float64
	spine   [][3]float64
	scale   [][2]float64
	turns   [][4]float64
}

// extrude reads an Extrusion and adds its positions. known is false if it has too few points.
func (m *meshReader) extrude() (known bool, err error) {
	n := m.node
	e := extrusion{
		outline: [][2]float64{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}, {1, 1}}, spine: [][3]float64{{0, 0, 0}, {0, 1, 0}},
		scale: [][2]float64{{1, 1}}, turns: [][4]float64{{0, 0, 1, 0}},
	}
	if err := readEntries(m, "crossSection", 2, &e.outline, func(v []float64) [2]float64 { return [2]float64(v) }); err != nil {
		return false, err
	}
	if err := readEntries(m, "spine", 3, &e.spine, func(v []float64) [3]float64 { return [3]float64(v) }); err != nil {
		return false, err
	}
	if err := readEntries(m, "scale", 2, &e.scale, func(v []float64) [2]float64 { return [2]float64(v) }); err != nil {
		return false, err
	}
	if err := readEntries(m, "orientation", 4, &e.turns, func(v []float64) [4]float64 { return [4]float64(v) }); err != nil {
		return false, err
	}
	if len(e.outline) < 2 || len(e.spine) < 2 {
		return false, m.warn.Add(bytePlace(n.at), "an extrusion left out: its outline has %d points, and its spine %d", len(e.outline), len(e.spine))
	}
	corner := int64(len(e.outline)) * int64(len(e.spine))
	if err := m.in.Repeated(2 * corner); err != nil {
		return false, err
	}
	if err := m.Reserve(2 * (24 + 16) * corner); err != nil {
		return false, err
	}
	e.addPositions(m)
	m.mapped, m.reversed = true, !n.flag("ccw", true)
	m.polygons = func(b *corners.Builder) error { return m.addSides(b, &e) }
	return true, nil
}

// readEntries replaces `to` by the entries of a field of the file, if there are any. An entry has `width` numbers,
// which the function `of` converts.
func readEntries[T any](m *meshReader, field string, width int, to *[]T, of func(v []float64) T) error {
	if err := m.reserveField(m.node, field, width, 8*width); err != nil {
		return err
	}
	var all []T
	err := m.eachRow(m.node, field, width, func(v []float64) { all = append(all, of(v)) })
	if len(all) > 0 {
		*to = all
	}
	return err
}

// addPositions adds the positions of the corners: an outline at each point of the spine.
func (e *extrusion) addPositions(m *meshReader) {
	frames := e.frames()
	for i, at := range e.spine {
		scale, turned := e.scale[min(i, len(e.scale)-1)], rotation(e.turns[min(i, len(e.turns)-1)])
		frame := frames[i].Mul(&turned)
		for k, p := range e.outline {
			q := frame.Point([3]float64{float64(p[0] * scale[0]), 0, float64(p[1] * scale[1])})
			m.solidCorner(vector.Add(q, at), float64(k)/float64(len(e.outline)-1), float64(i)/float64(len(e.spine)-1))
		}
	}
}

// frames returns coordinate axes for each point of the spine. y points along the spine. z is perpendicular to the plane
// in which the spine bends.
func (e *extrusion) frames() []scenes.Affine {
	n := len(e.spine)
	closed := e.spine[0] == e.spine[n-1]
	along, across := make([][3]float64, n), make([][3]float64, n)
	last := [3]float64{}
	for i := range e.spine {
		before, after := max(0, i-1), min(n-1, i+1)
		if closed && (i == 0 || i == n-1) {
			before, after = n-2, 1
		}
		along[i] = unitVector(vector.Sub(e.spine[after], e.spine[before]))
		ahead, behind := vector.Sub(e.spine[after], e.spine[i]), vector.Sub(e.spine[before], e.spine[i])
		across[i] = unitVector(vector.Cross(ahead, behind))
		if across[i] != ([3]float64{}) && last == ([3]float64{}) {
			last = across[i] // points before the first bend have the z axis of that bend
		}
	}
	frames := make([]scenes.Affine, n)
	for i := range frames {
		y, z := along[i], across[i]
		if y == ([3]float64{}) && i > 0 {
			y = along[i-1]
			along[i] = y
		}
		if z == ([3]float64{}) {
			z = last
		}
		if vector.Dot(z, last) < 0 {
			z = vector.Scale(-1, z)
		}
		last = z
		frames[i] = frameOf(y, z)
	}
	return frames
}

// frameOf returns coordinate axes whose y axis is y and whose z axis is z. z is zero for a straight spine. Then the
// result is the axes of the scene after the smallest rotation that turns their y axis to y.
func frameOf(y, z [3]float64) scenes.Affine {
	x := unitVector(vector.Cross(y, z))
	if x == ([3]float64{}) {
		axis := vector.Cross([3]float64{0, 1, 0}, y)
		sin := math.Sqrt(vector.Dot(axis, axis))
		if sin < 1e-12 {
			axis, sin = [3]float64{1, 0, 0}, 0
		}
		if y == ([3]float64{}) {
			return scenes.Identity()
		}
		return turn.About(axis, sin, y[1])
	}
	z = vector.Cross(x, y)
	return scenes.Affine{{x[0], y[0], z[0], 0}, {x[1], y[1], z[1], 0}, {x[2], y[2], z[2], 0}}
}

// unitVector returns v scaled to length 1, or zero if v has no direction.
func unitVector(v [3]float64) [3]float64 {
	length := math.Sqrt(vector.Dot(v, v))
	if !(length > 0) || math.IsInf(length, 0) {
		return [3]float64{}
	}
	return vector.Scale(1/length, v)
}

// addSides adds the sides between neighbouring outlines, and the caps.
func (m *meshReader) addSides(b *corners.Builder, e *extrusion) error {
	corner := func(ring, k int) corners.Corner {
		at := int32(ring*len(e.outline) + k)
		return corners.Corner{Position: at, Normal: corners.None, Color: corners.None, TexCoord: at}
	}
	for ring := range len(e.spine) - 1 {
		for k := range len(e.outline) - 1 {
			side := [4]corners.Corner{corner(ring, k), corner(ring, k+1), corner(ring+1, k+1), corner(ring+1, k)}
			if err := m.addPolygon(b, side[:]); err != nil {
				return err
			}
		}
	}
	points := len(e.outline)
	if e.outline[0] == e.outline[points-1] {
		points--
	}
	if points < 3 {
		return nil
	}
	for _, end := range []struct {
		field string
		ring  int
	}{{"beginCap", 0}, {"endCap", len(e.spine) - 1}} {
		if !m.node.flag(end.field, true) {
			continue
		}
		var face []corners.Corner
		for k := range points {
			if end.ring == 0 {
				k = points - 1 - k
			}
			face = append(face, corner(end.ring, k))
		}
		if err := m.addPolygon(b, face); err != nil {
			return err
		}
	}
	return nil
}
