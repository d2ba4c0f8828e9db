package meshtest

import (
	"fmt"
	"testing"

	"lockstep/scenes"
)

// Attributes checks the attributes of a mesh: all indices must be in range, and all lists must have the right lengths.
func Attributes(tb testing.TB, m *scenes.Mesh) {
	tb.Helper()
	a := m.Attributes
	if a == nil {
		return
	}
	n := m.Len()
	checkColumns(tb, "vertices", n, a.Vertices, a.Index)
	checkAttribute(tb, "normals", n, a.Normals)
	checkAttribute(tb, "colours", n, a.Colors)
	checkAttribute(tb, "texture coordinates", n, a.TexCoords)
	checkAttribute(tb, "second texture coordinates", n, a.TexCoords2)
	for _, v := range a.Normals.Values {
		if l := v[0]*v[0] + v[1]*v[1] + v[2]*v[2]; l != 0 && !(l > 0.999 && l < 1.001) {
			tb.Fatalf("normal %v", v)
		}
	}
	for _, uv := range a.TexCoords.Values {
		if uv[0]-uv[0] != 0 || uv[1]-uv[1] != 0 {
			tb.Fatalf("texture coordinates %v", uv)
		}
	}
	if a.MaterialOf != nil && len(a.MaterialOf) != n {
		tb.Fatalf("materials of %d triangles of %d", len(a.MaterialOf), n)
	}
	for t, i := range a.MaterialOf {
		if i < -1 || int(i) >= len(a.Materials) {
			tb.Fatalf("triangle %d: material %d of %d", t, i, len(a.Materials))
		}
	}
	for _, f := range a.Fields {
		want := a.Vertices
		if f.OfTriangles {
			want = n
		}
		if len(f.Values) != want {
			tb.Fatalf("field %s has %d values, want %d", f.Name, len(f.Values), want)
		}
	}
	for _, mat := range a.Materials {
		if x := mat.Texture; x != nil && (x.Picture.Rect.Empty() || x.Picture.Rect.Min.X != 0 || x.Picture.Rect.Min.Y != 0) {
			tb.Fatalf("material %s has a picture %v", mat.Name, x.Picture.Rect)
		}
	}
}

func checkAttribute[T any](tb testing.TB, name string, n int, a scenes.Attribute[T]) {
	tb.Helper()
	if a.Has() {
		checkColumns(tb, name, n, len(a.Values), a.Index)
	}
}

func checkColumns(tb testing.TB, name string, n, most int, index [3][]uint32) {
	tb.Helper()
	for _, column := range index {
		if len(column) != n {
			tb.Fatalf("%s: a column of %d for %d triangles", name, len(column), n)
		}
		for t, i := range column {
			if int(i) >= most {
				tb.Fatalf("%s: triangle %d has number %d of %d", name, t, i, most)
			}
		}
	}
}

// describe returns a text with all attributes of a mesh of up to 16,384 triangles, except the pixels of pictures.
func describe(m *scenes.Mesh) string {
	if m.Attributes == nil || m.Len() > 1<<14 {
		return ""
	}
	a := *m.Attributes
	a.Materials = append([]scenes.Material(nil), a.Materials...)
	text := ""
	for i := range a.Materials {
		m := &a.Materials[i]
		m.Texture, m.Glow = nil, nil
		if m.Finish != nil {
			f := *m.Finish
			for _, t := range f.Textures() {
				*t = nil
			}
			text, m.Finish = text+fmt.Sprintf("%+v ", f), nil
		}
	}
	text += fmt.Sprintf("%+v %v", a, m.Unit)
	for _, p := range m.Parts {
		text += fmt.Sprintf(" %q %d %d", p.Name, p.First, p.Count)
		if p.Transform != nil {
			text += fmt.Sprint(*p.Transform)
		}
	}
	return text
}
