// Package groups computes boxes around groups of a mesh's triangles, so that frames skip groups outside the picture
// without reading them.
package groups

import (
	"math"
	"slices"
	"sync/atomic"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
	"lockstep/scenes/leaves"
)

// Size is the number of triangles in a group. The box of a group has 24 bytes, and its triangles have 2,304 bytes.
// Testing the box takes as long as drawing about ten triangles.
const Size = 64

// Bundle is the number of groups in a bundle. A bundle is tested before its groups.
const Bundle = 8

// tract is the number of bundles in a tract. A frame tests a tract before its bundles: of a hundred million triangles
// there are 200 thousand bundles, and testing each against the picture's edges took a tenth of a frame.
const tract = 64

// Groups holds the boxes of the groups of a mesh, in the order of the mesh. A group with a corner that is not finite
// has an infinite box.
type Groups struct {
	Mesh         *scenes.Block // nil if the triangles are in Stored
	Stored       Stored
	Numbers      []uint32                     // number of each triangle of Mesh in the original mesh; nil if Mesh is the original mesh
	packed       atomic.Pointer[packedGroups] // groups of Mesh with each vertex stored once; nil if they were not made
	boxes                                     // boxes of the groups
	bundles      boxes                        // boxes of the bundles
	tracts       boxes                        // boxes of the tracts
	maxMagnitude [3]float64                   // largest magnitude of finite coordinates along each axis
}

// Stored gives access to triangles that are not in memory.
type Stored interface {
	// ReadGroups reads groups, given in ascending order, into a block. If numbers is not nil, ReadGroups sets it to
	// the numbers of the groups' triangles in the mesh.
	ReadGroups(groups []int32, to *scenes.Block, numbers []uint32) error
	// EachRun divides groups, given in ascending order, into runs and calls visit for each run. The packed groups of
	// the run are written to the first entries of list and passed as packed. They are valid until visit returns. packed
	// is nil if the file is damaged there. scratch provides memory for reading.
	EachRun(groups []int32, list []leaves.Group, scratch *scenes.Block, visit func(run []int32, packed []leaves.Group)) error
	// Pick reads the colours and the numbers of the triangles of b. The slice numbers holds their positions in the
	// order of the groups, which must ascend. Pick sets the colours of b, if b has colours. If numbered is true, it
	// replaces each position by the triangle's number in the mesh. scratch provides memory for reading.
	Pick(b *scenes.Block, numbers []uint32, numbered bool, scratch *scenes.Block) error
	HasColors() bool
	Len() int // number of triangles
}

// boxes holds boxes in columns, one for each axis.
type boxes struct{ lo, hi [3][]float32 }

func makeBoxes(n int) (b boxes) {
	all := make([]float32, 6*n)
	for axis := range 3 {
		b.lo[axis], all = all[:n:n], all[n:]
		b.hi[axis], all = all[:n:n], all[n:]
	}
	return b
}

// New computes the boxes of the groups of a mesh. The function run must call do for tasks 0 to n-1, and may call do
// concurrently.
func New(b *scenes.Block, run func(n int, do func(task int))) *Groups {
	n := (b.Len() + Size - 1) / Size
	bundles := (n + Bundle - 1) / Bundle
	g := &Groups{Mesh: b, boxes: makeBoxes(n), bundles: makeBoxes(bundles)}
	const perTask = 32
	run((bundles+perTask-1)/perTask, func(task int) {
		for i := task * perTask; i < min((task+1)*perTask, bundles); i++ {
			for k := i * Bundle; k < min((i+1)*Bundle, n); k++ {
				g.setBox(b, k)
			}
			g.bundles.setAround(i, &g.boxes, Bundle)
		}
	})
	g.setTracts()
	return g
}

// FromStored returns the groups of triangles that are not in memory. columns are the boxes of the groups: the least
// x, y and z, then the greatest x, y and z. A group without bounds has an infinite box.
func FromStored(stored Stored, columns [6][]float32) *Groups {
	n := len(columns[0])
	g := &Groups{Stored: stored, bundles: makeBoxes((n + Bundle - 1) / Bundle)}
	for axis := range 3 {
		g.lo[axis], g.hi[axis] = columns[axis], columns[3+axis]
	}
	for i := range g.bundles.lo[0] {
		g.bundles.setAround(i, &g.boxes, Bundle)
	}
	g.setTracts()
	return g
}

