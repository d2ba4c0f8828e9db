package extent

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// vertices returns a mesh in which the three corners of each triangle are the same vertex.
func vertices(at ...[3]float32) *scenes.Mesh {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(len(at))}
	for i, p := range at {
		for k := range 3 {
			mesh.X[k][i], mesh.Y[k][i], mesh.Z[k][i] = p[0], p[1], p[2]
		}
	}
	return mesh
}

// twoGroups returns a mesh of two groups. The first group repeats one vertex, and the second alternates between two
// vertices. The box of the second group reaches farther than its vertices, so that this group is searched first.
func twoGroups(one [3]float32, two [2][3]float32) *scenes.Mesh {
	var all [][3]float32
	for range groupSize {
		all = append(all, one)
	}
	for i := range groupSize {
		all = append(all, two[i%2])
	}
	return vertices(all...)
}

func compareWithSlow(t *testing.T, name string, mesh *scenes.Mesh, from, d mgl64.Vec3) {
	t.Helper()
	got, err := NewFinder(mesh).Farthest(t.Context(), from, []mgl64.Vec3{d})
	if err != nil {
		t.Fatal(err)
	}
	if want := slow(&mesh.Block, from, d); got[0] != want {
		t.Fatalf("%s: from %v along %v: %v, want %v", name, from, d, got[0], want)
	}
}

// TestShort tests vertices whose distances float32 cannot compare, because of overflow, underflow or rounding.
func TestShort(t *testing.T) {
	third := 1 / math.Sqrt(3)
	for name, c := range map[string]struct {
		one     [3]float32
		two     [2][3]float32
		from, d mgl64.Vec3
	}{
		// The sum of the first two terms overflows float32, but the sum of all three terms does not.
		"sums overflow": {
			[3]float32{-3.4e38, -3.4e38, 3.4e38}, [2][3]float32{{-3.4e38, -3e38, 2.7e38}, {-3e38, -3.4e38, 2.7e38}},
			mgl64.Vec3{}, mgl64.Vec3{third, third, third},
		},
		"directions overflow": {
			[3]float32{-1e-10, -1e-10, 0}, [2][3]float32{{-3e-10, -5e-11, 0}, {-5e-11, -3e-10, 0}},
			mgl64.Vec3{}, mgl64.Vec3{1e40, 1e40, 0},
		},
		"directions underflow": {
			[3]float32{-1e20, -1e20, 0}, [2][3]float32{{-3e20, -5e19, 0}, {-5e19, -3e20, 0}},
			mgl64.Vec3{}, mgl64.Vec3{1e-44, 1e-44, 0},
		},
		// From this point, two vertices are equally far in float64, so the first one counts.
		"seen from far away": {
			[3]float32{-5, 0, 0}, [2][3]float32{{1, 0, 0}, {-1e6, 100, 0}},
			mgl64.Vec3{-1e17, 0, 0}, mgl64.Vec3{1, 1, 0},
		},
	} {
		compareWithSlow(t, name, twoGroups(c.one, c.two), c.from, c.d)
	}
}

// TestShortAtAllSizes compares Farthest with a search over all vertices. The vertices may differ only in the last
// digits of float32. Meshes have all sizes and lie far from the origin, and the point is near or far.
func TestShortAtAllSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	normal := func(size float64) mgl64.Vec3 {
		return mgl64.Vec3{rng.NormFloat64() * size, rng.NormFloat64() * size, rng.NormFloat64() * size}
	}
	for round := range 600 {
		size := math.Pow(10, float64(rng.IntN(82)-44))
		beside := normal(size * math.Pow(10, float64(rng.IntN(9)-1)))
		mesh := &scenes.Mesh{Block: scenes.MakeBlock(1 + rng.IntN(5*groupSize))}
		spread := size * math.Pow(2, -float64(rng.IntN(25)))
		for i := range mesh.Len() {
			for k := range 3 {
				p := beside.Add(normal(spread))
				mesh.X[k][i], mesh.Y[k][i], mesh.Z[k][i] = float32(p[0]), float32(p[1]), float32(p[2])
			}
		}
		d := normal(1)
		if rng.IntN(3) > 0 {
			d = d.Normalize()
		}
		if rng.IntN(4) == 0 { // all vertices are almost equally far
			d = beside.Cross(d).Normalize()
		}
		if rng.IntN(8) == 0 {
			d = d.Mul(math.Pow(10, float64(rng.IntN(100)-50)))
		}
		from := [...]mgl64.Vec3{{}, beside, normal(size), normal(size * 1e6), normal(size * 1e18)}[rng.IntN(5)]
		compareWithSlow(t, fmt.Sprintf("round %d, size %g", round, size), mesh, from, d)
	}
}
