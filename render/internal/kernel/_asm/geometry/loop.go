package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// prefetchAhead is the number of bytes by which the loop prefetches the block's nine streams ahead of its loads. The
// processor's own prefetcher stops at the end of a page. It also starts late on a block if another block was drawn
// before. When data came from memory, a Zen 5 took 5.5 ns a triangle without prefetching, and 1.8 ns with any
// distance from 512 to 4096 bytes.
const prefetchAhead = 1024

// loop is the state of the generator while it emits one function.
type loop struct {
	*Lanes
	i, n, aside reg.GPVirtual // next triangle, number of polygons, and number of triangles for ClipTriangles
	tail        KeptMask
	front, back func() *Mask
	bounds      [5]Accumulator // minX, maxX, minY, maxY, maxRows
	small       KeptMask       // back faces that may be deferred
	afterLoop   func()         // emits code that the loop jumps to
}

// emit emits the code of geometry.Project for one instruction set. There is no code for distant views, because Project
// handles them.
func emit(f *File, lanes int) {
	l := &loop{Lanes: f.Function("geometry", lanes, "does what Project does for views that are not distant.")}
	l.n, l.aside = l.Int("n"), l.Int("aside")
	l.tail = l.NewTail()
	l.front, l.back = l.Switch("front"), l.Switch("back")
	names := [5]string{"minX", "maxX", "minY", "maxY", "maxRows"}
	for i, name := range names {
		l.bounds[i] = l.Accumulator(name)
	}
	l.i = l.GP64()
	l.XORQ(l.i, l.i)

	l.Label("loop")
	left := l.Int("triangles")
	l.SUBQ(l.i, left)
	l.CMPQ(left, operand.Imm(uint64(l.N)))
	l.JGE(operand.LabelRef("full"))
	l.TESTQ(left, left)
	l.JLE(operand.LabelRef("done"))
	l.Shorten(l.tail, left)
	l.Label("full")
	l.body()
	l.Label("next")
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.JMP(operand.LabelRef("loop"))
	l.afterLoop()

	l.Label("done")
	for _, bound := range l.bounds {
		l.End(bound)
	}
	l.MOVQ(l.n, l.Arg("n"))
	l.MOVQ(l.aside, l.Arg("aside"))
	l.Return()
}

// body emits the code for one vector of triangles, which starts with triangle i.
func (l *loop) body() {
	l.Comment("Load the corners, relative to the pivot and scaled.")
	valid := l.Mask(l.tail)
	q := l.local(valid)
	l.Comment("Project them and snap them to subpixels.")
	p, limits := l.project(q)
	x, y := p[0], p[1]

	l.Comment("Set aside what meets the near plane or the guard band.")
	x0, x1 := l.extent(x)
	y0, y1 := l.extent(y)
	fits := l.within(limits, l.Mask(l.tail))
	l.setAside(fits)

	l.Comment("Cull by the direction of faces.")
	extent := l.MaxInt(l.SubInt(x1, x0), l.SubInt(y1, y0))
	large := l.GreaterInt(extent, l.Constant("smallMost", operand.U32(1<<15-1)), &fits)
	live := l.facing(x, y, fits, large, extent)
	l.Comment("Cull what covers no centre of a pixel.")
	box := l.box(x0, x1, y0, y1)
	live = l.LessInt(box[0], box[1], &live)
	live = l.LessInt(box[2], box[3], &live)
	bits := l.Bits(live)
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("next"))
	l.setBoxes(live, bits, p[2], box)
	l.store(live, bits, q, p, box)
}

// local loads the corners and converts them to the coordinates of q.
func (l *loop) local(valid Mask) (q [3][3]Kept) {
	var pivot [3]Vec
	for a, name := range []string{"pivotX", "pivotY", "pivotZ"} {
		pivot[a] = l.Broadcast(l.Scalar(name))
	}
	scale := l.Broadcast(l.Scalar("scale"))
	for k := range q {
		for a, axis := range axes {
			from := l.At(corner(axis, k), l.i)
			ahead := from
			ahead.Disp = prefetchAhead
			l.PREFETCHT0(ahead)
			q[k][a] = l.Keep(l.Mul(l.Sub(l.LoadMasked(from, valid), pivot[a]), scale))
		}
	}
	return q
}

