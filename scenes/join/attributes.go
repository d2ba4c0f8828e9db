package join

import (
	"math"
	"slices"

	"lockstep/scenes"
)

// An attributeSet tells which attributes the joined mesh has. `any` is set if any item has attributes.
type attributeSet struct{ any, colors, uvs, uvs2, materials bool }

func attributesOf(items []Item) (h attributeSet) {
	for _, it := range items {
		a := it.Mesh.Attributes
		if a == nil {
			continue
		}
		h.any = true
		if it.Color == nil {
			h.colors = h.colors || a.Colors.Has()
			h.uvs = h.uvs || a.TexCoords.Has()
			h.uvs2 = h.uvs2 || a.TexCoords2.Has()
			h.materials = h.materials || a.MaterialOf != nil
		} else {
			// The item's colour is stored in the corners. A white material marks the triangles that are one-sided.
			one := hasOneSided(a)
			h.materials, h.colors = h.materials || one, h.colors || one
		}
	}
	return h
}

// hasOneSided reports whether a material is one-sided.
func hasOneSided(a *scenes.Attributes) bool {
	return slices.ContainsFunc(a.Materials, func(m scenes.Material) bool { return m.OneSided })
}

// joinAttributes joins the attributes of the items. It leaves out normals, because the renderer computes normals for
// pictures.
func joinAttributes(m *scenes.Mesh, items []Item) {
	h := attributesOf(items)
	if !h.any {
		return
	}
	a := &scenes.Attributes{}
	at := 0
	for i := range items {
		addAttributes(a, h, m, &items[i], at)
		at += items[i].Mesh.Len()
	}
	joinFields(a, items)
	m.Attributes = a
}

// addAttributes appends the attributes of an item. `at` is the index of the item's first triangle in the joined mesh.
func addAttributes(a *scenes.Attributes, h attributeSet, m *scenes.Mesh, it *Item, at int) {
	from := it.Mesh.Attributes
	n := it.Mesh.Len()
	materials := len(a.Materials)
	own := from != nil && it.Color == nil
	if own {
		a.Materials = append(a.Materials, it.materials()...)
	} else if from != nil && hasOneSided(from) { // the material is white, because corners have the item's colour
		a.Materials = append(a.Materials, scenes.Material{BaseColor: [4]float32{1, 1, 1, 1}, OneSided: true})
	}
	palette := map[uint32]uint32{} // for each colour of a whole triangle, its index in Colors.Values
	colorsFrom := uint32(len(a.Colors.Values))
	if own && from.Colors.Has() {
		a.Colors.Values = append(a.Colors.Values, from.Colors.Values...)
	}
	order := [3]int{0, 1, 2}
	if it.isMirrored() {
		order = [3]int{0, 2, 1}
	}
	for t := range n {
		material := it.material(t, int32(materials))
		if h.materials {
			a.MaterialOf = append(a.MaterialOf, material)
		}
		for k, old := range order {
			a.Index[k] = append(a.Index[k], it.vertex(a.Vertices, old, t))
			if !h.colors {
				continue
			}
			if own && from.Colors.Has() {
				a.Colors.Index[k] = append(a.Colors.Index[k], colorsFrom+from.Colors.Index[old][t])
				continue
			}
			color := m.Colors[at+t]
			if own && material >= 0 {
				color = 0xffffff // white, because it is multiplied by the colour of the material
			}
			a.Colors.Index[k] = append(a.Colors.Index[k], paletteIndex(a, palette, color))
		}
	}
	a.Vertices += it.vertexCount()
	set := from
	if !own {
		set = new(scenes.Attributes)
	}
	if h.uvs {
		addTexCoords(&a.TexCoords, &set.TexCoords, n, order)
	}
	if h.uvs2 {
		addTexCoords(&a.TexCoords2, &set.TexCoords2, n, order)
	}
}

// addTexCoords appends the texture coordinates of an item with n triangles. If the item has none, its corners get (0,
// 0). order[k] is the corner of the item that becomes corner k of the joined mesh.
func addTexCoords(to, from *scenes.Attribute[[2]float32], n int, order [3]int) {
	first := uint32(len(to.Values))
	if from.Has() {
		to.Values = append(to.Values, from.Values...)
	} else {
		to.Values = append(to.Values, [2]float32{})
	}
	for k, old := range order {
		for t := range n {
			index := first
			if from.Has() {
				index += from.Index[old][t]
			}
			to.Index[k] = append(to.Index[k], index)
		}
	}
}

