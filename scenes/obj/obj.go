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

// A fileFormat is the format of this package. Only tests set its fields.
type fileFormat struct {
	chunk      int  // size of a chunk of a text in bytes; 0: the usual size
	sequential bool // chunks are not read in parallel
}

// Format reads OBJ.
var Format format.Format = fileFormat{}

// statements holds the keywords of the format, from the specification of Wavefront's Advanced Visualizer, appendix B1.
// A value is false if the statement is ignored.
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

// Read reads a whole file. It needs 36 bytes per triangle and, while it reads, another 12 bytes per triangle and 24
// bytes per vertex. Colours take 4 more bytes per triangle and per vertex.
func (f fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	if err := checkMemory(in); err != nil {
		return nil, nil, err
	}
	// A mesh with materials is read with its attributes even if Flat is set, because textures may determine the colours
	// of its triangles.
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
	if err := r.applyPaint(); err != nil {
		return nil, nil, err
	}
	if err := r.warnUnknown(); err != nil {
		return nil, nil, err
	}
	r.Adjust = r.placeTextures
	r.Cloud = !r.hasFaces && (r.Warn.First() == nil || r.lacksMaterials)
	m, rep, err := r.Finish(scenes.PlusY, FormatOBJ)
	if err != nil {
		return nil, nil, err
	}
	if flat {
		m.Attributes = nil
	}
	rep.Bytes = size
	return m, rep, nil
}

// A reader is the state of Read. Each goroutine that parses a part of the file also has one.
type reader struct {
	*indexed.Mesh
	in         *format.Input // nil for a part of the file
	lines      *text.Lines
	polygon    indexed.Polygon
	materials  materials
	color      uint32  // colour of the current material
	texCoords  []int64 // memory for the indices of the polygon's texture coordinates
	normals    []int64
	numbers    [2][]int64  // the polygon's numbers of texture coordinates and normals, as in the file
	colored    bool        // vertices have colours
	paints     []uint32    // colours of the first vertices, from comments of ZBrush
	stateLines []stateLine // used only for a part of the file
	strange    []unknownWord
	// hasFaces means that this reader has read a line with a face. All damaged faces are read by the reader of the
	// whole file, so that reader has hasFaces set if any face is damaged. lacksMaterials means that the first warning
	// is about materials. Lines and points can be drawn without materials.
	hasFaces, lacksMaterials bool
	// refs holds the corners of the face that readUsualFace has read: their numbers of vertices, texture coordinates
	// and normals. Numbers are counted from 1, and 0 means a missing number.
	refs [3][quickCorners]int64
}

func newReader(m *indexed.Mesh) *reader {
	r := &reader{Mesh: m, lines: &text.Lines{Join: true}, color: indexed.NoColor}
	r.polygon.Place = indexed.Line(r.lines)
	return r
}

func (r *reader) place() string { return fmt.Sprintf("line %d", r.lines.Line()) }

// readStatements reads all lines.
func (r *reader) readStatements() error {
	for {
		if r.in == nil {
			r.readFast()
		}
		f, ok, err := r.lines.Next()
		if err != nil || !ok {
			return err
		}
		if err := r.readStatement(f); err != nil {
			return err
		}
	}
}

// readStatement handles one line.
func (r *reader) readStatement(f text.Fields) error {
	line := f
	word := f.Word()
	switch string(word) {
	case "v":
		return r.readVertex(&f)
	case "f", "fo":
		return r.readFace(&f)
	case "vt":
		return r.readTexCoord(&f)
	case "vn":
		return r.readNormal(&f)
	case "l":
		if r.in == nil {
			return errLine
		}
		return r.readLine(&f)
	case "p":
		if r.in == nil {
			return errLine
		}
		return r.readPoints(&f)
	case "g", "o", "usemtl", "mtllib", paintMark:
		if r.in == nil {
			return r.addStateLine(line)
		}
		return r.setState(string(word), &f)
	}
	if len(word) == 0 || word[0] == '#' {
		return nil
	}
	if _, known := statements[string(word)]; known {
		return nil
	}
	return r.countUnknown(word)
}

// setState handles a line that applies to all faces after it.
func (r *reader) setState(word string, f *text.Fields) error {
	isWhole := r.Warn.First() == nil
	defer func() {
		r.lacksMaterials = r.lacksMaterials || isWhole && r.Warn.First() != nil && word != paintMark
	}()
	switch word {
	case "usemtl":
		return r.useMaterial(restAsName(f))
	case "mtllib":
		return r.readLibraries(f)
	case paintMark:
		return r.readPaint(f)
	}
	r.BeginPart(restAsName(f))
	return nil
}

