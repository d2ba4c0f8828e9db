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
