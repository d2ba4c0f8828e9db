package ply

import (
	"fmt"
	"math"

	"lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// A row holds the properties of one row of an element.
type row struct {
	numbers    []float64 // value of each property; undefined if the property is a list
	list       []int64   // numbers of the wanted list; the argument want of rows.next is its index
	listLength int       // length of the wanted list, even if list holds only a part of it
	// each, if not nil, is called with every number of the wanted list. The numbers are then not stored in list.
	each func(v int64) error

	texCoordAt int       // index of the list with texture coordinates of corners; -1: none
	texCoords  []float64 // u and v of each corner

	extra []float64 // numbers on a line after the last property, at most maxExtra
}

// maxExtra is how many surplus numbers of a line are stored at most.
const maxExtra = 24

// A badRow is the error for a damaged row. If last is set, the next row cannot be read.
type badRow struct {
	text   string
	last   bool
	commas bool // decimal commas are the likely cause
}

func (b badRow) Error() string { return b.text }

func badf(format string, args ...any) error { return badRow{text: fmt.Sprintf(format, args...)} }

// rows reads the rows of a file one by one.
type rows interface {
	// next reads a row of e into r. want is the index of the list to store, or -1 for none. The error is binary.ErrEnd
	// or a badRow, or comes from r.each or the input.
	next(e *element, want int, r *row) error
	// place returns the position of the row that `next` has read last, for messages.
	place() string
	// more reports whether anything follows the row that `next` has read last.
	more() (bool, error)
}

// prepare empties r and allocates memory for the numbers of a row of e.
func (r *row) prepare(e *element) {
	if cap(r.numbers) < len(e.properties) {
		r.numbers = make([]float64, len(e.properties))
	}
	r.numbers = r.numbers[:len(e.properties)]
	r.list, r.listLength, r.texCoords = r.list[:0], 0, r.texCoords[:0]
	r.extra = r.extra[:0]
}

// storeNumber stores v, a number of the list that is property i. Only the wanted list and the list of texture
// coordinates are stored.
func (r *row) storeNumber(e *element, i, want int, v float64) error {
	if i == r.texCoordAt && len(r.texCoords) < 2*indexed.MaxCorners {
		r.texCoords = append(r.texCoords, v)
	}
	if i != want {
		return nil
	}
	return r.storeIndex(&e.properties[i], v)
}

// storeIndex stores v, a number of the wanted list. It returns an error if v is not an integer.
func (r *row) storeIndex(p *property, v float64) error {
	r.listLength++
	i := int64(math.Max(-1e15, math.Min(1e15, v)))
	if v != float64(i) {
		return badf("%s is %v", p.name, v)
	}
	if r.each != nil {
		return r.each(i)
	}
	if len(r.list) < indexed.MaxCorners {
		r.list = append(r.list, i)
	}
	return nil
}

// textRows reads a text in which each row is a line.
type textRows struct {
	text.Lines
	blank int // number of lines so far that are not rows
}

func (t *textRows) place() string { return fmt.Sprintf("line %d", t.Line()) }

// line returns the next line that is a row. It skips comments, which belong in the header but also occur between rows.
func (t *textRows) line() (text.Fields, error) {
	for {
		f, ok, err := t.Next()
		if err == nil && !ok {
			err = binary.ErrEnd
		}
		if err != nil || f.More() && !isComment(f) {
			return f, err
		}
		t.blank++
	}
}

// isComment reports whether a line between rows is a comment. A comment starts with # as in other formats, or with a
// word that marks comments in the header.
func isComment(f text.Fields) bool {
	word := f.Word()
	return word[0] == '#' || string(word) == "comment" || string(word) == "obj_info"
}

func (t *textRows) more() (bool, error) {
	_, err := t.line()
	if err == binary.ErrEnd {
		return false, nil
	}
	return err == nil, err
}

func (t *textRows) next(e *element, want int, r *row) error {
	r.prepare(e)
	f, err := t.line()
	if err != nil {
		return err
	}
	err = r.parse(e, want, func(p *property) (float64, error) {
		v, ok := f.Float()
		if !ok {
			return 0, t.badWordError(&f, p.name)
		}
		return v, nil
	})
	if err != nil {
		return err
	}
	for len(r.extra) < maxExtra && f.More() {
		v, ok := f.Float()
		if !ok {
			break
		}
		r.extra = append(r.extra, v)
	}
	return nil
}

// parse parses a row of a text. It calls the function number for each number of the row.
func (r *row) parse(e *element, want int, number func(p *property) (float64, error)) error {
	for i := range e.properties {
		p := &e.properties[i]
		v, err := number(p)
		if err != nil {
			return err
		}
		if p.count == none {
			r.numbers[i] = v
			continue
		}
		if !(v >= 0 && v <= text.MaxLine && v == math.Trunc(v)) {
			return badf("a list of %v numbers", v)
		}
		for range int(v) {
			v, err := number(p)
			if err != nil {
				return err
			}
			if err := r.storeNumber(e, i, want, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *textRows) badWordError(f *text.Fields, name string) error {
	if word := f.Word(); len(word) > 0 {
		return notNumberError(name, word)
	}
	return badf("no %s", name)
}

// notNumberError returns the error for a word that is not a number. name is the property for which a number was
// expected.
func notNumberError(name string, word []byte) error {
	hint := text.CommaHint(word)
	return badRow{text: fmt.Sprintf("%s is %s%s", name, text.Short(word), hint), commas: hint != ""}
}

// binaryRows reads rows of a binary file, which follow each other without gaps.
type binaryRows struct {
	*binary.Reader
	started int64 // offset of the row that was read last
}

func (b *binaryRows) place() string { return fmt.Sprintf("byte %d", b.started) }

func (b *binaryRows) more() (bool, error) {
	b.started = b.Offset()
	return b.More()
}

func (b *binaryRows) next(e *element, want int, r *row) error {
	r.prepare(e)
	b.started = b.Offset()
	var bad error
	for i := range e.properties {
		p := &e.properties[i]
		if p.count == none {
			if err := b.Fits(sizes[p.kind]); err != nil {
				return err
			}
			r.numbers[i] = b.number(p.kind)
			continue
		}
		if err := b.Fits(sizes[p.count]); err != nil {
			return err
		}
		n := b.number(p.count)
		if !(n >= 0 && n <= 1e15 && n == math.Trunc(n)) {
			// After an impossible length, the start of the next row is unknown.
			return badRow{text: fmt.Sprintf("a list of %v numbers", n), last: true}
		}
		for range int64(n) {
			if err := b.Fits(sizes[p.kind]); err != nil {
				return err
			}
			v := b.number(p.kind)
			if bad == nil {
				bad = r.storeNumber(e, i, want, v)
			}
		}
	}
	return bad
}

// number reads a number of numeric type k. The caller must have called Fits to check that the input has enough bytes.
func (b *binaryRows) number(k kind) float64 {
	w, _ := b.Window(sizes[k]) // Window cannot fail after Fits
	b.Skip(sizes[k])
	return decodeNumber(w, k, b.BigEndian())
}
