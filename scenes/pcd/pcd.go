package pcd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
	ours "lockstep/scenes/internal/binary"
	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/text"
)

// Format reads PCD.
var Format format.Format = fileFormat{}

type fileFormat struct{}

// Names implements format.Format.
func (fileFormat) Names() []string { return []string{"pcd"} }

// Detect recognises the first lines: a comment that names the format, or VERSION and FIELDS.
func (fileFormat) Detect(prefix []byte, _ int64) format.Likelihood {
	p := text.TrimBOM(prefix)
	named := bytes.HasPrefix(p, []byte("# .PCD")) || bytes.HasPrefix(p, []byte("VERSION"))
	if named && bytes.Contains(p, []byte("FIELDS")) {
		return format.Marked
	}
	return format.No
}

// Read reads a whole file. It needs 24 bytes per point while it reads, and 300 bytes per point afterwards.
func (fileFormat) Read(in *format.Input) (*scenes.Mesh, *scenes.Report, error) {
	h, line, problem := parseHeader(in.Prefix)
	if problem != "" {
		return nil, nil, in.Damage(fmt.Sprintf("line %d", line), "%s", problem)
	}
	r := newReader(in, h)
	var err error
	switch h.data {
	case "ascii":
		err = r.readText(in)
	case "binary":
		err = r.readBinary(in)
	default:
		err = r.readCompressed(in)
	}
	if err == nil && r.row < h.points {
		err = r.mesh.Warn.Add(r.place, "the file ends within point %d of %d", r.row, h.points)
	}
	if err != nil {
		return nil, nil, err
	}
	return r.mesh.Finish(scenes.PlusZ, "pcd-"+h.data)
}

// A reader builds the mesh from points.
type reader struct {
	*header
	mesh   *indexed.Mesh
	row    uint64
	place  string
	values []float64 // numbers of the current point, column by column
	starts []int     // for each column, the index in values of its first number
	xyz    [3]int
	color  int // index of the column with the colour; -1: none
	fields []int
}

func newReader(in *format.Input, h *header) *reader {
	values := make([]float64, h.numbersPerPoint())
	r := &reader{header: h, mesh: indexed.New(in), values: values, color: -1, place: "its points"}
	r.mesh.Cloud = true
	at := 0
	var names []string
	for i, c := range h.columns {
		r.starts = append(r.starts, at)
		at += c.count
		switch c.name {
		case "x", "y", "z", "_", "normal_x", "normal_y", "normal_z":
		case "rgb", "rgba":
			if c.size == 4 && c.count == 1 {
				r.color = i
			}
		default:
			if c.count == 1 {
				r.fields = append(r.fields, i)
				names = append(names, c.name)
			}
		}
	}
	for d, name := range []string{"x", "y", "z"} {
		r.xyz[d] = r.starts[h.columnIndex(name)]
	}
	r.mesh.PointFields(names...)
	return r
}

// readText reads points in ASCII.
func (r *reader) readText(in *format.Input) error {
	lines := text.NewLines(in.Prefix[r.size:], in.Size == int64(len(in.Prefix)), in.Fill)
	lines.Skip(r.lines)
	for r.row < r.points {
		f, more, err := lines.Next()
		if errors.Is(err, text.ErrLongLine) {
			err = in.Damage(fmt.Sprintf("line %d", lines.Line()), "%w", err)
		}
		if err != nil || !more {
			return err
		}
		if !f.More() {
			continue
		}
		good := true
		for i := range r.values {
			var ok bool
			if r.values[i], ok = f.Float(); !ok {
				good = false
				break
			}
		}
		r.row++
		if !good {
			if err := r.mesh.Warn.Add(fmt.Sprintf("line %d", lines.Line()), "point %d left out: expected %d numbers", r.row-1, len(r.values)); err != nil {
				return err
			}
			continue
		}
		if err := r.addPoint(r.textColor()); err != nil {
			return err
		}
	}
	return nil
}

// textColor returns the colour of a point in ASCII. It is an integer, or a float whose bits are that integer.
func (r *reader) textColor() uint32 {
	if r.color < 0 {
		return indexed.NoColor
	}
	v := r.values[r.starts[r.color]]
	if r.columns[r.color].kind == 'F' {
		return math.Float32bits(float32(v)) & 0xffffff
	}
	return uint32(int64(max(0, min(v, math.MaxUint32)))) & 0xffffff
}

// readBinary reads uncompressed binary points.
func (r *reader) readBinary(in *format.Input) error {
	size := r.bytesPerPoint()
	b := ours.NewReader(in, r.size, false)
	for ; r.row < r.points; r.row++ {
		w, err := b.Window(size)
		if err != nil {
			return err
		}
		if len(w) < size || size == 0 {
			return nil
		}
		at, n, color := 0, 0, uint32(indexed.NoColor)
		for i, c := range r.columns {
			if i == r.color {
				color = binary.LittleEndian.Uint32(w[at:]) & 0xffffff
			}
			for range c.count {
				r.values[n] = c.decodeNumber(w[at:])
				at, n = at+c.size, n+1
			}
		}
		b.Skip(size)
		if err := r.addPoint(color); err != nil {
			return err
		}
	}
	return nil
}

// decodeNumber decodes a number of the column from the start of b.
func (c *column) decodeNumber(b []byte) float64 {
	switch {
	case c.kind == 'F' && c.size == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case c.kind == 'F':
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	var v uint64
	for i := range c.size {
		v |= uint64(b[i]) << (8 * i)
	}
	if c.kind == 'U' {
		return float64(v)
	}
	shift := 64 - 8*c.size
	return float64(int64(v<<shift) >> shift)
}

// addPoint adds the point whose numbers are in r.values.
func (r *reader) addPoint(color uint32) error {
	if err := r.mesh.AddPoint([3]float64{r.values[r.xyz[0]], r.values[r.xyz[1]], r.values[r.xyz[2]]}); err != nil {
		return err
	}
	for i, c := range r.fields {
		if err := r.mesh.PointField(i, float32(r.values[r.starts[c]])); err != nil {
			return err
		}
	}
	if color == indexed.NoColor {
		return nil
	}
	return r.mesh.ColorPoint(color)
}