// setMaxMagnitude sets maxMagnitude from the boxes.
func (g *Groups) setMaxMagnitude() {
	for axis := range 3 {
		for i := range g.Len() {
			if lo, hi := float64(g.lo[axis][i]), float64(g.hi[axis][i]); !math.IsInf(hi, 1) {
				g.maxMagnitude[axis] = max(g.maxMagnitude[axis], math.Abs(lo), math.Abs(hi))
			}
		}
	}
}

// setBox sets the box of group i.
func (g *Groups) setBox(b *scenes.Block, i int) {
	from, to := i*Size, min((i+1)*Size, b.Len())
	finite := true
	for axis, corners := range [3]*[3][]float32{&b.X, &b.Y, &b.Z} {
		lo, hi, sum := corners[0][from], corners[0][from], float32(0)
		for k := range 3 {
			for _, v := range corners[k][from:to] {
				lo, hi = min(lo, v), max(hi, v)
				sum += v - v // v - v is NaN if v is not finite; then sum is NaN too
			}
		}
		finite = finite && sum == 0
		g.lo[axis][i], g.hi[axis][i] = lo, hi
	}
	for axis := range 3 {
		if !finite { // the box becomes infinite, so that the triangles are drawn and counted as dropped
			g.lo[axis][i], g.hi[axis][i] = float32(math.Inf(-1)), float32(math.Inf(1))
		}
	}
}

// setAround sets box i to the smallest box around the boxes i*each to (i+1)*each (exclusive) of parts.
func (b *boxes) setAround(i int, parts *boxes, each int) {
	from, to := i*each, min((i+1)*each, len(parts.lo[0]))
	for axis := range 3 {
		b.lo[axis][i] = slices.Min(parts.lo[axis][from:to])
		b.hi[axis][i] = slices.Max(parts.hi[axis][from:to])
	}
}

// setTracts sets the boxes of the tracts, and maxMagnitude, from the boxes of bundles and groups.
func (g *Groups) setTracts() {
	g.tracts = makeBoxes((g.Bundles() + tract - 1) / tract)
	for i := range g.tracts.lo[0] {
		g.tracts.setAround(i, &g.bundles, tract)
	}
	g.setMaxMagnitude()
}

// A Frustum is the space that a picture shows, or a slightly larger space. Each visible point lies on the positive
// side of every plane.
type Frustum struct {
	groups *Groups
	planes [5]plane
	n      int
}

// A plane is the function a*x + b*y + c*z + d, which is 0 on the plane.
type plane [4]float64

// precision is the largest error of the product of a row of the view's matrix and a vertex, as a fraction of the sum
// of the magnitudes of the product's terms. Each of the geometry loop's six float32 operations has an error of 2^-24.
// Snapping and the division move corners by at most two more subpixels. No margin is needed for them, because a
// polygon is seen only if it reaches a sample's centre, which is half a sample inside the picture.
const precision = 1.0 / (1 << 19)

// Frustum returns the frustum of view v.
func (g *Groups) Frustum(v *geometry.View) Frustum {
	f := Frustum{groups: g}
	w := [4]float64{3: 1}
	if !v.Orthographic {
		w = toFloat64(&v.W)
	}
	left, top := float64(v.CenterX), float64(v.CenterY)
	right, bottom := float64(v.Width*array.Sub-v.CenterX), float64(v.Height*array.Sub-v.CenterY)
	x, y := toFloat64(&v.X), toFloat64(&v.Y)
	f.addPlane(v, &x, &w, 1, left)
	f.addPlane(v, &x, &w, -1, right)
	f.addPlane(v, &y, &w, 1, top)
	f.addPlane(v, &y, &w, -1, bottom)
	if !v.Orthographic && !v.Distant {
		zero := [4]float64{}
		near := w
		near[3] -= float64(v.Near)
		f.addPlane(v, &near, &zero, 1, 0)
	}
	return f
}

func toFloat64(row *[4]float32) (r [4]float64) {
	for i, v := range row {
		r[i] = float64(v)
	}
	return r
}

