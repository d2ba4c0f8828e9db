package scenes

import (
	"fmt"
	"strings"
)

// An Axis is one of the six signed coordinate axes. The zero value is +z, the
// up axis of most CAD and scan formats.
type Axis uint8

// Signed axes.
const (
	PlusZ Axis = iota
	PlusX
	PlusY
	MinusX
	MinusY
	MinusZ
)

var axisNames = [...]string{PlusZ: "z", PlusX: "x", PlusY: "y", MinusX: "-x", MinusY: "-y", MinusZ: "-z"}

// String returns "x", "y", "z", "-x", "-y" or "-z". For a value that is no axis, such as 77, it returns "axis(77)".
func (a Axis) String() string {
	if int(a) >= len(axisNames) {
		return fmt.Sprintf("axis(%d)", uint8(a))
	}
	return axisNames[a]
}

// ParseAxis is the inverse of String. It also accepts capitals and a leading plus sign, because other programs write
// them.
func ParseAxis(text string) (Axis, error) {
	s := strings.ToLower(text)
	if len(s) == 2 && s[0] == '+' {
		s = s[1:]
	}
	for a, name := range axisNames {
		if s == name {
			return Axis(a), nil
		}
	}
	return 0, fmt.Errorf("axis %q: expected x, y, z, -x, -y or -z", text)
}

// Vector returns the unit vector along a, or the z vector if a is not a valid axis.
func (a Axis) Vector() [3]float64 {
	switch a {
	case PlusX:
		return [3]float64{1, 0, 0}
	case PlusY:
		return [3]float64{0, 1, 0}
	case MinusX:
		return [3]float64{-1, 0, 0}
	case MinusY:
		return [3]float64{0, -1, 0}
	case MinusZ:
		return [3]float64{0, 0, -1}
	}
	return [3]float64{0, 0, 1}
}

// axisTurn returns the rotation that maps the axis `from` to the axis `to`. Coordinate i of a rotated point is
// coordinate source[i] of the original point, multiplied by sign[i]. If `from` and `to` are perpendicular, the
// rotation is a quarter turn about the third axis.
func axisTurn(from, to Axis) (source [3]int, sign [3]float32) {
	f, t := from.Vector(), to.Vector()
	source, sign = [3]int{0, 1, 2}, [3]float32{1, 1, 1}
	a, b := axisIndex(f), axisIndex(t)
	switch same := float32(f[a]) * float32(t[b]); {
	case a == b && same > 0:
	case a == b: // the axes have the same index but opposite signs: half a turn about the next axis
		sign[a], sign[(a+2)%3] = -1, -1
	default:
		source[b], sign[b] = a, same
		source[a], sign[a] = b, -same
	}
	return source, sign
}

// axisIndex returns the index of the coordinate of v that is not zero.
func axisIndex(v [3]float64) int {
	for i, x := range v {
		if x != 0 {
			return i
		}
	}
	return 2
}

// Turn returns the rotation that maps the axis `from` to the axis `to`, as Mesh.Stand does.
func Turn(from, to Axis) (a Affine) {
	source, sign := axisTurn(from, to)
	for axis, s := range source {
		a[axis][s] = float64(sign[axis])
	}
	return a
}

// Stand turns the mesh so that its axis `from` becomes the axis `to`, and sets Up to `to`. This only swaps coordinates
// and changes signs, so nothing is rounded.
func (m *Mesh) Stand(from, to Axis) {
	source, sign := axisTurn(from, to)
	m.Up = to
	old := [3]*[3][]float32{&m.X, &m.Y, &m.Z}
	var turned [3][3][]float32
	for axis, s := range source {
		turned[axis] = *old[s]
	}
	m.X, m.Y, m.Z = turned[0], turned[1], turned[2]
	for axis, column := range turned {
		if sign[axis] > 0 {
			continue
		}
		for k := range column {
			for t, v := range column[k] {
				column[k][t] = 0 - v // 0 - v is never a negative zero, but -v may be
			}
		}
	}
	origin, turn := m.Origin, Turn(from, to)
	for axis, s := range source {
		m.Origin[axis] = 0 + float64(sign[axis])*origin[s]
	}
	for i := range m.Parts {
		all := turn
		if p := m.Parts[i].Transform; p != nil {
			all = turn.Mul(p)
		}
		m.Parts[i].Transform = &all
	}
	if m.Attributes == nil {
		return
	}
	for i, n := range m.Attributes.Normals.Values {
		for axis, s := range source {
			m.Attributes.Normals.Values[i][axis] = 0 + sign[axis]*n[s]
		}
	}
}