// row applies a row of the view's matrix to the three corners.
func (l *loop) row(name string, q *[3][3]Kept) (sum [3]Vec) {
	for a := range 3 {
		c := l.Broadcast(l.Scalar(corner(name, a)))
		for k := range q {
			term := l.Mul(c, l.Use(q[k][a]))
			if a == 0 {
				sum[k] = term
			} else {
				sum[k] = l.Add(sum[k], term)
			}
		}
	}
	c := l.Broadcast(l.Scalar(corner(name, 3)))
	for k := range sum {
		sum[k] = l.Add(sum[k], c)
	}
	return sum
}

// limits holds the values that View.inside compares, combined for the three corners of a triangle.
type limits struct {
	outside Kept // negative if the nearness of a corner is out of range
	size    Vec  // bits of the largest |x| or |y|
}

// project returns x and y of the corners, snapped, and the corners' nearness.
//
// Absolute values of coordinates are compared as integers, because NaN and infinity are then larger than all numbers.
// If a w is NaN, the smallest w of the corners may be a number, but then x is NaN as well.
func (l *loop) project(q [3][3]Kept) (p [3][3]Kept, limits limits) {
	inv := l.nearness(q, &p, &limits)
	for a, name := range []string{"rowX", "rowY"} {
		h := l.row(name, &q)
		for k := range h {
			h[k] = l.Mul(h[k], inv[k])
			size := l.And(h[k], l.Constant("sizeBits", operand.U32(0x7fffffff)))
			if a+k == 0 {
				limits.size = size
			} else {
				limits.size = l.MaxInt(limits.size, size)
			}
			snapped := l.Add(h[k], l.Constant("snapMagic", operand.F32(l.GoFloat("snapMagic"))))
			p[a][k] = l.Keep(l.AddInt(snapped, l.Scalar([]string{"snapX", "snapY"}[a])))
		}
	}
	return p, limits
}

// nearness computes the nearness of the three corners, in p, and the limits of the nearness. It returns the factors of
// the corners' coordinates: 1/w in perspective, and 1 in orthographic views, which changes no bit of a coordinate.
func (l *loop) nearness(q [3][3]Kept, p *[3][3]Kept, limits *limits) (inv [3]Vec) {
	depth := l.row("depth", &q)
	limits.outside = l.Slot()
	for k := range depth {
		p[2][k], inv[k] = l.Slot(), l.Vec()
	}
	one := l.Constant("one", operand.F32(1))
	l.byProjection(func() {
		for k, w := range depth {
			l.Into(inv[k]).Div(l.Broadcast(one), w)
			l.Set(p[2][k], l.To(p[2][k]).Mul(inv[k], l.Scalar("near")))
		}
		least := l.Min(l.Min(depth[0], depth[1]), depth[2])
		l.Set(limits.outside, l.To(limits.outside).Sub(least, l.Scalar("near")))
	}, func() {
		var outside Vec
		for k, e := range depth {
			l.Into(inv[k]).Broadcast(one)
			l.Set(p[2][k], e)
			// Read as an integer, near - e is negative if e is above near, and e is negative if it is below 0.
			bad := l.OrBits(l.SubInt(l.Broadcast(l.Scalar("near")), e), e)
			if k > 0 {
				bad = l.OrBits(outside, bad)
			}
			outside = bad
		}
		l.Set(limits.outside, outside)
	})
	return inv
}

// byProjection emits code for perspective views, and code for orthographic views. The code for orthographic views comes
// after the loop, so that perspective views take no jump.
func (l *loop) byProjection(perspective, orthographic func()) {
	l.CMPL(l.Arg("orthographic"), operand.Imm(0))
	l.JNE(operand.LabelRef("orthographic"))
	perspective()
	l.Label("near")
	l.afterLoop = func() {
		l.Label("orthographic")
		orthographic()
		l.JMP(operand.LabelRef("near"))
	}
}

// within emits the code of View.inside for triangles. It returns a mask of the triangles that need no clipping.
func (l *loop) within(is limits, valid Mask) Mask {
	beyond := operand.U32(math.Float32bits(l.GoFloat("Guard")) + 1)
	fits := l.LessInt(is.size, l.Constant("beyondGuard", beyond), &valid)
	return l.GreaterInt(l.Again(is.outside), l.Constant("minusOne", operand.U32(1<<32-1)), &fits)
}

// extent returns the smallest and the largest of the three corners' coordinates.
func (l *loop) extent(c [3]Kept) (lo, hi Vec) {
	v := l.Again(c[0])
	lo, hi = l.MinInt(v, l.Use(c[1])), l.MaxInt(v, l.Use(c[1]))
	return l.MinInt(lo, l.Use(c[2])), l.MaxInt(hi, l.Use(c[2]))
}

