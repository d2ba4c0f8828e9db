package quality

import (
	"math"
	"testing"

	"lockstep/scenes"
)

// cone returns a cone of the given height whose base at z = 0 has the radius 1. cut is the fraction of the height at
// which the cone ends in a flat top.
func cone(height, cut float64) *scenes.Mesh {
	const n = 24
	m := &scenes.Mesh{Block: scenes.MakeBlock(4 * n)}
	at := func(i int, z float64) [3]float32 {
		r, a := 1-z/height, 2*math.Pi*float64(i)/n
		return [3]float32{float32(r * math.Cos(a)), float32(r * math.Sin(a)), float32(z)}
	}
	top := cut * height
	for i := range n {
		a, b, c, d := at(i, 0), at(i+1, 0), at(i+1, top), at(i, top)
		m.Set(4*i, [3][3]float32{b, a, {0, 0, 0}})
		m.Set(4*i+1, [3][3]float32{a, b, c})
		m.Set(4*i+2, [3][3]float32{a, c, d})
		m.Set(4*i+3, [3][3]float32{d, c, {0, 0, float32(top)}})
	}
	return m
}

// TestStands turns meshes and checks the up axis that Stands returns.
func TestStands(t *testing.T) {
	for _, c := range []struct {
		name     string
		mesh     *scenes.Mesh
		turn, up scenes.Axis // axis to which the mesh's own z is turned, and the up axis with which it is drawn
		want     scenes.Axis
	}{
		{"a cone", cone(2, 1), scenes.PlusZ, scenes.PlusZ, scenes.PlusZ},
		{"a cone along y", cone(2, 1), scenes.PlusY, scenes.PlusZ, scenes.PlusY},
		{"a cone along y, drawn so", cone(2, 1), scenes.PlusY, scenes.PlusY, scenes.PlusY},
		{"a cone along z, drawn with y up", cone(2, 1), scenes.PlusZ, scenes.PlusY, scenes.PlusZ},
		{"a cone with a small flat top", cone(2, 0.9), scenes.PlusY, scenes.PlusZ, scenes.PlusY},
		{"a stump: it may lie on its side", cone(2, 0.5), scenes.PlusY, scenes.PlusZ, scenes.PlusZ},
		{"a cone along x: no hint", cone(2, 1), scenes.PlusX, scenes.PlusZ, scenes.PlusZ},
		{"a cone head down", cone(2, 1), scenes.MinusY, scenes.PlusZ, scenes.PlusZ},
		{"a relief along y", cone(0.4, 1), scenes.PlusY, scenes.PlusZ, scenes.PlusZ},
		{"a low cone along y", cone(0.6, 1), scenes.PlusY, scenes.PlusZ, scenes.PlusY},
		{"a cone, drawn with x up", cone(2, 1), scenes.PlusY, scenes.PlusX, scenes.PlusX},
	} {
		c.mesh.Stand(scenes.PlusZ, c.turn)
		if got := Stands(c.mesh, c.up); got != c.want {
			t.Errorf("%s: %v, want %v (sides %.3f)", c.name, got, c.want, measureEnds(c.mesh))
		}
	}
}

// TestStandsOfOddMeshes checks that Stands keeps the up axis of meshes without a footprint or without a base, and
// ignores triangles that are not finite.
func TestStandsOfOddMeshes(t *testing.T) {
	inf := float32(math.Inf(1))
	flat := &scenes.Mesh{Block: scenes.MakeBlock(1)}
	flat.Set(0, [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}) // a base perpendicular to y, and no height
	broken := cone(2, 1)
	broken.Stand(scenes.PlusZ, scenes.PlusY)
	broken.Set(5, [3][3]float32{{inf, 0, 0}, {1, 0, 0}, {0, float32(math.NaN()), 1}})
	endless := cone(2, 1) // an infinite triangle lies where a base would be
	endless.Stand(scenes.PlusZ, scenes.MinusX)
	low := float32(endless.Bounds().Min[1])
	endless.Set(2, [3][3]float32{{0, low, 0}, {inf, low, 0}, {0, low, inf}})
	for t := range endless.Len() { // tilt the base of the cone, so that it is no longer flat
		for k := range 3 {
			endless.X[k][t] += endless.Y[k][t] / 4
		}
	}
	for name, m := range map[string]*scenes.Mesh{"empty": {}, "flat": flat, "endless": endless} {
		if got := Stands(m, scenes.PlusZ); got != scenes.PlusZ {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := Stands(broken, scenes.PlusZ); got != scenes.PlusY {
		t.Errorf("with a broken triangle: %v", got)
	}
}

// TestSides measures the base of a cone: 24 triangles in a footprint of area 4.
func TestSides(t *testing.T) {
	s := measureEnds(cone(2, 0.5))
	if want := 24 * math.Sin(2*math.Pi/24) / 2 / 4; math.Abs(s[2].lower-want) > 1e-6 || math.Abs(s[2].upper-want/4) > 1e-6 || s[0] != (flatEnds{}) || s[1] != (flatEnds{}) {
		t.Errorf("%v, want %v and a quarter of it along z alone", s, want)
	}
}
