package ply

import (
	"bytes"
	"errors"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// Names of the two kinds of PLY in reports.
const (
	FormatASCII  = "ply-ascii"
	FormatBinary = "ply-binary"
)

// A fileFormat is the format of this package. Only tests set its fields.
type fileFormat struct {
	chunk      int  // size of a chunk of a text in bytes; 0: the usual size
	sequential bool // chunks are not parsed in parallel, and rows are not read in bulk
}

// Format reads PLY.
var Format format.Format = fileFormat{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"ply"} }

// Detect recognises the mark, which is the word "ply" on a line of its own.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	rest := text.TrimBOM(prefix)
	ok := len(rest) > 3 && bytes.EqualFold(rest[:3], []byte("ply"))
	if ok {
		rest = rest[3:]
	}
	rest = bytes.TrimLeft(rest, " \t")
	if ok && len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
		return format.Marked
	}
	return format.No
}

// Read reads a whole file. It needs 36 bytes per triangle and, while it reads, another 12 bytes per triangle and 24
// bytes per vertex. Colours take 4 more bytes per triangle and per vertex.
func (f fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	h, fault := parseHeader(in.Prefix)
	if fault != nil {
		return nil, nil, in.Damage(fmt.Sprintf("line %d", fault.line), "%s", fault.text)
	}
	// A mesh with textures is read with its attributes even if Flat is set, because textures determine the colours of
	// its triangles.
	flat := in.Options.Flat
	in.Options.Flat = flat && len(h.textures) == 0
	defer func() { in.Options.Flat = flat }()
	r := &reader{Mesh: indexed.New(in), in: in, elements: h.elements}
	name, bytes := FormatBinary, int64(0)
	err := r.warnHeader(h)
	if err == nil {
		err = r.checkCounts(h)
	}
	if err == nil {
		err = r.readDetails(h)
	}
	switch {
	case err != nil:
	case h.encoding == ascii && r.mustReadByWords(h):
		name = FormatASCII
		bytes, err = r.readWords(h)
	case h.encoding == ascii:
		name = FormatASCII
		bytes, err = r.readText(h, f)
	default:
		err = r.readBinary(h, f)
		bytes = in.Done()
	}
	if err != nil {
		return nil, nil, err
	}
	r.Cloud = !h.hasFaces()
	m, rep, err := r.Finish(scenes.PlusZ, name)
	if err != nil {
		return nil, nil, err
	}
	if flat {
		m.Attributes = nil
	}
	rep.Bytes = bytes
	return m, rep, nil
}

// A reader is the state of Read. Each goroutine that parses a part of the file also has one.
type reader struct {
	*indexed.Mesh
	rows
	in       *format.Input
	row      row
	elements []element
	at       rowPosition
	// readFast reads rows of the usual form in bulk, and stops before any other row. It is nil if rows are read one by
	// one.
	readFast func(e *element, use func() error, want int) error

	vertices, faces          *element // elements whose properties become fields
	vertexFields, faceFields []int    // indices of the properties that become fields
	materials                []int    // material of each texture that the header names, see indexed.Polygon
}

// A rowPosition is the row that is read next: the index of its element, and the number of the row in this element.
type rowPosition struct {
	element int
	row     uint64
}

// seekRow moves r.at to the next element if the current one has no more rows. It returns false if no rows are left.
func (r *reader) seekRow() bool {
	for r.at.element < len(r.elements) {
		e := &r.elements[r.at.element]
		// Rows without properties take no space in the file, so they are skipped.
		if len(e.properties) > 0 && r.at.row < e.count {
			return true
		}
		r.at = rowPosition{r.at.element + 1, 0}
	}
	return false
}

// warnHeader adds the header's warnings.
func (r *reader) warnHeader(h *header) error {
	for _, note := range h.notes {
		if err := r.Warn.Add("header", "%s", note); err != nil {
			return err
		}
	}
	return nil
}

// maxPromised limits the counts of a header in checkCounts, so that products of counts do not overflow.
const maxPromised = 1 << 40

