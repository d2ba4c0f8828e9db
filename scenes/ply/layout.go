package ply

import (
	"encoding/binary"
	"math"

	"lockstep/scenes/internal/indexed"
	"lockstep/scenes/internal/surface"
)

// A column is a property that is a single number. It has the same offset in every row.
type column struct {
	at   int // offset in bytes from the start of the row
	kind kind
}

// A layout tells where the numbers of a vertex are in a row of a binary file.
type layout struct {
	size int // size of a row in bytes
	big  bool
	kind indexed.PointKind

	place    [3]column
	plain    bool // x, y and z are consecutive little-endian float32
	color    [3]column
	scale    float64 // scale of the colour, see indexed.RGB
	normal   [3]column
	texCoord [2]column
	fields   []column
}

// layout returns the layout of the vertices of e, whose properties must all be numbers.
func (r *reader) layout(e *element, big bool) *layout {
	l := &layout{big: big}
	columns := make([]column, len(e.properties))
	for i := range e.properties {
		columns[i] = column{l.size, e.properties[i].kind}
		l.size += sizes[e.properties[i].kind]
	}
	for i, name := range [3]string{"x", "y", "z"} {
		l.place[i] = columns[e.index(false, name)]
	}
	first := l.place[0].at
	l.plain = !big && l.place == [3]column{{first, float32s}, {first + 4, float32s}, {first + 8, float32s}}
	if c := findColors(e); c.at[0] >= 0 {
		l.kind.Colors, l.scale = true, c.scale
		for i, at := range c.at {
			l.color[i] = columns[at]
		}
	}
	d := r.findDetails(e)
	if d == nil {
		return l
	}
	if d.normal[0] >= 0 {
		l.kind.Normals = true
		for i, at := range d.normal {
			l.normal[i] = columns[at]
		}
	}
	if d.u >= 0 {
		l.kind.TexCoords, l.texCoord = true, [2]column{columns[d.u], columns[d.v]}
	}
	for _, at := range d.fields {
		l.kind.Fields = true
		l.fields = append(l.fields, columns[at])
	}
	return l
}

// decodeRows sets rows lo to hi (exclusive) of `to` from the bytes w, which start with row 0.
func (l *layout) decodeRows(w []byte, to *indexed.PointRows, lo, hi int) {
	l.decodePositions(w, to.Points, lo, hi)
	for i := lo; i < hi && to.Colors != nil; i++ {
		to.Colors[i] = indexed.RGB(l.vector(w[i*l.size:], &l.color), l.scale)
	}
	for i := lo; i < hi && to.Normals != nil; i++ {
		to.Normals[i] = surface.Unit(l.vector(w[i*l.size:], &l.normal))
	}
	for i := lo; i < hi && to.TexCoords != nil; i++ {
		row := w[i*l.size:]
		to.TexCoords[i] = surface.TexCoord([2]float64{l.number(row, l.texCoord[0]), 1 - l.number(row, l.texCoord[1])})
	}
	for f, values := range to.Fields {
		for i := lo; i < hi; i++ {
			values[i] = float32(l.number(w[i*l.size:], l.fields[f]))
		}
	}
}

func (l *layout) decodePositions(w []byte, to [][3]float64, lo, hi int) {
	if !l.plain {
		for i := lo; i < hi; i++ {
			to[i] = l.vector(w[i*l.size:], &l.place)
		}
		return
	}
	w = w[l.place[0].at:]
	for i := lo; i < hi; i++ {
		row := w[i*l.size:][:12]
		to[i] = [3]float64{
			float64(math.Float32frombits(binary.LittleEndian.Uint32(row))),
			float64(math.Float32frombits(binary.LittleEndian.Uint32(row[4:]))),
			float64(math.Float32frombits(binary.LittleEndian.Uint32(row[8:]))),
		}
	}
}

func (l *layout) vector(row []byte, c *[3]column) [3]float64 {
	return [3]float64{l.number(row, c[0]), l.number(row, c[1]), l.number(row, c[2])}
}

func (l *layout) number(row []byte, c column) float64 { return decodeNumber(row[c.at:], c.kind, l.big) }
