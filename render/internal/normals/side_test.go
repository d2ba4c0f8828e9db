package normals

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// A facet holds the normal, the weight and the side of a triangle at one of its corners.
type facet struct {
	n      mgl64.Vec3
	weight float64
	side   int
}

// facetAt returns the facet at corner k of triangle t.
func facetAt(b *scenes.Block, t, k int) facet {
	var p [3]mgl64.Vec3
	for i, q := range b.Triangle(t) {
		p[i] = mgl64.Vec3{float64(q[0]), float64(q[1]), float64(q[2])}
	}
	u, v := p[(k+1)%3].Sub(p[k]), p[(k+2)%3].Sub(p[k])
	n := u.Cross(v)
	return facet{n.Normalize(), n.Len() * math.Atan2(n.Len(), u.Dot(v)), -1}
}

// angle returns the angle between unit vectors.
func angle(a, b mgl64.Vec3) float64 { return math.Atan2(a.Cross(b).Len(), a.Dot(b)) }

// specNormal implements the rule of Normals for one corner in a simple way, in float64 and over all triangles. crease
// is in radians.
func specNormal(b *scenes.Block, k, t int, crease float64) (sum mgl64.Vec3) {
	var around []facet
	own := 0
	for other := range b.Len() {
		for j, p := range b.Triangle(other) {
			if p == b.Triangle(t)[k] {
				if other == t {
					own = len(around)
				}
				around = append(around, facetAt(b, other, j))
			}
		}
	}
	sides := 0
	for i := range around {
		if around[i].side < 0 {
			spread(around, i, sides, crease)
			sides++
		}
	}
	me := around[own]
	for _, o := range around {
		fade := (me.n.Dot(o.n) - math.Cos(2*crease)) / (math.Cos(crease) - math.Cos(2*crease))
		weight := o.weight * min(max(fade, 0), 1)
		if o.side != me.side {
			weight *= specSoftness(around, me.side, o.side, crease)
		}
		sum = sum.Add(o.n.Mul(weight))
	}
	return sum.Normalize()
}

// spread sets the side of facet i, and of all facets that can be reached from it by steps within the crease.
func spread(around []facet, i, side int, crease float64) {
	around[i].side = side
	for j := range around {
		if around[j].side < 0 && angle(around[i].n, around[j].n) <= crease {
			spread(around, j, side, crease)
		}
	}
}

// specSoftness implements the rule of softness between the sides a and b in a simple way.
func specSoftness(around []facet, a, b int, crease float64) float64 {
	var mean [2]mgl64.Vec3
	nearest := math.Pi
	for _, f := range around {
		switch f.side {
		case a:
			mean[0] = mean[0].Add(f.n.Mul(f.weight))
			for _, g := range around {
				if g.side == b {
					nearest = min(nearest, angle(f.n, g.n))
				}
			}
		case b:
			mean[1] = mean[1].Add(f.n.Mul(f.weight))
		}
	}
	axis := mean[0].Cross(mean[1]).Normalize()
	u := mean[0].Normalize()
	v := axis.Cross(u)
	var least, most [2]float64
	least = [2]float64{math.Pi, math.Pi}
	most = [2]float64{-math.Pi, -math.Pi}
	for _, f := range around {
		for i, side := range [2]int{a, b} {
			if f.side == side {
				at := math.Atan2(f.n.Dot(v), f.n.Dot(u))
				least[i], most[i] = min(least[i], at), max(most[i], at)
			}
		}
	}
	width := min(6*math.Sqrt((most[0]-least[0])*(most[1]-least[1])), crease)
	if width < 1e-6 {
		return 0
	}
	return min(max(1-(nearest-crease)/width, 0), 1)
}

// fan returns triangles around the origin between the given points, closed or open.
func fan(points []mgl64.Vec3, closed bool) *scenes.Block {
	n := len(points) - 1
	if closed {
		n++
	}
	b := scenes.MakeBlock(n)
	for t := range n {
		b.Set(t, [3][3]float32{{}, float32s(points[t]), float32s(points[(t+1)%len(points)])})
	}
	return &b
}

func float32s(p mgl64.Vec3) [3]float32 {
	return [3]float32{float32(p[0]), float32(p[1]), float32(p[2])}
}

const (
	degree   = math.Pi / 180
	sharpest = 35 * degree
)

// normalAtCenter returns the normal of triangle t of a fan at the centre of the fan.
func normalAtCenter(b *scenes.Block, t int) mgl64.Vec3 {
	n := Unpack(Normals(b, math.Cos(sharpest), 1, inTurn)[3*t])
	return mgl64.Vec3{float64(n.X), float64(n.Y), float64(n.Z)}
}

// TestWedge checks that two triangles are smooth if they bend by at most the crease, and have an edge otherwise.
func TestWedge(t *testing.T) {
	for degrees, smooth := range map[float64]bool{1: true, 30: true, 34.9: true, 35.1: false, 40: false, 120: false} {
		s, c := math.Sincos(degrees * degree)
		b := fan([]mgl64.Vec3{{0, -1, 0}, {1, 0, 0}, {0, c, s}}, false)
		got := angle(normalAtCenter(b, 0), normalAtCenter(b, 1)) / degree
		if want := map[bool]float64{true: 0, false: degrees}[smooth]; math.Abs(got-want) > 0.02 {
			t.Errorf("wedge of %g degrees: normals %g apart, want %g", degrees, got, want)
		}
	}
}

