package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// greaterThan is a predicate of VPCMPD and VPCMPUD.
const greaterThan = 6

// batch is the number of spans that the AVX-512 twin takes at a time.
const batch = 16

// batches is the part of the AVX-512 twin's state for batches.
type batches struct {
	*kernel
	made           Mem // keys 0 to 3 of all spans, as keyAt says
	size32         Mem
	tested, runs32 reg.VecVirtual // by lane
}

// slotOf is where a span's key lies among those of a batch: unpacking within
// 128 bits leaves spans 0, 1, 4, 5, 8, 9, 12 and 13 before the others.
func slotOf(span int) int { return span/4*2 + span%2 + span/2%2*8 }

func (b *batches) keyAt(k, slot int) Mem { return b.made.Offset(8 * (batch*k + slot)) }

// take makes the first four keys of the next sixteen spans and merges the first
// two, or the only one twice, of all of them without a branch on the length. It
// leaves in bits which spans are longer than four; they start again alone.
func (b *batches) take() {
	count, end := ZMM(), ZMM()
	VMOVDQU32(Mem{Base: b.count, Index: b.i, Scale: 4}, count)
	VPADDD(Mem{Base: b.start, Index: b.i, Scale: 4}, count, end)
	outside, bits := K(), GP32()
	VPCMPUD_BCST(Imm(greaterThan), b.size32, end, outside)
	KMOVW(outside, bits)
	TESTL(bits, bits)
	JNZ(LabelRef("single")) // until the span is found
	b.make()
	for s := range batch {
		b.firstTwo(s)
	}

	longer, others := K(), K()
	VPCMPD_BCST(Imm(greaterThan), ConstData("fourInt", U32(short)), count, longer)
	KNOTW(longer, others)
	VPADDD(count, b.tested, others, b.tested)
	runs := ZMM()
	VPBROADCASTD(ConstData("oneInt", U32(1)), runs)
	VPADDD(runs, b.runs32, others, b.runs32)
	over := K()
	VPCMPD_BCST(Imm(greaterThan), ConstData("twoInt", U32(2)), count, others, over)
	KMOVW(longer, b.bits.As32())
	KMOVW(over, bits)
	b.rest(bits)
	ADDQ(Imm(batch), b.i)
}

// make makes the keys.
func (b *batches) make() {
	e, de, payload, p := ZMM(), ZMM(), ZMM(), GP64()
	Load(Param("e").Base(), p)
	VMOVUPS(Mem{Base: p, Index: b.i, Scale: 4}, e)
	Load(Param("de").Base(), p)
	VMOVUPS(Mem{Base: p, Index: b.i, Scale: 4}, de)
	Load(Param("payload").Base(), p)
	VPBROADCASTD(ConstData("allBits", U32(0xffffffff)), payload)
	VPXORD(Mem{Base: p, Index: b.i, Scale: 4}, payload, payload)
	for k := range short {
		near, keys := ZMM(), ZMM()
		VMULPS_BCST(iota8.Offset(4*k), de, near)
		VADDPS(near, e, near)
		VMAXPS_BCST(minNearness, near, near)
		VPUNPCKLDQ(near, payload, keys)
		VMOVDQU64(keys, b.keyAt(k, 0))
		VPUNPCKHDQ(near, payload, keys)
		VMOVDQU64(keys, b.keyAt(k, batch/2))
	}
}

// firstTwo merges the first and second key of a span, or the first twice.
func (b *batches) firstTwo(s int) {
	at, first, second, more := GP64(), GP64(), GP64(), GP64()
	MOVL(Mem{Base: b.start, Index: b.i, Scale: 4, Disp: 4 * s}, at.As32())
	LEAQ(Mem{Base: b.frame, Index: at, Scale: 8}, at)
	MOVQ(b.keyAt(0, slotOf(s)), first)
	raise(first, Mem{Base: at})
	MOVQ(b.keyAt(1, slotOf(s)), second)
	XORL(more.As32(), more.As32())
	CMPL(Mem{Base: b.count, Index: b.i, Scale: 4, Disp: 4 * s}, Imm(1))
	SETNE(more.As8())
	CMOVQEQ(first, second)
	raise(second, Mem{Base: at, Index: more, Scale: 8})
}

