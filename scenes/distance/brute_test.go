package distance_test

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
	"lockstep/scenes/distance"
)

// brute returns the distance of a point from a mesh by another method. It takes the nearest point of every edge, and
// the projection of the point onto the plane of a triangle if the projection is inside the triangle.
func brute(m *scenes.Mesh, p [3]float64) float64 {
	least := math.Inf(1)
	p = sub(p, m.Origin)
	for t := range m.Len() {
		var v [3][3]float64
		for k, c := range m.Triangle(t) {
			for axis := range c {
				v[k][axis] = float64(c[axis])
			}
		}
		n := cross(sub(v[1], v[0]), sub(v[2], v[0]))
		size := math.Sqrt(dot(n, n))
		if size == 0 {
			continue
		}
		inside := true
		for k := range 3 {
			a, b := v[k], v[(k+1)%3]
			inside = inside && dot(cross(sub(b, a), sub(p, a)), n) >= 0
			ab := sub(b, a)
			s := min(max(dot(sub(p, a), ab)/dot(ab, ab), 0), 1)
			d := sub(p, [3]float64{a[0] + s*ab[0], a[1] + s*ab[1], a[2] + s*ab[2]})
			least = min(least, math.Sqrt(dot(d, d)))
		}
		if inside {
			least = min(least, math.Abs(dot(sub(p, v[0]), n))/size)
		}
	}
	return least
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func sub(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// coordinate generates numbers. Some are on coarse grids, so that corners coincide and triangles degenerate.
func coordinate() *rapid.Generator[float32] {
	return rapid.OneOf(
		rapid.Map(rapid.IntRange(-3, 3), func(n int) float32 { return float32(n) }),
		rapid.Float32Range(-3, 3),
		rapid.Map(rapid.IntRange(-3, 3), func(n int) float32 { return float32(n) * (1 + 1e-6) }),
	)
}

func soup() *rapid.Generator[*scenes.Mesh] {
	return rapid.Custom(func(t *rapid.T) *scenes.Mesh {
		var all [][3][3]float32
		for range rapid.IntRange(1, 40).Draw(t, "triangles") {
			var c [3][3]float32
			for k := range c {
				for axis := range c[k] {
					c[k][axis] = coordinate().Draw(t, "x")
				}
			}
			all = append(all, c)
		}
		m := meshOf(all...)
		if rapid.Bool().Draw(t, "far away") {
			m.Origin = [3]float64{1e4, -3e3, 12}
		}
		return m
	})
}

// TestNearestIsNearest compares the tree with a search of all triangles.
func TestNearestIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := soup().Draw(t, "mesh")
		s, err := distance.New(context.Background(), distance.Item{Mesh: m}, 1)
		if err != nil {
			return
		}
		for range 10 {
			var p [3]float64
			for axis := range p {
				p[axis] = m.Origin[axis] + float64(coordinate().Draw(t, "p"))*rapid.SampledFrom([]float64{1, 0.5, 3}).Draw(t, "scale")
			}
			got, want := s.At(p), brute(m, p)
			if !(math.Abs(math.Abs(got)-want) <= 1e-6*6) {
				t.Fatalf("%v: %v, want %v", p, got, want)
			}
		}
	})
}

// TestSigns checks the sign of distances from a faceted sphere. The distance must be negative for points inside all
// facets, and positive for points outside the sphere.
func TestSigns(t *testing.T) {
	s, err := distance.New(context.Background(), distance.Item{Mesh: scene(t, "scene:sphere?triangles=2000")}, 2)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var p [3]float64
		for axis := range p {
			p[axis] = rapid.Float64Range(-1.5, 1.5).Draw(t, "p")
		}
		r := math.Sqrt(dot(p, p))
		if got := s.At(p); r > 1.001 && got <= 0 || r < 0.98 && got >= 0 || math.Abs(got-(r-1)) > 0.02 {
			t.Fatalf("%v at radius %v: %v", p, r, got)
		}
	})
}

// FuzzDegenerate measures distances between meshes with arbitrary coordinates. No distance may be NaN, and the distance
// of a mesh from itself must be 0.
func FuzzDegenerate(f *testing.F) {
	f.Add([]byte{}, 1.0)
	f.Add([]byte("\x00\x00\x80\x7f\x00\x00\xc0\x7f abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"), 1.0)
	f.Add(make([]byte, 200), -2.0)
	tiny := make([]byte, 0, 36*3)
	for i := range 27 {
		tiny = append(tiny, byte(i*i), byte(i), byte(i*7%13), byte(i&1)<<7)
	}
	f.Add(tiny, 1e-3)
	f.Fuzz(func(t *testing.T, data []byte, scale float64) {
		if scale-scale != 0 || len(data) > 1<<12 {
			return
		}
		m := meshOfBytes(data)
		items := []distance.Item{{Mesh: m}, {Mesh: m, Transform: scaled(scale)}, {Mesh: cube(-1, 1)}}
		o := distance.Options{Refinement: distance.Refinement{Most: 2000}}
		for i, from := range items {
			for j, to := range items {
				got, err := distance.Measure(context.Background(), from, to, o)
				if err != nil {
					continue
				}
				for _, x := range []float64{got.Least, got.Greatest, got.Mean, got.RMS, got.Area, got.Beyond(0.1), got.Spacing} {
					if x-x != 0 {
						t.Fatalf("%d to %d: %+v of %v", i, j, x, data)
					}
				}
				if i == j && got.Max() > 1e-12*extent(from) {
					t.Fatalf("%d: %v from itself", i, got.Max())
				}
			}
		}
	})
}

// meshOfBytes reads a mesh with nine float32 per triangle.
func meshOfBytes(data []byte) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(len(data) / 36)}
	for t := range m.Len() {
		var c [3][3]float32
		for k := range 9 {
			b := data[36*t+4*k:]
			c[k/3][k%3] = math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
		}
		m.Set(t, c)
	}
	return m
}

// extent returns the largest coordinate of an item after its transform.
func extent(it distance.Item) float64 {
	b := it.Mesh.Bounds()
	if b.Empty() {
		return 0
	}
	largest := 0.0
	for axis := range 3 {
		largest = max(largest, math.Abs(b.Min[axis]), math.Abs(b.Max[axis]))
	}
	if it.Transform != nil {
		largest *= math.Abs(it.Transform[0][0])
	}
	return largest
}
