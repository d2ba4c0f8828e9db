package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// take loads the next spans, computes the first two keys of each span, and sorts the spans into classes. It returns the
// number of spans in the batch. Lanes without a span have no keys. If no spans are left, it jumps to the label end.
func (z *zbuffer) take() (spans reg.Register) {
	z.Comment("The next batch: a span a lane.")
	left := z.Int("spans")
	z.SUBQ(z.i, left)
	z.JLE(operand.LabelRef("end"))
	has := z.First(left)
	start, count := z.column(z.start, has), z.column(z.count, has)

	z.Comment("Spans that leave the frame.")
	size := z.Broadcast(z.Scalar("size"))
	end := z.MaxUnsigned(z.AddInt(count, start), start) // the sum may have overflowed
	z.outside = z.BitsDifferent(z.MaxUnsigned(end, size), size)
	z.TESTL(z.outside, z.outside)
	z.JNZ(operand.LabelRef("outside"))

	z.Comment("Counters.")
	z.Into(z.tested).AddInt(z.tested, count)
	runs := z.ShiftRight(z.AddInt(count, z.number("fifteen", 15)), 4)
	z.Into(z.runs).AddInt(z.runs, runs)

	z.Comment("Places and keys of the first two pixels.")
	second := z.MinInt(z.AddInt(count, z.number("minusOne", -1)), z.number("one", 1))
	step := z.ToFloat(second)
	z.Store(z.AddInt(second, start), z.second)
	z.makeFirst(has, step)
	z.Comment("Spans by length.")
	z.classify(count)

	// Near the end of the columns, prefetching must not go beyond them.
	soon := z.GP64()
	z.LEAQ(operand.Mem{Base: z.i, Disp: ahead}, soon)
	z.MOVQ(z.i, z.ahead)
	z.CMPQ(left, operand.Imm(uint64(ahead+z.N)))
	z.CMOVQGE(soon, z.ahead)
	return left.As32()
}

// ahead is the number of spans by which the first keys of spans are prefetched ahead. This saves 5 to 10 % of the time
// of short spans.
const ahead = 16

// column loads the batch's elements of a column. Lanes without a span become 0.
func (z *zbuffer) column(base reg.GPVirtual, has Mask) Vec {
	return z.LoadMasked(operand.Mem{Base: base, Index: z.i, Scale: 4}, has)
}

// number returns a vector with the integer n in every lane.
func (z *zbuffer) number(name string, n int) Scalar {
	return z.Constant(name, operand.I32(n))
}

// makeFirst computes the first key of every span, and the second key of spans that have two keys or more.
func (z *zbuffer) makeFirst(has Mask, second Vec) {
	low := z.Xor(z.column(z.Int("payload"), has), z.number("minusOne", -1))
	z.Store(low, z.low)
	e, de := z.column(z.Int("e"), has), z.column(z.Int("de"), has)
	z.Store(e, z.e)
	z.Store(de, z.de)
	z.makeKeys(0, z.Zero(), e, de, low)
	z.makeKeys(1, second, e, de, low)
}

// makeMore computes keys 2 and 3 of every span.
func (z *zbuffer) makeMore() {
	e, de, low := z.Load(z.e), z.Load(z.de), z.Load(z.low)
	z.makeKeys(2, z.Constant("two", operand.F32(2)), e, de, low)
	z.makeKeys(3, z.Constant("three", operand.F32(3)), e, de, low)
}

// makeKeys computes key k of every span. places holds k as a float32 in every lane.
func (z *zbuffer) makeKeys(k int, places Operand, e, de, low Vec) {
	keys := z.keysOf(span{e: e, de: de, low: low}, places, z.Lanes)
	z.Store(keys[0], z.keyAt(k, 0))
	z.Store(keys[1], z.keyAt(k, z.N/2))
}

// keyAt returns the memory of key k of the span in a slot.
func (z *zbuffer) keyAt(k, slot int) operand.Mem { return z.keys.Offset(8 * (z.N*k + slot)) }

