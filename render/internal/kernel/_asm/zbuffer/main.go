// Command zbuffer generates the vector twins of kernel.ZBuffer.
package main

import (
	"flag"
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// iota8 and minNearness are kernel's constants, as float32.
var (
	iota8       = floats("iota8", 0, 1, 2, 3, 4, 5, 6, 7)
	four        = ConstData("four", F32(4))
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

// column loads the base of a slice of the spans.
func column(name string) reg.GPVirtual {
	return Load(Param(name).Base(), GP64()).(reg.GPVirtual)
}

// short is the longest span that is merged key by key.
const short = 4

// long is the shortest span that is merged eight keys at a time.
const long = 12

// kernel is the state that the parts of a twin share.
type kernel struct {
	scratch                        Mem
	frame, size                    reg.Register
	start, count, e, de, payload   reg.GPVirtual
	n, tested, runs, i, keys, left reg.GPVirtual
	steps, least, lower            reg.VecVirtual // of eight float32 or four keys
	k, near, slope, low, key       reg.VecVirtual
}

// begin declares the function and loads arguments and constants.
func begin(name string, keys int) *kernel {
	TEXT(name, NOSPLIT, "func(frame []uint64, start []uint32, count []int32, e, de []float32, payload []uint32) (tested, runs, bad int64)")
	Doc(fmt.Sprintf("%s merges spans as ZBuffer does, %d keys at a time. It stops before a", name, keys),
		"span that leaves the frame and returns its index plus one in bad.")
	z := &kernel{
		scratch: AllocLocal(32),
		frame:   column("frame"),
		size:    Load(Param("frame").Len(), GP64()),
		start:   column("start"), count: column("count"), e: column("e"), de: column("de"), payload: column("payload"),
		n:      Load(Param("start").Len(), GP64()).(reg.GPVirtual),
		tested: GP64(), runs: GP64(), i: GP64(), keys: GP64(), left: GP64(),
		steps: YMM(), least: YMM(), lower: YMM(),
		k: YMM(), near: YMM(), slope: YMM(), low: YMM(), key: YMM(),
	}
	XORQ(z.tested, z.tested)
	XORQ(z.runs, z.runs)
	XORQ(z.i, z.i)
	VPBROADCASTQ(lowerBits, z.lower)
	VMOVUPS(iota8, z.steps)
	VBROADCASTSS(minNearness, z.least)
	JMP(LabelRef("check"))
	return z
}

// span loads the next span, with low the lower half of its keys, and counts it.
func (z *kernel) span() {
	Label("span")
	at, end := GP64(), GP64()
	MOVL(Mem{Base: z.start, Index: z.i, Scale: 4}, at.As32())
	MOVLQSX(Mem{Base: z.count, Index: z.i, Scale: 4}, z.left)
	LEAQ(Mem{Base: at, Index: z.left, Scale: 1}, end)
	CMPQ(end, z.size)
	JA(LabelRef("bad"))
	ADDQ(z.left, z.tested)
	// runs += (left+15)/16
	LEAQ(Mem{Base: z.left, Disp: 15}, end)
	SHRQ(Imm(4), end)
	ADDQ(end, z.runs)
	LEAQ(Mem{Base: z.frame, Index: at, Scale: 8}, z.keys)
	VPBROADCASTD(Mem{Base: z.payload, Index: z.i, Scale: 4}, z.low)
	VPANDN(z.lower, z.low, z.low)
	VBROADCASTSS(Mem{Base: z.e, Index: z.i, Scale: 4}, z.near)
	VBROADCASTSS(Mem{Base: z.de, Index: z.i, Scale: 4}, z.slope)
}

// four makes the keys of the next four pixels: steps k.
func (z *kernel) four(k reg.VecVirtual) {
	near := XMM()
	VMULPS(z.slope.AsX(), k.AsX(), near)
	VADDPS(near, z.near.AsX(), near)
	VMAXPS(z.least.AsX(), near, near)
	VPMOVZXDQ(near, z.key)
	VPSLLQ(Imm(32), z.key, z.key)
	VPOR(z.low, z.key, z.key)
}

// short merges up to four keys one by one.
//
// Neighbouring polygons leave their short spans side by side. A vector load that
// overlaps narrow stores still under way has to wait for them, which took 20 to 50
// ns a span; key by key it is 2 to 3. Keys 0 and last, and then 1 and last-1,
// make up to four without a branch on the exact number: some may come twice,
// which a maximum does not mind.
func (z *kernel) short(k reg.VecVirtual) {
	z.four(k)
	VMOVDQU(z.key, z.scratch)
	raise := func(index bool, offset int) {
		from, to := z.scratch.Offset(offset), Mem{Base: z.keys, Disp: offset}
		if index {
			from.Index, from.Scale, to.Index, to.Scale = z.left, 8, z.left, 8
		}
		key, old := GP64(), GP64()
		MOVQ(from, key)
		MOVQ(to, old)
		CMPQ(key, old)
		CMOVQHI(key, old)
		MOVQ(old, to)
	}
	raise(true, -8)
	raise(false, 0)
	CMPQ(z.left, Imm(2))
	JLE(LabelRef("next"))
	raise(false, 8)
	raise(true, -16)
}

// end goes on to the next span and returns.
func (z *kernel) end() {
	Label("next")
	INCQ(z.i)
	Label("check")
	CMPQ(z.i, z.n)
	JL(LabelRef("span"))
	XORQ(z.i, z.i)
	DECQ(z.i)
	Label("bad")
	INCQ(z.i)
	Store(z.tested, Return("tested"))
	Store(z.runs, Return("runs"))
	Store(z.i, Return("bad"))
	VZEROUPPER()
	RET()
}

// vectors merges four keys at a time while there are more, and the last up to
// four one by one: it never touches a key outside the span, and needs no masked
// store, after which an overlapping load has to wait. Keys compare as signed
// numbers, because a nearness is positive and its sign the top bit.
func (z *kernel) vectors() {
	CMPQ(z.left, Imm(short))
	JLE(LabelRef("short"))
	fours := XMM()
	VBROADCASTSS(four, fours)
	Label("four")
	z.four(z.k)
	old, larger := YMM(), YMM()
	VMOVDQU(Mem{Base: z.keys}, old)
	VPCMPGTQ(old, z.key, larger)
	VBLENDVPD(larger, z.key, old, old)
	VMOVDQU(old, Mem{Base: z.keys})
	ADDQ(Imm(32), z.keys)
	VADDPS(fours, z.k.AsX(), z.k.AsX())
	SUBQ(Imm(4), z.left)
	CMPQ(z.left, Imm(short))
	JG(LabelRef("four"))
	Label("short")
	z.short(z.k)
}

func avx512() {
	z := begin("zbufferAVX512", 8)
	z.span()
	VMOVUPS(z.steps, z.k)
	// Eight at a time only where at least one more vector follows.
	CMPQ(z.left, Imm(long))
	JL(LabelRef("rest"))
	low := ZMM()
	VPBROADCASTQ(z.low.AsX(), low)
	Label("eight")
	near, key := YMM(), ZMM()
	VMULPS(z.slope, z.k, near)
	VADDPS(near, z.near, near)
	VMAXPS(z.least, near, near)
	VPMOVZXDQ(near, key)
	VPSLLQ(Imm(32), key, key)
	VPORQ(low, key, key)
	VPMAXUQ(Mem{Base: z.keys}, key, key)
	VMOVDQU64(key, Mem{Base: z.keys})
	ADDQ(Imm(64), z.keys)
	VADDPS_BCST(eight, z.k, z.k)
	SUBQ(Imm(8), z.left)
	CMPQ(z.left, Imm(long))
	JGE(LabelRef("eight"))
	Label("rest")
	z.vectors()
	z.end()
}

func avx2() {
	z := begin("zbufferAVX2", 4)
	z.span()
	VMOVUPS(z.steps, z.k)
	z.vectors()
	z.end()
}

func main() {
	flag.Parse()
	ConstraintExpr("amd64,!purego")
	avx512()
	avx2()
	Generate()
}
