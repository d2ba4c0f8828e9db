package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// span is one that is merged by vectors: e and de in all lanes, where its first key
// lies, and the number of its keys.
type span struct {
	e, de     reg.VecVirtual
	low       reg.VecVirtual // lower halves of keys
	at, count reg.GPVirtual
}

// spanOf loads span s of the batch, into vectors of a type.
func (z *zbuffer) spanOf(s reg.GPVirtual, vec func() reg.VecVirtual) (p span) {
	p = span{vec(), vec(), vec(), GP64(), GP64()}
	of := func(m Mem) Mem {
		m.Index, m.Scale = s, 4
		return m
	}
	VPBROADCASTD(of(z.low), p.low)
	VBROADCASTSS(of(z.e), p.e)
	VBROADCASTSS(of(z.de), p.de)
	i := GP64()
	LEAQ(Mem{Base: z.i, Index: s, Scale: 1}, i)
	MOVL(Mem{Base: z.start, Index: i, Scale: 4}, p.at.As32())
	MOVL(Mem{Base: z.count, Index: i, Scale: 4}, p.count.As32())
	LEAQ(Mem{Base: z.frame, Index: p.at, Scale: 8}, p.at)
	return p
}

// keys makes the keys at the places k, which are in an order that leaves them in
// two vectors, as places says.
func (p *span) keys(k Op, least reg.Register, vec func() reg.VecVirtual) (keys [2]reg.VecVirtual) {
	near := vec()
	keys = [2]reg.VecVirtual{vec(), vec()}
	VMULPS(k, p.de, near)
	VADDPS(near, p.e, near)
	VMAXPS(least, near, near)
	VPUNPCKLDQ(near, p.low, keys[0])
	VPUNPCKHDQ(near, p.low, keys[1])
	return keys
}

// places returns the places of keys in the order in which unpacking within 128
// bits leaves those from a on in one vector and those from b on in the other.
func places(lanes, a, b int) (k []int) {
	for lane := 0; lane < lanes/2; lane += 2 {
		k = append(k, a+lane, a+lane+1, b+lane, b+lane+1)
	}
	return k
}

// endsOf is a table of the places of the first and the last half of the keys of
// spans of lanes/2+1 to lanes keys.
func endsOf(lanes int, name string) Mem {
	m := table(fmt.Sprintf("ends%d", lanes), name)
	for n := lanes/2 + 1; n <= lanes; n++ {
		for i, k := range places(lanes, 0, n-lanes/2) {
			DATA(4*((n-lanes/2-1)*lanes+i), F32(float32(k)))
		}
	}
	return m
}

// eight merges a span of five to eight keys.
func (z *zbuffer) eight(s reg.GPVirtual) { z.ends(s, 8, YMM) }

// sixteen merges a span of nine to sixteen.
func (z *zbuffer) sixteen(s reg.GPVirtual) { z.ends(s, 16, ZMM) }

// ends merges a span of more than lanes/2 and up to lanes keys: the first half of
// a vector's lanes and the last half.
func (z *zbuffer) ends(s reg.GPVirtual, lanes int, vec func() reg.VecVirtual) {
	p, k := z.spanOf(s, vec), GP64()
	MOVQ(p.count, k)
	SHLQ(Imm(uint64(log2(4*lanes))), k)
	ends := GP64()
	LEAQ(endsOf(lanes, z.name), ends)
	least := reg.Register(z.least)
	if lanes < z.lanes {
		least = z.least.AsY()
	}
	keys := p.keys(Mem{Base: ends, Index: k, Scale: 1, Disp: -4 * lanes * (lanes/2 + 1)}, least, vec)
	first, last := Mem{Base: p.at}, Mem{Base: p.at, Index: p.count, Scale: 8, Disp: -4 * lanes}
	VMAXPD(first, keys[0], keys[0])
	VMAXPD(last, keys[1], keys[1])
	VMOVUPD(keys[0], first)
	VMOVUPD(keys[1], last)
}

// long merges a span of more keys than a batch has lanes.
func (z *zbuffer) long(s reg.GPVirtual) {
	p := z.spanOf(s, z.vec)
	SUBQ(p.count, z.most)
	half := 4 * z.lanes // bytes
	ends := Mem{Base: p.at, Index: p.count, Scale: 8, Disp: -2 * half}
	lasts := GP64()
	LEAQ(ends, lasts)
	old := [2]reg.VecVirtual{z.vec(), z.vec()}
	VMOVUPD(Mem{Base: lasts}, old[0])
	VMOVUPD(Mem{Base: lasts, Disp: half}, old[1])
	last := z.broadcastRegister(p.count)
	z.addInts(z.values("lasts", places(z.lanes, -z.lanes, -z.lanes/2), asInt), last, last)
	VCVTDQ2PS(last, last)
	k := z.values("firsts", places(z.lanes, 0, z.lanes/2), asFloat)

	Label("vectors")
	keys := p.keys(k, z.least, z.vec)
	for i, key := range keys {
		m := Mem{Base: p.at, Disp: i * half}
		VMAXPD(m, key, key)
		VMOVUPD(key, m)
	}
	VADDPS(z.fill(F32(float32(z.lanes))), k, k)
	ADDQ(Imm(uint64(2*half)), p.at)
	CMPQ(p.at, lasts)
	JL(LabelRef("vectors"))

	keys = p.keys(last, z.least, z.vec)
	for i, key := range keys {
		VMAXPD(old[i], key, key)
		VMOVUPD(key, Mem{Base: lasts, Disp: i * half})
	}
}

func log2(n int) (bits int) {
	for ; n > 1; n /= 2 {
		bits++
	}
	return bits
}
