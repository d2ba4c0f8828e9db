package polygon

import (
	"math"
	"slices"
	"testing"

	"lockstep/scenes/internal/vector"

	"pgregory.net/rapid"
)

// The function cut returns the triangles of a polygon.
func cut(corners [][3]float64) (tris [][3]int) {
	var c Cutter
	c.Cut(corners, func(i, j, k int) { tris = append(tris, [3]int{i, j, k}) })
	return tris
}

// in3 places the points of a plane in space. The plane is tilted, so that no axis is special.
func in3(points [][2]float64) (corners [][3]float64) {
	u, v := [3]float64{0.36, 0.48, -0.8}, [3]float64{-0.8, 0.6, 0}
	for _, p := range points {
		corners = append(corners, vector.Add([3]float64{5, -3, 2}, vector.Add(vector.Scale(p[0], u), vector.Scale(p[1], v))))
	}
	return corners
}

// check checks that a polygon is cut into n-2 triangles that have its orientation and add up to its area. The triangles
// must use each side of the polygon once, and every other edge once in each direction.
func check(t interface{ Fatalf(string, ...any) }, points [][2]float64) {
	corners := in3(points)
	tris := cut(corners)
	if len(tris) != len(points)-2 {
		t.Fatalf("%d corners, %d triangles: %v", len(points), len(tris), points)
	}
	area, sum := 0.0, 0.0
	for i, p := range points {
		q := points[(i+1)%len(points)]
		area += (p[0]*q[1] - p[1]*q[0]) / 2
	}
	edges := make(map[[2]int]int)
	for _, tri := range tris {
		a, b, c := points[tri[0]], points[tri[1]], points[tri[2]]
		part := ((b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])) / 2
		if part*area < -1e-9 {
			t.Fatalf("triangle %v turns the other way: %v", tri, points)
		}
		sum += part
		for k := range tri {
			edges[[2]int{tri[k], tri[(k+1)%3]}]++
		}
	}
	if math.Abs(sum-area) > 1e-9*math.Abs(area) {
		t.Fatalf("area %v, want %v: %v", sum, area, points)
	}
	for e, n := range edges {
		side := (e[0]+1)%len(points) == e[1]
		if n != 1 || side != (edges[[2]int{e[1], e[0]}] == 0) {
			t.Fatalf("edge %v: %v", e, points)
		}
	}
}

func TestKnown(t *testing.T) {
	l := [][2]float64{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}
	comb := [][2]float64{{0, 0}, {9, 0}}
	for x := 9.0; x > 0; x-- {
		comb = append(comb, [2]float64{x, 5}, [2]float64{x - 0.5, 1})
	}
	for name, p := range map[string][][2]float64{
		"triangle": {{0, 0}, {1, 0}, {0, 1}},
		"square":   {{0, 0}, {1, 0}, {1, 1}, {0, 1}},
		"arrow":    {{0, 0}, {2, -1}, {1, 0}, {2, 1}},
		"L":        l,
		"comb":     comb,
		"straight": {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {3, 3}, {2, 1}, {1, 1.5}, {0, 3}},
		// The outline and a hole are joined by an edge that is traversed twice.
		"hole": {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "hole" {
				sum := 0.0
				for _, tri := range cut(in3(p)) {
					a, b, c := p[tri[0]], p[tri[1]], p[tri[2]]
					sum += ((b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])) / 2
				}
				if math.Abs(sum-12) > 1e-9 {
					t.Errorf("area %v, want 12", sum)
				}
				return
			}
			check(t, p)
			slices.Reverse(p)
			check(t, p)
		})
	}
	if got := cut(in3([][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}})); !slices.Equal(got, [][3]int{{0, 1, 2}, {0, 2, 3}}) {
		t.Errorf("a square is not a fan: %v", got)
	}
}

// TestStars cuts random stars, in which no side hides another from the centre.
func TestStars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 60).Draw(t, "corners")
		var points [][2]float64
		for i := range n {
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			r := rapid.Float64Range(0.1, 1).Draw(t, "radius")
			points = append(points, [2]float64{r * c, r * s})
		}
		check(t, points)
	})
}

// TestAnything checks that arbitrary corners give n-2 triangles.
func TestAnything(t *testing.T) {
	values := []float64{0, 1, -1, 2, 1e300, math.NaN(), math.Inf(1)}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 40).Draw(t, "corners")
		corners := make([][3]float64, n)
		for i := range corners {
			for c := range 3 {
				corners[i][c] = rapid.SampledFrom(values).Draw(t, "coordinate")
			}
		}
		if got := len(cut(corners)); got != n-2 {
			t.Fatalf("%d triangles of %d corners", got, n)
		}
	})
}

// TestWork checks that a concave polygon becomes a fan if the work allowed for the mesh is used up.
func TestWork(t *testing.T) {
	// The fan around the first corner would leave the polygon at its third corner.
	arrow := [][3]float64{{4, 0, 0}, {1, 1, 0}, {0, 4, 0}, {0, 0, 0}}
	first := func(c *Cutter) (got [3]int) {
		n := 0
		c.Cut(arrow, func(i, j, k int) {
			if n == 0 {
				got = [3]int{i, j, k}
			}
			n++
		})
		return got
	}
	if ears, fan := first(new(Cutter)), first(&Cutter{work: maxWork}); ears == fan || fan != [3]int{0, 1, 2} {
		t.Errorf("%v with work left, %v without", ears, fan)
	}
}
