package report

import (
	"errors"
	"strconv"
)

// A Path is a flag or argument that names a file or a folder. "", which no file
// is called, stands for a flag that was not given and is refused on a command
// line.
type Path string

// UnmarshalText implements encoding.TextUnmarshaler for command lines.
func (p *Path) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("expected a name")
	}
	*p = Path(text)
	return nil
}

// Label is what messages call a file.
func (p Path) Label() string {
	if p == "-" {
		return "standard input"
	}
	return string(p)
}

// A Count is a flag that counts something. 0 stands for a flag that was not
// given, the default, and is refused on a command line.
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

// A Factor is a flag that magnifies. 0 stands for a flag that was not given, 1,
// and is refused on a command line.
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

// maxFactor keeps infinity out.
const maxFactor = 1e300
