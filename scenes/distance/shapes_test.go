package distance_test

import (
	"context"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// meshOf returns a mesh of triangles.
func meshOf(triangles ...[3][3]float32) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(len(triangles))}
	for t, c := range triangles {
		m.Set(t, c)
	}
	return m
}

// cube returns a cube from low to high along each axis. Its triangles face outwards.
func cube(low, high float32) *scenes.Mesh {
	var all [][3][3]float32
	for axis := range 3 {
		for side, at := range [2]float32{low, high} {
			corner := func(u, v float32) (p [3]float32) {
				p[axis], p[(axis+1)%3], p[(axis+2)%3] = at, u, v
				return p
			}
			a, b, c, d := corner(low, low), corner(high, low), corner(high, high), corner(low, high)
			if side == 0 {
				b, d = d, b
			}
			all = append(all, [3][3]float32{a, b, c}, [3][3]float32{a, c, d})
		}
	}
	return meshOf(all...)
}

// scene returns a procedural scene.
func scene(tb testing.TB, name string) *scenes.Mesh {
	tb.Helper()
	s, err := procedural.Parse(name)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// scaled returns a transform that scales by f.
func scaled(f float64) *scenes.Affine {
	return &scenes.Affine{{f, 0, 0, 0}, {0, f, 0, 0}, {0, 0, f, 0}}
}

// moved returns a transform that moves by (x, y, z).
func moved(x, y, z float64) *scenes.Affine {
	return &scenes.Affine{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}}
}
