package obj

import (
	"bytes"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// FormatOBJ names the format in reports.
const FormatOBJ = "obj"

// A fileFormat reads the files of this package. Tests set its fields.
type fileFormat struct {
	chunk int  // bytes of a chunk of a text; 0: the usual number
	plain bool // no chunk is read on its own
}

// Format reads OBJ.
var Format format.Format = fileFormat{}

// statements holds the first words of lines; those that are not drawn are false.
// They are the ones of the specification of Wavefront's Advanced Visualizer,
// appendix B1.
var statements = func() map[string]bool {
	all := map[string]bool{"v": true, "vt": true, "vn": true, "f": true, "fo": true, "g": true, "o": true, "usemtl": true, "mtllib": true}
	for _, word := range []string{
		"vp", "p", "l", "s", "mg", "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con",
		"bevel", "c_interp", "d_interp", "lod", "maplib", "usemap", "shadow_obj", "trace_obj", "ctech", "stech", "call", "csh", "bsp", "bzp", "cdc", "cdp", "res",
	} {
		all[word] = false
	}
	return all
}()

// Read reads a whole file. It needs 36 bytes a triangle, and besides, while it
// reads, 12 bytes a triangle and 24 bytes a vertex; colours take 4 bytes more
// each.
func (f fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	if err := expect(in); err != nil {
		return nil, nil, err
	}
	// Flat pictures have the colours of textures too, where faces have coordinates in them.
	flat := in.Options.Flat
	in.Options.Flat = flat && !bytes.Contains(in.Prefix, []byte("mtllib"))
	defer func() { in.Options.Flat = flat }()
	r := newReader(indexed.New(in))
	r.in = in
	size, err := r.read(f)
	if err != nil {
		return nil, nil, err
	}
	if r.Points() == 0 && fileFormat.Detect(f, in.Prefix, in.Size) == format.Plausible {
		return nil, nil, in.Unknown("text that is no mesh")
	}
	if err := r.paint(); err != nil {
		return nil, nil, err
	}
	if err := r.noteUnknown(); err != nil {
		return nil, nil, err
	}
	r.Adjust = r.placeTextures
	r.Cloud = r.Warn.First() == nil
	m, rep, err := r.Finish(scenes.PlusY)
	if err != nil {
		return nil, nil, err
	}
	if flat {
		m.Attributes = nil
	}
	rep.Format, rep.Bytes = FormatOBJ, size
	return m, rep, nil
}

// reader is the state of Read, and of what reads a part.
type reader struct {
	*indexed.Mesh
	in        *format.Input // nil: of a part
	lines     *text.Lines
	polygon   indexed.Polygon
	materials materials
	color     uint32  // of the material in use
	texCoords []int64 // room for those of the polygon
	normals   []int64
	numbers   [2][]int64 // of texture coordinates and normals of the polygon, as the file has them
	colored   bool       // vertices have colours
	paints    []uint32   // colours that comments give the first vertices
	marks     []mark     // of a part
	strange   []strangeWord
	// Of the face that quickFace reads: numbers of points, texture coordinates and
	// normals, from 1; 0 for none.
	refs [3][quickCorners]int64
}

func newReader(m *indexed.Mesh) *reader {
	r := &reader{Mesh: m, lines: &text.Lines{Join: true}, color: indexed.NoColor}
	r.polygon.Place = indexed.Line(r.lines)
	return r
}

func (r *reader) place() string { return fmt.Sprintf("line %d", r.lines.Line()) }

// statements takes in all lines.
func (r *reader) statements() error {
	for {
		if r.in == nil {
			r.quick()
		}
		f, ok, err := r.lines.Next()
		if err != nil || !ok {
			return err
		}
		if err := r.statement(f); err != nil {
			return err
		}
	}
}

// statement takes in one line.
func (r *reader) statement(f text.Fields) error {
	line := f
	word := f.Word()
	switch string(word) {
	case "v":
		return r.vertex(&f)
	case "f", "fo":
		return r.face(&f)
	case "vt":
		return r.texCoord(&f)
	case "vn":
		return r.normal(&f)
	case "l":
		if r.in == nil {
			return errLine
		}
		return r.lineOf(&f)
	case "p":
		if r.in == nil {
			return errLine
		}
		return r.dotsOf(&f)
	case "g", "o", "usemtl", "mtllib", paintMark:
		if r.in == nil {
			return r.mark(line)
		}
		return r.state(string(word), &f)
	}
	if len(word) == 0 || word[0] == '#' {
		return nil
	}
	if _, known := statements[string(word)]; known {
		return nil
	}
	return r.unknown(word)
}

// state takes in a line that says something about all faces that follow.
func (r *reader) state(word string, f *text.Fields) error {
	switch word {
	case "usemtl":
		return r.use(name(f))
	case "mtllib":
		return r.library(f)
	case paintMark:
		return r.takePaint(f)
	}
	r.BeginPart(name(f))
	return nil
}

// name returns the rest of a line, cut to the length that names may have.
func name(f *text.Fields) string {
	rest := f.Rest()
	return string(rest[:min(len(rest), text.MaxName)])
}

// vector parses three numbers.
func vector(f *text.Fields) (p [3]float64, ok bool) {
	for c := range p {
		if p[c], ok = f.Float(); !ok {
			return p, false
		}
	}
	return p, true
}

// vertex takes in three coordinates, a weight that is not used if one or four
// numbers follow, and a colour if three or four do.
func (r *reader) vertex(f *text.Fields) error {
	p, ok := vector(f)
	if !ok {
		return r.AddUnread(r.place(), int64(r.Points()), f.Word(), "three numbers")
	}
	if err := r.AddPoint(p); err != nil {
		return err
	}
	var more [4]float64
	n := 0
	for n < len(more) {
		if more[n], ok = f.Float(); !ok {
			break
		}
		n++
	}
	if n < 3 {
		return nil
	}
	if !r.colored {
		r.colored = true
		if r.in == nil {
			if err := r.mark(text.Fields{}); err != nil {
				return err
			}
		}
	}
	return r.ColorPoint(indexed.RGB([3]float64(more[n-3:n]), 255))
}

// normal takes in three numbers of a direction.
func (r *reader) normal(f *text.Fields) error {
	n, ok := vector(f)
	if !ok {
		word := f.Word()
		if err := r.Warn.Add(r.place(), "normal %d left out: %s where three numbers should be%s", r.Normals(), text.Short(word), text.Commas(word)); err != nil {
			return err
		}
		n = [3]float64{}
	}
	return r.AddNormal(n)
}

// texCoord takes in one or two coordinates, of which the second counts from the
// lower edge, and does not use a third.
func (r *reader) texCoord(f *text.Fields) error {
	u, ok := f.Float()
	if !ok {
		word := f.Word()
		if err := r.Warn.Add(r.place(), "texture coordinates %d left out: %s where a number should be%s", r.TexCoords(), text.Short(word), text.Commas(word)); err != nil {
			return err
		}
	}
	v, _ := f.Float()
	return r.AddTexCoord([2]float64{u, 1 - v})
}

// face takes in the corners of a polygon.
func (r *reader) face(f *text.Fields) error {
	p, detailed := &r.polygon, r.Detailed()
	p.Corners, p.Numbers, p.Color = p.Corners[:0], p.Numbers[:0], r.color
	r.numbers[0], r.numbers[1] = r.numbers[0][:0], r.numbers[1][:0]
	p.TexCoords, p.Normals = nil, nil
	material := p.Material
	if r.colored && r.in != nil {
		p.Color, p.Material = indexed.NoColor, 0
	}
	for n := 0; f.More() && peek(*f)[0] != '#'; n++ {
		i, ok := f.Digits()
		var more [2]int64
		ok = ok && references(f, &more)
		if !ok {
			word := f.Word()
			return r.Warn.Add(r.place(), "face left out: %s where a corner should be%s", text.Short(word), text.Commas(word))
		}
		if len(p.Corners) > indexed.MaxCorners {
			continue
		}
		p.Corners, p.Numbers = append(p.Corners, r.fromZero(i, r.Points())), append(p.Numbers, i)
		if detailed {
			r.numbers[0], r.numbers[1] = append(r.numbers[0], more[0]), append(r.numbers[1], more[1])
			r.texCoords = r.refer(&p.TexCoords, r.texCoords, n, more[0], r.TexCoords())
			r.normals = r.refer(&p.Normals, r.normals, n, more[1], r.Normals())
		}
	}
	if err := r.checkReferences(p); err != nil {
		return err
	}
	err := r.AddPolygon(*p)
	p.Material = material
	return err
}

// fromZero returns the index that a number stands for: from 1, or negative, from
// the last of n.
func (r *reader) fromZero(number int64, n int) int64 {
	if number < 0 {
		return r.Ref(number + int64(n))
	}
	return number - 1
}

// refer sets the index of corner n in a list for which there is room; the list stays
// nil until a corner has one. It returns the room.
func (r *reader) refer(list *[]int64, room []int64, n int, number int64, most int) []int64 {
	if *list == nil {
		if number == 0 {
			return room
		}
		room = room[:0]
		for range n {
			room = append(room, indexed.NoReference)
		}
	}
	index := int64(indexed.NoReference)
	if number != 0 {
		index = r.fromZero(number, most)
	}
	room = append(room, index)
	*list = room
	return room
}

// checkReferences warns of normals and texture coordinates that are not there.
func (r *reader) checkReferences(p *indexed.Polygon) error {
	for k, i := range p.TexCoords {
		if i != indexed.NoReference && !r.HasTexCoord(i) {
			return r.Warn.Add(r.place(), "texture coordinates %d of %d, counted from 1, left out", r.numbers[0][k], r.TexCoords())
		}
	}
	for k, i := range p.Normals {
		if i != indexed.NoReference && !r.HasNormal(i) {
			return r.Warn.Add(r.place(), "normal %d of %d, counted from 1, left out", r.numbers[1][k], r.Normals())
		}
	}
	return nil
}

// references parses the numbers of texture coordinates and of a normal, 0 where
// there is none, and reports whether the corner ends there.
func references(f *text.Fields, to *[2]int64) bool {
	for i := range to {
		if f.Accept('/') && !f.AtSpace() {
			to[i], _ = f.Digits() // may be missing: v//vn
		}
	}
	return f.AtSpace()
}
