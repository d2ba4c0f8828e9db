package distance_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/distance"
	"lockstep/scenes/quality"
)

// coarse holds options for tests that need only a few points.
var coarse = distance.Options{Refinement: distance.Refinement{Most: 4000}}

func measure(tb testing.TB, from, to distance.Item, o distance.Options) *distance.Measured {
	tb.Helper()
	m, err := distance.Measure(context.Background(), from, to, o)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestOutsideCube measures points with known distances from a cube: over faces, edges and corners, and inside.
func TestOutsideCube(t *testing.T) {
	s, err := distance.New(context.Background(), distance.Item{Mesh: cube(-1, 1)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    [3]float64
		want float64
	}{
		{[3]float64{3, 0.2, 0.1}, 2}, {[3]float64{0, 0, -1.5}, 0.5}, {[3]float64{0, 0, 0}, -1}, {[3]float64{0.9, 0, 0}, -0.1},
		{[3]float64{4, 5, 0}, 5}, {[3]float64{-4, 0.3, -5}, 5}, {[3]float64{2, 3, 3}, 3}, {[3]float64{-2, -3, 3}, 3},
		{[3]float64{1, 0, 0}, 0}, {[3]float64{1, 1, 1}, 0}, {[3]float64{1, -1, 0.5}, 0},
	} {
		if got := s.At(c.p); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%v: %v, want %v", c.p, got, c.want)
		}
	}
	for _, p := range [][3]float64{{math.NaN(), 0, 0}, {0, math.Inf(-1), 0}, {0, 0, 1e80}} {
		if got := s.At(p); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", p, got)
		}
	}
}