// TestHardEdges checks that the edge between a cylinder and its chamfer stays hard, for cylinders of several numbers of
// sides.
func TestHardEdges(t *testing.T) {
	for _, sides := range []int{12, 16, 24, 64} {
		for _, degrees := range []float64{38, 40, 45, 60} {
			// The fan is a part of the rim between the cylinder and its chamfer, around a vertex at the origin.
			turn := 2 * math.Pi / float64(sides)
			s, c := math.Sincos(turn)
			right, left := mgl64.Vec3{-s, c - 1, 0}, mgl64.Vec3{s, c - 1, 0}
			height, in := math.Cos(degrees*degree), math.Sin(degrees*degree)
			b := fan([]mgl64.Vec3{{0, 0, -1}, right.Sub(mgl64.Vec3{0, 0, 1}), right, right.Mul(1 - in).Add(mgl64.Vec3{0, -in, height}), {0, -in, height}, left}, true)
			wall, chamfer := mgl64.Vec3{0, 1, 0}, mgl64.Vec3{0, height, in}
			for triangle, want := range []mgl64.Vec3{wall, wall, chamfer, chamfer, chamfer, wall} {
				if got := normalAtCenter(b, triangle); angle(got, want) > turn/2+0.1*degree {
					t.Errorf("chamfer of %g degrees on %d sides, triangle %d: normal %v, want %v", degrees, sides, triangle, got, want)
				}
			}
			if got := angle(normalAtCenter(b, 1), normalAtCenter(b, 2)); got < (degrees-4)*degree {
				t.Errorf("chamfer of %g degrees on %d sides: normals only %g apart", degrees, sides, got/degree)
			}
		}
	}
}

// TestEndOfAnEdge checks that an edge is smooth at the vertex where it ends, because steps within the crease lead
// around its end.
func TestEndOfAnEdge(t *testing.T) {
	points := []mgl64.Vec3{{1, 0, 1}}
	for i := 1; i < 12; i++ {
		s, c := math.Sincos(float64(i) * 2 * math.Pi / 12)
		points = append(points, mgl64.Vec3{c, s, max(0, 0.72-0.3*float64(min(i, 12-i)))})
	}
	b := fan(points, true)
	edge := angle(facetAt(b, 11, 0).n, facetAt(b, 0, 0).n)
	if edge < 45*degree {
		t.Fatalf("the edge has %g degrees", edge/degree)
	}
	if got := angle(normalAtCenter(b, 11), normalAtCenter(b, 0)); got > edge/4 {
		t.Errorf("normals %g degrees apart at the end of an edge of %g", got/degree, edge/degree)
	}
}

// tilted returns a smooth fold of the given angle. It is about two triangles wide and runs at a slant to the grid.
func tilted(fold, slant float64) *scenes.Block {
	const side = 24
	height := func(i, j int) [3]float32 {
		across := (float64(i) + slant*float64(j)) / math.Hypot(1, slant)
		at := across - side/2*(1+slant)/math.Hypot(1, slant)
		return [3]float32{float32(i), float32(j), float32(-math.Tan(fold/2) * math.Sqrt(at*at+0.25))}
	}
	b := scenes.MakeBlock(2 * side * side)
	for i := range side {
		for j := range side {
			t := 2 * (side*i + j)
			b.Set(t, [3][3]float32{height(i, j), height(i+1, j), height(i+1, j+1)})
			b.Set(t+1, [3][3]float32{height(i, j), height(i+1, j+1), height(i, j+1)})
		}
	}
	return &b
}

// jumps counts the ends of shared edges at which the normals of the two triangles differ by more than the given angle,
// in degrees.
func jumps(b *scenes.Block, words []uint32, degrees float64) (n int) {
	type end struct{ at, to [3]float32 }
	seen := map[end]uint32{}
	for t := range b.Len() {
		p := b.Triangle(t)
		for k := range p {
			word := words[3*t+k]
			for _, to := range [2][3]float32{p[(k+1)%3], p[(k+2)%3]} {
				if other, ok := seen[end{p[k], to}]; ok && float64(Unpack(word).Dot(Unpack(other))) < math.Cos(degrees*degree) {
					n++
				}
				seen[end{p[k], to}] = word
			}
		}
	}
	return n
}

// TestNoTeeth tests folds at a slant to the mesh. Triangles that bend by more than the crease are beside triangles that
// bend by less. At small angles of the fold there may be no edge, and at larger angles a few ends of edges. If only
// triangles within the crease were averaged, normals would jump by more than 20 degrees at each bend.
func TestNoTeeth(t *testing.T) {
	for _, slant := range []float64{0.3, 0.5, 0.7} {
		for _, c := range []struct {
			fold, jump float64
			most       int
		}{{50, 5, 0}, {60, 10, 0}, {70, 20, 2}} {
			b := tilted(c.fold*degree, slant)
			if bends := jumps(b, flatNormals(b, 0, 1), 35); c.fold > 50 && bends < 30 {
				t.Fatalf("fold of %g degrees, slant %g: only %d ends of edges bend by more than the crease", c.fold, slant, bends)
			}
			if n := jumps(b, Normals(b, math.Cos(sharpest), 1, inTurn), c.jump); n > c.most {
				t.Errorf("fold of %g degrees, slant %g: %d jumps of more than %g degrees, want at most %d", c.fold, slant, n, c.jump, c.most)
			}
		}
	}
}
