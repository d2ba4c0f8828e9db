package kernel

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"pgregory.net/rapid"
)

// testView returns a view of a picture of the given size that draws snapped corners as they are given.
func testView(width, height int32) *geometry.View {
	return &geometry.View{Width: width, Height: height}
}

// hits scan-converts polygons and counts how often each pixel is covered.
func hits(p *array.Polygons, width, height int32) []int32 {
	count := make([]int32, int(width)*int(height))
	var scan scanline.Converter
	scan.Start()
	spans := array.MakeSpans(array.Lanes + 5) // a small array, so that a group is interrupted
	for finished := false; !finished; {
		spans.N = 0
		finished = scan.Run(p, spans, width, width)
		for s := range spans.N {
			if spans.Count[s] <= 0 {
				panic(fmt.Sprintf("span %d covers %d pixels", s, spans.Count[s]))
			}
			for k := range spans.Count[s] {
				count[int32(spans.Start[s])+k]++
			}
		}
	}
	return count
}

// covers decides by edge functions whether the centre of pixel (i, j) belongs to a triangle: it must be on the inner
// side of all three edges, or on a top edge or a left edge. It shares no code with scan conversion. It is exact,
// because differences are below 2^24, so that products fit into int64.
func covers(a, b, c array.Vertex, i, j int32) bool {
	area := cross(a, b, int64(c.X), int64(c.Y))
	if area == 0 {
		return false
	}
	if area < 0 {
		b, c = c, b
	}
	px, py := int64(i)*array.Sub+array.Half, int64(j)*array.Sub+array.Half
	for _, e := range [3][2]array.Vertex{{a, b}, {b, c}, {c, a}} {
		f := cross(e[0], e[1], px, py)
		if f < 0 || f == 0 && !topLeft(e[0], e[1]) {
			return false
		}
	}
	return true
}

// cross returns a positive number if p lies on the inner side of the edge from a to b of a triangle with positive area
// (clockwise on the screen, with y down).
func cross(a, b array.Vertex, px, py int64) int64 {
	return (int64(b.X)-int64(a.X))*(py-int64(a.Y)) - (px-int64(a.X))*(int64(b.Y)-int64(a.Y))
}

// topLeft reports whether an edge, in clockwise direction on the screen, is a top edge (horizontal, to the right) or a
// left edge (upwards).
func topLeft(a, b array.Vertex) bool {
	return a.Y == b.Y && b.X > a.X || b.Y < a.Y
}

// coversRat returns the same result as covers, but computes with rational numbers. The centre of the pixel must be at
// or to the right of the left crossing of its row, and to the left of the right crossing. The row must be at or below
// the top, and above the bottom.
func coversRat(a, b, c array.Vertex, i, j int32) bool {
	y := big.NewRat(int64(j)*array.Sub+array.Half, 1)
	x := big.NewRat(int64(i)*array.Sub+array.Half, 1)
	var crossings []*big.Rat
	for _, e := range [3][2]array.Vertex{{a, b}, {b, c}, {c, a}} {
		p, q := e[0], e[1]
		if p.Y > q.Y {
			p, q = q, p
		}
		py, qy := big.NewRat(int64(p.Y), 1), big.NewRat(int64(q.Y), 1)
		if y.Cmp(py) < 0 || y.Cmp(qy) >= 0 {
			continue
		}
		t := new(big.Rat).Sub(y, py)
		t.Quo(t, new(big.Rat).Sub(qy, py))
		t.Mul(t, big.NewRat(int64(q.X)-int64(p.X), 1))
		crossings = append(crossings, t.Add(t, big.NewRat(int64(p.X), 1)))
	}
	if len(crossings) != 2 {
		return false
	}
	l, r := crossings[0], crossings[1]
	if l.Cmp(r) > 0 {
		l, r = r, l
	}
	return x.Cmp(l) >= 0 && x.Cmp(r) < 0
}

// checkCoverage compares scan conversion with covers and coversRat at every pixel.
func checkCoverage(t interface{ Fatalf(string, ...any) }, tris [][3]array.Vertex, width, height int32) {
	v := testView(width, height)
	p := array.MakePolygons(len(tris))
	for _, tri := range tris {
		if box, ok := v.Visible(tri[0], tri[1], tri[2]); ok {
			p.Push(tri[0], tri[1], tri[2], box, geometry.Ambient, 0)
		}
	}
	got := hits(p, width, height)
	for j := range height {
		for i := range width {
			want := int32(0)
			for _, tri := range tris {
				if covers(tri[0], tri[1], tri[2], i, j) {
					want++
				}
			}
			if got[j*width+i] != want {
				t.Fatalf("pixel (%d, %d): hit %d times, want %d, by %v", i, j, got[j*width+i], want, tris)
			}
		}
	}
}

