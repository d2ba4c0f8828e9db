package report

import (
	"errors"
	"strconv"
)

// A Path is a flag or argument that names a file or a folder. "" means that the flag was not given; no file has this
// name, and a command line that gives it is refused.
type Path string

// UnmarshalText implements encoding.TextUnmarshaler for command lines.
func (p *Path) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("expected a name")
	}
	*p = Path(text)
	return nil
}

// Label returns the name by which messages call the file.
func (p Path) Label() string {
	if p == "-" {
		return "standard input"
	}
	return string(p)
}

// A Count is a flag that counts something. 0 means that the flag was not given, so that the default applies. A command
// line that gives 0 is refused.
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

// A Factor is a flag for a magnification. 0 means that the flag was not given, so that the factor is 1. A command line
// that gives 0 is refused.
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

// maxFactor excludes infinity.
const maxFactor = 1e300
