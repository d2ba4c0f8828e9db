package scenes_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
)

// meshOf returns a mesh of triangles.
func meshOf(triangles ...[3][3]float32) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(len(triangles))}
	for i, corners := range triangles {
		m.Set(i, corners)
	}
	return m
}

// boxOf returns the box of the corners of finite triangles.
func boxOf(m *scenes.Mesh) scenes.Box {
	box := scenes.EmptyBox()
	for i := range m.Len() {
		b, finite := scenes.EmptyBox(), true
		for _, p := range m.Triangle(i) {
			b = b.Extend([3]float64{float64(p[0]), float64(p[1]), float64(p[2])})
			for _, v := range p {
				finite = finite && v-v == 0
			}
		}
		if finite {
			box = box.Union(b)
		}
	}
	return box
}

func TestCore(t *testing.T) {
	const big = 3e38
	nan := float32(math.NaN())
	a := [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}}
	b := [3][3]float32{{0, 0, 0}, {-1, 0, 0}, {0, -2, 3}}
	c := [3][3]float32{{0, 1, 0}, {-1, 0, 1}, {1, -1, 3}}
	far := [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 0, -big}}
	flat := [3][3]float32{{0, 7, 0}, {0, 0, 0}, {0, 2, 0}}
	point := [3][3]float32{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}
	near := scenes.Box{Min: [3]float64{-1, -2, 0}, Max: [3]float64{1, 2, 3}}
	for name, x := range map[string]struct {
		mesh *scenes.Mesh
		box  scenes.Box
		far  int
	}{
		"nothing":      {meshOf(), scenes.EmptyBox(), 0},
		"all":          {meshOf(a, b, c), near, 0},
		"far":          {meshOf(a, far, b, c), near, 1},
		"far twice":    {meshOf(far, a, b, b, c, far), near, 2},
		"not finite":   {meshOf(a, b, [3][3]float32{{nan, 9, 9}, {9, 9, 9}, {9, 9, 9}}, far, c), near, 1},
		"one of two":   {meshOf(a, [3][3]float32{{big, 0, 0}, {big, 0, 0}, {0, big, big}}), scenes.Box{Max: [3]float64{1, 2, 0}}, 1},
		"along a line": {meshOf(flat, flat, flat), scenes.Box{Max: [3]float64{0, 7, 0}}, 0},
		"points":       {meshOf(point, point, point, far), scenes.EmptyBox(), 0},
		"both ends":    {meshOf(a, b, [3][3]float32{{-big, 0, 0}, {big, 0, 0}, {0, big, 0}}), near, 1},
	} {
		box, far, err := scenes.Core(context.Background(), x.mesh, boxOf(x.mesh), 1)
		if err != nil || box != x.box || far != x.far {
			t.Errorf("%s: %v, %d, %v; want %v, %d", name, box, far, err, x.box, x.far)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := scenes.Core(ctx, meshOf(a, b, far), boxOf(meshOf(a, b, far)), 1); err == nil {
		t.Error("no error after the end of the context")
	}
}

// TestCoreAfterOthers checks that samples come from the whole mesh, not only from its beginning.
func TestCoreAfterOthers(t *testing.T) {
	const n = 5 * scenes.BlockSize
	m := meshOf(make([][3][3]float32, n)...)
	for i := range n {
		at := float32(i % 7)
		if i < 2*scenes.BlockSize {
			at += 1e30
		}
		m.Set(i, [3][3]float32{{at, 1, 2}, {1, at, 2}, {1, 2, 3}})
	}
	box, far, err := scenes.Core(context.Background(), m, boxOf(m), 2)
	want := scenes.Box{Min: [3]float64{0, 0, 2}, Max: [3]float64{6, 6, 3}}
	if err != nil || far != 2*scenes.BlockSize || box != want {
		t.Errorf("%v, %d far away, %v", box, far, err)
	}
}

// TestCoreOfCluster adds a few distant triangles to a cluster. The core must be the cluster, for any position of the
// distant triangles in the mesh, any size of the mesh and any number of workers. Less distant triangles belong to the
// core.
func TestCoreOfCluster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(20, 3*scenes.BlockSize).Draw(t, "triangles")
		scale := math.Pow(2, float64(rapid.IntRange(-60, 60).Draw(t, "scale")))
		number := rapid.Float64Range(-1, 1)
		m := meshOf(make([][3][3]float32, n)...)
		seed := rapid.Uint64().Draw(t, "seed")
		random := func() float32 { // linear congruential generator
			seed = seed*6364136223846793005 + 1442695040888963407
			return float32(scale * (float64(seed>>11)/(1<<53) - 0.5))
		}
		for i := range n {
			var corners [3][3]float32
			for k := range corners {
				corners[k] = [3]float32{random(), random(), random()}
			}
			m.Set(i, corners)
		}
		want := m.Bounds()
		far := map[int]bool{}
		for range rapid.IntRange(1, n/20).Draw(t, "far") {
			i := rapid.IntRange(0, n-1).Draw(t, "at")
			corners := m.Triangle(i)
			corners[0][rapid.IntRange(0, 2).Draw(t, "axis")] = float32(scale * (1000 + math.Abs(number.Draw(t, "beyond"))))
			m.Set(i, corners)
			far[i] = true
		}
		box, count, err := scenes.Core(context.Background(), m, boxOf(m), rapid.IntRange(1, 4).Draw(t, "workers"))
		if err != nil || count != len(far) {
			t.Fatalf("%d far away, want %d; %v", count, len(far), err)
		}
		for axis := range 3 {
			if box.Min[axis] < want.Min[axis] || box.Max[axis] > want.Max[axis] || box.Size()[axis] < 0.4*want.Size()[axis] {
				t.Fatalf("%v, all %v", box, want)
			}
		}
	})
}