// slotOf returns the slot of a span in the memory of keys. Unpacking within 128 bits puts spans 0, 1, 4, 5 and so on
// before the other spans.
func (z *zbuffer) slotOf(span int) int { return span/4*2 + span%2 + span/2%2*z.N/2 }

// slots returns a table with a byte for each span that holds the span's slot.
func (z *zbuffer) slots() operand.Mem {
	var slots []operand.Constant
	for s := range z.N {
		slots = append(slots, operand.U8(z.slotOf(s)))
	}
	return z.Table(fmt.Sprint("slots", z.N), slots...)
}

// classify finds the spans of each class.
func (z *zbuffer) classify(count Vec) {
	for i, c := range z.classes {
		above := z.GreaterInt(count, z.number(fmt.Sprint("above", c.above), c.above), nil)
		z.classes[i].bits = z.Bits(above)
		if i > 0 {
			before := z.classes[i-1].bits
			z.ANDNL(before, z.classes[i].bits, before)
		}
	}
}

// key returns the memory of the frame's key at an index.
func (z *zbuffer) key(index reg.Register) operand.Mem {
	return operand.Mem{Base: z.frame, Index: index, Scale: 8}
}

// firstTwo merges the first and the second key of span s of the batch. If the span has one key, it merges that key
// twice.
func (z *zbuffer) firstTwo(s int) {
	first, second, soon := z.GP64(), z.GP64(), z.GP64()
	z.MOVL(operand.Mem{Base: z.start, Index: z.ahead, Scale: 4, Disp: 4 * s}, soon.As32())
	z.PREFETCHT0(z.key(soon))
	z.MOVL(operand.Mem{Base: z.start, Index: z.i, Scale: 4, Disp: 4 * s}, first.As32())
	z.MOVL(z.second.Offset(4*s), second.As32())
	z.raise(z.keyAt(0, z.slotOf(s)), z.key(first))
	z.raise(z.keyAt(1, z.slotOf(s)), z.key(second))
}

// firstTwoOf is firstTwo for a span whose number is in a register.
func (z *zbuffer) firstTwoOf(s reg.GPVirtual) {
	first, second, span := z.GP64(), z.GP64(), z.GP64()
	z.LEAQ(operand.Mem{Base: z.i, Index: s, Scale: 1}, span)
	z.MOVL(operand.Mem{Base: z.start, Index: span, Scale: 4}, first.As32())
	z.MOVL(z.second.Idx(s, 4), second.As32())
	keys := z.firstOf(s)
	z.raise(keys, z.key(first))
	z.raise(keys.Offset(8*z.N), z.key(second))
}

// firstOf returns the memory of key 0 of span s. It changes s.
func (z *zbuffer) firstOf(s reg.GPVirtual) operand.Mem {
	slots := z.GP64()
	z.LEAQ(z.slots(), slots)
	z.MOVBLZX(operand.Mem{Base: slots, Index: s, Scale: 1}, s.As32())
	return z.keys.Idx(s, 8)
}

// raise merges one key into the key in the memory `to`.
func (z *zbuffer) raise(key, to operand.Mem) {
	x := z.XMM()
	z.VMOVSD(key, x)
	z.VMAXSD(to, x, x)
	z.VMOVSD(x, to)
}

// four merges the third and the last key of a span of three or four keys.
func (z *zbuffer) four(s reg.GPVirtual) {
	at, over, span := z.GP64(), z.GP64(), z.GP64()
	z.LEAQ(operand.Mem{Base: z.i, Index: s, Scale: 1}, span)
	z.MOVL(operand.Mem{Base: z.start, Index: span, Scale: 4}, at.As32())
	z.MOVL(operand.Mem{Base: z.count, Index: span, Scale: 4}, over.As32())
	z.LEAQ(z.key(at).Offset(16), at)
	z.SUBQ(operand.Imm(3), over)
	third := z.firstOf(s).Offset(2 * 8 * z.N)
	z.raise(third, operand.Mem{Base: at})
	// In a span of three keys, the third key is also the last.
	last := z.GP64()
	z.IMUL3Q(operand.Imm(uint64(z.N)), over, last)
	z.ADDQ(last, s)
	z.raise(third, operand.Mem{Base: at, Index: over, Scale: 8})
}
