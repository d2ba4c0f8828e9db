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

// testView has a picture of that many pixels and draws snapped corners as they
// are given.
func testView(width, height int32) *geometry.View {
	return &geometry.View{Width: width, Height: height}
}

// hits scan-converts the polygons and counts how often each pixel is covered.
func hits(p *array.Polygons, width, height int32) []int32 {
	count := make([]int32, int(width)*int(height))
	var scan scanline.Converter
	scan.Start()
	spans := array.MakeSpans(array.Lanes + 5) // small, so that a group is interrupted
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

// covers decides by edge functions whether the centre of pixel (i, j) belongs
// to the triangle: it lies on the inner side of all three edges, or on a top or
// a left one. It shares nothing with scan conversion. Exact: differences are
// below 2^24, so products stay within int64.
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

// cross is positive when p lies on the inner side of the edge from a to b of a
// triangle with positive area (clockwise on the screen, y down).
func cross(a, b array.Vertex, px, py int64) int64 {
	return (int64(b.X)-int64(a.X))*(py-int64(a.Y)) - (px-int64(a.X))*(int64(b.Y)-int64(a.Y))
}

// topLeft reports whether an edge, going clockwise on the screen, is a top edge
// (horizontal, to the right) or a left one (upwards).
func topLeft(a, b array.Vertex) bool {
	return a.Y == b.Y && b.X > a.X || b.Y < a.Y
}

// coversRat is the same by rational crossings: the pixel's centre is at or right of
// the left crossing of its row and left of the right one; the row is at or
// below the top and above the bottom.
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

// checkCoverage compares scan conversion with the oracle at every pixel.
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

// triangleKinds draws the kinds of triangle that break rasterisers.
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

// FuzzCoverage compares one triangle with the oracle.
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

// TestSharedEdges turns a fan of triangles around a point through every pixel
// of its outline: together they cover each pixel once, whatever the edges.
func TestSharedEdges(t *testing.T) {
	const size = 48
	r := rand.New(rand.NewPCG(5, 6))
	v := testView(size, size)
	for range 300 {
		corners := []array.Vertex{{X: -array.Sub, Y: -array.Sub}, {X: size * array.Sub * 2, Y: -array.Sub}, {X: size * array.Sub * 2, Y: size * array.Sub * 2}, {X: -array.Sub, Y: size * array.Sub * 2}}
		center := array.Vertex{X: r.Int32N(size * array.Sub), Y: r.Int32N(size * array.Sub)}
		if r.IntN(2) == 0 { // through pixel centres
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
