package ply

import (
	"fmt"
	"math"

	"lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// A row is the properties of one element.
type row struct {
	numbers []float64 // of each property that is no list
	list    []int64   // the numbers of the list that was asked for
	listed  int       // how many the list had; larger than len(list) if it was too long
	// each, if not nil, takes the numbers of the list instead.
	each func(v int64) error

	texCoordAt int       // the property whose list is the texture coordinates of corners; -1 without
	texCoords  []float64 // u and v of each corner

	extra []float64 // numbers of a line behind the last property, at most maxExtra
}

// maxExtra bounds the numbers that are kept of those that a line has too many.
const maxExtra = 24

// A badRow says that a row is damaged. The next can be read unless it is the
// last.
type badRow struct {
	text   string
	last   bool
	commas bool // which are the likely cause
}

func (b badRow) Error() string { return b.text }

func badf(format string, args ...any) error { return badRow{text: fmt.Sprintf(format, args...)} }

// rows reads rows one after the other.
type rows interface {
	// next reads a row of e into r; want is the property whose list is kept, -1
	// for none. The error is binary.ErrEnd, a badRow, one of r.each or of the input.
	next(e *element, want int, r *row) error
	// place says where the last row began.
	place() string
	// more reports whether anything follows.
	more() (bool, error)
}

// room makes r ready for a row of e.
func (r *row) room(e *element) {
	if cap(r.numbers) < len(e.properties) {
		r.numbers = make([]float64, len(e.properties))
	}
	r.numbers = r.numbers[:len(e.properties)]
	r.list, r.listed, r.texCoords = r.list[:0], 0, r.texCoords[:0]
	r.extra = r.extra[:0]
}

// keep takes in a number of the list that is property i.
func (r *row) keep(e *element, i, want int, v float64) error {
	if i == r.texCoordAt && len(r.texCoords) < 2*indexed.MaxCorners {
		r.texCoords = append(r.texCoords, v)
	}
	if i != want {
		return nil
	}
	return r.keepIndex(&e.properties[i], v)
}

// keepIndex takes in the number of a corner.
func (r *row) keepIndex(p *property, v float64) error {
	r.listed++
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

// textRows reads a row a line.
type textRows struct {
	text.Lines
	blank int // lines that are no rows so far
}

func (t *textRows) place() string { return fmt.Sprintf("line %d", t.Line()) }

// line returns the next line that is a row. Comments belong into the header, but people and programs
// write them between rows, too.
func (t *textRows) line() (text.Fields, error) {
	for {
		f, ok, err := t.Next()
		if err == nil && !ok {
			err = binary.ErrEnd
		}
		if err != nil || f.More() && !comment(f) {
			return f, err
		}
		t.blank++
	}
}

// comment reports whether a line is a comment: by a word of the header, or as in other formats.
func comment(f text.Fields) bool {
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
	r.room(e)
	f, err := t.line()
	if err != nil {
		return err
	}
	err = r.take(e, want, func(p *property) (float64, error) {
		v, ok := f.Float()
		if !ok {
			return 0, t.bad(&f, p.name)
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

// take takes in a row of a text, whose numbers come one by one from number.
func (r *row) take(e *element, want int, number func(p *property) (float64, error)) error {
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
			if err := r.keep(e, i, want, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *textRows) bad(f *text.Fields, name string) error {
	if word := f.Word(); len(word) > 0 {
		return noNumber(name, word)
	}
	return badf("no %s", name)
}

// noNumber returns the error for a word that stands where the number of a property should.
func noNumber(name string, word []byte) error {
	hint := text.Commas(word)
	return badRow{text: fmt.Sprintf("%s is %s%s", name, text.Short(word), hint), commas: hint != ""}
}

// binaryRows reads rows without anything between them.
type binaryRows struct {
	*binary.Reader
	started int64 // where the last row began
}

func (b *binaryRows) place() string { return fmt.Sprintf("byte %d", b.started) }

func (b *binaryRows) more() (bool, error) {
	b.started = b.Offset()
	return b.More()
}

func (b *binaryRows) next(e *element, want int, r *row) error {
	r.room(e)
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
			// Where the next row begins is not known then.
			return badRow{text: fmt.Sprintf("a list of %v numbers", n), last: true}
		}
		for range int64(n) {
			if err := b.Fits(sizes[p.kind]); err != nil {
				return err
			}
			v := b.number(p.kind)
			if bad == nil {
				bad = r.keep(e, i, want, v)
			}
		}
	}
	return bad
}

// number reads a number that fits.
func (b *binaryRows) number(k kind) float64 {
	w, _ := b.Window(sizes[k]) // which Fits has found there
	b.Skip(sizes[k])
	return decode(w, k, b.BigEndian())
}
