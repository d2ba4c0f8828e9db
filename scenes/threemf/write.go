package threemf

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zip"

	"lockstep/scenes"
	"lockstep/scenes/internal/weld"
)

// Files of a package that are always the same, and the namespaces. Source: 3MF core specification 1.3, sections 2 and
// 3, and materials extension 1.2, section 3.
const (
	contentTypes = `<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>
`
	relationships = `<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>
`
	modelHead = `<?xml version="1.0" encoding="UTF-8"?>
<model unit="%s" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02">
<resources>
`
)

// Write writes a mesh as 3MF: an object for each part and for each run of triangles between parts, and a group of
// colours to which corners refer. The same mesh always gives the same bytes. The error comes from w.
//
//   - The model is turned so that its up axis is +z.
//   - The model has the unit of the mesh, or metres if the format does not have that unit. If the mesh has no unit, the
//     model has millimetres, the default.
//   - An alpha of 0 becomes 1, because readers take 0 for a mistake and draw it opaque.
//   - Triangles with coordinates that are not finite are left out, because the format forbids them.
func Write(w io.Writer, m *scenes.Mesh) error {
	archive := zip.NewWriter(w)
	err := func() error {
		for _, f := range []struct{ name, text string }{{"[Content_Types].xml", contentTypes}, {"_rels/.rels", relationships}} {
			file, err := archive.Create(f.name)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(file, f.text); err != nil {
				return err
			}
		}
		file, err := archive.Create("3D/3dmodel.model")
		if err != nil {
			return err
		}
		e := encoder{Writer: bufio.NewWriterSize(file, 1<<16), mesh: m, vertices: weld.Of(m, weld.Split{})}
		e.writeModel()
		if err := e.Flush(); err != nil {
			return err
		}
		return archive.Close()
	}()
	if err != nil {
		return fmt.Errorf("write 3MF: %w", err)
	}
	return nil
}

// An encoder writes a model. Its bufio.Writer keeps the first error.
type encoder struct {
	*bufio.Writer
	mesh     *scenes.Mesh
	vertices weld.Vertices
	entries  map[scenes.RGBA]int // index of each colour in the group of colours
	local    []uint32            // number of vertex v in the object owner[v]
	owner    []uint32            // the last object that uses vertex v; objects are counted from 1
	objects  uint32
	buffer   []byte
}

// colorsID is the resource id of the group of colours. Objects have higher ids.
const colorsID = 1

func (e *encoder) writeModel() {
	unit, scale := e.unit()
	fmt.Fprintf(e, modelHead, unit)
	e.writeColors()
	e.local, e.owner = make([]uint32, e.vertices.Len()), make([]uint32, e.vertices.Len())
	at := 0
	for _, p := range e.mesh.Parts {
		e.writeObject("", at, p.First)
		e.writeObject(p.Name, p.First, p.First+p.Count)
		at = max(at, p.First+p.Count)
	}
	e.writeObject("", at, e.mesh.Len())
	e.WriteString("</resources>\n<build>\n")
	place := e.transformAttribute(scale)
	for i := range e.objects {
		fmt.Fprintf(e, "<item objectid=\"%d\"%s/>\n", colorsID+1+i, place)
	}
	e.WriteString("</build>\n</model>\n")
}

// unit returns the name of the model's unit, and the length of the mesh's unit in that unit.
func (e *encoder) unit() (name string, scale float64) {
	for _, name := range []string{"millimeter", "micron", "centimeter", "inch", "foot", "meter"} {
		if units[name] == e.mesh.Unit {
			return name, 1
		}
	}
	if e.mesh.Unit > 0 {
		return "meter", e.mesh.Unit
	}
	return "millimeter", 1
}

// transformAttribute returns the attribute with the transform of all items, or "" if the transform is the identity.
func (e *encoder) transformAttribute(scale float64) string {
	turn := scenes.Turn(e.mesh.Up, scenes.PlusZ)
	if turn == scenes.Identity() && scale == 1 {
		return ""
	}
	var words []string
	for from := range 4 {
		for to := range 3 {
			words = append(words, strconv.FormatFloat(scale*turn[to][from], 'g', -1, 64))
		}
	}
	return ` transform="` + strings.Join(words, " ") + `"`
}

