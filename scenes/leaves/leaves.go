// Package leaves orders the triangles of a mesh so that runs of them lie close together, whatever order the file has: along a
// Morton curve through the middles of their boxes. Large triangles, which would make any run large, and triangles with
// coordinates that are not finite come last.
package leaves

import (
	"math"

	"lockstep/scenes"
)

// Bytes is the memory of an ordered triangle without a colour: its corners and its number. While it is found the order takes
// scratch memory of less.
const Bytes = scenes.TriangleBytes + 4

// Leaves are the triangles of a mesh in an order of their own.
type Leaves struct {
	scenes.Block
	Numbers []uint32 // of the triangles in the mesh
}

const (
	axisBits  = 10 // of a middle, along each axis
	digitBits = 11 // that one pass of sorting looks at
	digits    = 1 << digitBits
	passes    = 3
	chunk     = 1 << 16 // triangles of a task
	// The classes of triangles are above the codes of their places.
	largeClass  = 1 << (3 * axisBits)
	brokenClass = 2 << (3 * axisBits)
	// largeShift says how many times as large as the median large triangles are, as a power of two.
	largeShift = 3
)

// New orders the triangles of a mesh, of which there are fewer than 2^32. run does so many tasks, several at once if it can;
// the order is the same.
func New(mesh *scenes.Block, run func(n int, do func(task int))) *Leaves {
	n := mesh.Len()
	o := &order{mesh: mesh, run: run, tasks: (n + chunk - 1) / chunk, keys: make([]uint64, n)}
	o.measure()
	o.encode()
	o.sort()
	l := &Leaves{Block: scenes.MakeBlock(n), Numbers: make([]uint32, n)}
	if mesh.Colors != nil {
		l.Colors = make([]uint32, n)
	}
	run(o.tasks, func(task int) { o.fill(l, task) })
	return l
}

// order is how an order is found.
type order struct {
	mesh    *scenes.Block
	run     func(n int, do func(task int))
	tasks   int
	keys    []uint64 // code<<32 | number
	lo, hi  [3]float32
	largest float32 // size of a triangle that is not large
}

// span returns the triangles of a task.
func (o *order) span(task int) (lo, hi int) {
	return task * chunk, min((task+1)*chunk, len(o.keys))
}

// extent returns the box of a triangle, and whether it is finite.
func extent(mesh *scenes.Block, t int) (lo, hi [3]float32, finite bool) {
	finite = true
	for axis, c := range [3]*[3][]float32{&mesh.X, &mesh.Y, &mesh.Z} {
		x, y, z := c[0][t], c[1][t], c[2][t]
		lo[axis], hi[axis] = min(x, y, z), max(x, y, z)
		finite = finite && hi[axis]-lo[axis] <= math.MaxFloat32
	}
	return lo, hi, finite
}

// size returns the largest side of a box.
func size(lo, hi *[3]float32) float32 { return max(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2]) }

// measured is what a task finds of its triangles.
type measured struct {
	lo, hi [3]float32
	sizes  [256]int // by the exponents of numbers
}

// measure finds the box of all finite triangles, and which are large.
func (o *order) measure() {
	inf := float32(math.Inf(1))
	empty := measured{lo: [3]float32{inf, inf, inf}, hi: [3]float32{-inf, -inf, -inf}}
	parts := make([]measured, o.tasks)
	o.run(o.tasks, func(task int) {
		m := empty
		from, to := o.span(task)
		for t := from; t < to; t++ {
			if lo, hi, finite := extent(o.mesh, t); finite {
				m.sizes[math.Float32bits(size(&lo, &hi))>>23&255]++
				m.add(&lo, &hi)
			}
		}
		parts[task] = m
	})
	all := empty
	count := 0
	for i := range parts {
		all.add(&parts[i].lo, &parts[i].hi)
		for e, n := range parts[i].sizes {
			all.sizes[e] += n
			count += n
		}
	}
	o.lo, o.hi = all.lo, all.hi
	median := 0
	for below := all.sizes[0]; median < 255 && 2*below < count; below += all.sizes[median] {
		median++
	}
	o.largest = math.Float32frombits(uint32(min(median+1+largeShift, 254)) << 23)
}

func (m *measured) add(lo, hi *[3]float32) {
	for axis := range 3 {
		m.lo[axis], m.hi[axis] = min(m.lo[axis], lo[axis]), max(m.hi[axis], hi[axis])
	}
}

// encode sets the keys.
func (o *order) encode() {
	scale := 0.0
	for axis := range 3 {
		scale = max(scale, float64(o.hi[axis])-float64(o.lo[axis]))
	}
	if scale > 0 {
		scale = ((1 << axisBits) - 1) / scale
	}
	o.run(o.tasks, func(task int) {
		from, to := o.span(task)
		for t := from; t < to; t++ {
			o.keys[t] = uint64(o.code(t, scale))<<32 | uint64(t)
		}
	})
}

// code returns the class and the place of a triangle.
func (o *order) code(t int, scale float64) (code uint32) {
	lo, hi, finite := extent(o.mesh, t)
	if !finite {
		return brokenClass
	}
	for axis := range 3 {
		middle := (float64(lo[axis]) + float64(hi[axis])) / 2
		code |= spread(uint32((middle-float64(o.lo[axis]))*scale)) << axis
	}
	if size(&lo, &hi) >= o.largest {
		code |= largeClass
	}
	return code
}

// spread puts two zeros between the low ten bits of x.
func spread(x uint32) uint32 {
	x = (x | x<<16) & 0x030000ff
	x = (x | x<<8) & 0x0300f00f
	x = (x | x<<4) & 0x030c30c3
	return (x | x<<2) & 0x09249249
}

// sort sorts the keys by codes, stably: digit by digit, the lowest first.
func (o *order) sort() {
	to := make([]uint64, len(o.keys))
	next := make([][digits]uint32, o.tasks)
	for pass := range passes {
		shift := 32 + pass*digitBits
		o.run(o.tasks, func(task int) {
			count := &next[task]
			clear(count[:])
			lo, hi := o.span(task)
			for _, k := range o.keys[lo:hi] {
				count[k>>shift%digits]++
			}
		})
		at := uint32(0)
		for digit := range digits {
			for task := range next {
				n := next[task][digit]
				next[task][digit] = at
				at += n
			}
		}
		o.run(o.tasks, func(task int) {
			places := &next[task]
			lo, hi := o.span(task)
			for _, k := range o.keys[lo:hi] {
				place := &places[k>>shift%digits]
				to[*place] = k
				*place++
			}
		})
		o.keys, to = to, o.keys
	}
}

// fill copies the triangles of a task of the order.
func (o *order) fill(l *Leaves, task int) {
	lo, hi := o.span(task)
	keys := o.keys[lo:hi]
	for i, k := range keys {
		l.Numbers[lo+i] = uint32(k)
	}
	for k := range 3 {
		take(l.X[k][lo:hi], o.mesh.X[k], keys)
		take(l.Y[k][lo:hi], o.mesh.Y[k], keys)
		take(l.Z[k][lo:hi], o.mesh.Z[k], keys)
	}
	if l.Colors != nil {
		take(l.Colors[lo:hi], o.mesh.Colors, keys)
	}
}

func take[T float32 | uint32](to, from []T, keys []uint64) {
	for i, k := range keys {
		to[i] = from[uint32(k)]
	}
}