// checkCounts returns an error if the mesh that the header claims would exceed the limits. It ignores counts that are
// too large for the size of the file. It counts a face as one triangle.
func (r *reader) checkCounts(h *header) error {
	points, triangles, least := uint64(0), uint64(0), uint64(0)
	for i := range h.elements {
		e := &h.elements[i]
		if e.count > maxPromised {
			return nil
		}
		row := uint64(0)
		for _, p := range e.properties {
			if p.count != none {
				row += numberSize(h.encoding, p.count) // the length of the list, which may be empty
			} else {
				row += numberSize(h.encoding, p.kind)
			}
		}
		switch e.name {
		case "vertex":
			points += e.count
		case "face", "polygon":
			if list := e.index(true, "vertex_indices", "vertex_index"); list >= 0 {
				triangles += e.count
				row += 3 * numberSize(h.encoding, e.properties[list].kind)
			}
		}
		least += row * e.count
	}
	if r.in.Size < 0 || uint64(r.in.Size)+1 < uint64(h.size)+least {
		return nil
	}
	return r.Expect(int64(points), int64(triangles))
}

// numberSize returns the least number of bytes of a number. In a text, that is a digit and a separator.
func numberSize(e encoding, k kind) uint64 {
	if e == ascii {
		return 2
	}
	return uint64(sizes[k])
}

// readBinary reads all elements of a binary file.
func (r *reader) readBinary(h *header, how fileFormat) error {
	b := &binaryRows{Reader: binary.NewReader(r.in, h.size, h.encoding == bigEndian)}
	r.rows = b
	if !how.sequential {
		r.readFast = func(e *element, use func() error, want int) error { return b.readFast(r, e, use, want) }
	}
	switch err := r.readRows(); err {
	case binary.ErrEnd:
		return r.warnEndsEarly()
	case errIgnored:
		return nil
	default:
		return err
	}
}

// warnEndsEarly adds the warning that the file ends before the last row.
func (r *reader) warnEndsEarly() error {
	e := &r.elements[r.at.element]
	return r.Warn.Add(r.place(), "the file ends within %s %d of %d", e.name, r.at.row, e.count)
}

// readRows reads all rows from row r.at on. The error is binary.ErrEnd if the input ends before the last row, and
// errIgnored if more input follows the last row.
func (r *reader) readRows() error {
	for r.seekRow() {
		if cut, err := r.readElement(&r.elements[r.at.element]); err != nil || cut {
			return err
		}
	}
	more, err := r.more()
	if err != nil || !more {
		return err
	}
	if err := r.Warn.Add(r.place(), "what follows the last element is ignored"); err != nil {
		return err
	}
	return errIgnored
}

// readElement reads the rows of one element from row r.at on. `cut` is true if the start of the next row is unknown.
func (r *reader) readElement(e *element) (cut bool, err error) {
	use, want := r.rowFunction(e)
	for ; ; r.at.row++ {
		if r.readFast != nil {
			if err := r.readFast(e, use, want); err != nil {
				return false, err
			}
		}
		if r.at.row >= e.count {
			return false, nil
		}
		err := r.next(e, want, &r.row)
		if err == nil {
			err = use()
		} else if bad, ok := err.(badRow); ok {
			cut, err = bad.last, r.warnBadRow(e, r.at.row, bad)
		}
		if err != nil || cut {
			return cut, err
		}
	}
}

// warnBadRow adds a warning about a damaged row. In place of a damaged vertex it adds a point, so that faces refer to
// the right vertices. If the first vertex has decimal commas, it returns an error that ends the read, because probably
// every row has them.
func (r *reader) warnBadRow(e *element, i uint64, bad badRow) error {
	const format = "%s %d left out: %s"
	switch {
	case e.name != "vertex":
		return r.Warn.Add(r.place(), format, e.name, i, bad.text)
	case bad.commas && r.Points() == 0:
		return r.in.Damage(r.place(), "%s %d: %s", e.name, i, bad.text)
	}
	return r.AddMissing(r.place(), format, e.name, i, bad.text)
}

