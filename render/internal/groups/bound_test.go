package groups

import (
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/view"
)

// TestBound searches for polygons that extend beyond the bound of their group, or are nearer. Random cameras are in
// front of, inside, or far from random meshes. The bound of a polygon's nearness is array.NearestBound.
func TestBound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 9))
	bounded, polygons := 0, 0
	for round := range 12000 {
		cam := someCamera(random)
		mesh := someMesh(random, &cam)
		g := New(&mesh, oneByOne)
		v := cam.Geometry(&view.Screen{Width: 1 + random.IntN(400), Height: 1 + random.IntN(400), Grid: 1 << random.IntN(3)})
		p := g.Projector(&v)
		for i := range g.Len() {
			b, ok := p.Bound(i)
			if !ok {
				continue
			}
			bounded++
			part := mesh.Slice(i*Size, min((i+1)*Size, mesh.Len()))
			var counts geometry.Counts
			polys := array.MakePolygons(part.Len() + geometry.MaxClipped)
			toClip := geometry.Project(&v, &part, polys, make([]int32, part.Len()), &counts)
			if len(toClip) > 0 {
				t.Fatalf("round %d: group %d has a bound, and triangles that are clipped", round, i)
			}
			for n := range polys.N {
				polygons++
				if why := beyond(&b, polys, n); why != "" {
					t.Fatalf("round %d: group %d with bound %+v: polygon %d %s", round, i, b, n, why)
				}
			}
		}
	}
	t.Logf("%d groups with bounds, %d polygons", bounded, polygons)
	if bounded < 1000 || polygons < 10000 {
		t.Errorf("%d groups with bounds, %d polygons: too few", bounded, polygons)
	}
}

// beyond says how a polygon exceeds a bound. It returns an empty text if the polygon lies within the bound.
func beyond(b *Bound, p *array.Polygons, n int) string {
	corners := [3]array.Vertex{p.Corner(0, n), p.Corner(1, n), p.Corner(2, n)}
	for _, c := range corners {
		if first := array.FirstCenter(c.X); first < b.X0 || first > b.X1 {
			return "lies beside it"
		}
		if first := array.FirstCenter(c.Y); first < b.Y0 || first > b.Y1 {
			return "lies above or below it"
		}
	}
	if array.NearestBound(corners[0].E, corners[1].E, corners[2].E) > b.Near {
		return "is nearer"
	}
	return ""
}

// TestBoundKnown checks a bound that can be computed by hand, in an orthographic view of four samples per unit.
func TestBoundKnown(t *testing.T) {
	mesh := meshOfOne([3][3]float32{{1, 1, 0}, {3, 1, 0.25}, {1, 2, 0.5}})
	v := geometry.View{
		Scale: 1, X: [4]float32{4 * array.Sub, 0, 0, 0}, Y: [4]float32{0, -4 * array.Sub, 0, 0}, E: [4]float32{0, 0, 1, 0.25}, Near: 1,
		Orthographic: true, CenterX: 0, CenterY: 10 * array.Sub, Width: 100, Height: 100,
	}
	g := New(&mesh, oneByOne)
	p := g.Projector(&v)
	b, ok := p.Bound(0)
	// The samples reach from 4 to 12 on the right, and from 10 - 8 to 10 - 4 downwards. No edge meets the centre of a
	// sample.
	if want := (array.Box{X0: 4, X1: 12, Y0: 2, Y1: 6}); !ok || b.Box != want {
		t.Errorf("got %+v, %t, want %+v", b.Box, ok, want)
	}
	if least := array.NearestBound(0.75, 0, 0); b.Near < least || b.Near > least*(1+1e-5) {
		t.Errorf("nearness %g, want %g or a little more", b.Near, least)
	}
	v.Near = 0.7 // so that a corner is cut off by the near plane
	p = g.Projector(&v)
	if _, ok := p.Bound(0); ok {
		t.Error("a group that is cut has a bound")
	}
}

// TestBoundSnapped checks that a bound includes the sample onto whose centre a corner is snapped.
func TestBoundSnapped(t *testing.T) {
	const x, y = (4*array.Sub + array.Half + 0.4) / (4 * array.Sub), -(2*array.Sub + array.Half + 0.4) / (4 * array.Sub)
	mesh := meshOfOne([3][3]float32{{x, y, 0}, {3, y, 0.25}, {x, -2, 0.5}})
	v := geometry.View{
		Scale: 1, X: [4]float32{4 * array.Sub, 0, 0, 0}, Y: [4]float32{0, -4 * array.Sub, 0, 0}, E: [4]float32{0, 0, 1, 0.25}, Near: 1,
		Orthographic: true, Width: 100, Height: 100,
	}
	g := New(&mesh, oneByOne)
	p := g.Projector(&v)
	if b, ok := p.Bound(0); !ok || b.X0 != 4 || b.Y0 != 2 {
		t.Errorf("got %+v, %t, want samples from 4 and rows from 2 on", b, ok)
	}
}
