package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants of the kernels; those of kernel are written as bits.
var (
	iota8       = floats("iota8", 0, 1, 2, 3, 4, 5, 6, 7)
	fourFloat   = ConstData("fourFloat", F32(4))
	eight       = ConstData("eight", F32(8))
	lowerBits   = ConstData("lowerBits", U64(0xffffffff))
	minNearness = ConstData("minNearness", U32(0x00800000))
)

func floats(name string, values ...float32) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i, v := range values {
		DATA(4*i, F32(v))
	}
	return m
}

// short is the longest span that is merged key by key.
const short = 4

// long is the shortest span that is merged eight keys at a time.
const long = 12

// kernel is the state that the parts of a twin share.
type kernel struct {
	scratch      Mem // four keys
	tested, runs Mem
	frame        reg.GPVirtual
	start, count reg.GPVirtual // columns of the spans; the others are loaded when needed
	i            reg.GPVirtual // spans that have been taken
	bits         reg.GPVirtual // of spans i-16 to i-1 that are still to be merged one by one
	cur          reg.GPVirtual // the span being merged
	keys, left   reg.GPVirtual // where its next key goes, how many there are

	steps, least, lower       reg.VecVirtual // 0, 1, 2, ...; MinNearness; a mask
	k, near, slope, low, key0 reg.VecVirtual
}

// column loads the base of a slice of the spans.
func column(name string) reg.GPVirtual {
	return Load(Param(name).Base(), GP64()).(reg.GPVirtual)
}

func size() Mem { return mem(Param("frame").Len()) }
func n() Mem    { return mem(Param("start").Len()) }

