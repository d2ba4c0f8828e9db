package sources

import (
	"context"
	"testing"

	"lockstep/scenes"
)

type lit struct {
	*scenes.Mesh
	normals []float32
}

func TestCheck(t *testing.T) {
	whole := &scenes.Mesh{}
	for _, c := range []struct {
		name   string
		source scenes.Source
		ok     bool
	}{
		{"no source", nil, false},
		{"no mesh", (*scenes.Mesh)(nil), false},
		{"no surface", (*lit)(nil), false},
		{"a surface without a mesh", &lit{normals: []float32{1}}, false},
		{"an empty mesh", whole, true},
		{"a surface", &lit{Mesh: whole}, true},
	} {
		if err := Check(t.Context(), c.source); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	var none context.Context
	if Check(none, whole) == nil {
		t.Error("a context that is nil passes")
	}
}

// counting counts the triangles that Slice returns.
type counting struct {
	*scenes.Mesh
	sliced int
}

func (c *counting) Slice(lo, hi int) scenes.Block {
	c.sliced += hi - lo
	return c.Mesh.Slice(lo, hi)
}

// wholeCounting also has the method Whole.
type wholeCounting struct{ counting }

func (c *wholeCounting) Whole() *scenes.Block { return &c.Block }

func TestWhole(t *testing.T) {
	mesh := new(scenes.Mesh)
	mesh.Resize(5, false)
	slices, whole := &counting{Mesh: mesh}, &wholeCounting{counting{Mesh: mesh}}
	for _, source := range []scenes.Source{mesh, slices, whole} {
		if b := Whole(source); b.Len() != 5 || &b.X[2][4] != &mesh.X[2][4] {
			t.Errorf("%T: %d triangles, want the 5 of the mesh", source, b.Len())
		}
	}
	if slices.sliced != 5 || whole.sliced != 0 {
		t.Errorf("counted %d and %d triangles, want 5 and 0", slices.sliced, whole.sliced)
	}
}
