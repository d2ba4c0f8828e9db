package obj

import (
	"bytes"
	"errors"
	"strconv"

	"lockstep/scenes/internal/text"
)

// errLine ends a part with a line in it: its chunk is read again, by the reader that knows which points there are.
var errLine = errors.New("a line")

// lineOf takes in the numbers of a line: of points, and behind a slash of texture coordinates, which are of no use for it. A
// line with a point that is not there is left out.
func (r *reader) lineOf(f *text.Fields) error {
	r.Lines++
	var points []int64
	for f.More() {
		word := f.Word()
		number, _, _ := bytes.Cut(word, []byte("/"))
		v, err := strconv.ParseInt(string(number), 10, 64)
		switch n := int64(r.Points()); {
		case err != nil:
			return r.Warn.Add(r.place(), "line left out: %s where a vertex should be", text.Short(word))
		case v < 0:
			v += n
		default:
			v--
		}
		if v < 0 || v >= int64(r.Points()) {
			return r.Warn.Add(r.place(), "line left out: vertex %d of %d, counted from 1", v+1, r.Points())
		}
		points = append(points, v)
	}
	return r.AddLine(points...)
}