// materials returns the materials of an item that has attributes. Thickness and absorption are converted to the units
// of the joined mesh.
func (it *Item) materials() []scenes.Material {
	all := it.Mesh.Attributes.Materials
	if it.Transform == nil {
		return all
	}
	scale := math.Cbrt(math.Abs(it.Transform.Det()))
	all = slices.Clone(all)
	for i := range all {
		f := all[i].Finish
		if f == nil || f.Thickness == 0 && f.Absorption == [3]float32{} {
			continue
		}
		own := *f
		own.Thickness = finite(float64(f.Thickness) * scale)
		for c, v := range f.Absorption {
			own.Absorption[c] = finite(float64(v) / scale)
		}
		all[i].Finish = &own
	}
	return all
}

// finite returns v as a float32, at most the greatest finite one. Formats to which the mesh may be written cannot store
// infinity.
func finite(v float64) float32 { return float32(min(v, math.MaxFloat32)) }

// material returns the index in the joined mesh of the material of triangle t, or -1 for none. first is the index in
// the joined mesh of the item's first material. An item with a colour has at most one material, which marks one-sided
// triangles.
func (it *Item) material(t int, first int32) int32 {
	a := it.Mesh.Attributes
	if a == nil {
		return -1
	}
	switch own := a.Material(t); {
	case own == nil || it.Color != nil && !own.OneSided:
		return -1
	case it.Color != nil:
		return first
	}
	return a.MaterialOf[t] + first
}

// paletteIndex returns the index of a colour in Colors.Values. It appends the colour if it is new.
func paletteIndex(a *scenes.Attributes, palette map[uint32]uint32, color uint32) uint32 {
	index, ok := palette[color]
	if !ok {
		index = uint32(len(a.Colors.Values))
		a.Colors.Values = append(a.Colors.Values, scenes.Opaque(color))
		palette[color] = index
	}
	return index
}

// vertexCount returns the number of vertices of an item. All corners of an item without attributes share one vertex.
func (it *Item) vertexCount() int {
	if it.Mesh.Attributes == nil {
		return 1
	}
	return it.Mesh.Attributes.Vertices
}

func (it *Item) vertex(before, k, t int) uint32 {
	if it.Mesh.Attributes == nil {
		return uint32(before)
	}
	return uint32(before) + it.Mesh.Attributes.Index[k][t]
}

// joinFields joins fields that have the same name and the same kind. The values are scenes.NoField in a mesh that does
// not have the field.
func joinFields(a *scenes.Attributes, items []Item) {
	type key struct {
		name        string
		ofTriangles bool
	}
	var names []key
	seen := map[key]bool{}
	for _, it := range items {
		if it.Mesh.Attributes == nil {
			continue
		}
		for _, f := range it.Mesh.Attributes.Fields {
			if k := (key{f.Name, f.OfTriangles}); !seen[k] {
				seen[k] = true
				names = append(names, k)
			}
		}
	}
	for _, k := range names {
		joined := scenes.Field{Name: k.name, OfTriangles: k.ofTriangles}
		for i := range items {
			joined.Values = append(joined.Values, items[i].field(k.name, k.ofTriangles)...)
			joined.Symmetric = max(joined.Symmetric, items[i].symmetricOf(k.name))
		}
		a.Fields = append(a.Fields, joined)
	}
}

// field returns the values of a field of an item. They are scenes.NoField if the item does not have the field, or if
// Item.Color replaces its fields.
func (it *Item) field(name string, ofTriangles bool) []float32 {
	if a := it.Mesh.Attributes; a != nil && it.Color == nil {
		for i := range a.Fields {
			if f := &a.Fields[i]; f.Name == name && f.OfTriangles == ofTriangles {
				return f.Values
			}
		}
	}
	n := it.vertexCount()
	if ofTriangles {
		n = it.Mesh.Len()
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = scenes.NoField()
	}
	return values
}

// symmetricOf returns Field.Symmetric for a field of an item, or 0 if the item does not have the field.
func (it *Item) symmetricOf(name string) float64 {
	if f := it.Mesh.Field(name); f != nil && it.Color == nil {
		return f.Symmetric
	}
	return 0
}
