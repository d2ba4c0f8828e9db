package rim_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"lockstep/render/rim"
	"lockstep/scenes"
)

// A shape collects triangles, and turns them by a matrix.
type shape struct {
	mesh scenes.Mesh
	turn mgl64.Mat4
}

func newShape(turn mgl64.Mat4) *shape { return &shape{turn: turn} }

func (s *shape) triangle(corners ...mgl64.Vec3) {
	for k, c := range corners {
		c = mgl64.TransformCoordinate(c, s.turn)
		s.mesh.X[k] = append(s.mesh.X[k], float32(c[0]))
		s.mesh.Y[k] = append(s.mesh.Y[k], float32(c[1]))
		s.mesh.Z[k] = append(s.mesh.Z[k], float32(c[2]))
	}
}

// revolve adds a surface of revolution: a profile of radii and heights, rotated about the z axis by an angle in n
// steps.
func (s *shape) revolve(profile [][2]float64, n int, angle float64) {
	at := func(p [2]float64, i int) mgl64.Vec3 {
		sin, cos := math.Sincos(angle * float64(i) / float64(n))
		if angle == 2*math.Pi && i == n {
			sin, cos = 0, 1
		}
		return mgl64.Vec3{p[0] * cos, p[0] * sin, p[1]}
	}
	for j := 1; j < len(profile); j++ {
		for i := range n {
			a, b, c, d := at(profile[j-1], i), at(profile[j-1], i+1), at(profile[j], i+1), at(profile[j], i)
			s.triangle(a, b, c)
			s.triangle(a, c, d)
		}
	}
}

func (s *shape) at(p mgl64.Vec3) [3]float64 { return mgl64.TransformCoordinate(p, s.turn) }

func (s *shape) finder(t testing.TB) *rim.Finder {
	t.Helper()
	f, err := rim.New(t.Context(), &s.mesh)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// washer is the profile of a disc of radius 3 with a hole of radius 1. The hole has a chamfer at the top.
var washer = [][2]float64{{1, 0}, {1, 0.8}, {1.2, 1}, {3, 1}, {3, 0}, {1, 0}}

// TestRimsOfWasher checks that each rim is found from a point near it, and that the two edges of a chamfer are
// distinguished. The washer has several positions, sizes and numbers of segments.
func TestRimsOfWasher(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(8, 200).Draw(rt, "n")
		scale := math.Exp(rapid.Float64Range(-5, 5).Draw(rt, "scale"))
		axis := mgl64.Vec3{rapid.Float64Range(-1, 1).Draw(rt, "x"), rapid.Float64Range(-1, 1).Draw(rt, "y"), 1.1}.Normalize()
		turn := mgl64.HomogRotate3D(rapid.Float64Range(0, 6).Draw(rt, "angle"), axis).Mul4(mgl64.Scale3D(scale, scale, scale))
		s := newShape(turn)
		s.revolve(washer, n, 2*math.Pi)
		f := s.finder(t)
		for _, rim := range washer[:5] {
			i := rapid.IntRange(0, n-1).Draw(rt, "i")
			sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.4) / float64(n))
			r := (rim[0] + 0.01) * (1 - 0.01) // a radius beside the rim
			c, ok := f.Near(s.at(mgl64.Vec3{r * cos, r * sin, rim[1] + 0.01}), 0.3*scale)
			if !ok {
				rt.Fatalf("no rim of radius %g at height %g", rim[0], rim[1])
			}
			if math.Abs(c.Diameter-2*rim[0]*scale) > 1e-5*scale {
				rt.Errorf("diameter %g, want %g", c.Diameter/scale, 2*rim[0])
			}
			if want := mgl64.Vec3(s.at(mgl64.Vec3{0, 0, rim[1]})); want.Sub(c.Center).Len() > 1e-5*scale {
				rt.Errorf("centre %v, want %v", c.Center, want)
			}
			if along := mgl64.Vec3(c.Axis).Dot(mgl64.TransformNormal(mgl64.Vec3{0, 0, 1}, turn).Normalize()); math.Abs(along) < 1-1e-9 {
				rt.Errorf("axis %v", c.Axis)
			}
			if c.Arc != 2*math.Pi || c.Corners != n {
				rt.Errorf("%d corners on %g radians, want %d on all", c.Corners, c.Arc, n)
			}
		}
	})
}

// TestArcs checks the rims of a sector: arcs have the right length, whichever side the search begins with, and straight
// edges are no rims.
func TestArcs(t *testing.T) {
	for _, angle := range []float64{1.6, math.Pi, 5} {
		s := newShape(mgl64.Ident4())
		s.revolve([][2]float64{{2, 0}, {2, 1}, {3, 1}}, 30, angle)
		f := s.finder(t)
		for i := range 30 {
			sin, cos := math.Sincos(angle * (float64(i) + 0.5) / 30)
			for _, rim := range [][2]float64{{2, 0}, {2, 1}, {3, 1}} {
				c, ok := f.Near([3]float64{rim[0] * cos, rim[0] * sin, rim[1]}, 0.1)
				if !ok || math.Abs(c.Diameter-2*rim[0]) > 1e-4 || math.Abs(c.Arc-angle) > 1e-4 || c.Corners != 31 {
					t.Fatalf("angle %g, segment %d of the rim %v: %+v, %v", angle, i, rim, c, ok)
				}
			}
		}
		for _, p := range [][3]float64{{2, 0, 0.5}, {2.5, 0, 1}} {
			if c, ok := f.Near(p, 0.1); ok {
				t.Errorf("a straight edge is a rim: %+v", c)
			}
		}
	}
}

