package quality

import (
	"context"
	"math"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

func mesh(triangles ...[3][3]float32) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(len(triangles))}
	for t, c := range triangles {
		m.Set(t, c)
	}
	return m
}

func of(t *testing.T, m *scenes.Mesh) Report {
	t.Helper()
	r, ok := Of(m)
	if !ok {
		t.Fatal("too large")
	}
	return r
}

var (
	o, x, y, z = [3]float32{}, [3]float32{1, 0, 0}, [3]float32{0, 1, 0}, [3]float32{0, 0, 1}
	corner     = [][3][3]float32{{o, y, x}, {o, x, z}, {o, z, y}, {x, y, z}} // a tetrahedron
)

func TestKnownSurfaces(t *testing.T) {
	half := float32(math.Inf(1))
	area := 1.5 + math.Sqrt(3)/2
	for name, c := range map[string]struct {
		mesh *scenes.Mesh
		want Report
	}{
		"closed":     {mesh(corner...), Report{Vertices: 4, Area: area, Edges: 6, Closed: true, Volume: 1. / 6}},
		"open":       {mesh(corner[:3]...), Report{Vertices: 4, Area: 1.5, Edges: 6, Open: 3}},
		"none":       {mesh(), Report{}},
		"not finite": {mesh([3][3]float32{o, x, {0, half, 0}}), Report{NotFinite: 1}},
		"turned":     {mesh(corner[0], corner[1], corner[2], [3][3]float32{x, z, y}), Report{Vertices: 4, Area: area, Edges: 6, Turned: 3}},
		"twice": {mesh(append(corner, [3][3]float32{x, o, y})...), Report{
			Vertices: 4, Area: area + 0.5, Edges: 6, NonManifold: 3, Duplicates: 1}},
		"degenerate": {mesh([3][3]float32{o, x, {2, 0, 0}}, [3][3]float32{o, o, x}), Report{
			Vertices: 3, Degenerate: 2, Edges: 3, Open: 2, NonManifold: 1}},
		"a zero below zero": {mesh([3][3]float32{{float32(math.Copysign(0, -1)), 0, 0}, x, y}, [3][3]float32{o, y, x}), Report{
			Vertices: 3, Area: 1, Edges: 3, Closed: true, Duplicates: 1}},
	} {
		got := of(t, c.mesh)
		if math.Abs(got.Area-c.want.Area) > 1e-12 || math.Abs(got.Volume-c.want.Volume) > 1e-12 {
			t.Errorf("%s: area %v, volume %v, want %v, %v", name, got.Area, got.Volume, c.want.Area, c.want.Volume)
		}
		got.Area, got.Volume = c.want.Area, c.want.Volume
		if got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

// TestScenes checks that closed scenes are closed, and checks the area and the volume of a sphere at several places.
func TestScenes(t *testing.T) {
	for _, name := range []string{"sphere", "gear", "torus", "cube"} {
		src, err := procedural.Parse("scene:" + name + "?triangles=40000")
		if err != nil {
			t.Fatal(err)
		}
		m, err := scenes.Load(context.Background(), src, scenes.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r := of(t, m)
		if !r.Closed || r.Open+r.NonManifold+r.Turned+r.Degenerate+r.Duplicates > 0 || r.Volume <= 0 {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "sphere" && (math.Abs(r.Volume-4*math.Pi/3) > 0.01 || math.Abs(r.Area-4*math.Pi) > 0.01 || r.Vertices-r.Edges+m.Len() != 2) {
			t.Errorf("sphere: %+v", r)
		}
	}
}
