package ply

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/weld"
)

// WriteOptions controls Write. The zero value is the default.
type WriteOptions struct {
	// ASCII writes a text. Default: binary, little-endian.
	ASCII bool
}

// Write writes a mesh: shared vertices with their normals, colours, texture coordinates and fields, and triangles with
// their fields. If vertices have no colours, it writes the colours of triangles. Coordinates are in single precision,
// or in double precision if the mesh has an origin. Parts and materials are lost.
//
// The error comes from w.
func Write(w io.Writer, m *scenes.Mesh, opts WriteOptions) error {
	p := newPrinter(w, m, opts)
	p.writeHeader()
	for i := range p.vertices.Len() {
		p.writeVertex(i)
	}
	for t := range m.Len() {
		p.writeFace(t)
	}
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("write PLY: %w", err)
	}
	return nil
}

// A printer is the state of Write. If the mesh has no attributes, attributes points to empty attributes.
type printer struct {
	out          *bufio.Writer
	row          []byte
	ascii        bool
	mesh         *scenes.Mesh
	attributes   *scenes.Attributes
	vertices     weld.Vertices
	double       bool // coordinates are written in double precision
	faceColors   bool
	vertexFields []scenes.Field
	faceFields   []scenes.Field
}

func newPrinter(w io.Writer, m *scenes.Mesh, opts WriteOptions) *printer {
	p := &printer{
		out: bufio.NewWriterSize(w, 256<<10), ascii: opts.ASCII, mesh: m, attributes: m.Attributes,
		vertices: weld.Of(m, weld.Split{Normals: true, Colors: true, TexCoords: true}),
		double:   m.Origin != [3]float64{},
	}
	if p.attributes == nil {
		p.attributes = new(scenes.Attributes)
	}
	p.faceColors = m.Colors != nil && !p.attributes.Colors.Has()
	for _, f := range p.attributes.Fields {
		if f.OfTriangles {
			p.faceFields = append(p.faceFields, f)
		} else {
			p.vertexFields = append(p.vertexFields, f)
		}
	}
	return p
}

func (p *printer) writeHeader() {
	format := "binary_little_endian"
	if p.ascii {
		format = "ascii"
	}
	fmt.Fprintf(p.out, "ply\nformat %s 1.0\nelement vertex %d\n", format, p.vertices.Len())
	properties := func(kind string, names ...string) {
		for _, name := range names {
			fmt.Fprintf(p.out, "property %s %s\n", kind, name)
		}
	}
	coordinate := "float"
	if p.double {
		coordinate = "double"
	}
	colors := []string{"red", "green", "blue"}
	properties(coordinate, "x", "y", "z")
	if p.attributes.Normals.Has() {
		properties("float", "nx", "ny", "nz")
	}
	if p.attributes.Colors.Has() {
		properties("uchar", append(colors, "alpha")...)
	}
	if p.attributes.TexCoords.Has() {
		// The format measures v from the lower edge, and 1 - v may need more digits than v.
		properties("double", "s", "t")
	}
	properties("float", fieldNames(p.vertexFields)...)
	fmt.Fprintf(p.out, "element face %d\nproperty list uchar uint vertex_indices\n", p.mesh.Len())
	if p.faceColors {
		properties("uchar", colors...)
	}
	properties("float", fieldNames(p.faceFields)...)
	fmt.Fprint(p.out, "end_header\n")
}

// fieldNames returns a name for each field. Each name is a single word and differs from all other names.
func fieldNames(fields []scenes.Field) (names []string) {
	for _, f := range fields {
		name := strings.Join(strings.Fields(f.Name), "_")
		if name == "" {
			name = "field"
		}
		for slices.Contains(names, name) {
			name += "_"
		}
		names = append(names, name)
	}
	return names
}

// float appends a number in single precision.
func (p *printer) float(v float32) {
	if p.ascii {
		p.row = append(text.AppendCoord(p.row, v, 0), ' ')
		return
	}
	p.row = binary.LittleEndian.AppendUint32(p.row, math.Float32bits(v))
}

func (p *printer) float64(v float64) {
	if p.ascii {
		p.row = append(strconv.AppendFloat(p.row, v, 'g', -1, 64), ' ')
		return
	}
	p.row = binary.LittleEndian.AppendUint64(p.row, math.Float64bits(v))
}

func (p *printer) byte(v uint8) {
	if p.ascii {
		p.row = append(strconv.AppendUint(p.row, uint64(v), 10), ' ')
		return
	}
	p.row = append(p.row, v)
}

func (p *printer) index(v uint32) {
	if p.ascii {
		p.row = append(strconv.AppendUint(p.row, uint64(v), 10), ' ')
		return
	}
	p.row = binary.LittleEndian.AppendUint32(p.row, v)
}

// endRow writes the row. The bufio.Writer keeps an error until Flush returns it.
func (p *printer) endRow() {
	if p.ascii {
		p.row[len(p.row)-1] = '\n'
	}
	p.out.Write(p.row)
	p.row = p.row[:0]
}

func (p *printer) writeVertex(i int) {
	k, t := p.vertices.At(i)
	a, origin := p.attributes, p.mesh.Origin
	for c, v := range [3]float32{p.mesh.X[k][t], p.mesh.Y[k][t], p.mesh.Z[k][t]} {
		if p.double {
			p.float64(float64(v) + origin[c])
		} else {
			p.float(v)
		}
	}
	if a.Normals.Has() {
		for _, v := range a.Normals.At(k, t) {
			p.float(v)
		}
	}
	if a.Colors.Has() {
		for _, v := range a.Colors.At(k, t) {
			p.byte(v)
		}
	}
	if a.TexCoords.Has() {
		uv := a.TexCoords.At(k, t)
		p.float64(float64(uv[0]))
		p.float64(1 - float64(uv[1]))
	}
	for _, f := range p.vertexFields {
		p.float(f.Values[a.Index[k][t]])
	}
	p.endRow()
}

func (p *printer) writeFace(t int) {
	p.byte(3)
	for _, v := range p.vertices.Index[3*t : 3*t+3] {
		p.index(v)
	}
	if p.faceColors {
		rgb := p.mesh.Colors[t]
		p.byte(uint8(rgb >> 16))
		p.byte(uint8(rgb >> 8))
		p.byte(uint8(rgb))
	}
	for _, f := range p.faceFields {
		p.float(f.Values[t])
	}
	p.endRow()
}