// rest merges the third and the last key of the spans in bits, which have three
// or four.
func (b *batches) rest(bits reg.GPVirtual) {
	TESTL(bits, bits)
	JZ(LabelRef("rested"))
	Label("rest")
	s, at, over, made, key := GP64(), GP64(), GP64(), GP64(), GP64()
	TZCNTL(bits, s.As32())
	BLSRL(bits, bits)
	LEAQ(Mem{Base: b.i, Index: s, Scale: 1}, key)
	MOVL(Mem{Base: b.start, Index: key, Scale: 4}, at.As32())
	MOVL(Mem{Base: b.count, Index: key, Scale: 4}, over.As32())
	SUBQ(Imm(3), over)
	LEAQ(Mem{Base: b.frame, Index: at, Scale: 8}, at)
	LEAQ(slots, made)
	MOVBLZX(Mem{Base: made, Index: s, Scale: 1}, s.As32())
	LEAQ(b.keyAt(2, 0), made)
	LEAQ(Mem{Base: made, Index: s, Scale: 8}, made)
	MOVQ(Mem{Base: made}, key)
	raise(key, Mem{Base: at, Disp: 16})
	// Of three keys the third is the last; of four, one more.
	MOVQ(over, s)
	SHLQ(Imm(7), s) // 8*batch bytes from key 2 to key 3
	MOVQ(Mem{Base: made, Index: s, Scale: 1}, key)
	raise(key, Mem{Base: at, Index: over, Scale: 8, Disp: 16})
	TESTL(bits, bits)
	JNZ(LabelRef("rest"))
	Label("rested")
}

// slots is slotOf as a table.
var slots = func() Mem {
	m := GLOBL("slots", RODATA|NOPTR)
	for s := range batch {
		DATA(s, U8(slotOf(s)))
	}
	return m
}()

// sum adds the lanes to a counter in memory.
func (b *batches) sum(lanes reg.VecVirtual, to Mem) {
	total, lane := GP64(), GP64()
	VMOVDQU64(lanes, b.made)
	XORQ(total, total)
	for s := range batch {
		MOVL(b.made.Offset(4*s), lane.As32())
		ADDQ(lane, total)
	}
	ADDQ(total, to)
}

func avx512() {
	b := batches{kernel: begin("zbufferAVX512", 8)}
	b.made, b.size32 = AllocLocal(8*batch*short), AllocLocal(8)
	b.tested, b.runs32 = ZMM(), ZMM()
	t := GP64()
	MOVQ(size(), t)
	MOVQ(t, b.size32)
	VPBROADCASTD(ConstData("nothing", U32(0)), b.tested)
	VMOVDQA64(b.tested, b.runs32)

	Label("next")
	TESTL(b.bits.As32(), b.bits.As32())
	JZ(LabelRef("batch"))
	TZCNTL(b.bits.As32(), b.cur.As32())
	BLSRL(b.bits.As32(), b.bits.As32())
	LEAQ(Mem{Base: b.cur, Index: b.i, Scale: 1, Disp: -batch}, b.cur)
	JMP(LabelRef("span"))

	Label("batch")
	rest := GP64()
	MOVQ(n(), rest)
	SUBQ(b.i, rest)
	CMPQ(rest, Imm(batch))
	JL(LabelRef("single"))
	b.take()
	JMP(LabelRef("next"))

	b.single()
	b.load()
	CMPQ(b.left, Imm(long))
	JL(LabelRef("fours"))
	low := ZMM()
	VPBROADCASTQ(b.low.AsX(), low)
	Label("eight")
	near, key := YMM(), ZMM()
	VMULPS(b.slope, b.k, near)
	VADDPS(near, b.near, near)
	VMAXPS(b.least, near, near)
	VPMOVZXDQ(near, key)
	VPSLLQ(Imm(32), key, key)
	VPORQ(low, key, key)
	VPMAXUQ(Mem{Base: b.keys}, key, key)
	VMOVDQU64(key, Mem{Base: b.keys})
	ADDQ(Imm(64), b.keys)
	VADDPS_BCST(eight, b.k, b.k)
	SUBQ(Imm(8), b.left)
	CMPQ(b.left, Imm(long))
	JGE(LabelRef("eight"))
	Label("fours")
	b.vectors()
	JMP(LabelRef("next"))
	b.end(func() {
		b.sum(b.tested, b.kernel.tested)
		b.sum(b.runs32, b.kernel.runs)
	})
}
