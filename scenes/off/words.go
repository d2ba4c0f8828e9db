package off

import (
	"bytes"
	"io"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// A feed is the input of readWords: the rest of the prefix, then the rest of the file.
type feed struct {
	head []byte
	in   *format.Input // rest of the file; nil: only head is read
}

func (f *feed) fill(p []byte) (n int, err error) {
	n = copy(p, f.head)
	f.head = f.head[n:]
	if n == len(p) {
		return n, nil
	}
	if f.in == nil || f.in.Size == int64(len(f.in.Prefix)) {
		return n, io.EOF
	}
	k, err := f.in.Fill(p[n:])
	return n + k, err
}

// words reads the rows of a file word by word.
type words struct {
	*reader
	style
	text *text.Words
	cut  []byte // the last word without a comment, followed by a space
	bad  []byte // the last word, for a warning that it is not a number
}

func newWords(r *reader, s style, from *feed, eol byte, lines int) *words {
	w := &words{reader: r, style: s, text: text.NewWords(from.fill, eol)}
	w.text.Jump(lines)
	return w
}

// readWords reads the rows word by word, from the end of the header on. It returns the number of bytes read.
func (r *reader) readWords(s style, end headerEnd) (int64, error) {
	from := &feed{head: r.in.Prefix[len(r.in.Prefix)-end.behind:], in: r.in}
	w := newWords(r, s, from, text.EndOfLine(r.in.Prefix), end.lines-1)
	err := w.readRows()
	switch err {
	case errEnd:
		r.lines.SetLine(w.text.Line())
		err = r.warnEndsEarly()
	case errIgnored:
		err = nil
	}
	return r.in.Done(), err
}

// readRows reads all rows. It returns the same errors as reader.readRows.
func (w *words) readRows() error {
	for ; w.rowsRead < w.counts[0]+w.counts[1]; w.rowsRead++ {
		w.began = 0
		word, err := w.next()
		if err != nil {
			return err
		}
		if len(word) == 0 {
			return errEnd
		}
		w.began = w.text.Line()
		w.text.Back()
		if w.rowsRead < w.counts[0] {
			err = w.readVertex()
		} else {
			err = w.readFace()
		}
		if err != nil {
			return err
		}
	}
	word, err := w.next()
	if err != nil || len(word) == 0 {
		return err
	}
	w.began = w.text.Line()
	if err := w.Warn.Add(w.place(), "what follows the last face is ignored"); err != nil {
		return err
	}
	return errIgnored
}

// next returns the next word that is not in a comment, or an empty word at the end.
func (w *words) next() ([]byte, error) {
	for {
		word, err := w.text.Next()
		at := bytes.IndexByte(word, '#')
		if err != nil || at < 0 {
			return word, err
		}
		w.text.Pos = w.text.Start() + at
		if at > 0 {
			return word[:at], nil
		}
		if _, err := w.text.RestOfLine(nil); err != nil {
			return nil, err
		}
	}
}

// number parses the next word. If it is not a number, ok is false and w.bad is the word.
func (w *words) number() (v float64, ok bool, err error) {
	word, err := w.next()
	if err != nil {
		return 0, false, err
	}
	if len(word) == 0 {
		return 0, false, errEnd
	}
	w.cut = append(append(w.cut[:0], word...), ' ')
	v, _, ok = text.Decimal(w.cut, 0)
	w.bad = w.cut[:len(word)]
	return v, ok, nil
}

// readVertex reads a vertex.
func (w *words) readVertex() error {
	before, behind := w.extraNumbers()
	var v [3 + 4 + 4 + 2]float64
	n := 3 + before + w.style.color + behind
	point := false
	for c := range n {
		var ok bool
		var err error
		if v[c], ok, err = w.number(); err != nil {
			return err
		}
		if !ok {
			if err := w.AddUnread(w.place(), w.rowsRead, w.bad, "a number"); err != nil {
				return err
			}
			return w.skipLine()
		}
		if at := c - 3 - before; at >= 0 && at < 3 {
			point = point || bytes.IndexByte(w.bad, '.') >= 0
		}
	}
	rgb := uint32(indexed.NoColor)
	if w.style.color > 0 {
		rgb = colorOf([3]float64(v[3+before:]), point)
	}
	return w.addVertex(v[:3+before], rgb, v[n-behind:n])
}

// skipLine skips the rest of the line, after damage in it.
func (w *words) skipLine() error {
	_, err := w.text.RestOfLine(nil)
	return err
}

// readFace reads a face.
func (w *words) readFace() error {
	p := &w.polygon
	p.Corners, p.Color = p.Corners[:0], indexed.NoColor
	n, ok, err := w.number()
	ok = ok && n >= 0 && n == float64(int64(n)) && n < 1<<53
	for k := int64(0); ok && err == nil && k < int64(n); k++ {
		var index float64
		index, ok, err = w.number()
		ok = ok && index == float64(int64(index))
		if ok && len(p.Corners) <= indexed.MaxCorners {
			p.Corners = append(p.Corners, int64(index))
		}
	}
	if err != nil {
		return err
	}
	if !ok {
		if err := w.Warn.Add(w.place(), "face %d left out: %s where a number should be", w.rowsRead-w.counts[0], text.Short(w.bad)); err != nil {
			return err
		}
		return w.skipLine()
	}
	if w.shaded {
		if err := w.readShade(); err != nil {
			return err
		}
	}
	if w.IsPart() && !w.hasAllVertices() {
		return errEnd // happens only while tryStyles tries a style; the style then does not fit
	}
	return w.AddPolygon(*p)
}

// hasAllVertices reports whether all vertices of the face exist.
func (w *words) hasAllVertices() bool {
	for _, v := range w.polygon.Corners {
		if v < 0 || v >= w.counts[0] {
			return false
		}
	}
	return true
}

// readShade reads the rest of the line as the colour of the face.
func (w *words) readShade() error {
	if err := w.text.More(); err != nil {
		return err
	}
	line := w.text.Buf[w.text.Pos:min(w.text.End, w.text.Pos+text.Lookahead)]
	end := bytes.IndexAny(line, "\r\n")
	if end >= 0 {
		line = line[:end]
	}
	var lines text.Lines
	lines.Reset(append(bytes.Clone(line), 0)[:len(line)], '\n', 1)
	f, ok, err := lines.Next()
	if err != nil || !ok {
		return err
	}
	f.CutComment()
	w.polygon.Color, _ = parseColor(&f, 0)
	return w.skipLine()
}