// TestSharpEdges measures points around a tetrahedron whose faces meet at angles of 3 to 90 degrees. A point is outside
// if it is in front of any face, whichever face, edge or corner is nearest.
func TestSharpEdges(t *testing.T) {
	corners := [4][3]float32{{0, 0, 0}, {10, 0.5, 0}, {10, -0.5, 0.2}, {10, 0, 0.9}}
	faces := [4][3]int{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}
	var triangles [][3][3]float32
	for _, f := range faces {
		triangles = append(triangles, [3][3]float32{corners[f[0]], corners[f[1]], corners[f[2]]})
	}
	s, err := distance.New(context.Background(), distance.Item{Mesh: meshOf(triangles...)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	point := func(p [3]float32) [3]float64 { return [3]float64{float64(p[0]), float64(p[1]), float64(p[2])} }
	within := 0
	for i := range 40 * 40 * 40 {
		p := [3]float64{float64(i%40)*0.3 - 1, float64(i/40%40)*0.04 - 0.8, float64(i/1600)*0.04 - 0.4}
		outside := false
		for _, f := range faces {
			a, b, c := point(corners[f[0]]), point(corners[f[1]]), point(corners[f[2]])
			outside = outside || dot(cross(sub(b, a), sub(c, a)), sub(p, a)) > 0
		}
		if got := s.At(p); math.Abs(got) > 1e-12 && got > 0 != outside {
			t.Fatalf("%v: %v, outside: %v", p, got, outside)
		}
		if !outside {
			within++
		}
	}
	if within < 1000 {
		t.Fatalf("%d points are within", within)
	}
}

// TestNeedles measures distances from triangles that are nearly lines. The distance must equal the distance from the
// line, however thin the triangle is.
func TestNeedles(t *testing.T) {
	end := [3]float64{500, 450, 550}
	for _, width := range []float32{1e-4, 1e-7, 1e-10, 1e-13} {
		mesh := meshOf([3][3]float32{{-500, -450, -550}, {500, 450, 550}, {width, 0, 0}})
		s, err := distance.New(context.Background(), distance.Item{Mesh: mesh}, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5000 {
			x, y, z := math.Mod(float64(i)*0.6180339887, 1), math.Mod(float64(i)*0.7548776662, 1), math.Mod(float64(i)*0.5698402910, 1)
			p := [3]float64{3000*x - 1500, 3000*y - 1500, 3000*z - 1500}
			if i%2 == 0 { // half of the points are near the needle
				f := 3*z - 1.5
				p = [3]float64{f*end[0] + x, f*end[1] + y, f * end[2]}
			}
			f := min(max(dot(p, end)/dot(end, end), -1), 1)
			d := sub(p, [3]float64{f * end[0], f * end[1], f * end[2]})
			if got, want := math.Abs(s.At(p)), math.Sqrt(dot(d, d)); math.Abs(got-want) > float64(width)+1e-9 {
				t.Fatalf("%v from a triangle %v wide: %v, want %v", p, width, got, want)
			}
		}
	}
}

// TestSpheres measures the distances between spheres of radii 1 and 1.01. The results may differ from 0.01 by the
// sagitta of a facet, because facets lie inside their sphere.
func TestSpheres(t *testing.T) {
	small := scene(t, "scene:sphere?triangles=5000")
	big := distance.Item{Mesh: small, Transform: scaled(1.01)}
	in := measure(t, distance.Item{Mesh: small}, big, distance.Options{})
	out := measure(t, big, distance.Item{Mesh: small}, distance.Options{})
	sagitta := in.Spacing * in.Spacing / 2
	for _, c := range []struct{ got, want float64 }{
		{in.Least, -0.01}, {in.Greatest, -0.01}, {in.Mean, 0.01}, {in.RMS, 0.01}, {out.Least, 0.01}, {out.Greatest, 0.01}, {out.Max(), 0.01},
	} {
		if math.Abs(c.got-c.want) > sagitta || sagitta > 3e-3 {
			t.Errorf("%v, want %v to %v", c.got, c.want, sagitta)
		}
	}
	if math.Abs(in.Area-4*math.Pi) > 0.02 || in.Beyond(0.005) < 1-1e-12 || in.Beyond(0.02) != 0 {
		t.Errorf("area %v, beyond %v and %v", in.Area, in.Beyond(0.005), in.Beyond(0.02))
	}
	field := in.Mesh.Field(distance.FieldName)
	if field == nil || len(field.Values) != in.Mesh.Attributes.Vertices || float64(field.Values[0]) != float64(float32(in.Distances[0])) {
		t.Error("the mesh lacks the field")
	}
	if low, high := field.Range(); low != -high || high < in.Max()*(1-1e-6) || math.Abs(field.Symmetric-2*1.01*math.Sqrt(3)*1e-6) > 1e-8 {
		t.Errorf("its range is %v to %v, at least %v", low, high, field.Symmetric)
	}
}

// TestMovedCube moves a cube along x. One face is then outside the old cube, one face is inside, and each of the other
// four faces has moved within its own plane.
func TestMovedCube(t *testing.T) {
	a := cube(-1, 1)
	to := distance.Item{Mesh: a, Transform: moved(0.25, 0, 0)}
	m := measure(t, distance.Item{Mesh: a}, to, distance.Options{})
	if m.Least != -0.25 || m.Greatest != 0.25 || m.Max() != 0.25 {
		t.Errorf("from %v to %v, want -0.25 and 0.25", m.Least, m.Greatest)
	}
	if m.Farthest[0] != -1 && m.Farthest[0] != 1 {
		t.Errorf("farthest at %v", m.Farthest)
	}
	// These parts are farther than 0.2 from the moved cube: one whole face, the opposite face without a border of 0.2,
	// and a strip of width 0.05 on each of the other four faces.
	want := (4 + 1.6*1.6 + 4*2*0.05) / 24
	if got := m.Beyond(0.2); math.Abs(got-want) > 0.01 {
		t.Errorf("%v of the area is beyond 0.2, want %v", got, want)
	}
	if m.Area != 24 || m.Mean < 0.25/3 || m.Mean > 0.11 || m.RMS < m.Mean {
		t.Errorf("area %v, mean %v, rms %v", m.Area, m.Mean, m.RMS)
	}
}

// TestOrigins compares meshes whose origins are far from zero and from each other. They must be compared in the
// coordinates of their files.
func TestOrigins(t *testing.T) {
	a, b := cube(-1, 1), cube(0, 2)
	a.Origin, b.Origin = [3]float64{1e6, -2e6, 3e6}, [3]float64{1e6 - 1, -2e6 - 1, 3e6 - 1}
	if m := measure(t, distance.Item{Mesh: a}, distance.Item{Mesh: b}, coarse); m.Max() != 0 {
		t.Errorf("the same place is %v away", m.Max())
	}
	b.Origin[0] += 0.001
	m := measure(t, distance.Item{Mesh: a}, distance.Item{Mesh: b}, coarse)
	if math.Abs(m.Max()-0.001) > 1e-9 || math.Abs(m.Farthest[0]-1e6) > 1.1 {
		t.Errorf("moved by 0.001: %v at %v", m.Max(), m.Farthest)
	}
}

// TestMirrored checks that a mirroring transform also reorders the corners of triangles, so that front faces stay front
// faces.
func TestMirrored(t *testing.T) {
	m := measure(t, distance.Item{Mesh: cube(-1, 1)}, distance.Item{Mesh: cube(-2, 2), Transform: scaled(-1)}, coarse)
	if m.Least != -1 || m.Greatest != -1 {
		t.Errorf("from %v to %v, want -1", m.Least, m.Greatest)
	}
}

// TestItself checks that a mesh has the distance 0 from itself, and a distance within the rounding of coordinates from
// a copy with more triangles.
func TestItself(t *testing.T) {
	for _, name := range []string{"scene:gear?triangles=3000", "scene:knot?triangles=4000", "scene:cube"} {
		a := distance.Item{Mesh: scene(t, name)}
		for _, place := range []*scenes.Affine{nil, moved(3, -7, 1.25)} {
			a.Transform = place
			m := measure(t, a, a, distance.Options{Refinement: distance.Refinement{Most: 40000}})
			if m.Max() != 0 || m.Mean != 0 || m.RMS != 0 || m.Beyond(0) != 0 {
				t.Errorf("%s: %v from itself, mean %v", name, m.Max(), m.Mean)
			}
		}
		a.Transform = nil
		fine := distance.Item{Mesh: distance.Refine(a.Mesh, distance.Refinement{Edge: 0.07, Most: 20000}).Mesh}
		if fine.Mesh.Len() == a.Mesh.Len() {
			t.Fatalf("%s was not refined", name)
		}
		size := a.Mesh.Bounds().Size()
		for _, m := range []*distance.Measured{
			measure(t, a, fine, distance.Options{Refinement: distance.Refinement{Most: 1}}), measure(t, fine, a, distance.Options{Refinement: distance.Refinement{Most: 1}}),
		} {
			if m.Max() > size[0]*1e-7 {
				t.Errorf("%s: %v from its refined copy", name, m.Max())
			}
		}
	}
}

// TestRefine divides the triangles of a cube. The cube must stay closed, with the same area and volume, and no edge may
// be too long.
func TestRefine(t *testing.T) {
	m := cube(-1, 1)
	m.Parts = []scenes.Part{{Name: "a", Count: 2}, {Name: "b", First: 2, Count: 10}}
	m.Colors = []uint32{1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
	for _, edge := range []float64{0.31, 0.9, 2.5} {
		fine := distance.Refine(m, distance.Refinement{Edge: edge})
		r, ok := quality.Of(fine.Mesh)
		if !ok || !r.Closed || r.Open+r.NonManifold+r.Turned+r.Degenerate > 0 || math.Abs(r.Area-24) > 1e-4 || math.Abs(r.Volume-8) > 1e-4 {
			t.Errorf("edge %v: %+v", edge, r)
		}
		if fine.Mesh.Attributes.Vertices != r.Vertices || fine.Edge != edge {
			t.Errorf("%d vertices at %d places, edge %v", fine.Mesh.Attributes.Vertices, r.Vertices, fine.Edge)
		}
		checkEdges(t, fine, edge)
		a, b := fine.Mesh.Parts[0], fine.Mesh.Parts[1]
		if a.First != 0 || b.First != a.Count || b.First+b.Count != fine.Mesh.Len() || fine.Mesh.Colors[a.Count-1] != 1 || fine.Mesh.Colors[a.Count] != 2 {
			t.Errorf("parts %v", fine.Mesh.Parts)
		}
	}
	if fine := distance.Refine(m, distance.Refinement{Edge: 1e-9, Most: 5000}); fine.Mesh.Len() > 5000 || fine.Mesh.Len() < 1000 {
		t.Errorf("%d triangles, want at most 5000", fine.Mesh.Len())
	}
	if fine := distance.Refine(m, distance.Refinement{Most: 12}); fine.Edge != 0 || fine.Mesh.Len() != 12 {
		t.Errorf("%d triangles, want 12", fine.Mesh.Len())
	}
}

// TestDivideInThree checks that, if two edges of a triangle are divided, the remaining quadrangle is divided along its
// shorter diagonal and faces the same way.
func TestDivideInThree(t *testing.T) {
	a, b := [3]float32{}, [3]float32{4, 0, 0}
	for _, c := range [][3]float32{{4, 1, 0}, {0, 1, 0}} {
		fine := distance.Refine(meshOf([3][3]float32{a, b, c}), distance.Refinement{Edge: 3})
		if fine.Mesh.Len() != 3 {
			t.Fatalf("%d triangles", fine.Mesh.Len())
		}
		checkEdges(t, fine, 2.1)
		for i := range 3 {
			v := fine.Mesh.Triangle(i)
			if area := (v[1][0]-v[0][0])*(v[2][1]-v[0][1]) - (v[1][1]-v[0][1])*(v[2][0]-v[0][0]); area <= 0 || fine.Owners[i] != 0 {
				t.Errorf("triangle %d of %v: double area %v", i, c, area)
			}
		}
	}
}

// checkEdges fails the test if an edge is too long.
func checkEdges(t *testing.T, fine distance.Refined, edge float64) {
	index := fine.Mesh.Attributes.Index
	for i := range fine.Mesh.Len() {
		for k := range 3 {
			a, b := fine.Points[index[k][i]], fine.Points[index[(k+1)%3][i]]
			if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d > edge*(1+1e-12) {
				t.Fatalf("an edge of %v, want at most %v", d, edge)
			}
		}
	}
}

// TestWorkers checks that distances have the same bits for any number of workers.
func TestWorkers(t *testing.T) {
	a, b := distance.Item{Mesh: scene(t, "scene:knot?triangles=3000")}, distance.Item{Mesh: scene(t, "scene:gear?triangles=3000"), Transform: moved(0.1, 0.2, 0)}
	fine := distance.Refinement{Most: 20000} // enough points for several chunks
	want := measure(t, a, b, distance.Options{Refinement: fine, Workers: 1})
	done := int64(0)
	for _, workers := range []int{2, 5, 8} {
		got := measure(t, a, b, distance.Options{Refinement: fine, Workers: workers, Progress: func(n, total int64) {
			if n <= done && n < total || n > total {
				t.Errorf("%d of %d after %d", n, total, done)
			}
			if done = n; n == total {
				done = 0
			}
		}})
		if !slices.Equal(got.Distances, want.Distances) || got.Mean != want.Mean || got.RMS != want.RMS || got.Farthest != want.Farthest {
			t.Errorf("%d workers: other distances", workers)
		}
	}
}

func TestNothingToMeasure(t *testing.T) {
	line := meshOf([3][3]float32{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, [3][3]float32{{float32(math.NaN()), 0, 0}, {1, 0, 0}, {0, 1, 0}})
	some := distance.Item{Mesh: cube(0, 1)}
	for i, items := range [][2]distance.Item{{{Mesh: line}, some}, {some, {Mesh: line}}, {some, {Mesh: meshOf()}}, {{Mesh: meshOf()}, some}} {
		var none *distance.NoSurfaceError
		if _, err := distance.Measure(context.Background(), items[0], items[1], distance.Options{}); !errors.As(err, &none) || !errors.Is(err, distance.ErrNoSurface) || none.Item != []int{0, 1, 1, 0}[i] {
			t.Errorf("%d: %v", i, err)
		}
	}
	both := cube(0, 1)
	both.X[0][0] = float32(math.Inf(1))
	m := measure(t, distance.Item{Mesh: both}, distance.Item{Mesh: both}, coarse)
	if m.LeftOut != [2]int{1, 1} || m.Max() != 0 {
		t.Errorf("left out %v, %v", m.LeftOut, m.Max())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := distance.Measure(ctx, some, some, distance.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