// color returns the colour of corner k of triangle t. ok is false if the mesh has no colours.
func (e *encoder) color(k, t int) (c scenes.RGBA, ok bool) {
	switch a := e.mesh.Attributes; {
	case a != nil && a.Colors.Has():
		c = a.Colors.At(k, t)
		c[3] = max(c[3], 1)
		return c, true
	case e.mesh.Colors != nil:
		return scenes.Opaque(e.mesh.Colors[t]), true
	}
	return c, false
}

// writeColors writes the group of colours, in the order in which the triangles use them.
func (e *encoder) writeColors() {
	if e.mesh.Len() == 0 {
		return
	}
	if _, ok := e.color(0, 0); !ok {
		return
	}
	e.entries = map[scenes.RGBA]int{}
	fmt.Fprintf(e, "<m:colorgroup id=\"%d\">\n", colorsID)
	for t := range e.mesh.Len() {
		for k := range 3 {
			c, _ := e.color(k, t)
			if _, ok := e.entries[c]; ok {
				continue
			}
			e.entries[c] = len(e.entries)
			fmt.Fprintf(e, "<m:color color=\"#%02X%02X%02X%02X\"/>\n", c[0], c[1], c[2], c[3])
		}
	}
	e.WriteString("</m:colorgroup>\n")
}

// isFinite reports whether all coordinates of triangle t are finite.
func (e *encoder) isFinite(t int) bool {
	for _, p := range e.mesh.Triangle(t) {
		for _, v := range p {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}

// writeObject writes triangles lo to hi (exclusive) as an object. It writes nothing if none of them is finite.
func (e *encoder) writeObject(name string, lo, hi int) {
	var all []uint32 // the vertices of the object
	stamp := e.objects + 1
	some := false
	for t := lo; t < hi; t++ {
		if !e.isFinite(t) {
			continue
		}
		some = true
		for _, v := range e.vertices.Index[3*t : 3*t+3] {
			if e.owner[v] != stamp {
				e.owner[v], e.local[v] = stamp, uint32(len(all))
				all = append(all, v)
			}
		}
	}
	if !some {
		return
	}
	e.objects = stamp
	fmt.Fprintf(e, "<object id=\"%d\" type=\"model\"", colorsID+e.objects)
	if name != "" {
		fmt.Fprintf(e, " name=\"%s\"", escape(name))
	}
	e.WriteString("><mesh><vertices>\n")
	for _, v := range all {
		e.writeVertex(int(v))
	}
	e.WriteString("</vertices><triangles>\n")
	for t := lo; t < hi; t++ {
		if e.isFinite(t) {
			e.writeTriangle(t)
		}
	}
	e.WriteString("</triangles></mesh></object>\n")
}

// writeVertex writes vertex i with all digits. It adds the origin to the coordinates.
func (e *encoder) writeVertex(i int) {
	k, t := e.vertices.At(i)
	b := e.buffer[:0]
	for axis, v := range e.mesh.Triangle(t)[k] {
		b = append(b, [3]string{`<vertex x="`, `" y="`, `" z="`}[axis]...)
		if o := e.mesh.Origin[axis]; o != 0 {
			b = strconv.AppendFloat(b, o+float64(v), 'g', -1, 64)
		} else {
			b = strconv.AppendFloat(b, float64(v), 'g', -1, 32)
		}
	}
	e.buffer = append(b, "\"/>\n"...)
	e.Write(e.buffer)
}

// writeTriangle writes triangle t with the colours of its corners.
func (e *encoder) writeTriangle(t int) {
	b := e.buffer[:0]
	for k, v := range e.vertices.Index[3*t : 3*t+3] {
		b = append(b, [3]string{`<triangle v1="`, `" v2="`, `" v3="`}[k]...)
		b = strconv.AppendUint(b, uint64(e.local[v]), 10)
	}
	if e.entries != nil {
		var by [3]int
		for k := range by {
			c, _ := e.color(k, t)
			by[k] = e.entries[c]
		}
		b = fmt.Appendf(b, `" pid="%d" p1="%d`, colorsID, by[0])
		if by[1] != by[0] || by[2] != by[0] {
			b = fmt.Appendf(b, `" p2="%d" p3="%d`, by[1], by[2])
		}
	}
	e.buffer = append(b, "\"/>\n"...)
	e.Write(e.buffer)
}

// escape escapes a name for the value of an attribute. Characters that XML does not allow become question marks.
func escape(name string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(name, "?") {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '"':
			b.WriteString("&quot;")
		case r < ' ' || r == 0xfffe || r == 0xffff:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