// rowFunction returns the function that is called for each row of an element. want is the index of the list property
// that this function needs, or -1 if it needs none.
func (r *reader) rowFunction(e *element) (rowUse func() error, want int) {
	r.row.each, r.row.texCoordAt = nil, -1
	want = e.index(true, "vertex_indices", "vertex_index")
	switch {
	case e.name == "vertex":
		return r.vertexFunction(e), -1
	case (e.name == "face" || e.name == "polygon") && want >= 0:
		return r.faceFunction(e), want
	case e.name == "edge" && e.index(false, "vertex1") >= 0 && e.index(false, "vertex2") >= 0:
		return r.edgeFunction(e), -1
	case e.name == "tristrips" && want >= 0:
		r.row.each = (&strip{reader: r}).add
	default:
		want = -1
	}
	return func() error { return nil }, want
}

func (r *reader) vertexFunction(e *element) func() error {
	x, y, z := e.index(false, "x"), e.index(false, "y"), e.index(false, "z")
	c := findColors(e)
	d := r.findDetails(e)
	return func() error {
		n := r.row.numbers
		if err := r.AddPoint([3]float64{n[x], n[y], n[z]}); err != nil {
			return err
		}
		if d != nil {
			if err := d.setAttributes(r, n); err != nil {
				return err
			}
		}
		if c.at[0] < 0 {
			return nil
		}
		return r.ColorPoint(c.colorOf(&r.row))
	}
}

func (r *reader) faceFunction(e *element) func() error {
	c := findColors(e)
	p := indexed.Polygon{Place: r.place}
	corners := r.faceDetailFunction(e)
	return func() error {
		if r.row.listLength > len(r.row.list) {
			return r.Warn.Add(r.place(), "face of %d corners left out", r.row.listLength)
		}
		p.Corners, p.Color = r.row.list, c.colorOfFace(&r.row)
		if corners != nil {
			if err := corners(&p); err != nil {
				return err
			}
		}
		return r.AddPolygon(p)
	}
}

// errEdge is the error for a part of the file with an edge. Parts are parsed in parallel, without the vertices before
// them. Therefore such a part is read again, in the order of the file.
var errEdge = errors.New("an edge")

// edgeFunction returns a function that draws the edge of a row, a line between two vertices.
func (r *reader) edgeFunction(e *element) func() error {
	a, b := e.index(false, "vertex1"), e.index(false, "vertex2")
	c := findColors(e)
	p := indexed.Polygon{Color: indexed.NoColor}
	return func() error {
		if r.IsPart() {
			return errEdge
		}
		r.Lines++
		ends := [2]int64{}
		for i, v := range [2]float64{r.row.numbers[a], r.row.numbers[b]} {
			if !(v >= 0 && v < float64(r.Points())) {
				return r.Warn.Add(r.place(), "edge left out: vertex %g of %d, counted from 0", v, r.Points())
			}
			ends[i] = int64(v)
		}
		if c.at[0] >= 0 {
			p.Color = c.colorOf(&r.row)
		}
		return r.AddLine(&p, ends[0], ends[1])
	}
}

// A strip draws a strip of triangles. Each corner forms a triangle with the two corners before it, and every second
// triangle is in reverse order. -1 starts a new strip.
type strip struct {
	*reader
	n    int   // number of corners of the strip so far
	a, b int64 // the last two corners
	tri  [3]int64
}

// add adds the next corner of a row.
func (s *strip) add(v int64) error {
	if s.row.listLength == 1 {
		s.n = 0
	}
	if v == -1 {
		s.n = 0
		return nil
	}
	a, b := s.a, s.b
	s.a, s.b = b, v
	s.n++
	// Strips repeat corners to change direction. Triangles with repeated corners have no area and are skipped.
	if s.n < 3 || a == b || b == v || v == a {
		return nil
	}
	if s.n%2 == 0 {
		a, b = b, a
	}
	s.tri = [3]int64{a, b, v}
	return s.AddPolygon(indexed.Polygon{Corners: s.tri[:], Color: indexed.NoColor, Place: s.place})
}
