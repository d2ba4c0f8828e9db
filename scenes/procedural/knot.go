package procedural

import (
	"math"

	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// The knot is a tube around the trefoil
//
//	C(s) = ((2 + cos 3s) cos 2s, (2 + cos 3s) sin 2s, sin 3s),
//
// which lies on a torus. The normal of the torus at C is perpendicular to the trefoil, so it gives the cross-section of
// the tube an orientation. This orientation returns to its start after one turn, so the tube has no twist.
const (
	knotTube  = 0.52 // radius of the tube
	knotRatio = 9.6  // length of the trefoil, which is 31.4, divided by the circumference of the tube
)

func buildKnot(p *params) shape {
	nu, nv := gridSize(p.triangles(400_000, 18), knotRatio)
	colors := p.count("colors", 1, 0, 1)
	relief := newScales(nu, nv)
	g := &grid{faces: 1, nu: nu, nv: nv, point: func(_, i, j int) [3]float64 {
		i, j = i%nu, j%nv
		center, normal, side := trefoil(float64(i) / float64(nu))
		c, s := numeric.Turn(j, nv)
		h, _ := relief.at(float64(i)/float64(nu), float64(j)/float64(nv))
		r := knotTube + h
		return vector.Add(center, vector.Add(vector.Scale(float64(r*c), normal), vector.Scale(float64(r*s), side)))
	}}
	if colors == 1 {
		g.color = func(_, i, j int) uint32 {
			_, row := relief.at((float64(i)+0.5)/float64(nu), (float64(j)+0.5)/float64(nv))
			return knotColor(row)
		}
	}
	return g
}

// trefoil returns the point of the trefoil at s turns, and two unit vectors that are perpendicular to each other and to
// the trefoil.
func trefoil(s float64) (center, normal, side [3]float64) {
	c2, s2 := numeric.Circle(2 * s)
	c3, s3 := numeric.Circle(3 * s)
	r := 2 + c3
	center = [3]float64{float64(r * c2), float64(r * s2), s3}
	normal = [3]float64{float64(c3 * c2), float64(c3 * s2), s3}
	tangent := [3]float64{
		float64(-2*float64(r*s2)) - float64(3*float64(s3*c2)),
		float64(2*float64(r*c2)) - float64(3*float64(s3*s2)),
		float64(3 * c3),
	}
	side = vector.Cross(normal, tangent)
	return center, normal, vector.Scale(1/math.Sqrt(vector.Dot(side, side)), side)
}

// A scales is the surface pattern of the knot: rows of overlapping scales, like those of a snake. Each row is shifted
// by half a scale.
type scales struct {
	rows   int // rows along the tube; even, so that the last row fits the first
	around int // scales in a row; 0: the mesh is too coarse to show scales
	height float64
}

// newScales returns the scales for a mesh of nu by nv vertices. A scale is about ten vertices wide, but at least 1/18
// of the circumference.
func newScales(nu, nv int) scales {
	around := min(nv/10, 18)
	if around < 6 {
		return scales{}
	}
	rows := 2 * int(math.Round(knotRatio*float64(around)*0.62))
	return scales{rows: rows, around: around, height: knotTube * 2.2 / float64(around)}
}

// at returns the height of the pattern at the point (u, v): u is along and v around the tube, both in [0, 1). `part` is
// the position along the tube, in [0, 1), of the scale that is on top there.
func (r *scales) at(u, v float64) (height, part float64) {
	if r.around == 0 {
		// A coarse mesh has three strands that wind along the tube, and no scales.
		wave, _ := numeric.Circle(float64(3*v) + float64(14*u))
		return float64(0.07 * wave), u
	}
	x, y := float64(u*float64(r.rows)), float64(v*float64(r.around))
	row := math.Floor(x)
	best, bestRow := math.Inf(-1), row
	// A scale overlaps the next two rows.
	for k := -2.0; k <= 1; k++ {
		at := row + k
		shift := 0.5 * math.Mod(at+4, 2)
		dx := x - at
		dy := y - shift
		dy -= math.Round(dy)
		if h := scaleHeight(dx, dy); h > best {
			best, bestRow = h, at
		}
	}
	n := float64(r.rows)
	return float64(r.height * best), math.Mod(bestRow+n, n) / n
}

// scaleHeight returns the height of a scale at a point. dx is the distance of the point from the root of the scale
// along the tube, in rows. dy is the distance across, in scales. A scale is a dome that rises towards its tip, 1.9 rows
// from its root, and falls steeply outside its rim.
func scaleHeight(dx, dy float64) float64 {
	const length, width = 1.9, 0.60
	x, y := dx/length, dy/width
	rim := 1 - float64(y*y) - float64(math.Abs(x)*float64(x*x))
	ridge := 0.10 * (1 - math.Min(1, math.Abs(dy)*5))
	if rim < 0 {
		return math.Max(-0.2, float64(rim*3))
	}
	return float64(math.Sqrt(rim)*0.25) + float64(0.55*math.Max(0, x)) + float64(ridge*math.Sqrt(rim))
}

// knotColor returns the colour at position u along the tube, from a cyclic palette.
func knotColor(u float64) uint32 {
	palette := [...][3]float64{{18, 78, 120}, {20, 138, 142}, {240, 200, 96}, {226, 109, 70}, {120, 50, 110}}
	x := u * float64(len(palette))
	k := int(x) % len(palette)
	a, b := palette[k], palette[(k+1)%len(palette)]
	var rgb uint32
	for c := range 3 {
		rgb = rgb<<8 | uint32(math.Round(numeric.Mix(numeric.Fade(x-math.Floor(x)), a[c], b[c])))
	}
	return rgb
}
