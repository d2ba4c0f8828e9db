// Package units knows the units in which the lengths of meshes are stated: their names, symbols and lengths in metres.
package units

import (
	"fmt"
	"math"
	"strings"
)

// Lengths maps symbols and names of units to their lengths in metres.
func Lengths() map[string]float64 {
	return map[string]float64{
		"um": 1e-6, "µm": 1e-6, "micron": 1e-6, "mm": 1e-3, "millimeter": 1e-3, "cm": 1e-2, "centimeter": 1e-2,
		"m": 1, "meter": 1, "in": 0.0254, "inch": 0.0254, "ft": 0.3048, "foot": 0.3048,
	}
}

// Of returns the length in metres of the unit with this name, in upper or lower case. It returns 0 for an unknown name.
func Of(name string) float64 { return Lengths()[strings.ToLower(name)] }

// Names returns the names of units in the normal form.
func Names() []string { return []string{"um", "mm", "cm", "m", "in", "ft"} }

// Normal returns the normal name of a unit, or s itself if there is no such unit.
func Normal(s string) string {
	lengths := Lengths()
	length, ok := lengths[strings.ToLower(s)]
	for _, name := range Names() {
		if ok && lengths[name] == length {
			return name
		}
	}
	return s
}

// symbols maps lengths in metres to the short names of units that pictures show.
var symbols = map[float64]string{1e-6: "µm", 0.001: "mm", 0.01: "cm", 1: "m", 0.0254: "in", 0.3048: "ft"}

// Symbol returns the short name of the unit with the given length in metres, or "" if no unit has this length.
func Symbol(metres float64) string { return symbols[math.Round(metres*1e9)/1e9] }

// Name returns the name of the unit with the given length in metres.
func Name(metres float64) string {
	for _, u := range []struct {
		metres float64
		name   string
	}{{1e-6, "micrometre"}, {1e-3, "millimetre"}, {1e-2, "centimetre"}, {1, "metre"}, {0.0254, "inch"}, {0.3048, "foot"}} {
		if math.Abs(metres-u.metres) <= 1e-9*u.metres {
			return u.name
		}
	}
	return fmt.Sprintf("%.7g metres", metres)
}
