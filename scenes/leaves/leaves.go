// Package leaves orders the triangles of a mesh so that consecutive triangles lie close together, whatever their order
// in the file. The order is that of a Morton curve through the centres of the triangles' boxes. Large triangles come
// after all smaller ones, because any group that contains a large triangle has a large box. Triangles with coordinates
// that are not finite come last.
package leaves

import "lockstep/scenes"

// Bytes is the size in bytes of a triangle in Leaves: its corners and its number, without a colour. In addition, New
// needs temporary memory: less than Bytes for each triangle.
const Bytes = scenes.TriangleBytes + 4

// Leaves holds the triangles of a mesh, sorted by their codes.
type Leaves struct {
	scenes.Block
	Numbers []uint32 // index of each triangle in the mesh
}

const (
	digitBits = 11 // number of bits by which a pass of the radix sort sorts
	digits    = 1 << digitBits
	passes    = 3
	chunk     = 1 << 16 // number of triangles per task
	// codesAtOnce is the number of codes that a task computes at a time before it stores them.
	codesAtOnce = 1 << 10
)

// New orders the triangles of a mesh, which must be fewer than 2^32. The function `run` must call `do` for each of n
// tasks, and may do so in parallel. The order of the triangles does not depend on `run`.
func New(mesh *scenes.Block, run func(n int, do func(task int))) *Leaves {
	tasks := (mesh.Len() + chunk - 1) / chunk
	parts := make([]Measured, tasks)
	run(tasks, func(task int) {
		part := mesh.Slice(task*chunk, min((task+1)*chunk, mesh.Len()))
		parts[task].Add(&part)
	})
	var all Measured
	for i := range parts {
		all.Join(&parts[i])
	}
	return all.Coder().Sorted(mesh, run)
}

// Sorted sorts triangles by their codes. The sort is stable.
func (c *Coder) Sorted(mesh *scenes.Block, run func(n int, do func(task int))) *Leaves {
	n := mesh.Len()
	o := &sorter{mesh: mesh, run: run, tasks: (n + chunk - 1) / chunk, keys: make([]uint64, n)}
	run(o.tasks, func(task int) {
		var codes [codesAtOnce]uint32
		from, to := o.span(task)
		for lo := from; lo < to; lo += codesAtOnce {
			part := mesh.Slice(lo, min(lo+codesAtOnce, to))
			for i, code := range c.Codes(codes[:0], &part) {
				o.keys[lo+i] = uint64(code)<<32 | uint64(lo+i)
			}
		}
	})
	o.sort()
	l := &Leaves{Block: scenes.MakeBlock(n), Numbers: make([]uint32, n)}
	if mesh.Colors != nil {
		l.Colors = make([]uint32, n)
	}
	run(o.tasks, func(task int) { o.fill(l, task) })
	return l
}

// sorter is the state of Sorted.
type sorter struct {
	mesh  *scenes.Block
	run   func(n int, do func(task int))
	tasks int
	keys  []uint64 // code<<32 | index in the mesh
}

// span returns the range of keys, lo to hi (exclusive), that belongs to a task.
func (o *sorter) span(task int) (lo, hi int) {
	return task * chunk, min((task+1)*chunk, len(o.keys))
}

// sort sorts the keys by code with a stable radix sort, the lowest digit first.
func (o *sorter) sort() {
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

// fill copies the triangles of a task to l, in their new order.
func (o *sorter) fill(l *Leaves, task int) {
	lo, hi := o.span(task)
	keys := o.keys[lo:hi]
	for i, k := range keys {
		l.Numbers[lo+i] = uint32(k)
	}
	for k := range 3 {
		gather(l.X[k][lo:hi], o.mesh.X[k], keys)
		gather(l.Y[k][lo:hi], o.mesh.Y[k], keys)
		gather(l.Z[k][lo:hi], o.mesh.Z[k], keys)
	}
	if l.Colors != nil {
		gather(l.Colors[lo:hi], o.mesh.Colors, keys)
	}
}

func gather[T float32 | uint32](to, from []T, keys []uint64) {
	for i, k := range keys {
		to[i] = from[uint32(k)]
	}
}
