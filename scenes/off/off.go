package off

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// Names of the two kinds of OFF in reports.
const (
	FormatText   = "off"
	FormatBinary = "off-binary"
)

// A fileFormat is the format of this package. Only tests set its fields.
type fileFormat struct {
	chunk      int  // size of a chunk of a text in bytes; 0: the usual size
	sequential bool // chunks are not read in parallel
}

// Format reads OFF.
var Format format.Format = fileFormat{}

// A layout tells what data a vertex has besides three coordinates.
type layout struct {
	weight, normal, color, texture bool
	binary                         bool
}

// parseLayout parses the first word of a file. ok is false if the word is not a mark of the format.
func parseLayout(word string) (l layout, ok bool) {
	if word, ok = strings.CutSuffix(word, "OFF"); !ok {
		return l, false
	}
	for _, part := range []struct {
		letters string
		has     *bool
	}{{"ST", &l.texture}, {"C", &l.color}, {"N", &l.normal}, {"4", &l.weight}} {
		word, *part.has = strings.CutPrefix(word, part.letters)
	}
	return l, word == ""
}

// extraNumbers returns how many numbers a vertex has in addition to its coordinates and its colour. `before` is the
// number of those between the coordinates and the colour. `behind` is the number of those after the colour.
func (l *layout) extraNumbers() (before, behind int) {
	if l.weight {
		before++
	}
	if l.normal {
		before += 3
	}
	if l.texture {
		behind = 2
	}
	return before, behind
}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"off"} }

// Detect recognises the first word of a file. Comments may precede it.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	if !text.IsText(prefix[:min(len(prefix), 3)]) {
		return format.No
	}
	// The first 256 bytes nearly always contain the first word.
	eol, head := text.EndOfLine(prefix), prefix[:min(len(prefix), 256)]
	head = head[:1+bytes.LastIndexFunc(head, func(r rune) bool { return r <= ' ' })] // drops a word that is cut off
	if word := firstWord(head, eol); word != "" {
		return likelihoodOf(word)
	}
	return likelihoodOf(firstWord(prefix, eol))
}

// splitFirstWord splits the first word of a file into its layout and the digits after it. In files of ModelNet, the
// number of vertices follows the layout without a space. digits is the number of digits.
func splitFirstWord(word []byte) (layout string, digits int) {
	n := len(bytes.TrimRight(word, "0123456789"))
	return string(word[:n]), len(word) - n
}

// firstWord returns the first word that is not in a comment, or "" if there is none.
func firstWord(prefix []byte, eol byte) string {
	var lines text.Lines
	lines.Reset(append(make([]byte, 0, len(prefix)+1), text.TrimBOM(prefix)...), eol, 1)
	for {
		f, ok, err := lines.Next()
		if err != nil || !ok {
			return ""
		}
		f.CutComment()
		if f.More() {
			word, _ := splitFirstWord(f.Word())
			return word
		}
	}
}

func likelihoodOf(word string) format.Likelihood {
	if _, ok := parseLayout(word); ok {
		return format.Marked
	}
	return format.No
}

// Read reads a whole file. It needs 36 bytes per triangle and, while it reads, another 12 bytes per triangle and 24
// bytes per vertex. Colours take 4 more bytes per triangle and per vertex.
func (f fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	r := newReader(indexed.New(in))
	r.in = in
	bytes, err := r.read(f)
	if err != nil {
		return nil, nil, err
	}
	r.Cloud = r.counts[1] == 0
	name := FormatText
	if r.binary {
		name = FormatBinary
	}
	m, rep, err := r.Finish(scenes.PlusZ, name)
	if err != nil {
		return nil, nil, err
	}
	rep.Bytes = bytes
	return m, rep, nil
}

// A reader is the state of Read. Each goroutine that parses a part of the file also has one.
type reader struct {
	*indexed.Mesh
	layout
	in       *format.Input
	lines    text.Lines
	left     int      // number of unread bytes of lines, counted before the last line was read
	began    int      // number of the line where the current row starts; 0: none
	atEnd    bool     // the text of lines ends at the end of the file
	counts   [2]int64 // numbers of vertices and faces
	rowsRead int64    // number of rows (vertices and faces) read so far
	polygon  indexed.Polygon
	part     bool
}

func newReader(m *indexed.Mesh) *reader {
	r := &reader{Mesh: m}
	r.polygon.Place = r.place
	return r
}

func (r *reader) place() string {
	if r.began > 0 {
		return fmt.Sprintf("line %d", r.began)
	}
	return fmt.Sprintf("line %d", r.lines.Line())
}

// nextLine returns the next line that is not empty. ok is false at the end.
func (r *reader) nextLine() (f text.Fields, ok bool, err error) {
	for {
		r.left = r.lines.Left()
		f, ok, err = r.lines.Next()
		if err != nil || !ok {
			return f, ok, err
		}
		if f.CutComment(); f.More() {
			return f, true, nil
		}
	}
}