// restAsName returns the rest of a line, cut to text.MaxName bytes.
func restAsName(f *text.Fields) string {
	rest := f.Rest()
	return string(rest[:min(len(rest), text.MaxName)])
}

// parseVector parses three numbers.
func parseVector(f *text.Fields) (p [3]float64, ok bool) {
	for c := range p {
		if p[c], ok = f.Float(); !ok {
			return p, false
		}
	}
	return p, true
}

// readVertex reads a vertex. A vertex has three coordinates, and further numbers may follow. If one or four numbers
// follow, the first of them is a weight and is ignored. If three or four numbers follow, the last three are a colour.
func (r *reader) readVertex(f *text.Fields) error {
	p, ok := parseVector(f)
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
			if err := r.addStateLine(text.Fields{}); err != nil {
				return err
			}
		}
	}
	return r.ColorPoint(indexed.RGB([3]float64(more[n-3:n]), 255))
}

// readNormal reads the three components of a normal.
func (r *reader) readNormal(f *text.Fields) error {
	n, ok := parseVector(f)
	if !ok {
		word := f.Word()
		if err := r.Warn.Add(r.place(), "normal %d left out: %s where three numbers should be%s", r.Normals(), text.Short(word), text.CommaHint(word)); err != nil {
			return err
		}
		n = [3]float64{}
	}
	return r.AddNormal(n)
}

// readTexCoord reads one or two texture coordinates and ignores a third. In the file, the second coordinate is measured
// from the lower edge of the texture.
func (r *reader) readTexCoord(f *text.Fields) error {
	u, ok := f.Float()
	if !ok {
		word := f.Word()
		if err := r.Warn.Add(r.place(), "texture coordinates %d left out: %s where a number should be%s", r.TexCoords(), text.Short(word), text.CommaHint(word)); err != nil {
			return err
		}
	}
	v, _ := f.Float()
	return r.AddTexCoord([2]float64{u, 1 - v})
}

// readFace reads the corners of a polygon.
func (r *reader) readFace(f *text.Fields) error {
	r.hasFaces = true
	p, detailed := &r.polygon, r.WantsAttributes()
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
		ok = ok && parseReferences(f, &more)
		if !ok {
			word := f.Word()
			return r.Warn.Add(r.place(), "face left out: %s where a corner should be%s", text.Short(word), text.CommaHint(word))
		}
		if len(p.Corners) > indexed.MaxCorners {
			continue
		}
		p.Corners, p.Numbers = append(p.Corners, r.toIndex(i, r.Points())), append(p.Numbers, i)
		if detailed {
			r.numbers[0], r.numbers[1] = append(r.numbers[0], more[0]), append(r.numbers[1], more[1])
			r.texCoords = r.appendRef(&p.TexCoords, r.texCoords, n, more[0], r.TexCoords())
			r.normals = r.appendRef(&p.Normals, r.normals, n, more[1], r.Normals())
		}
	}
	if err := r.checkReferences(p); err != nil {
		return err
	}
	err := r.AddPolygon(*p)
	p.Material = material
	return err
}

// toIndex converts a number in the file to an index. Positive numbers count from 1. Negative numbers count back from n,
// the number of entries so far.
func (r *reader) toIndex(number int64, n int) int64 {
	if number < 0 {
		return r.Ref(number + int64(n))
	}
	return number - 1
}

// appendRef appends the index of the normal or of the texture coordinates of corner n to *list, and returns the new
// list. *list stays nil until a corner has a number. number is the number in the file, or 0 if the corner has none.
// `most` is the number of entries that exist. `room` is memory for the list.
func (r *reader) appendRef(list *[]int64, room []int64, n int, number int64, most int) []int64 {
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
		index = r.toIndex(number, most)
	}
	room = append(room, index)
	*list = room
	return room
}

// checkReferences warns about normals and texture coordinates of polygon p that do not exist.
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

// parseReferences parses the numbers of texture coordinates and of the normal of a corner into `to`. A missing number
// becomes 0. parseReferences returns false if anything else follows.
func parseReferences(f *text.Fields, to *[2]int64) bool {
	for i := range to {
		if f.Accept('/') && !f.AtSpace() {
			to[i], _ = f.Digits() // a number may be missing, as in v//vn
		}
	}
	return f.AtSpace()
}
