package ply

import (
	"bytes"
	"fmt"
	"io"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/text"
)

// A row of a text has a line of its own in nearly all files, and a damaged line costs one row there. By words, a
// missing number would move all that follow. So a text is read by lines unless it shows that its rows are not lines.

// sampleLines is how many lines decide about a text that is longer than the prefix.
const sampleLines = 64

// byWords reports whether the rows of a text go on on following lines, or share lines. A text that ends with the
// prefix is read by words if that finds no fault in it, and by lines does. Of others the first lines decide: most are
// too short for a row, and by words there is no fault in the prefix.
func (r *reader) byWords(h *header) bool {
	rest, eol, whole := r.in.Prefix[h.size:], text.EndOfLine(r.in.Prefix), r.whole()
	var t textRows
	t.Over(append(bytes.Clone(rest), 0)[:len(rest)], eol, 1)
	if whole && r.flawless(&t, true) || !whole && !r.short(&t) {
		return false
	}
	return r.flawless(newWordRows(&feed{head: rest}, r.in.Prefix, h), whole)
}

// whole reports whether the file ends with the prefix.
func (r *reader) whole() bool { return r.in.Size == int64(len(r.in.Prefix)) }

// short reports whether most of the first rows are damaged.
func (r *reader) short(from rows) bool {
	n, bad, trial := 0, 0, r.trial()
	for ; n < sampleLines && trial.seek(); n++ {
		err := from.next(&trial.elements[trial.at.element], -1, &trial.row)
		if _, damaged := err.(badRow); damaged {
			bad++
		} else if err != nil {
			break
		}
		trial.at.row++
	}
	return 2*bad > n
}

// trial returns a reader of the same elements that keeps nothing.
func (r *reader) trial() *reader { return &reader{elements: r.elements, row: row{texCoordAt: -1}} }

// flawless reports whether rows are as the header promises: no damage, faces of three corners at least that are
// there, and, if the text is whole, nothing missing and nothing that follows.
func (r *reader) flawless(from rows, whole bool) bool {
	trial, points := r.trial(), uint64(0)
	for trial.seek() {
		e := &trial.elements[trial.at.element]
		want := e.index(true, "vertex_indices", "vertex_index")
		if e.name == "vertex" || e.name == "tristrips" {
			want = -1
		}
		if err := from.next(e, want, &trial.row); err != nil {
			return err == binary.ErrEnd && !whole
		}
		if e.name == "vertex" {
			points++
		}
		if want >= 0 && !there(&trial.row, points) {
			return false
		}
		trial.at.row++
	}
	more, err := from.more()
	return err == nil && !(whole && more)
}

// there reports whether the list of a row is the corners of a face of so many points.
func there(r *row, points uint64) bool {
	for _, v := range r.list {
		if v < 0 || uint64(v) >= points {
			return false
		}
	}
	return r.listed >= 3
}

// A feed is what is read by words: the rest of the prefix, and what follows it.
type feed struct {
	head []byte
	in   *format.Input // nil: nothing follows
}

func (f *feed) fill(p []byte) (n int, err error) {
	n = copy(p, f.head)
	f.head = f.head[n:]
	switch {
	case n == len(p):
		return n, nil
	case f.in == nil || f.in.Size == int64(len(f.in.Prefix)):
		return n, io.EOF
	}
	k, err := f.in.Fill(p[n:])
	return n + k, err
}

// wordRows reads rows whose numbers are parted by any white space.
type wordRows struct {
	*text.Words
	began int    // line of the last row
	word  []byte // the last word, and a space
}

func newWordRows(from *feed, prefix []byte, h *header) *wordRows {
	w := &wordRows{Words: text.NewWords(from.fill, text.EndOfLine(prefix))}
	w.Jump(h.lines)
	return w
}

// readWords reads the rows of a text by words, and returns how many bytes the file has.
func (r *reader) readWords(h *header) (int64, error) {
	r.rows = newWordRows(&feed{head: r.in.Prefix[h.size:], in: r.in}, r.in.Prefix, h)
	err := r.read()
	switch err {
	case binary.ErrEnd:
		err = r.endsEarly()
	case errIgnored:
		err = nil
	}
	return r.in.Done(), err
}

func (w *wordRows) place() string { return fmt.Sprintf("line %d", w.began) }

func (w *wordRows) more() (bool, error) {
	word, err := w.skipComments()
	w.began = w.Line()
	return len(word) > 0, err
}

// skipComments returns the next word that is in no comment, empty at the end.
func (w *wordRows) skipComments() ([]byte, error) {
	for {
		word, err := w.Next()
		if err != nil || len(word) == 0 || word[0] != '#' && string(word) != "comment" && string(word) != "obj_info" {
			return word, err
		}
		if _, err := w.RestOfLine(nil); err != nil {
			return nil, err
		}
	}
}

// next implements rows. What follows damage on its line is left out.
func (w *wordRows) next(e *element, want int, r *row) error {
	r.room(e)
	w.began = 0
	err := r.take(e, want, w.number)
	if _, bad := err.(badRow); bad {
		if _, err := w.RestOfLine(nil); err != nil {
			return err
		}
	}
	return err
}

// number parses the next word, which is a number of p.
func (w *wordRows) number(p *property) (float64, error) {
	word, err := w.skipComments()
	if w.began == 0 {
		w.began = w.Line()
	}
	if err != nil {
		return 0, err
	}
	if len(word) == 0 {
		return 0, binary.ErrEnd
	}
	w.word = append(append(w.word[:0], word...), ' ')
	v, _, ok := text.Decimal(w.word, 0)
	if !ok {
		return 0, noNumber(p.name, w.word[:len(word)])
	}
	return v, nil
}
