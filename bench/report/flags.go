package report

import (
	"errors"
	"strconv"
)

// A Path is a flag or argument that names a file or a folder. "" means that it was not given. An empty name on the
// command line is an error.
type Path string

// UnmarshalText implements encoding.TextUnmarshaler for command lines.
func (p *Path) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("expected a name")
	}
	*p = Path(text)
	return nil
}

// Label returns the name of the file in messages.
func (p Path) Label() string {
	if p == "-" {
		return "standard input"
	}
	return string(p)
}

// A Count is a flag whose value is a whole number of at least 1. 0 means that it was not given, and selects the
// default.
type Count int

// UnmarshalText implements encoding.TextUnmarshaler for command lines.
func (c *Count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return errors.New(strconv.Quote(string(text)) + ": expected a whole number of at least 1")
	}
	*c = Count(n)
	return nil
}

// A Factor is a flag whose value is a magnification above 0. 0 means that it was not given, and selects the factor 1.
type Factor float64

// UnmarshalText implements encoding.TextUnmarshaler for command lines.
func (f *Factor) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(v > 0) || v > maxFactor {
		return errors.New(strconv.Quote(string(text)) + ": expected a number above 0")
	}
	*f = Factor(v)
	return nil
}

// maxFactor is the largest magnification. It is finite, and far above any useful one.
const maxFactor = 1e300
