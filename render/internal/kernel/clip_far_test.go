package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
)

// TestClipFar clips triangles whose extent exceeds the digits of float32. Except for rounding, the corners of the
// remaining part are on a line, and may lie on alternate sides of a plane. There must be no more polygons than
// MaxClipped.
func TestClipFar(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	b := scenes.MakeBlock(1)
	polys := array.MakePolygons(geometry.MaxClipped)
	most := 0
	for range 100_000 {
		v := randomView(r)
		if r.IntN(2) == 0 { // a scale for large meshes
			v.Scale *= float32(math.Ldexp(1, -r.IntN(100)))
		}
		for _, column := range coordinates(&b) {
			(*column)[0] = float32(r.NormFloat64())
			if r.IntN(2) == 0 {
				(*column)[0] = float32(math.Ldexp(float64((*column)[0]), r.IntN(120)))
			}
		}
		polys.Reset()
		var counts geometry.Counts
		if rest := geometry.ClipTriangles(v, &b, []int32{0}, polys, &counts); len(rest) != 0 || polys.N > geometry.MaxClipped {
			t.Fatalf("seed %d: %d triangles are left, %d polygons", seed, len(rest), polys.N)
		}
		most = max(most, polys.N)
	}
	if most < 4 {
		t.Errorf("seed %d: no triangle was cut by more than %d planes", seed, most-1)
	}
}