// triangleKinds holds functions that return triangles of kinds for which rasterisers often fail.
var triangleKinds = map[string]func(r *rand.Rand, size int32) [3]array.Vertex{
	"random": func(r *rand.Rand, size int32) (t [3]array.Vertex) {
		for k := range t {
			t[k] = array.Vertex{X: r.Int32N(size * array.Sub), Y: r.Int32N(size * array.Sub)}
		}
		return t
	},
	"tiny": func(r *rand.Rand, size int32) (t [3]array.Vertex) {
		x, y := r.Int32N(size*array.Sub), r.Int32N(size*array.Sub)
		for k := range t {
			t[k] = array.Vertex{X: x + r.Int32N(3*array.Sub), Y: y + r.Int32N(3*array.Sub)}
		}
		return t
	},
	"huge": func(r *rand.Rand, size int32) (t [3]array.Vertex) {
		for k := range t {
			t[k] = array.Vertex{X: r.Int32N(2*array.Guard+1) - array.Guard + size*array.Half, Y: r.Int32N(2*array.Guard+1) - array.Guard + size*array.Half}
		}
		return t
	},
	"sliver": func(r *rand.Rand, size int32) (t [3]array.Vertex) {
		x0, y0 := r.Int32N(size*array.Sub), r.Int32N(size*array.Sub)
		x1, y1 := r.Int32N(size*array.Sub), r.Int32N(size*array.Sub)
		at := r.Float64()
		t[0], t[1] = array.Vertex{X: x0, Y: y0}, array.Vertex{X: x1, Y: y1}
		t[2] = array.Vertex{
			X: x0 + int32(at*float64(x1-x0)) + r.Int32N(9) - 4,
			Y: y0 + int32(at*float64(y1-y0)) + r.Int32N(9) - 4,
		}
		return t
	},
	"on centres": func(r *rand.Rand, size int32) (t [3]array.Vertex) {
		for k := range t {
			t[k] = array.Vertex{X: r.Int32N(2*size) * array.Half, Y: r.Int32N(2*size) * array.Half}
		}
		return t
	},
	"off screen": func(r *rand.Rand, size int32) (t [3]array.Vertex) {
		for k := range t {
			t[k] = array.Vertex{X: (r.Int32N(3*size) - size) * array.Sub / 2 * 3, Y: (r.Int32N(3*size) - size) * array.Sub / 2 * 3}
		}
		return t
	},
}

func TestCoverageIsExact(t *testing.T) {
	const size = 40
	for name, make := range triangleKinds {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 400 {
				tris := make3(r, size, make)
				checkCoverage(t, tris, size, size)
			}
		})
	}
}

func make3(r *rand.Rand, size int32, one func(*rand.Rand, int32) [3]array.Vertex) [][3]array.Vertex {
	tris := make([][3]array.Vertex, 1+r.IntN(20))
	for i := range tris {
		tris[i] = one(r, size)
	}
	return tris
}

func TestOraclesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const size = 12
	for name, one := range triangleKinds {
		for range 60 {
			tri := one(r, size)
			for j := range int32(size) {
				for i := range int32(size) {
					if e, q := covers(tri[0], tri[1], tri[2], i, j), coversRat(tri[0], tri[1], tri[2], i, j); e != q {
						t.Fatalf("%s %v: pixel (%d, %d): edge functions %v, rational crossings %v", name, tri, i, j, e, q)
					}
				}
			}
		}
	}
}

func TestCoverageProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.Int32Range(1, 70).Draw(t, "width"), rapid.Int32Range(1, 70).Draw(t, "height")
		corner := rapid.Custom(func(t *rapid.T) array.Vertex {
			near := rapid.Int32Range(-2*array.Sub, 72*array.Sub)
			grid := rapid.Map(rapid.Int32Range(-4, 144), func(n int32) int32 { return n * array.Half })
			far := rapid.Int32Range(-array.Guard, array.Guard)
			c := rapid.OneOf(near, grid, far)
			return array.Vertex{X: c.Draw(t, "x"), Y: c.Draw(t, "y")}
		})
		var tris [][3]array.Vertex
		for range rapid.IntRange(1, 4).Draw(t, "triangles") {
			tris = append(tris, [3]array.Vertex{corner.Draw(t, "a"), corner.Draw(t, "b"), corner.Draw(t, "c")})
		}
		checkCoverage(t, tris, width, height)
	})
}

// FuzzCoverage compares scan conversion with covers for one triangle.
func FuzzCoverage(f *testing.F) {
	f.Add(int32(0), int32(0), int32(2560), int32(0), int32(0), int32(2560))
	f.Add(int32(-array.Guard), int32(array.Guard), int32(array.Guard), int32(-array.Guard), int32(5), int32(5))
	f.Add(int32(128), int32(128), int32(1152), int32(128), int32(640), int32(1152))
	f.Fuzz(func(t *testing.T, ax, ay, bx, by, cx, cy int32) {
		bound := func(c int32) int32 { return c % (array.Guard + 1) }
		tri := [3]array.Vertex{{X: bound(ax), Y: bound(ay)}, {X: bound(bx), Y: bound(by)}, {X: bound(cx), Y: bound(cy)}}
		checkCoverage(t, [][3]array.Vertex{tri}, 24, 24)
	})
}

// TestSharedEdges draws a fan of triangles that turns around a point and meets every pixel of its outline. Together the
// triangles must cover each pixel once, whatever their edges are.
func TestSharedEdges(t *testing.T) {
	const size = 48
	r := rand.New(rand.NewPCG(5, 6))
	v := testView(size, size)
	for range 300 {
		corners := []array.Vertex{{X: -array.Sub, Y: -array.Sub}, {X: size * array.Sub * 2, Y: -array.Sub}, {X: size * array.Sub * 2, Y: size * array.Sub * 2}, {X: -array.Sub, Y: size * array.Sub * 2}}
		center := array.Vertex{X: r.Int32N(size * array.Sub), Y: r.Int32N(size * array.Sub)}
		if r.IntN(2) == 0 { // through the centres of pixels
			center = array.Vertex{X: r.Int32N(size)*array.Sub + array.Half, Y: r.Int32N(size)*array.Sub + array.Half}
		}
		p := array.MakePolygons(len(corners))
		for k := range corners {
			a, b := corners[k], corners[(k+1)%len(corners)]
			if box, ok := v.Visible(center, a, b); ok {
				p.Push(center, a, b, box, geometry.Ambient, 0)
			}
		}
		for i, n := range hits(p, size, size) {
			if n != 1 {
				t.Fatalf("center %v: pixel (%d, %d) hit %d times", center, i%size, i/size, n)
			}
		}
	}
}
