package normals

import (
	"math"
	"math/rand/v2"
	"testing"

	kernel "lockstep/render/internal/kernel/shape"
	"lockstep/scenes"
	"lockstep/vp/isa"
)

// TestShapes compares the loops with the specification, bit by bit. In some triangles coordinates occur several times.
// Some triangles have no area, are tiny or huge, or are not finite.
func TestShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	odd := [...]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1)), 0, 1e-30, 1e-20, 1e19}
	block := scenes.MakeBlock(5003)
	for _, columns := range [3]*[3][]float32{&block.X, &block.Y, &block.Z} {
		for _, column := range columns {
			for i := range column {
				switch kind := i / 16 % 8; {
				case kind == 0:
					column[i] = float32(rng.IntN(3) - 1)
				case kind == 1 && rng.IntN(3) == 0:
					column[i] = odd[rng.IntN(len(odd))]
				case kind == 2:
					column[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(250)-125))
				case kind == 3:
					column[i] = 1000 + float32(rng.IntN(8))/(1<<13)
				default:
					column[i] = float32(rng.NormFloat64())
				}
			}
		}
	}
	for _, level := range isa.Available() {
		w := welder{block: &block, loop: kernel.Select(level)}
		if w.loop == nil && level != isa.Generic {
			continue // there is no assembly loop
		}
		for _, w.scale = range []float32{1, 0.25, 1 << 20} {
			for n := range 70 {
				checkShapes(t, &w, rng.IntN(block.Len()-n), n, level)
			}
			checkShapes(t, &w, 3, block.Len()-3, level)
		}
	}
}

func checkShapes(t *testing.T, w *welder, first, n int, level isa.Level) {
	t.Helper()
	all := make([]shape, n+1)
	all[n].packed = 12345
	w.measure(all[:n], first)
	for i, got := range all[:n] {
		want := w.shapeOf(first + i)
		want.normal = Unpack(want.packed)
		if shapeBits(got) != shapeBits(want) {
			t.Fatalf("%v, triangle %d of %d from %d on: %v, want %v", level, i, n, first, got, want)
		}
	}
	if all[n].packed != 12345 {
		t.Fatalf("%v: %d triangles from %d on: written beyond", level, n, first)
	}
}

func shapeBits(s shape) (bits [7]uint32) {
	for i, v := range [...]float32{s.normal.X, s.normal.Y, s.normal.Z, s.weights[0], s.weights[1], s.weights[2]} {
		bits[i] = math.Float32bits(v)
	}
	bits[6] = s.packed
	return bits
}
