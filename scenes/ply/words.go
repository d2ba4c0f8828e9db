package ply

import (
	"bytes"
	"fmt"
	"io"

	"lockstep/scenes/format"
	"lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/text"
)

// In nearly all texts a row is a line. A damaged line then costs only one row. If a text were read word by word, a
// missing number would shift all numbers after it. So texts are read by lines unless the rows are clearly not lines.

// sampleLines is how many lines mustReadByWords examines if the text is longer than the prefix.
const sampleLines = 64

// mustReadByWords reports whether the text must be read word by word, because rows span lines or share lines. The test
// depends on the prefix:
//
//   - If it is the whole text, reading by lines must find a fault, and reading by words must find none.
//   - Otherwise, most of the first lines must be damaged rows, and reading the prefix by words must find no fault.
func (r *reader) mustReadByWords(h *header) bool {
	rest, eol, whole := r.in.Prefix[h.size:], text.EndOfLine(r.in.Prefix), r.isWholeFile()
	var t textRows
	t.Reset(append(bytes.Clone(rest), 0)[:len(rest)], eol, 1)
	if whole && r.isFlawless(&t, true) || !whole && !r.isMostlyDamaged(&t) {
		return false
	}
	return r.isFlawless(newWordRows(&feed{head: rest}, r.in.Prefix, h), whole)
}

// isWholeFile reports whether the prefix is the whole file.
func (r *reader) isWholeFile() bool { return r.in.Size == int64(len(r.in.Prefix)) }

// isMostlyDamaged reports whether most of the first rows are damaged.
func (r *reader) isMostlyDamaged(from rows) bool {
	n, bad, trial := 0, 0, r.newTrial()
	for ; n < sampleLines && trial.seekRow(); n++ {
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

// newTrial returns a reader of the same elements that does not build a mesh, to try whether rows match the header.
func (r *reader) newTrial() *reader { return &reader{elements: r.elements, row: row{texCoordAt: -1}} }

// isFlawless reports whether the rows match the header. They must be undamaged, and faces must have at least three
// corners, all of which exist. If whole is set, no row may be missing and nothing may follow the last row.
func (r *reader) isFlawless(from rows, whole bool) bool {
	trial, points := r.newTrial(), uint64(0)
	for trial.seekRow() {
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
		if want >= 0 && !cornersExist(&trial.row, points) {
			return false
		}
		trial.at.row++
	}
	more, err := from.more()
	return err == nil && !(whole && more)
}

// cornersExist reports whether the list of a row has at least three corners, all with numbers below `points`.
func cornersExist(r *row, points uint64) bool {
	for _, v := range r.list {
		if v < 0 || uint64(v) >= points {
			return false
		}
	}
	return r.listLength >= 3
}

// A feed is the input of readWords: the rest of the prefix, then the rest of the file.
type feed struct {
	head []byte
	in   *format.Input // rest of the file; nil: none
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

// wordRows reads a text whose numbers are separated by any white space.
type wordRows struct {
	*text.Words
	began int    // line where the last row starts
	word  []byte // the last word, followed by a space
}

func newWordRows(from *feed, prefix []byte, h *header) *wordRows {
	w := &wordRows{Words: text.NewWords(from.fill, text.EndOfLine(prefix))}
	w.Jump(h.lines)
	return w
}

// readWords reads a text word by word, and returns the number of bytes read.
func (r *reader) readWords(h *header) (int64, error) {
	r.rows = newWordRows(&feed{head: r.in.Prefix[h.size:], in: r.in}, r.in.Prefix, h)
	err := r.readRows()
	switch err {
	case binary.ErrEnd:
		err = r.warnEndsEarly()
	case errIgnored:
		err = nil
	}
	return r.in.Done(), err
}

func (w *wordRows) place() string { return fmt.Sprintf("line %d", w.began) }

func (w *wordRows) more() (bool, error) {
	word, err := w.nextWord()
	w.began = w.Line()
	return len(word) > 0, err
}

// nextWord returns the next word that is not in a comment, or an empty word at the end.
func (w *wordRows) nextWord() ([]byte, error) {
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

// next implements rows. After damage it skips the rest of the line.
func (w *wordRows) next(e *element, want int, r *row) error {
	r.prepare(e)
	w.began = 0
	err := r.parse(e, want, w.number)
	if _, bad := err.(badRow); bad {
		if _, err := w.RestOfLine(nil); err != nil {
			return err
		}
	}
	return err
}

// number parses the next word as a number of p.
func (w *wordRows) number(p *property) (float64, error) {
	word, err := w.nextWord()
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
		return 0, notNumberError(p.name, w.word[:len(word)])
	}
	return v, nil
}
