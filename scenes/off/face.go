package off

import (
	"bytes"

	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// A face is usually a line. But it may continue on the following lines, and a line may have several faces. If a line
// does not show where its face ends, the next line decides. Text is read in chunks. The last row of a chunk is read
// again with the next chunk, so the result does not depend on the chunks.

// readFace reads a face, and further faces on the same line. Afterwards r.rowsRead is the index of the last of them.
func (r *reader) readFace(f *text.Fields) error {
	p := &r.polygon
	for first := true; ; first = false {
		ok, err := r.parseCorners(f, first)
		if err != nil || !ok {
			return err
		}
		more := false
		if first {
			if more, err = r.facesFollow(*f); err != nil {
				return err
			}
		} else {
			more = f.More()
		}
		last := r.rowsRead-r.counts[0]+1 == r.counts[1]
		p.Color = indexed.NoColor
		if first && (!more || last) {
			p.Color, _ = parseColor(f, 0)
		}
		if err := r.AddPolygon(*p); err != nil || !more || first && last {
			return err
		}
		if last {
			if err := r.Warn.Add(r.place(), "what follows the last face is ignored"); err != nil {
				return err
			}
			return errIgnored
		}
		r.rowsRead++
	}
}

// parseCorners parses the corners of a face. If they are damaged, ok is false, and parseCorners adds the warning that
// the face is left out.
func (r *reader) parseCorners(f *text.Fields, first bool) (ok bool, err error) {
	p := &r.polygon
	p.Corners = p.Corners[:0]
	n, ok := f.Int()
	for k := int64(0); ok && k < n; k++ {
		if first && n <= indexed.MaxCorners && !f.More() {
			goes, err := r.continuesFace(int(n-k), k > 0)
			if err != nil {
				return false, err
			}
			if goes {
				if *f, _, err = r.nextLine(); err != nil {
					return false, err
				}
			}
		}
		var index int64
		if index, ok = f.Int(); ok && len(p.Corners) <= indexed.MaxCorners {
			p.Corners = append(p.Corners, index)
		}
	}
	if ok && n >= 0 {
		return true, nil
	}
	word := f.Word()
	return false, r.Warn.Add(r.place(), "face %d left out: %s where a number should be%s", r.rowsRead-r.counts[0], text.Short(word), text.CommaHint(word))
}

// continuesFace reports whether the next line continues a face that still needs `lacks` corners. The next line must
// consist of at most `lacks` numbers.
//
// If the next line could also be a face of its own, it is taken for a new face. There are two exceptions: it has
// exactly `lacks` numbers, or the line before it has no corners (`some` is false). The error is errSplit if the next
// line is not read yet.
func (r *reader) continuesFace(lacks int, some bool) (bool, error) {
	next := r.nextShape()
	if !next.found && !r.atEnd {
		return false, errSplit
	}
	n := next.numbers
	return n > 0 && n <= lacks && !(next.faces == 1 && some && n < lacks), nil
}

// facesFollow reports whether the rest of a face's line holds further faces and not a colour. Four numbers could be a
// triangle or a colour. They are a triangle if the next line has several faces. They are also a triangle if the file
// then has exactly the faces that the header states, including the faces of the next line.
func (r *reader) facesFollow(f text.Fields) (bool, error) {
	if !f.More() {
		return false, nil
	}
	rest := shapeOf(f.Rest(), r.counts[0])
	if rest.faces == 0 || rest.numbers > 4 {
		return rest.faces > 0, nil
	}
	next := r.nextShape()
	if !next.found && !r.atEnd {
		return false, errSplit
	}
	left := r.counts[1] - (r.rowsRead - r.counts[0]) - 2
	return next.faces > 1 || left == int64(next.faces) && next.found == (left > 0), nil
}

// A shape describes what a line looks like.
type shape struct {
	found   bool // the line exists
	numbers int  // number of integers; -1 if there are other words
	faces   int  // number of faces if the line consists only of faces; 0 otherwise
}

// nextShape tells what the next line that is not empty looks like.
func (r *reader) nextShape() shape {
	b, eol := r.lines.Buffered()
	for len(b) > 0 {
		line := b
		if end := bytes.IndexByte(b, eol); end >= 0 {
			line, b = b[:end], b[end+1:]
		} else {
			b = nil
		}
		if s := shapeOf(line, r.counts[0]); s.numbers != 0 {
			return s
		}
	}
	return shape{}
}

// shapeOf returns the shape of a line of a file with the given number of vertices. A line with the index of a vertex
// that does not exist is no face.
func shapeOf(line []byte, vertices int64) shape {
	if at := bytes.IndexByte(line, '#'); at >= 0 {
		line = line[:at]
	}
	s := shape{found: true}
	corners, whole := int64(0), true
	for p := 0; ; s.numbers++ {
		for p < len(line) && text.IsSpace(line[p]) {
			p++
		}
		if p == len(line) {
			break
		}
		v := int64(0)
		for ; p < len(line) && !text.IsSpace(line[p]); p++ {
			if line[p]-'0' > 9 || v > 1<<40 {
				return shape{found: true, numbers: -1}
			}
			v = v*10 + int64(line[p]-'0')
		}
		switch {
		case corners > 0:
			whole = whole && v < vertices
			corners--
		default:
			whole = whole && v >= 3
			corners = v
			s.faces++
		}
	}
	if !whole || corners > 0 {
		s.faces = 0
	}
	return s
}
