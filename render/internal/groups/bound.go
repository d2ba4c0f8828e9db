package groups

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
)

// A Projector computes bounds of groups of triangles: the samples that a group can cover in a picture, and its
// nearness.
type Projector struct {
	groups     *Groups
	view       *geometry.View
	x, y, w, e interval
}

// An interval computes bounds of the product of a row of a view's matrix and the vertices in a box. The product for a
// vertex p, in coordinates of the mesh, is row*p + offset. maxError is the largest error of the product in float32
// arithmetic.
type interval struct {
	row      [3]float64
	offset   float64
	maxError float64
}

// A Bound holds the range of samples whose centres a group's triangles may cover, and an upper bound of their
// nearness. The ends of the range are exclusive. The range may reach beyond the picture.
type Bound struct {
	array.Box
	Near float32
}

// Projector returns the projector for view v.
func (g *Groups) Projector(v *geometry.View) Projector {
	p := Projector{groups: g, view: v, w: interval{offset: 1}}
	p.x, p.y = g.interval(v, &v.X), g.interval(v, &v.Y)
	if !v.Orthographic {
		p.w = g.interval(v, &v.W)
	}
	if v.Orthographic || v.Distant {
		p.e = g.interval(v, &v.E)
	}
	return p
}

func (g *Groups) interval(v *geometry.View, row *[4]float32) interval {
	r, scale := toFloat64(row), float64(v.Scale)
	result := interval{offset: r[3]}
	size := math.Abs(r[3])
	for axis := range 3 {
		pivot := float64(v.Pivot[axis])
		result.row[axis] = r[axis] * scale
		result.offset -= r[axis] * scale * pivot
		size += math.Abs(r[axis]) * (g.maxMagnitude[axis] + math.Abs(pivot)) * scale
	}
	result.maxError = precision * size
	return result
}

// valueAt returns the value of the row at a point.
func (r *interval) valueAt(point *[3]float64) float64 {
	return r.offset + r.row[0]*point[0] + r.row[1]*point[1] + r.row[2]*point[2]
}

// bounds returns the least and the largest value of the row in a box. The box is given by its middle and its half
// size.
func (r *interval) bounds(middle, half *[3]float64) (lo, hi float64) {
	c := r.valueAt(middle)
	h := r.maxError + math.Abs(r.row[0])*half[0] + math.Abs(r.row[1])*half[1] + math.Abs(r.row[2])*half[2]
	return c - h, c + h
}

const (
	// margin is the largest number of subpixels by which rounding may move a corner. A corner is rounded when it is
	// multiplied by a rounded 1/w and when it is snapped.
	margin = 2
	// nearnessFactor covers the rounding errors of a nearness, which is computed by a quotient and a product.
	nearnessFactor = 1 + 1.0/(1<<20)
	// MaxExtent is the greatest width and height of groups that have bounds, in subpixels; it is 256 pixels.
	MaxExtent = 1 << 16
	// boundFactor is a factor like that of array.NearestBound, for polygons up to MaxExtent. The proof is that of
	// NearestBound with 2^16 in place of 2^14: a dozen roundings are off by at most m*2^(16+16+1-53) each, and together
	// by less than m*2^-16.
	boundFactor = 1 + 1.0/(1<<15)
)

// Bound returns the bounds of group i. ok is false if the group is not entirely in front of the near plane, is larger
// than MaxExtent, reaches too far from the picture's centre, or has a corner that is not finite.
func (p *Projector) Bound(i int) (b Bound, ok bool) { return p.bound(&p.groups.boxes, i) }

// BundleBound is like Bound, for bundle i instead of a group.
func (p *Projector) BundleBound(i int) (b Bound, ok bool) { return p.bound(&p.groups.bundles, i) }

func (p *Projector) bound(boxes *boxes, i int) (b Bound, ok bool) {
	var middle, half [3]float64
	for axis := range 3 {
		lo, hi := float64(boxes.lo[axis][i]), float64(boxes.hi[axis][i])
		middle[axis], half[axis] = (lo+hi)/2, (hi-lo)/2
	}
	v := p.view
	nearest, minInverse, maxInverse := float64(v.Near), 1.0, 1.0 // bounds of 1/w in the box
	if !v.Orthographic {
		lo, hi := p.w.bounds(&middle, &half)
		if !(lo > 0) || !v.Distant && !(lo > nearest) {
			return b, false
		}
		minInverse, maxInverse = 1/hi, 1/lo
	}
	if v.Orthographic || v.Distant {
		lo, hi := p.e.bounds(&middle, &half)
		if !(lo >= 0) || !(hi*maxInverse*nearnessFactor <= nearest) {
			return b, false
		}
		nearest = hi
	}
	x0, x1 := p.x.bounds(&middle, &half)
	y0, y1 := p.y.bounds(&middle, &half)
	x0, x1 = quotients(x0, x1, minInverse, maxInverse)
	y0, y1 = quotients(y0, y1, minInverse, maxInverse)
	extent := max(x1-x0, y1-y0)
	if !(extent < MaxExtent) || !(max(x1, -x0, y1, -y0) < array.Guard) {
		return b, false
	}
	if extent >= array.DeferredExtent {
		nearest *= boundFactor
	}
	cx, cy := float64(v.CenterX), float64(v.CenterY)
	b.X0, b.X1 = firstCentre(x0+cx), firstCentre(x1+cx)
	b.Y0, b.Y1 = firstCentre(y0+cy), firstCentre(y1+cy)
	near := float32(nearest * maxInverse * nearnessFactor)
	b.Near = array.NearestBound(near, near, near)
	return b, true
}

// quotients returns bounds of x/w, including the error of snapping. x lies between lo and hi, and 1/w between
// minInverse and maxInverse.
func quotients(lo, hi, minInverse, maxInverse float64) (from, to float64) {
	if lo < 0 {
		lo *= maxInverse
	} else {
		lo *= minInverse
	}
	if hi < 0 {
		hi *= minInverse
	} else {
		hi *= maxInverse
	}
	return lo - margin, hi + margin
}

// firstCentre returns the index of the first sample whose centre is at or after x, like array.FirstCenter.
func firstCentre(x float64) int32 {
	return int32(math.Ceil((x - array.Half) / array.Sub))
}

// Centres returns the centre of the box around each run of n groups. Groups without a finite box do not count. If no
// group of a run has a finite box, the run's centre is the origin.
func (g *Groups) Centres(n int) [][3]float64 {
	centres := make([][3]float64, (g.Len()+n-1)/n)
	for i := range centres {
		box := scenes.EmptyBox()
		for k := i * n; k < min((i+1)*n, g.Len()); k++ {
			if math.IsInf(float64(g.hi[0][k]), 1) {
				continue
			}
			for axis := range 3 {
				box.Min[axis] = min(box.Min[axis], float64(g.lo[axis][k]))
				box.Max[axis] = max(box.Max[axis], float64(g.hi[axis][k]))
			}
		}
		if !box.Empty() {
			centres[i] = box.Center()
		}
	}
	return centres
}
