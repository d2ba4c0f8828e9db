package obj

import (
	"bytes"
	"errors"
	"fmt"

	"lockstep/scenes"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// FormatOBJ names the format in reports.
const FormatOBJ = "obj"

type format struct{}

// Format reads OBJ.
var Format scenes.Format = format{}

// statements holds the first words of lines; those that are not drawn are false.
// They are the ones of the specification of Wavefront's Advanced Visualizer,
// appendix B1.
var statements = func() map[string]bool {
	all := map[string]bool{"v": true, "f": true, "fo": true, "g": true, "o": true, "usemtl": true, "mtllib": true}
	for _, word := range []string{
		"vt", "vn", "vp", "p", "l", "s", "mg", "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole", "scrv", "sp", "end", "con",
		"bevel", "c_interp", "d_interp", "lod", "maplib", "usemap", "shadow_obj", "trace_obj", "ctech", "stech", "call", "csh", "bsp", "bzp", "cdc", "cdp", "res",
	} {
		all[word] = false
	}
	return all
}()

// Detect recognises lines that begin with the words of the format, with a vertex
// among them: there is no mark.
func (format) Detect(prefix []byte, size int64) scenes.Likelihood {
	if !text.IsText(prefix) {
		return scenes.No
	}
	if size != int64(len(prefix)) { // the last line may be cut
		prefix = prefix[:1+max(bytes.LastIndexByte(prefix, '\n'), bytes.LastIndexByte(prefix, '\r'))]
	}
	lines := text.NewLines(prefix, true, nil)
	lines.Join = true
	known, others, vertices := 0, 0, 0
	for {
		f, ok, err := lines.Next()
		if err != nil || !ok {
			break
		}
		word := f.Word()
		if len(word) == 0 || word[0] == '#' {
			continue
		}
		if _, ok := statements[string(word)]; !ok {
			others++
			continue
		}
		known++
		if len(word) == 1 && word[0] == 'v' {
			if _, ok := vector(&f); ok {
				vertices++
			}
		}
	}
	if vertices > 0 && known > 4*others {
		return scenes.Likely
	}
	return scenes.No
}

// Read reads a whole file. It needs 36 bytes a triangle, and besides, while it
// reads, 12 bytes a triangle and 24 bytes a vertex; colours take 4 bytes more
// each.
func (format) Read(in *scenes.Input) (*scenes.Mesh, *scenes.Report, error) {
	r := &reader{
		Mesh:  indexed.New(in),
		in:    in,
		lines: text.NewLines(in.Prefix, in.Size == int64(len(in.Prefix)), in.Fill),
		color: indexed.NoColor,
	}
	r.lines.Join = true
	r.polygon.Place = indexed.Line(r.lines)
	for {
		f, ok, err := r.lines.Next()
		if errors.Is(err, text.ErrLongLine) {
			err = in.Damage(r.place(), "%w", err)
		}
		if err == nil && ok {
			err = r.statement(&f)
		}
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			break
		}
	}
	m, rep, err := r.Finish(scenes.PlusY)
	if err != nil {
		return nil, nil, err
	}
	rep.Format = FormatOBJ
	return m, rep, nil
}

// reader is the state of Read.
type reader struct {
	*indexed.Mesh
	in        *scenes.Input
	lines     *text.Lines
	polygon   indexed.Polygon
	materials materials
	color     uint32 // of the material in use
	colored   bool   // vertices have colours
}

func (r *reader) place() string { return fmt.Sprintf("line %d", r.lines.Line()) }

// statement takes in one line.
func (r *reader) statement(f *text.Fields) error {
	word := f.Word()
	switch string(word) {
	case "v":
		return r.vertex(f)
	case "f", "fo":
		return r.face(f)
	case "g", "o":
		r.BeginPart(name(f))
		return nil
	case "usemtl":
		r.color = r.materials.color(name(f))
		return nil
	case "mtllib":
		return r.library(f)
	}
	if len(word) == 0 || word[0] == '#' {
		return nil
	}
	if _, known := statements[string(word)]; known {
		return nil
	}
	return r.Warn.Add(r.place(), "unexpected %s", text.Short(word))
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
		return r.AddMissing(r.place(), "vertex %d left out: %s where three numbers should be", r.Points(), text.Short(f.Word()))
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
	r.colored = true
	return r.ColorPoint(indexed.RGB([3]float64(more[n-3:n]), 255))
}

// face takes in the corners of a polygon.
func (r *reader) face(f *text.Fields) error {
	p := &r.polygon
	p.Corners, p.Color = p.Corners[:0], r.color
	if r.colored {
		p.Color = indexed.NoColor
	}
	for f.More() {
		i, ok := f.Digits()
		if !ok || !texture(f) {
			return r.Warn.Add(r.place(), "face left out: %s where a corner should be", text.Short(f.Word()))
		}
		if i < 0 {
			i += int64(r.Points())
		} else {
			i--
		}
		if len(p.Corners) <= indexed.MaxCorners {
			p.Corners = append(p.Corners, i)
		}
	}
	return r.AddPolygon(*p)
}

// texture steps over the numbers of texture coordinates and of a normal, and
// reports whether the corner ends there.
func texture(f *text.Fields) bool {
	for range 2 {
		if f.Accept('/') && !f.AtSpace() {
			f.Digits() // may be missing: v//vn
		}
	}
	return f.AtSpace()
}
