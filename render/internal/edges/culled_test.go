package edges

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// TestCulledEdges checks which edges are culled from the front and from behind, for a triangle with a one-sided
// material and for a triangle without a material.
func TestCulledEdges(t *testing.T) {
	m := new(scenes.Mesh)
	m.Resize(2, false)
	for i := range 2 {
		for k, at := range [3][2]float32{{0, 0}, {1, 0}, {0, 1}} {
			m.X[k][i], m.Y[k][i] = at[0]+float32(3*i), at[1] // its front faces +z
		}
	}
	m.Attributes = &scenes.Attributes{Materials: []scenes.Material{{OneSided: true}}, MaterialOf: []int32{0, -1}}
	s, err := Find(t.Context(), m, math.Cos(1))
	if err != nil || len(s.Edges) != 6 {
		t.Fatal(len(s.Edges), err)
	}
	front, back := mgl64.Vec3{0, 0, -1}, mgl64.Vec3{0, 0, 1}
	for i, e := range s.Edges {
		one := e.Left == 0
		for _, c := range []struct {
			culling     Culling
			front, back bool // whether the edge is culled in these views
		}{
			{Culling{}, false, false},
			{Culling{OneSided: true}, false, one},
			{Culling{Backs: true}, false, true},
			{Culling{Fronts: true}, true, false},
			{Culling{Fronts: true, OneSided: true}, true, one},
		} {
			if f, b := s.IsCulled(i, front, c.culling), s.IsCulled(i, back, c.culling); f != c.front || b != c.back {
				t.Errorf("edge %d, %+v: culled %v from the front, %v from behind, want %v and %v", i, c.culling, f, b, c.front, c.back)
			}
		}
	}
}