// TestSlot checks that the round ends of a slot are found as arcs of half a circle, and not its straight sides.
func TestSlot(t *testing.T) {
	var outline []mgl64.Vec3
	const n = 16
	for end := range 2 {
		for i := range n + 1 {
			sin, cos := math.Sincos(math.Pi*float64(i)/n + math.Pi*float64(end) - math.Pi/2)
			outline = append(outline, mgl64.Vec3{cos + 3 - 6*float64(end), sin, 0})
		}
	}
	s := newShape(mgl64.Ident4())
	up := mgl64.Vec3{0, 0, 1}
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		s.triangle(a, b, b.Add(up))
		s.triangle(a, b.Add(up), a.Add(up))
	}
	f := s.finder(t)
	for i := range n {
		sin, cos := math.Sincos(math.Pi*(float64(i)+0.5)/n - math.Pi/2)
		c, ok := f.Near([3]float64{cos + 3, sin, 0}, 0.1)
		if !ok || math.Abs(c.Diameter-2) > 0.01 || c.Arc < 0.9*math.Pi || c.Arc > 1.1*math.Pi {
			t.Errorf("segment %d: %+v, %v", i, c, ok)
		}
	}
	if c, ok := f.Near([3]float64{0, 1, 0}, 0.1); ok {
		t.Errorf("a straight side is a rim: %+v", c)
	}
}

// TestNoRims checks shapes without circles: polygons with few corners, ellipses, spirals, and points too far from an
// edge.
func TestNoRims(t *testing.T) {
	for _, n := range []int{3, 4, 6, 7} {
		s := newShape(mgl64.Ident4())
		s.revolve(washer, n, 2*math.Pi)
		if c, ok := s.finder(t).Near([3]float64{1, 0, 0}, 0.5); ok {
			t.Errorf("a prism of %d sides has the rim %+v", n, c)
		}
	}
	for _, leg := range []float64{0.02, 0.5, 2} { // legs of the triangles that are cut off a square plate
		s := newShape(mgl64.Ident4())
		var outline []mgl64.Vec3
		for _, p := range [][2]float64{{10, 10 - leg}, {10 - leg, 10}, {leg - 10, 10}, {-10, 10 - leg}, {-10, leg - 10}, {leg - 10, -10}, {10 - leg, -10}, {10, leg - 10}} {
			outline = append(outline, mgl64.Vec3{p[0], p[1], 0})
		}
		for i, a := range outline {
			b := outline[(i+1)%len(outline)]
			s.triangle(a, b, b.Add(mgl64.Vec3{0, 0, 5}))
			s.triangle(a, b.Add(mgl64.Vec3{0, 0, 5}), a.Add(mgl64.Vec3{0, 0, 5}))
		}
		f := s.finder(t)
		for _, p := range [][3]float64{{10, 0, 0}, {10 - leg/2, 10 - leg/2, 0}, {0, -10, 5}} {
			if c, ok := f.Near(p, 0.1); ok {
				t.Errorf("a plate with legs of %g has the rim %+v", leg, c)
			}
		}
	}
	flat := newShape(mgl64.Scale3D(2, 1, 1))
	flat.revolve(washer, 36, 2*math.Pi)
	for i := range 36 {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.5) / 36)
		if c, ok := flat.finder(t).Near([3]float64{6 * cos, 3 * sin, 1}, 0.2); ok {
			t.Errorf("segment %d of an ellipse has the rim %+v", i, c)
		}
	}
	oval := newShape(mgl64.Scale3D(1.02, 1, 1))
	oval.revolve(washer, 64, 2*math.Pi)
	if c, ok := oval.finder(t).Near([3]float64{1.02, 0, 0}, 0.1); ok && c.Arc > math.Pi {
		t.Errorf("an ellipse has the rim %+v", c)
	}
	round := newShape(mgl64.Ident4())
	round.revolve(washer, 64, 2*math.Pi)
	if c, ok := round.finder(t).Near([3]float64{0.5, 0, 0}, 0.4); ok {
		t.Errorf("the rim %+v is too far away", c)
	}
	if _, ok := newShape(mgl64.Ident4()).finder(t).Near([3]float64{}, math.Inf(1)); ok {
		t.Error("a mesh without triangles has a rim")
	}
}

// TestAnyMesh checks that random triangles cause no panic, and that all circles found have finite numbers. Some
// triangles have no area, and some have corners that are not finite.
func TestAnyMesh(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		s := newShape(mgl64.Ident4())
		for range random.IntN(60) {
			var c [3]mgl64.Vec3
			for k := range c {
				for axis := range 3 {
					c[k][axis] = float64(random.IntN(4))
					if random.IntN(50) == 0 {
						c[k][axis] = []float64{math.NaN(), math.Inf(1), -3e38, 1e-40}[random.IntN(4)]
					}
				}
			}
			s.triangle(c[:]...)
		}
		f := s.finder(t)
		for range 20 {
			c, ok := f.Near([3]float64{4 * random.Float64(), 4 * random.Float64(), 4 * random.Float64()}, 2)
			if ok && !(c.Diameter > 0 && c.Diameter < math.Inf(1) && c.Arc > 0 && c.Corners >= 5) {
				t.Fatalf("%+v", c)
			}
		}
	}
}

// TestCalledOff checks that the search ends with its context.
func TestCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newShape(mgl64.Ident4())
	s.revolve(washer, 8, 2*math.Pi)
	if _, err := rim.New(ctx, &s.mesh); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
