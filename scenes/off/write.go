package off

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/weld"
)

// WriteOptions controls Write. The zero value is the default.
type WriteOptions struct {
	// Binary writes big-endian binary numbers. Default: a text.
	Binary bool
}

// Write writes a mesh: shared vertices with their normals, colours and texture coordinates, and triangles. If vertices
// have no colours, it writes the colours of the triangles. A binary file has coordinates in single precision.
//
// The error comes from w, or reports that the mesh has 2^31 or more triangles or vertices.
func Write(w io.Writer, m *scenes.Mesh, opts WriteOptions) error {
	p := printer{out: bufio.NewWriterSize(w, 256<<10), mesh: m, attributes: m.Attributes, binary: opts.Binary}
	if p.attributes == nil {
		p.attributes = new(scenes.Attributes)
	}
	p.vertices = weld.Of(m, weld.Split{Normals: true, Colors: true, TexCoords: true})
	if max(p.vertices.Len(), m.Len()) > math.MaxInt32 {
		return fmt.Errorf("write OFF: %d triangles are more than the format holds", m.Len())
	}
	p.faceColors = m.Colors != nil && !p.attributes.Colors.Has()
	p.writeHeader()
	for i := range p.vertices.Len() {
		p.writeVertex(i)
	}
	for t := range m.Len() {
		p.writeFace(t)
	}
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("write OFF: %w", err)
	}
	return nil
}

// A printer is the state of Write.
type printer struct {
	out        *bufio.Writer
	row        []byte
	binary     bool
	mesh       *scenes.Mesh
	attributes *scenes.Attributes
	vertices   weld.Vertices
	faceColors bool
}

func (p *printer) writeHeader() {
	a, word := p.attributes, ""
	if a.TexCoords.Has() {
		word += "ST"
	}
	if a.Colors.Has() {
		word += "C"
	}
	if a.Normals.Has() {
		word += "N"
	}
	word += "OFF"
	if p.binary {
		word += " BINARY"
	}
	p.row = append(append(p.row, word...), '\n')
	p.int(p.vertices.Len())
	p.int(p.mesh.Len())
	p.int(0) // number of edges, which readers ignore
	p.endRow()
}

func (p *printer) int(v int) {
	if p.binary {
		p.row = binary.BigEndian.AppendUint32(p.row, uint32(v))
	} else {
		p.row = append(strconv.AppendInt(p.row, int64(v), 10), ' ')
	}
}

func (p *printer) float(v float32, origin float64) {
	if p.binary {
		p.row = binary.BigEndian.AppendUint32(p.row, math.Float32bits(float32(float64(v)+origin)))
	} else {
		p.row = append(text.AppendCoord(p.row, v, origin), ' ')
	}
}

// writeChannels writes the components of a colour. In a binary file they are from 0 to 1, in a text from 0 to 255.
// There is one exception. If all components in a text are 0 or 1, readers take them to be from 0 to 1. In this case
// channels writes components from 0 to 1 in a text, too.
func (p *printer) writeChannels(c ...uint8) {
	dark := max(c[0], c[1], c[2]) <= 1
	for _, v := range c {
		if p.binary {
			p.float(float32(v)/255, 0)
		} else if dark {
			p.row = append(strconv.AppendFloat(p.row, float64(v)/255, 'f', 5, 64), ' ')
		} else {
			p.int(int(v))
		}
	}
}

// endRow writes the row. The bufio.Writer keeps an error until Flush returns it.
func (p *printer) endRow() {
	if !p.binary {
		p.row[len(p.row)-1] = '\n'
	}
	p.out.Write(p.row)
	p.row = p.row[:0]
}

func (p *printer) writeVertex(i int) {
	k, t := p.vertices.At(i)
	a := p.attributes
	for c, v := range [3]float32{p.mesh.X[k][t], p.mesh.Y[k][t], p.mesh.Z[k][t]} {
		p.float(v, p.mesh.Origin[c])
	}
	if a.Normals.Has() {
		for _, v := range a.Normals.At(k, t) {
			p.float(v, 0)
		}
	}
	if a.Colors.Has() {
		c := a.Colors.At(k, t)
		p.writeChannels(c[:]...)
	}
	if a.TexCoords.Has() {
		uv := a.TexCoords.At(k, t)
		p.float(uv[0], 0)
		// In OFF, v is measured from the lower edge. 1 - v is written with all its digits.
		if p.binary {
			p.float(1-uv[1], 0)
		} else {
			p.row = append(strconv.AppendFloat(p.row, 1-float64(uv[1]), 'g', -1, 64), ' ')
		}
	}
	p.endRow()
}

func (p *printer) writeFace(t int) {
	p.int(3)
	for _, v := range p.vertices.Index[3*t : 3*t+3] {
		p.int(int(v))
	}
	rgb := uint32(0)
	if p.faceColors {
		rgb = p.mesh.Colors[t]
	}
	colors := []uint8{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb)}
	switch {
	case p.faceColors && p.binary:
		p.int(4)
		p.writeChannels(append(colors, 255)...)
	case p.faceColors:
		p.writeChannels(append(colors, 255)...)
	case p.binary:
		p.int(0)
	}
	p.endRow()
}
