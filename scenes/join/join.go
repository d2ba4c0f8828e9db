// Package join joins several meshes to one. Each mesh may be moved and may get a colour.
package join

import (
	"errors"
	"fmt"
	"math"

	"lockstep/scenes"
)

// An Item is a mesh with its transform and its colour.
type Item struct {
	Mesh *scenes.Mesh
	Name string // name of the part, used if the mesh has no parts
	// Transform maps the coordinates of the item's mesh, plus the origin of this mesh, to coordinates of the joined
	// mesh. nil means the identity. If Transform mirrors the mesh, the corners of triangles are reordered, so that the
	// front of each triangle remains its front.
	Transform *scenes.Affine
	Color     *uint32 // sRGB, 0x00RRGGBB; if not nil, it replaces all colours and fields of the mesh
}

// Meshes returns one mesh with all items, in their order. If any item has colours, triangles without a colour get the
// colour `plain`. The mesh has the origin, the up axis and the unit of the first item. There is an error if there are
// no items or too many triangles, or if a transform is not finite or not invertible.
func Meshes(items []Item, plain uint32) (*scenes.Mesh, error) {
	total := 0
	for i, it := range items {
		total += it.Mesh.Len()
		if a := it.Transform; a != nil {
			if d := a.Det(); d == 0 || d-d != 0 {
				return nil, fmt.Errorf("item %d: its transform is not invertible or not finite", i+1)
			}
		}
	}
	if len(items) == 0 {
		return nil, errors.New("no items to join")
	}
	if total > math.MaxUint32/3 {
		return nil, fmt.Errorf("%d triangles are too many to join", total)
	}
	first := items[0].Mesh
	m := &scenes.Mesh{Block: scenes.MakeBlock(total), Origin: first.Origin, Up: first.Up, Unit: first.Unit}
	at := 0
	for i := range items {
		placeTriangles(m, &items[i], at)
		m.Parts = append(m.Parts, partsOf(&items[i], at)...)
		at += items[i].Mesh.Len()
	}
	joinColors(m, items, plain)
	joinAttributes(m, items)
	return m, nil
}

// placeTriangles copies the triangles of an item to m, starting at index `at`.
func placeTriangles(m *scenes.Mesh, it *Item, at int) {
	from, mirrored := it.Mesh, it.isMirrored()
	for t := range from.Len() {
		p := from.Triangle(t)
		for k := range p {
			p[k] = it.transformPoint(p[k], m.Origin)
		}
		if mirrored {
			p[1], p[2] = p[2], p[1]
		}
		m.Set(at+t, p)
	}
}

func (it *Item) isMirrored() bool { return it.Transform != nil && it.Transform.Det() < 0 }

// transformPoint transforms a point of the item. The result is relative to `origin`.
func (it *Item) transformPoint(p [3]float32, origin [3]float64) [3]float32 {
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

// partsOf returns the parts of an item, or one part with all triangles if the mesh has no parts. `at` is the index of
// the item's first triangle in the joined mesh.
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

// color returns the colour of triangle t of an item, or `plain` if the triangle has none.
func (it *Item) color(t int, plain uint32) uint32 {
	switch {
	case it.Color != nil:
		return *it.Color
	case it.Mesh.Colors != nil:
		return it.Mesh.Colors[t]
	}
	return plain
}

func joinColors(m *scenes.Mesh, items []Item, plain uint32) {
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
