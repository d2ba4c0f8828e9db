package obj

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"lockstep/scenes/internal/text"
)

// errLine is the error for a part of the file with lines or points. Parts are parsed in parallel, without the vertices
// before them. Therefore such a part is read again, in the order of the file.
var errLine = errors.New("a line")

// readLine reads an "l" statement, which draws a line through the vertices that it names. Texture coordinates after a
// slash are ignored. If a vertex does not exist, the drawn line is left out with a warning.
func (r *reader) readLine(f *text.Fields) error {
	r.Lines++
	var points []int64
	for f.More() {
		v, why := r.pointOf(f.Word())
		if why != "" {
			return r.Warn.Add(r.place(), "line left out: %s", why)
		}
		points = append(points, v)
	}
	of := &r.polygon
	if of.Color = r.color; r.colored {
		of = nil
	}
	return r.AddLine(of, points...)
}

// pointOf returns the index of the vertex to which word refers. If it does not exist, `why` is the reason.
func (r *reader) pointOf(word []byte) (v int64, why string) {
	number, _, _ := bytes.Cut(word, []byte("/"))
	v, err := strconv.ParseInt(string(number), 10, 64)
	switch {
	case err != nil:
		return 0, text.Short(word) + " where a vertex should be"
	case v < 0:
		v += int64(r.Points())
	default:
		v--
	}
	if v < 0 || v >= int64(r.Points()) {
		return 0, fmt.Sprintf("vertex %d of %d, counted from 1", v+1, r.Points())
	}
	return v, ""
}

// readPoints reads a list of vertices that are drawn as points.
func (r *reader) readPoints(f *text.Fields) error {
	r.Dots++
	for f.More() {
		v, why := r.pointOf(f.Word())
		if why != "" {
			return r.Warn.Add(r.place(), "list of points left out: %s", why)
		}
		if err := r.AddDot(v); err != nil {
			return err
		}
	}
	return nil
}