// mem is where an argument lies.
func mem(c gotypes.Component) Mem {
	b, err := c.Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// begin declares the function and loads arguments and constants.
func begin(name string, keys int) *kernel {
	TEXT(name, NOSPLIT, "func(frame []uint64, start []uint32, count []int32, e, de []float32, payload []uint32) (tested, runs, bad int64)")
	Doc(fmt.Sprintf("%s merges spans as ZBuffer does, up to %d keys at a time. It stops before a", name, keys),
		"span that leaves the frame and returns its index plus one in bad.")
	z := &kernel{
		scratch: AllocLocal(32), tested: AllocLocal(8), runs: AllocLocal(8),
		frame: column("frame"), start: column("start"), count: column("count"),
		i: GP64(), bits: GP64(), cur: GP64(), keys: GP64(), left: GP64(),
		steps: YMM(), least: YMM(), lower: YMM(),
		k: YMM(), near: YMM(), slope: YMM(), low: YMM(), key0: YMM(),
	}
	XORQ(z.i, z.i)
	XORQ(z.bits, z.bits)
	MOVQ(z.i, z.tested)
	MOVQ(z.i, z.runs)
	VPBROADCASTQ(lowerBits, z.lower)
	VMOVUPS(iota8, z.steps)
	VBROADCASTSS(minNearness, z.least)
	return z
}

// single takes span i alone.
func (z *kernel) single() {
	Label("single")
	CMPQ(z.i, n())
	JGE(LabelRef("end"))
	MOVQ(z.i, z.cur)
	INCQ(z.i)
}

// load reads span cur, with low the lower half of its keys, and counts it.
func (z *kernel) load() {
	Label("span")
	at, end, p := GP64(), GP64(), GP64()
	MOVL(Mem{Base: z.start, Index: z.cur, Scale: 4}, at.As32())
	MOVLQSX(Mem{Base: z.count, Index: z.cur, Scale: 4}, z.left)
	LEAQ(Mem{Base: at, Index: z.left, Scale: 1}, end)
	CMPQ(end, size())
	JA(LabelRef("bad"))
	ADDQ(z.left, z.tested)
	// runs += (left+15)/16
	LEAQ(Mem{Base: z.left, Disp: 15}, end)
	SHRQ(Imm(4), end)
	ADDQ(end, z.runs)
	LEAQ(Mem{Base: z.frame, Index: at, Scale: 8}, z.keys)
	Load(Param("payload").Base(), p)
	VPBROADCASTD(Mem{Base: p, Index: z.cur, Scale: 4}, z.low)
	VPANDN(z.lower, z.low, z.low)
	Load(Param("e").Base(), p)
	VBROADCASTSS(Mem{Base: p, Index: z.cur, Scale: 4}, z.near)
	Load(Param("de").Base(), p)
	VBROADCASTSS(Mem{Base: p, Index: z.cur, Scale: 4}, z.slope)
	VMOVUPS(z.steps, z.k)
}

// four makes the keys of the next four pixels.
func (z *kernel) four() {
	near := XMM()
	VMULPS(z.slope.AsX(), z.k.AsX(), near)
	VADDPS(near, z.near.AsX(), near)
	VMAXPS(z.least.AsX(), near, near)
	VPMOVZXDQ(near, z.key0)
	VPSLLQ(Imm(32), z.key0, z.key0)
	VPOR(z.low, z.key0, z.key0)
}

// raise merges one key.
func raise(key reg.GPVirtual, to Mem) {
	old := GP64()
	MOVQ(to, old)
	CMPQ(key, old)
	CMOVQHI(key, old)
	MOVQ(old, to)
}

// vectors merges the span four keys at a time while there are more, and the
// last up to four one by one: it never touches a key outside the span, and needs
// no masked store, after which an overlapping load has to wait. Keys compare as
// signed numbers, because a nearness is positive and its sign the top bit.
//
// Neighbouring polygons leave their short spans side by side. A vector load that
// overlaps narrow stores still under way has to wait for them, which took 20 to 50
// ns a span; key by key it is 2 to 3. Keys 0 and last, and then 1 and last-1,
// make up to four without a branch on the exact number: some may come twice,
// which a maximum does not mind.
func (z *kernel) vectors() {
	CMPQ(z.left, Imm(short))
	JLE(LabelRef("short"))
	fours := XMM()
	VBROADCASTSS(fourFloat, fours)
	Label("four")
	z.four()
	old, larger := YMM(), YMM()
	VMOVDQU(Mem{Base: z.keys}, old)
	VPCMPGTQ(old, z.key0, larger)
	VBLENDVPD(larger, z.key0, old, old)
	VMOVDQU(old, Mem{Base: z.keys})
	ADDQ(Imm(32), z.keys)
	VADDPS(fours, z.k.AsX(), z.k.AsX())
	SUBQ(Imm(4), z.left)
	CMPQ(z.left, Imm(short))
	JG(LabelRef("four"))

	Label("short")
	z.four()
	VMOVDQU(z.key0, z.scratch)
	merge := func(fromEnd bool, offset int) {
		from, to := z.scratch.Offset(offset), Mem{Base: z.keys, Disp: offset}
		if fromEnd {
			from.Index, from.Scale, to.Index, to.Scale = z.left, 8, z.left, 8
		}
		key := GP64()
		MOVQ(from, key)
		raise(key, to)
	}
	merge(true, -8)
	merge(false, 0)
	CMPQ(z.left, Imm(2))
	JLE(LabelRef("next"))
	merge(false, 8)
	merge(true, -16)
}

// end returns.
func (z *kernel) end(before func()) {
	Label("end")
	XORQ(z.cur, z.cur)
	DECQ(z.cur)
	Label("bad")
	INCQ(z.cur)
	before()
	sum := GP64()
	MOVQ(z.tested, sum)
	Store(sum, Return("tested"))
	MOVQ(z.runs, sum)
	Store(sum, Return("runs"))
	Store(z.cur, Return("bad"))
	VZEROUPPER()
	RET()
}

func avx2() {
	z := begin("zbufferAVX2", 4)
	Label("next")
	z.single()
	z.load()
	z.vectors()
	JMP(LabelRef("next"))
	z.end(func() {})
}
