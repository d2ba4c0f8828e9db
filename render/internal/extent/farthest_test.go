package extent

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// slow is a simple implementation of Farthest.
func slow(b *scenes.Block, from, d mgl64.Vec3) mgl64.Vec3 {
	at, best := from, math.Inf(-1)
	for lo := 0; lo < b.Len(); lo += scenes.BlockSize {
		for k := range 3 {
			for t := lo; t < min(lo+scenes.BlockSize, b.Len()); t++ {
				x, y, z := float64(b.X[k][t]), float64(b.Y[k][t]), float64(b.Z[k][t])
				if v := reach(x, y, z, from, d); v-v == 0 && v > best {
					at, best = mgl64.Vec3{x, y, z}, v
				}
			}
		}
	}
	return at
}

// TestFarthest compares Farthest with a search over all vertices. In some meshes many vertices are equally far, or some
// are not finite.
func TestFarthest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	odd := [...]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, 0}
	for round := range 120 {
		n := [...]int{0, 1, 63, 64, 65, 1000, 4095, 4096, 4097, 9000}[round%10]
		mesh := &scenes.Mesh{Block: scenes.MakeBlock(n)}
		steps := float64(int(1) << rng.IntN(20)) // with few steps, many vertices are equally far
		for _, columns := range [3]*[3][]float32{&mesh.X, &mesh.Y, &mesh.Z} {
			for _, column := range columns {
				for i := range column {
					column[i] = float32(math.Round(rng.NormFloat64()*steps) / steps)
					if rng.IntN(500) == 0 && round%3 > 0 {
						column[i] = odd[rng.IntN(len(odd))]
					}
				}
			}
		}
		f := NewFinder(mesh)
		for range 4 {
			from := mgl64.Vec3{rng.NormFloat64(), rng.NormFloat64(), 0}
			along := []mgl64.Vec3{{1}, {0, -1, 0}, {0, 0, 1}, {rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}, {rng.NormFloat64(), 0, 1e-3}, {1e-40, 0, 1e-20}, {1e-42, 1e-41, 0}}
			got, err := f.Farthest(t.Context(), from, along)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range along {
				if want := slow(&mesh.Block, from, d); got[i] != want {
					t.Fatalf("round %d, %d triangles, from %v along %v: %v, want %v", round, n, from, d, got[i], want)
				}
			}
		}
	}
}

// failing is a source that fails once to read a block, after it has changed a part of the block.
type failing struct {
	scenes.Source
	fail bool
}

func (f *failing) ReadBlock(i int, b *scenes.Block) error {
	if err := f.Source.ReadBlock(i, b); err != nil || !f.fail {
		return err
	}
	f.fail, b.X[0] = false, make([]float32, b.Len())
	return errors.New("not now")
}

// TestFarthestAfterFailure checks that a search is right after an earlier one could not read a block.
func TestFarthestAfterFailure(t *testing.T) {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(1)}
	mesh.X[0][0] = 5
	source := &failing{Source: mesh}
	f, along := NewFinder(source), []mgl64.Vec3{{1, 0, 0}}
	for i, fails := range []bool{false, true, false} {
		if source.fail = fails; fails {
			f.searchers[0].loadedBlock = 0 // as if another block had been read
		}
		got, err := f.Farthest(t.Context(), mgl64.Vec3{}, along)
		if fails != (err != nil) {
			t.Fatalf("call %d: error %v", i, err)
		}
		if err == nil && got[0] != (mgl64.Vec3{5}) {
			t.Errorf("call %d: %v", i, got)
		}
	}
}
