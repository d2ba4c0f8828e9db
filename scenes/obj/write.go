package obj

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"lockstep/scenes"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/weld"
)

// Write writes a mesh: shared vertices with their colours, normals and texture coordinates, triangles, and parts as
// objects. It writes materials and their textures into files in the folder `beside`. If beside is nil or vertices
// have colours, Write writes no materials. The format has no colours of triangles. So Write gives the colour of a
// triangle to its corners, and triangles of different colours do not share vertices.
//
// The error comes from w or from the folder.
func Write(w io.Writer, m *scenes.Mesh, beside *Folder) error {
	a := m.Attributes
	if a == nil {
		a = new(scenes.Attributes)
	}
	p := printer{out: bufio.NewWriterSize(w, 256<<10), mesh: m, attributes: a}
	if beside != nil && Library(m) {
		p.names = materialNames(a.Materials)
		if err := p.writeLibrary(beside); err != nil {
			return err
		}
		p.row = text.AppendLine(append(p.row, "mtllib "...), beside.Name+".mtl")
		p.endRow()
	}
	p.colored = a.Colors.Has() || m.Colors != nil && p.names == nil
	p.vertices = weld.Of(m, weld.Split{Colors: true, FaceColors: p.colored && !a.Colors.Has()})
	for i := range p.vertices.Len() {
		p.writeVertex(i)
	}
	for _, uv := range a.TexCoords.Values {
		p.row = text.AppendCoord(append(p.row, "vt "...), uv[0], 0)
		p.row = strconv.AppendFloat(append(p.row, ' '), 1-float64(uv[1]), 'g', -1, 64)
		p.endRow()
	}
	for _, n := range a.Normals.Values {
		p.row = text.AppendPoint(append(p.row, "vn"...), n, [3]float64{})
		p.endRow()
	}
	p.writeFaces()
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("write OBJ: %w", err)
	}
	return nil
}

// A printer is the state of Write.
type printer struct {
	out        *bufio.Writer
	row        []byte
	mesh       *scenes.Mesh
	attributes *scenes.Attributes
	vertices   weld.Vertices
	colored    bool     // vertices have colours
	names      []string // names of materials; nil: no materials are written
	material   int32    // material of the last triangle
}

// endRow writes the row. The bufio.Writer keeps an error until Flush returns it.
func (p *printer) endRow() {
	p.out.Write(append(p.row, '\n'))
	p.row = p.row[:0]
}

func (p *printer) writeVertex(i int) {
	k, t := p.vertices.At(i)
	m := p.mesh
	p.row = text.AppendPoint(append(p.row, 'v'), [3]float32{m.X[k][t], m.Y[k][t], m.Z[k][t]}, m.Origin)
	if p.colored {
		var c scenes.RGBA
		if p.attributes.Colors.Has() {
			c = p.attributes.Colors.At(k, t)
		} else {
			c = scenes.Opaque(m.Colors[t])
		}
		for _, v := range c[:3] {
			// four decimals distinguish all 256 values
			p.row = strconv.AppendFloat(append(p.row, ' '), float64(v)/255, 'g', 4, 64)
		}
	}
	p.endRow()
}

// writeFaces writes the triangles, and the name of each part before its first triangle.
func (p *printer) writeFaces() {
	next := 0 // number of the next part
	parts := p.mesh.Parts
	inPart := false
	p.material = -1
	for t := range p.mesh.Len() {
		for next < len(parts) && parts[next].First+parts[next].Count <= t {
			next++
		}
		switch {
		case next < len(parts) && parts[next].First == t:
			p.row = text.AppendLine(append(p.row, "o "...), parts[next].Name)
			p.endRow()
			inPart = true
		case inPart && (next == len(parts) || parts[next].First > t):
			p.row = append(p.row, 'o') // an empty name, because the next triangles belong to no part
			p.endRow()
			inPart = false
		}
		if p.names != nil {
			p.switchMaterial(p.attributes.MaterialOf[t])
		}
		p.writeFace(t)
	}
}

// switchMaterial writes the material of the next triangles, unless it is the current one. No material (-1) is written
// as an empty name.
func (p *printer) switchMaterial(material int32) {
	if material == p.material {
		return
	}
	p.material = material
	p.row = append(p.row, "usemtl "...)
	if material >= 0 {
		p.row = text.AppendLine(p.row, p.names[material])
	}
	p.endRow()
}

func (p *printer) writeFace(t int) {
	p.row = append(p.row, 'f')
	a := p.attributes
	for k, v := range p.vertices.Index[3*t : 3*t+3] {
		p.row = strconv.AppendUint(append(p.row, ' '), uint64(v)+1, 10)
		hasNormal := a.Normals.Has() && a.Normals.At(k, t) != [3]float32{}
		if a.TexCoords.Has() {
			p.row = strconv.AppendUint(append(p.row, '/'), uint64(a.TexCoords.Index[k][t])+1, 10)
		} else if hasNormal {
			p.row = append(p.row, '/')
		}
		if hasNormal {
			p.row = strconv.AppendUint(append(p.row, '/'), uint64(a.Normals.Index[k][t])+1, 10)
		}
	}
	p.endRow()
}
