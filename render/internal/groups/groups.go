// Package groups bounds runs of a mesh's triangles by boxes, so that frames step over those that lie outside the picture
// without reading them.
package groups

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
)

// Size is the number of triangles of a group: its box takes 24 bytes where the triangles take 9,216, and is looked at in the
// time of some ten triangles.
const Size = 256

// Groups are the boxes of the groups of a mesh, in its order. A group with a corner that is not finite has no bounds.
type Groups struct {
	lo, hi [3][]float32 // by axis
	most   [3]float64   // of the size of all finite coordinates
}

// New finds the boxes of a mesh; run does so many tasks, several at once if it can.
func New(b *scenes.Block, run func(n int, do func(task int))) *Groups {
	n := (b.Len() + Size - 1) / Size
	all := make([]float32, 6*n)
	g := new(Groups)
	for axis := range 3 {
		g.lo[axis], all = all[:n:n], all[n:]
		g.hi[axis], all = all[:n:n], all[n:]
	}
	const perTask = 64
	run((n+perTask-1)/perTask, func(task int) {
		for i := task * perTask; i < min((task+1)*perTask, n); i++ {
			g.bound(b, i)
		}
	})
	for axis := range 3 {
		for i := range n {
			if lo, hi := float64(g.lo[axis][i]), float64(g.hi[axis][i]); !math.IsInf(hi, 1) {
				g.most[axis] = max(g.most[axis], math.Abs(lo), math.Abs(hi))
			}
		}
	}
	return g
}

// bound sets the box of a group.
func (g *Groups) bound(b *scenes.Block, i int) {
	from, to := i*Size, min((i+1)*Size, b.Len())
	finite := true
	for axis, corners := range [3]*[3][]float32{&b.X, &b.Y, &b.Z} {
		lo, hi, sum := corners[0][from], corners[0][from], float32(0)
		for k := range 3 {
			for _, v := range corners[k][from:to] {
				lo, hi = min(lo, v), max(hi, v)
				sum += v - v // not 0 where a number is not finite
			}
		}
		finite = finite && sum == 0
		g.lo[axis][i], g.hi[axis][i] = lo, hi
	}
	for axis := range 3 {
		if !finite { // whose triangles are to be counted as such
			g.lo[axis][i], g.hi[axis][i] = float32(math.Inf(-1)), float32(math.Inf(1))
		}
	}
}

// A Frustum is what a picture shows of the space of a mesh, or a little more: a point that is seen lies on the
// positive side of all planes.
type Frustum struct {
	groups *Groups
	planes [5]plane
	n      int
}

// A plane is a*x + b*y + c*z + d.
type plane [4]float64

// precision bounds the error of a row of the view's matrix, in parts of the sizes of its terms: each of the loop's six float32
// operations errs by 2^-24. Snapping and the division move corners by at most two subpixels, but a polygon is seen only if
// it reaches a sample's centre, which is half a sample within the picture.
const precision = 1.0 / (1 << 19)

// Frustum returns that of a view.
func (g *Groups) Frustum(v *geometry.View) Frustum {
	f := Frustum{groups: g}
	w := [4]float64{3: 1}
	if !v.Orthographic {
		w = wide(&v.W)
	}
	left, top := float64(v.CenterX), float64(v.CenterY)
	right, bottom := float64(v.Width*array.Sub-v.CenterX), float64(v.Height*array.Sub-v.CenterY)
	x, y := wide(&v.X), wide(&v.Y)
	f.add(v, &x, &w, 1, left)
	f.add(v, &x, &w, -1, right)
	f.add(v, &y, &w, 1, top)
	f.add(v, &y, &w, -1, bottom)
	if !v.Orthographic && !v.Distant {
		zero := [4]float64{}
		near := w
		near[3] -= float64(v.Near)
		f.add(v, &near, &zero, 1, 0)
	}
	return f
}

func wide(row *[4]float32) (r [4]float64) {
	for i, v := range row {
		r[i] = float64(v)
	}
	return r
}

// add adds the plane sign*row + reach*w, which rows give of q = (p - Pivot) * Scale, in the space of the mesh, and as far
// outwards as float32 may err.
func (f *Frustum) add(v *geometry.View, row, w *[4]float64, sign, reach float64) {
	var p plane
	scale := float64(v.Scale)
	size := math.Abs(row[3]) + reach*math.Abs(w[3])
	p[3] = sign*row[3] + reach*w[3]
	for axis := range 3 {
		c := sign*row[axis] + reach*w[axis]
		pivot := float64(v.Pivot[axis])
		p[axis] = c * scale
		p[3] -= c * scale * pivot
		size += (math.Abs(row[axis]) + reach*math.Abs(w[axis])) * (f.groups.most[axis] + math.Abs(pivot)) * scale
	}
	p[3] += precision * size
	f.planes[f.n] = p
	f.n++
}

// Outside reports whether nothing of a group can be seen.
func (f *Frustum) Outside(i int) bool {
	g := f.groups
	for k := range f.n {
		p := &f.planes[k]
		sum := p[3]
		for axis := range 3 {
			c := p[axis]
			if c > 0 {
				sum += c * float64(g.hi[axis][i])
			} else {
				sum += c * float64(g.lo[axis][i])
			}
		}
		if sum < 0 { // not so where the group has no bounds
			return true
		}
	}
	return false
}