// addPlane adds the plane sign*row + reach*w. row and w apply to q = (p - Pivot) * Scale for a point p of the mesh.
// addPlane converts the plane so that it applies to p, and moves it outwards by the largest error of float32.
func (f *Frustum) addPlane(v *geometry.View, row, w *[4]float64, sign, reach float64) {
	var p plane
	scale := float64(v.Scale)
	size := math.Abs(row[3]) + reach*math.Abs(w[3])
	p[3] = sign*row[3] + reach*w[3]
	for axis := range 3 {
		c := sign*row[axis] + reach*w[axis]
		pivot := float64(v.Pivot[axis])
		p[axis] = c * scale
		p[3] -= c * scale * pivot
		size += (math.Abs(row[axis]) + reach*math.Abs(w[axis])) * (f.groups.maxMagnitude[axis] + math.Abs(pivot)) * scale
	}
	p[3] += precision * size
	f.planes[f.n] = p
	f.n++
}

// Outside reports whether group i lies outside the frustum, so that no part of it can be seen.
func (f *Frustum) Outside(i int) bool { return f.outside(&f.groups.boxes, i) }

func (f *Frustum) outside(b *boxes, i int) bool {
	for k := range f.n {
		if f.planes[k].farthest(b, i, 1) < 0 { // not true for an infinite box
			return true
		}
	}
	return false
}

// AppendInside appends the numbers of the groups of triangles `first` to `end` (exclusive), but leaves out groups
// outside the frustum.
func (f *Frustum) AppendInside(picked []int32, first, end int) []int32 {
	for g := first / Size; g*Size < end; g++ {
		if !f.Outside(g) {
			picked = append(picked, int32(g))
		}
	}
	return picked
}

// TestBundle tests bundle i. If outside is true, the bundle lies outside the frustum, so that no part of it can be
// seen. If inside is true, the bundle lies entirely inside, so that its groups need not be tested.
func (f *Frustum) TestBundle(i int) (outside, inside bool) { return f.test(&f.groups.bundles, i) }

// TestTract tests the tract of bundle i as TestBundle tests a bundle. `end` is the number of the first bundle after the
// tract.
func (f *Frustum) TestTract(i int) (outside, inside bool, end int) {
	outside, inside = f.test(&f.groups.tracts, i/tract)
	return outside, inside, (i/tract + 1) * tract
}

func (f *Frustum) test(b *boxes, i int) (outside, inside bool) {
	inside = true
	for k := range f.n {
		p := &f.planes[k]
		if p.farthest(b, i, 1) < 0 {
			return true, false
		}
		inside = inside && p.farthest(b, i, -1) >= 0
	}
	return false, inside
}

// CountInView returns an upper bound of the number of groups of which view v shows a part. It is the same for any
// number of workers.
func (g *Groups) CountInView(v *geometry.View) (n int) {
	f := g.Frustum(v)
	for i := 0; i < g.Bundles(); {
		outside, inside, end := f.TestTract(i)
		end = min(end, g.Bundles())
		if inside {
			n += (end - i) * Bundle
		} else if !outside {
			for k := i; k < end; k++ {
				if !f.outside(&g.bundles, k) {
					n += Bundle
				}
			}
		}
		i = end
	}
	return min(n, g.Len())
}

// farthest returns the value of the plane at a corner of box i. If side is 1, it is the corner that lies farthest on
// the positive side of the plane; if side is -1, the corner that lies farthest on the negative side.
func (p *plane) farthest(b *boxes, i int, side float64) float64 {
	sum := p[3]
	for axis := range 3 {
		c := p[axis]
		if c*side > 0 {
			sum += c * float64(b.hi[axis][i])
		} else {
			sum += c * float64(b.lo[axis][i])
		}
	}
	return sum
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.lo[0]) }

// Copy copies the triangles of the given groups of a mesh to the beginning of the block `to`, and returns their number.
// The slice `groups` must be in ascending order.
func Copy(to, mesh *scenes.Block, groups []int32) (n int) {
	for i := 0; i < len(groups); {
		k := i + 1
		for k < len(groups) && groups[k] == groups[k-1]+1 {
			k++
		}
		part := mesh.Slice(int(groups[i])*Size, min((int(groups[k-1])+1)*Size, mesh.Len()))
		to.CopyAt(n, &part)
		n += part.Len()
		i = k
	}
	return n
}
