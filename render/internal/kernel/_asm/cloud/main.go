// Command cloud generates the assembly versions of cloud.Project.
package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func fields() []Field {
	var f []Field
	add := func(typ string, names ...string) {
		for _, name := range names {
			f = append(f, Field{Name: name, Type: typ})
		}
	}
	add("*float32", "x", "y", "z")
	add("*uint32", "start", "payload")
	add("*int32", "count")
	add("*float32", "e", "de")
	add("*int32", "discX", "discY", "discRadius", "discSource")
	add("*float32", "discE")
	add("*int32", "aside")
	// points is the number of points to process. spans, discs and left are counters to which the loop adds: spans,
	// discs, and points that View.Place does not snap.
	add("int64", "points", "spans", "discs", "left")
	// base is the number of the first point in its block.
	add("int32", "base")
	add("float32", "pivotX", "pivotY", "pivotZ", "scale", "near", "radius")
	// depth is the row W of the view's matrix in perspective, and the row E in orthographic views.
	for _, row := range []string{"rowX", "rowY", "depth"} {
		for k := range 4 {
			add("float32", fmt.Sprint(row, k))
		}
	}
	add("int32", "orthographic") // not 0 in orthographic views
	// snapX and snapY are the picture's centre minus snapMagicBits. They are added to the bits of rounded coordinates.
	add("int32", "snapX", "snapY", "width", "height", "rowKeys")
	add("[16]int32", "minX", "maxX", "minY", "maxY") // one for each lane
	return f
}

func main() {
	f := NewFile("cloud", "cloudArgs", "holds the arguments and results of a vector twin of Project.", fields())
	for _, lanes := range []int{AVX512, AVX2} {
		emit(f, lanes)
	}
	f.Write()
}

// prefetchAhead is the number of bytes by which the loop prefetches the points ahead of its loads.
const prefetchAhead = 1024

// loop is the state of the generator while it emits one function.
type loop struct {
	*Lanes
	i, spans, discs, left reg.GPVirtual
	tail                  KeptMask
	bounds                [4]Accumulator // minX, maxX, minY, maxY
	afterLoop             func()         // emits code that the loop jumps to
}

// emit emits the code of cloud.Project for one instruction set. There is no code for distant views, because Project
// handles them.
func emit(f *File, lanes int) {
	l := &loop{Lanes: f.Function("cloud", lanes, "does what Project does for views that are not distant.")}
	l.spans, l.discs, l.left = l.Int("spans"), l.Int("discs"), l.Int("left")
	l.tail = l.NewTail()
	for i, name := range []string{"minX", "maxX", "minY", "maxY"} {
		l.bounds[i] = l.Accumulator(name)
	}
	l.i = l.GP64()
	l.XORQ(l.i, l.i)

	l.Label("loop")
	left := l.Int("points")
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
	l.MOVQ(l.spans, l.Arg("spans"))
	l.MOVQ(l.discs, l.Arg("discs"))
	l.MOVQ(l.left, l.Arg("left"))
	l.Return()
}

// place is the position and size of points on the screen.
type place struct{ x, y, e, radius Kept }

// body emits the code for one vector of points, which starts with point i.
func (l *loop) body() {
	l.Comment("Load the points, relative to the pivot and scaled.")
	q := l.local(l.Mask(l.tail))
	l.Comment("Project them and snap them to subpixels.")
	p, fits := l.project(q)
	l.setAside(fits)

	l.Comment("Points that are larger than a sample.")
	large := l.GreaterInt(l.Again(p.radius), l.Constant("samplePoint", operand.U32(l.Go("minDiscRadius")-1)), &fits)
	small := l.KeepMask(l.Without(fits, large))
	large = l.reaching(p, large)
	bits := l.Bits(large)
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("small"))
	l.storeDiscs(large, bits, p)

	l.Label("small")
	l.Comment("Points that cover one sample.")
	live := l.Mask(small)
	px, py := l.ShiftRight(l.Again(p.x), l.Go("SubBits")), l.ShiftRight(l.Again(p.y), l.Go("SubBits"))
	minusOne := l.Constant("minusOne", operand.U32(1<<32-1))
	live = l.GreaterInt(px, minusOne, &live)
	live = l.GreaterInt(py, minusOne, &live)
	live = l.LessInt(px, l.Scalar("width"), &live)
	live = l.LessInt(py, l.Scalar("height"), &live)
	bits = l.Bits(live)
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("next"))
	l.storeSpans(live, bits, px, py, p)
}

// local loads the points and converts them to the coordinates of q.
func (l *loop) local(valid Mask) (q [3]Kept) {
	scale := l.Broadcast(l.Scalar("scale"))
	for a, name := range []string{"x", "y", "z"} {
		from := l.At(name, l.i)
		ahead := from
		ahead.Disp = prefetchAhead
		l.PREFETCHT0(ahead)
		pivot := l.Scalar([]string{"pivotX", "pivotY", "pivotZ"}[a])
		q[a] = l.Keep(l.Mul(l.Sub(l.LoadMasked(from, valid), pivot), scale))
	}
	return q
}

// row applies a row of the view's matrix to the points.
func (l *loop) row(name string, q *[3]Kept) (sum Vec) {
	for a := range 3 {
		term := l.Mul(l.Again(q[a]), l.Scalar(fmt.Sprint(name, a)))
		if a == 0 {
			sum = term
		} else {
			sum = l.Add(sum, term)
		}
	}
	return l.Add(sum, l.Scalar(fmt.Sprint(name, 3)))
}

