package scenes

import "fmt"

// An Axis is one of the six signed coordinate axes. The zero value is +z, the
// up axis of most CAD and scan formats.
type Axis uint8

// The signed axes.
const (
	PlusZ Axis = iota
	PlusX
	PlusY
	MinusX
	MinusY
	MinusZ
)

var axisNames = [...]string{PlusZ: "z", PlusX: "x", PlusY: "y", MinusX: "-x", MinusY: "-y", MinusZ: "-z"}

// String returns "x", "y", "z", "-x", "-y" or "-z"; "axis(77)" for 77, which is
// no axis.
func (a Axis) String() string {
	if int(a) >= len(axisNames) {
		return fmt.Sprintf("axis(%d)", uint8(a))
	}
	return axisNames[a]
}

// ParseAxis is the inverse of String; a leading plus sign is allowed.
func ParseAxis(s string) (Axis, error) {
	if len(s) == 2 && s[0] == '+' {
		s = s[1:]
	}
	for a, name := range axisNames {
		if s == name {
			return Axis(a), nil
		}
	}
	return 0, fmt.Errorf("axis %q: expected x, y, z, -x, -y or -z", s)
}

// Vector returns the unit vector along a; that of z for a value that is no axis.
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