// setAside stores the indices of the triangles that do not fit, for ClipTriangles.
func (l *loop) setAside(fits Mask) {
	bits := l.Bits(l.Without(l.Mask(l.tail), fits))
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("kept"))
	base := l.GP32()
	l.MOVL(l.Arg("base"), base)
	l.ADDL(l.i.As32(), base)
	l.Label("set_aside")
	lane := l.GP32()
	l.TZCNTL(bits, lane)
	l.ADDL(base, lane)
	l.MOVL(lane, l.At("slow", l.aside))
	l.INCQ(l.aside)
	l.BLSRL(bits, bits)
	l.JNZ(operand.LabelRef("set_aside"))
	l.Label("kept")
}

// facing returns a mask of the triangles whose faces are drawn. Products of small differences fit into 31 bits, so
// comparing them gives the sign of the area. Vectors with a large triangle use float64. Products of any differences
// (below 2^24) are exact in float64, and so is the difference of two such products.
func (l *loop) facing(x, y [3]Kept, fits, large Mask, extent Vec) Mask {
	wide := l.Keep(extent)
	from0 := func(c [3]Kept, k int) Vec { return l.SubInt(l.Again(c[k]), l.Use(c[0])) }
	left := l.MulInt(from0(x, 1), from0(y, 2))
	right := l.MulInt(from0(x, 2), from0(y, 1))
	bits := l.Bits(large)
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("facing"))
	later := func(c [3]Kept, k int) func() Vec { return func() Vec { return from0(c, k) } }
	l.Move(l.ProductsDiffer(later(x, 1), later(y, 2), later(x, 2), later(y, 1)), left)
	l.Into(right).Zero()
	l.Label("facing")
	front := l.LessInt(left, right, l.front())
	back := l.GreaterInt(left, right, l.back())
	l.small = l.KeepMask(l.GreaterInt(l.Broadcast(l.Constant("deferredExtent", operand.U32(l.Go("DeferredExtent")))), l.Use(wide), &back))
	return l.MaskAnd(l.Or(front, back), fits)
}

// box emits the code of View.Visible for the Box, and returns x0, x1, y0 and y1.
func (l *loop) box(x0, x1, y0, y1 Vec) (box [4]Vec) {
	ceil := l.Broadcast(l.Constant("halfLess", operand.U32(l.Go("Half")-1)))
	zero := l.Zero()
	for i, c := range []Vec{x0, x1, y0, y1} {
		box[i] = l.ShiftRight(l.AddInt(c, ceil), l.Go("SubBits"))
	}
	box[0], box[1] = l.MaxInt(box[0], zero), l.MinInt(box[1], l.Scalar("width"))
	box[2], box[3] = l.MaxInt(box[2], zero), l.MinInt(box[3], l.Scalar("height"))
	return box
}

// store appends the polygons that remain.
func (l *loop) store(live Mask, bits reg.GPVirtual, q, p [3][3]Kept, box [4]Vec) {
	l.Comment("Bounds of the polygons.")
	l.MinInto(l.bounds[0], box[0], live)
	l.MaxInto(l.bounds[1], box[1], live)
	l.MinInto(l.bounds[2], box[2], live)
	l.MaxInto(l.bounds[3], box[3], live)
	l.Comment("Append the polygons, side by side.")
	packing := l.Packing(live, bits)
	put := func(column string, v Operand) { l.Store(l.Pack(packing, v), l.At(column, l.n)) }
	put("first", box[2])
	rows := l.SubInt(box[3], box[2])
	l.MaxInto(l.bounds[4], rows, live)
	put("rows", rows)
	for k := range 3 {
		put(corner("outX", k), l.Use(p[0][k]))
		put(corner("outY", k), l.Use(p[1][k]))
		put(corner("outE", k), l.Use(p[2][k]))
	}
	put("source", l.index())
	l.Comment("Light them.")
	put("light", l.intensity(q))
	l.POPCNTL(bits, bits)
	l.ADDQ(bits.As64(), l.n)
}

// index returns the numbers of the current triangles in their block.
func (l *loop) index() Vec {
	base := l.GP32()
	l.MOVL(l.Arg("base"), base)
	l.ADDL(l.i.As32(), base)
	return l.AddInt(l.BroadcastInt(base), l.Iota())
}