// read reads the file, and returns its size.
func (r *reader) read(how fileFormat) (int64, error) {
	in := r.in
	// A line that the end of the prefix cuts off does not belong to the header.
	head := in.Prefix
	r.lines.Reset(append(bytes.Clone(text.TrimBOM(head)), 0)[:len(text.TrimBOM(head))], text.EndOfLine(head), 1)
	end, err := r.readHeader()
	if err != nil {
		return 0, err
	}
	if r.binary {
		err := r.readBinary(in.Prefix)
		return in.Done(), err
	}
	// In a text, a vertex takes at least 6 bytes and a triangle 8.
	if n := r.counts; n[0] < 1<<40 && n[1] < 1<<40 && in.Size > 6*n[0]+8*n[1] {
		if err := r.Expect(n[0], n[1]); err != nil {
			return 0, err
		}
	}
	whole := in.Size == int64(len(head))
	if end.left == 0 && !whole {
		return 0, in.Damage("line 1", "the numbers of vertices and faces are not in the first %d bytes", len(head))
	}
	if s, ok := r.wordStyle(end, whole); ok {
		return r.readWords(s, end)
	}
	return r.readText(how, len(head)-end.left, end.lines)
}

// peek returns the next word of a line. f is a copy, so the caller's position does not change.
func peek(f text.Fields) []byte { return f.Word() }

// errEnd is the error for missing rows at the end of the file. errIgnored is the error for text after the last row. The
// reader has added a warning before it returns errIgnored.
var (
	errEnd     = errors.New("end of file")
	errIgnored = errors.New("the rest is ignored")
)

// errSplit is the error for a text that ends too early. The next line would decide where the last row ends, but the
// text does not contain it. The mesh contains no part of this row.
var errSplit = errors.New("the row may go on")

// readRows reads the rows from r.rowsRead on, up to the last one. It returns nil if the text ends after the last row.
// Otherwise it returns errEnd, errSplit, errIgnored or another error.
func (r *reader) readRows() error {
	for {
		r.began = 0
		r.readFast()
		f, ok, err := r.nextLine()
		if err != nil {
			return err
		}
		r.began = r.lines.Line()
		row, left := r.rowsRead, r.left
		vertex := row < r.counts[0]
		switch {
		case !vertex && row-r.counts[0] >= r.counts[1]:
			if !ok {
				return nil
			}
			if err := r.Warn.Add(r.place(), "what follows the last face is ignored"); err != nil {
				return err
			}
			return errIgnored
		case !ok:
			return errEnd
		case vertex:
			err = r.readVertex(&f, row)
		default:
			err = r.readFace(&f)
		}
		if err == errSplit {
			r.left = left
		}
		if err != nil {
			return err
		}
		r.rowsRead++
	}
}

// warnEndsEarly adds the warning that the file ends before the last row.
func (r *reader) warnEndsEarly() error {
	r.began = 0
	name, i, count := "vertex", r.rowsRead, r.counts[0]
	if i >= count {
		name, i, count = "face", i-count, r.counts[1]
	}
	return r.Warn.Add(r.place(), "the file ends within %s %d of %d", name, i, count)
}

func (r *reader) readVertex(f *text.Fields, i int64) error {
	before, behind := r.extraNumbers()
	var v [3 + 4]float64
	for c := range 3 + before {
		var ok bool
		if v[c], ok = f.Float(); !ok {
			return r.AddUnread(r.place(), i, f.Word(), "a number")
		}
	}
	rgb, rest := parseColor(f, behind)
	return r.addVertex(v[:3+before], rgb, rest)
}

// addVertex adds a vertex. v holds its coordinates and the other numbers before its colour. texCoord is used only if it
// has two numbers.
func (r *reader) addVertex(v []float64, rgb uint32, texCoord []float64) error {
	p := [3]float64(v)
	if r.weight {
		for c := range p {
			p[c] /= v[3]
		}
	}
	if err := r.AddPoint(p); err != nil {
		return err
	}
	if r.normal {
		if err := r.PointNormal([3]float64(v[len(v)-3:])); err != nil {
			return err
		}
	}
	if r.texture && len(texCoord) == 2 {
		if err := r.PointTexCoord([2]float64{texCoord[0], 1 - texCoord[1]}); err != nil {
			return err
		}
	}
	if !r.color || rgb == indexed.NoColor {
		return nil
	}
	return r.ColorPoint(rgb)
}

// parseColor parses the rest of a line: a colour of three or four numbers, and `behind` other numbers, which it returns
// as rest. It ignores a fourth number of the colour. rgb is indexed.NoColor if there is no colour.
func parseColor(f *text.Fields, behind int) (rgb uint32, rest []float64) {
	var v [6]float64
	n, point := 0, false
	for n < len(v) && f.More() {
		word := peek(*f)
		var ok bool
		if v[n], ok = f.Float(); !ok {
			break
		}
		point = point || n < 3 && bytes.IndexByte(word, '.') >= 0
		n++
	}
	if n -= behind; n >= 0 {
		rest = v[n : n+behind]
	}
	if n != 3 && n != 4 {
		return indexed.NoColor, rest
	}
	return colorOf([3]float64(v[:3]), point), rest
}

// colorOf returns the colour with the components v. `point` means that the file has a component with a decimal point.
// If `point` is set or no component is greater than 1, components are from 0 to 1. Otherwise they are from 0 to 255.
func colorOf(v [3]float64, point bool) uint32 {
	scale := 1.0
	if point || max(v[0], v[1], v[2]) <= 1 {
		scale = 255
	}
	return indexed.RGB(v, scale)
}
