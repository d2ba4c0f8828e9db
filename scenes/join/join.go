// Package join puts several meshes into one, each where it is wanted and in its colour.
package join

import (
	"fmt"
	"math"

	"lockstep/scenes"
)

// An Item is a mesh and its place.
type Item struct {
	Mesh *scenes.Mesh
	Name string // of the part, where the mesh has none
	// Transform maps the coordinates of its file; nil: they stay. One that mirrors turns
	// the triangles, so that fronts stay fronts.
	Transform *scenes.Affine
	Color     *uint32 // sRGB, 0x00RRGGBB, instead of all of its colours and fields; nil: its own
}

// Meshes returns one mesh of all items, in their order. Triangles without a colour get
// plain, where others have one. Its origin, up axis and unit are those of the first item.
// It is an error if the sum is too large, or a transform is not finite or flat.
func Meshes(items []Item, plain uint32) (*scenes.Mesh, error) {
	total := 0
	for i, it := range items {
		total += it.Mesh.Len()
		if a := it.Transform; a != nil {
			if d := a.Det(); d == 0 || d-d != 0 {
				return nil, fmt.Errorf("item %d: its transform is flat or not finite", i+1)
			}
		}
	}
	if len(items) == 0 || total > math.MaxUint32/3 {
		return nil, fmt.Errorf("%d triangles of %d items: expected fewer, of one item at least", total, len(items))
	}
	first := items[0].Mesh
	m := &scenes.Mesh{Block: scenes.MakeBlock(total), Origin: first.Origin, Up: first.Up, Unit: first.Unit}
	at := 0
	for i := range items {
		place(m, &items[i], at)
		m.Parts = append(m.Parts, partsOf(&items[i], at)...)
		at += items[i].Mesh.Len()
	}
	colors(m, items, plain)
	attributes(m, items)
	return m, nil
}

// place copies the triangles of an item from triangle at on.
func place(m *scenes.Mesh, it *Item, at int) {
	from, mirrored := it.Mesh, it.mirrored()
	for t := range from.Len() {
		p := from.Triangle(t)
		for k := range p {
			p[k] = it.point(p[k], m.Origin)
		}
		if mirrored {
			p[1], p[2] = p[2], p[1]
		}
		m.Set(at+t, p)
	}
}

func (it *Item) mirrored() bool { return it.Transform != nil && it.Transform.Det() < 0 }

// point returns a point of the item relative to an origin.
func (it *Item) point(p [3]float32, origin [3]float64) [3]float32 {
	if it.Transform == nil && it.Mesh.Origin == origin {
		return p
	}
	var q [3]float64
	for axis, v := range p {
		q[axis] = float64(v) + it.Mesh.Origin[axis]
	}
	if it.Transform != nil {
		q = it.Transform.Point(q)
	}
	for axis := range p {
		p[axis] = float32(q[axis] - origin[axis])
	}
	return p
}

// partsOf returns the parts of an item; one, where it has none.
func partsOf(it *Item, at int) (parts []scenes.Part) {
	for _, p := range it.Mesh.Parts {
		p.First += at
		p.Transform = nil
		parts = append(parts, p)
	}
	if parts == nil {
		parts = []scenes.Part{{Name: it.Name, First: at, Count: it.Mesh.Len()}}
	}
	return parts
}

// color returns the colour of a triangle of an item.
func (it *Item) color(t int, plain uint32) uint32 {
	switch {
	case it.Color != nil:
		return *it.Color
	case it.Mesh.Colors != nil:
		return it.Mesh.Colors[t]
	}
	return plain
}

func colors(m *scenes.Mesh, items []Item, plain uint32) {
	any := false
	for _, it := range items {
		any = any || it.Color != nil || it.Mesh.Colors != nil || it.Mesh.Attributes != nil
	}
	if !any {
		return
	}
	m.Colors = make([]uint32, 0, m.Len())
	for i := range items {
		for t := range items[i].Mesh.Len() {
			m.Colors = append(m.Colors, items[i].color(t, plain))
		}
	}
}