// project returns the places of points, and a mask of the points that View.Place snaps. Absolute values of coordinates
// are compared as integers, because NaN and infinity are then larger than all numbers.
func (l *loop) project(q [3]Kept) (p place, fits Mask) {
	factor, outside := l.nearness(q, &p)
	radius := l.Mul(l.Again(factor), l.Scalar("radius"))
	radius = l.Min(radius, l.Constant("mostRadius", operand.F32(l.GoFloat("maxRadius"))))
	p.radius = l.Keep(l.Truncate(l.Add(radius, l.Constant("half", operand.F32(0.5)))))
	var size Vec
	for a, name := range []string{"rowX", "rowY"} {
		h := l.Mul(l.row(name, &q), l.Use(factor))
		of := l.And(h, l.Constant("sizeBits", operand.U32(0x7fffffff)))
		if a == 0 {
			size = of
		} else {
			size = l.MaxInt(size, of)
		}
		snapped := l.Keep(l.AddInt(l.Add(h, l.Constant("snapMagic", operand.F32(snapMagic))), l.Scalar([]string{"snapX", "snapY"}[a])))
		if a == 0 {
			p.x = snapped
		} else {
			p.y = snapped
		}
	}
	beyond := operand.U32(math.Float32bits(l.GoFloat("Guard")) + 1)
	valid := l.Mask(l.tail)
	fits = l.LessInt(size, l.Constant("beyondGuard", beyond), &valid)
	return p, l.GreaterInt(l.Again(outside), l.Constant("minusOne", operand.U32(1<<32-1)), &fits)
}

// nearness computes the nearness of the points, in p. The result factor is for coordinates and radius: 1/w in
// perspective and 1 in orthographic views. The result outside is negative for points whose nearness is out of range.
// The code for orthographic views comes after the loop, so that perspective views take no jump.
func (l *loop) nearness(q [3]Kept, p *place) (factor, outside Kept) {
	depth, one := l.row("depth", &q), l.Constant("one", operand.F32(1))
	p.e, factor, outside = l.Slot(), l.Slot(), l.Slot()
	l.CMPL(l.Arg("orthographic"), operand.Imm(0))
	l.JNE(operand.LabelRef("orthographic"))
	inverse := l.To(factor).Div(l.Broadcast(one), depth)
	l.Set(factor, inverse)
	l.Set(p.e, l.To(p.e).Mul(inverse, l.Scalar("near")))
	l.Set(outside, l.To(outside).Sub(depth, l.Scalar("near")))
	l.Label("near")
	l.afterLoop = func() {
		l.Label("orthographic")
		l.Set(factor, l.To(factor).Broadcast(one))
		l.Set(p.e, depth)
		// Read as an integer, near - e is negative if e is above near, and e is negative if it is below 0.
		l.Set(outside, l.To(outside).OrBits(l.SubInt(l.Broadcast(l.Scalar("near")), depth), depth))
		l.JMP(operand.LabelRef("near"))
	}
	return factor, outside
}

// snapMagic is the constant snapMagic of package geometry.
const snapMagic = 12582912

// setAside stores the numbers of the points that are not snapped.
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
	l.MOVL(lane, l.At("aside", l.left))
	l.INCQ(l.left)
	l.BLSRL(bits, bits)
	l.JNZ(operand.LabelRef("set_aside"))
	l.Label("kept")
}

// reaching returns the points of the mask `large` whose discs reach a sample: the box of the disc contains the sample's
// centre.
func (l *loop) reaching(p place, large Mask) Mask {
	half := l.Constant("halfLess", operand.U32(l.Go("Half")-1))
	for i, size := range []string{"width", "height"} {
		c, zero := [2]Kept{p.x, p.y}[i], l.Zero()
		first := l.ShiftRight(l.AddInt(l.SubInt(l.Again(c), l.Use(p.radius)), half), l.Go("SubBits"))
		end := l.ShiftRight(l.AddInt(l.AddInt(l.Again(c), l.Use(p.radius)), half), l.Go("SubBits"))
		large = l.LessInt(l.MaxInt(first, zero), l.MinInt(end, l.Scalar(size)), &large)
	}
	return large
}

// storeDiscs appends discs.
func (l *loop) storeDiscs(large Mask, bits reg.GPVirtual, p place) {
	packing := l.Packing(large, bits)
	put := func(column string, v Operand) { l.Store(l.Pack(packing, v), l.At(column, l.discs)) }
	put("discX", l.Use(p.x))
	put("discY", l.Use(p.y))
	put("discRadius", l.Use(p.radius))
	put("discE", l.Use(p.e))
	put("discSource", l.index())
	l.POPCNTL(bits, bits)
	l.ADDQ(bits.As64(), l.discs)
}

// storeSpans appends spans of one key.
func (l *loop) storeSpans(live Mask, bits reg.GPVirtual, px, py Vec, p place) {
	l.MinInto(l.bounds[0], px, live)
	l.MaxInto(l.bounds[1], px, live)
	l.MinInto(l.bounds[2], py, live)
	l.MaxInto(l.bounds[3], py, live)
	packing := l.Packing(live, bits)
	put := func(column string, v Operand) { l.Store(l.Pack(packing, v), l.At(column, l.spans)) }
	put("start", l.AddInt(l.MulInt(py, l.Scalar("rowKeys")), px))
	put("e", l.Use(p.e))
	put("payload", l.index())
	l.Store(l.Broadcast(l.Constant("oneKey", operand.U32(1))), l.At("count", l.spans))
	l.Store(l.Zero(), l.At("de", l.spans))
	l.POPCNTL(bits, bits)
	l.ADDQ(bits.As64(), l.spans)
}

// index returns the numbers of the current points in their block.
func (l *loop) index() Vec {
	base := l.GP32()
	l.MOVL(l.Arg("base"), base)
	l.ADDL(l.i.As32(), base)
	return l.AddInt(l.BroadcastInt(base), l.Iota())
}
