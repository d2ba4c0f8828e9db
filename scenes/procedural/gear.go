package procedural

import (
	"math"

	"lockstep/scenes/procedural/internal/numeric"
)

// A gear is a closed grid. u runs around the axis, tooth by tooth. v runs around the cross-section. It starts at the
// bottom of the rim and returns there over the top and through the bore.

// gearTooth is the outline of a tooth. Each entry is a position and a radius. Positions are fractions of the pitch,
// which is the width of a tooth and a gap.
var gearTooth = [...][2]float64{{0, 0.84}, {0.22, 0.84}, {0.40, 1}, {0.60, 1}, {0.78, 0.84}}

// gearSection is the upper half of the cross-section, from the rim inwards. Each entry has a factor for the radius of
// the outline, a radius that is added, and a height. The gear has a chamfer at the rim, a web thinner than rim and hub,
// and a chamfered bore.
var gearSection = [...][3]float64{
	{1, 0, 0.16}, {1, -0.02, 0.18}, {0, 0.70, 0.18}, {0, 0.67, 0.07}, {0, 0.40, 0.07}, {0, 0.37, 0.22}, {0, 0.22, 0.22}, {0, 0.20, 0.20},
}

func buildGear(p *params) shape {
	n := p.triangles(50_000, 1000)
	teeth := p.count("teeth", 24, 5, 400)
	return gearGrid(n, teeth, func(q [3]float64) [3]float64 { return q })
}

// gearGrid returns a gear of about n triangles. The function place maps its points to positions in the scene.
func gearGrid(n, teeth int, place func(q [3]float64) [3]float64) *grid {
	const corners, sections = len(gearTooth), 2 * len(gearSection)
	cells := float64(n) / 2 / float64(teeth*corners*sections)
	across, along := gearCells(cells)
	nu, nv := teeth*corners*along, sections*across
	return &grid{faces: 1, nu: nu, nv: nv, point: func(_, i, j int) [3]float64 {
		i, j = i%nu, j%nv
		turned, radius := gearOutline(i/along, float64(i%along)/float64(along))
		share, extra, height := gearLoop(j/across, float64(j%across)/float64(across))
		r := float64(share*radius) + extra
		c, s := numeric.Circle(turned / float64(teeth))
		return place([3]float64{float64(r * c), float64(r * s), height})
	}}
}

// gearCells returns the number of parts into which each piece of the cross-section (across) and each piece of the
// outline (along) is divided. The parts are roughly square, and across*along is as near as possible to `cells`.
func gearCells(cells float64) (across, along int) {
	square := math.Sqrt(cells)
	least := math.Inf(1)
	for a := max(1, int(square/1.5)); a <= int(square*1.5)+1; a++ {
		b := max(1, int(math.Round(cells/float64(a))))
		if off := math.Abs(float64(a*b) - cells); off < least {
			across, along, least = a, b, off
		}
	}
	return across, along
}

// gearOutline returns the point of the outline at fraction f of the way from corner k to corner k+1: its position in
// pitches, and its radius.
func gearOutline(k int, f float64) (place, radius float64) {
	n := len(gearTooth)
	tooth, a, b := float64(k/n), gearTooth[k%n], gearTooth[(k+1)%n]
	if k%n == n-1 {
		b[0]++
	}
	return tooth + numeric.Mix(f, a[0], b[0]), numeric.Mix(f, a[1], b[1])
}

// gearLoop returns the point of the cross-section at fraction f of the way from corner k to corner k+1. The three
// numbers mean the same as in gearSection. The corners of the upper half come first, and those of the lower half follow
// in reverse order.
func gearLoop(k int, f float64) (share, extra, height float64) {
	a, b := gearCorner(k), gearCorner(k+1)
	return numeric.Mix(f, a[0], b[0]), numeric.Mix(f, a[1], b[1]), numeric.Mix(f, a[2], b[2])
}

func gearCorner(k int) [3]float64 {
	n := len(gearSection)
	k %= 2 * n
	if k < n {
		return gearSection[k]
	}
	c := gearSection[2*n-1-k]
	c[2] = -c[2]
	return c
}
