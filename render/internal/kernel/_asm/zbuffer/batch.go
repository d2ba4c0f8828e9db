package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// take loads the next spans, makes the first four keys of each, and finds the
// spans of every class. It returns how many spans are left; lanes without one have
// no keys. It goes to end when none is left.
func (z *zbuffer) take() (spans reg.Register) {
	left := GP64()
	MOVQ(argument(Param("start").Len()), left)
	SUBQ(z.i, left)
	JLE(LabelRef("end"))
	has := z.lanesBelow(left)
	start, count := z.load(z.start, has), z.load(z.count, has)

	end, size := z.vec(), z.broadcast(z.size)
	z.addInts(start, count, end)
	VPMAXUD(start, end, end) // the sum may have wrapped
	VPMAXUD(size, end, end)
	MOVL(z.differ(end, size), z.outside)
	TESTL(z.outside, z.outside)
	JNZ(LabelRef("outside"))

	z.addInts(count, z.tested, z.tested)
	runs := z.vec()
	z.addInts(count, z.int(15), runs)
	VPSRLD(Imm(4), runs, runs)
	z.addInts(runs, z.runs, z.runs)

	second := z.vec()
	z.addInts(count, z.int(-1), second)
	VPMINSD(z.int(1), second, second)
	step := z.vec()
	VCVTDQ2PS(second, step)
	z.addInts(start, second, second)
	z.store(second, z.second)
	z.makeFirst(has, step)
	z.classify(count)

	// What is asked for ahead lies in the columns too.
	soon := GP64()
	LEAQ(Mem{Base: z.i, Disp: ahead}, soon)
	MOVQ(z.i, z.ahead)
	CMPQ(left, Imm(uint64(ahead+z.lanes)))
	CMOVQGE(soon, z.ahead)
	return left.As32()
}

// ahead is how many spans before its turn the frame is asked for a span's first key:
// 5 to 10 % of the time of short spans.
const ahead = 16

// makeFirst makes the first key of all spans, and the second of those that have one.
func (z *zbuffer) makeFirst(has mask, second reg.VecVirtual) {
	low := z.complement(z.load(column("payload"), has))
	z.store(low, z.low)
	e, de := z.load(column("e"), has), z.load(column("de"), has)
	z.store(e, z.e)
	z.store(de, z.de)
	z.makeKeys(0, z.fill(F32(0)), e, de, low)
	z.makeKeys(1, second, e, de, low)
}

// makeMore makes keys 2 and 3.
func (z *zbuffer) makeMore() {
	e, de, low := z.vec(), z.vec(), z.vec()
	VMOVUPS(z.e, e)
	VMOVUPS(z.de, de)
	VMOVUPS(z.low, low)
	for k := 2; k < 4; k++ {
		z.makeKeys(k, z.fill(F32(float32(k))), e, de, low)
	}
}

// makeKeys makes keys k of all spans, at the given places.
func (z *zbuffer) makeKeys(k int, places, e, de, low reg.VecVirtual) {
	near, lower, upper := z.vec(), z.vec(), z.vec()
	VMULPS(places, de, near)
	VADDPS(near, e, near)
	VMAXPS(z.least, near, near)
	VPUNPCKLDQ(near, low, lower)
	VPUNPCKHDQ(near, low, upper)
	z.store(lower, z.keyAt(k, 0))
	z.store(upper, z.keyAt(k, z.lanes/2))
}

// keyAt is where key k of the span in a slot lies.
func (z *zbuffer) keyAt(k, slot int) Mem { return z.keys.Offset(8 * (z.lanes*k + slot)) }

// slotOf is the slot of a span: unpacking within 128 bits leaves spans 0, 1, 4, 5
// and so on before the others.
func (z *zbuffer) slotOf(span int) int { return span/4*2 + span%2 + span/2%2*z.lanes/2 }

// makeSlots makes slotOf a table of bytes.
func (z *zbuffer) makeSlots() Mem {
	m := table("slots", z.name)
	for s := range z.lanes {
		DATA(s, U8(z.slotOf(s)))
	}
	return m
}

// classify finds the spans of every class.
func (z *zbuffer) classify(count reg.VecVirtual) {
	for i, c := range z.classes {
		bits := z.above(count, z.int(c.above))
		MOVL(bits, c.bits)
		if i > 0 {
			before := z.classes[i-1].bits
			ANDNL(before, c.bits, before)
		}
	}
}

// firstTwo merges the first and second key of a span, or the first twice.
func (z *zbuffer) firstTwo(s int) {
	first, second, soon := GP64(), GP64(), GP64()
	MOVL(Mem{Base: z.start, Index: z.ahead, Scale: 4, Disp: 4 * s}, soon.As32())
	PREFETCHT0(Mem{Base: z.frame, Index: soon, Scale: 8})
	MOVL(Mem{Base: z.start, Index: z.i, Scale: 4, Disp: 4 * s}, first.As32())
	MOVL(z.second.Offset(4*s), second.As32())
	raise(z.keyAt(0, z.slotOf(s)), Mem{Base: z.frame, Index: first, Scale: 8})
	raise(z.keyAt(1, z.slotOf(s)), Mem{Base: z.frame, Index: second, Scale: 8})
}

// firstTwoOf is firstTwo for any span.
func (z *zbuffer) firstTwoOf(s reg.GPVirtual) {
	first, second := GP64(), GP64()
	span := GP64()
	LEAQ(Mem{Base: z.i, Index: s, Scale: 1}, span)
	MOVL(Mem{Base: z.start, Index: span, Scale: 4}, first.As32())
	at := z.second
	at.Index, at.Scale = s, 4
	MOVL(at, second.As32())
	keys := z.keysOf(s)
	raise(keys, Mem{Base: z.frame, Index: first, Scale: 8})
	raise(keys.Offset(8*z.lanes), Mem{Base: z.frame, Index: second, Scale: 8})
}

// keysOf is where key 0 of a span lies. It changes s.
func (z *zbuffer) keysOf(s reg.GPVirtual) Mem {
	slots := GP64()
	LEAQ(z.slots, slots)
	MOVBLZX(Mem{Base: slots, Index: s, Scale: 1}, s.As32())
	keys := z.keys
	keys.Index, keys.Scale = s, 8
	return keys
}

// raise merges one key.
func raise(key, to Mem) {
	x := XMM()
	VMOVSD(key, x)
	VMAXSD(to, x, x)
	VMOVSD(x, to)
}

// four merges the third and the last key of a span of three or four.
func (z *zbuffer) four(s reg.GPVirtual) {
	at, over, span := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: z.i, Index: s, Scale: 1}, span)
	MOVL(Mem{Base: z.start, Index: span, Scale: 4}, at.As32())
	MOVL(Mem{Base: z.count, Index: span, Scale: 4}, over.As32())
	LEAQ(Mem{Base: z.frame, Index: at, Scale: 8, Disp: 16}, at)
	SUBQ(Imm(3), over)
	third := z.keysOf(s).Offset(2 * 8 * z.lanes)
	raise(third, Mem{Base: at})
	// Of three keys the third is the last.
	last := GP64()
	IMUL3Q(Imm(uint64(z.lanes)), over, last)
	ADDQ(last, s)
	raise(third, Mem{Base: at, Index: over, Scale: 8})
}
