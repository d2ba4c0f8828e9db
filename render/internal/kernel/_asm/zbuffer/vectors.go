package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// span is a span that is merged by vectors. e and de are in every lane. The other fields are the address of the
// span's first key and the number of its keys.
type span struct {
	e, de     Vec
	low       Vec // lower halves of keys
	at, count reg.GPVirtual
}

// spanOf loads span s of the batch, for vectors of l.
func (z *zbuffer) spanOf(s reg.GPVirtual, l *Lanes) (p span) {
	p.low = l.Broadcast(Scalar{Mem: z.low.Idx(s, 4)})
	p.e = l.Broadcast(Scalar{Mem: z.e.Idx(s, 4)})
	p.de = l.Broadcast(Scalar{Mem: z.de.Idx(s, 4)})
	p.at, p.count = z.GP64(), z.GP64()
	i := z.GP64()
	z.LEAQ(operand.Mem{Base: z.i, Index: s, Scale: 1}, i)
	z.MOVL(operand.Mem{Base: z.start, Index: i, Scale: 4}, p.at.As32())
	z.MOVL(operand.Mem{Base: z.count, Index: i, Scale: 4}, p.count.As32())
	z.LEAQ(z.key(p.at), p.at)
	return p
}

// keysOf computes the keys of a span. k holds their numbers in the span. The order of k, see places, determines the
// vector of each key.
func (z *zbuffer) keysOf(p span, k Operand, l *Lanes) [2]Vec {
	least := z.least
	if l.N < z.N {
		least = least.AsY().(Vec)
	}
	near := l.Max(l.Add(l.Mul(p.de, k), p.e), least)
	return [2]Vec{l.UnpackLow(p.low, near), l.UnpackHigh(p.low, near)}
}

// places returns the numbers of keys in an order for unpacking within 128 bits. Unpacking puts the keys from number a
// on into one vector, and the keys from number b on into the other.
func places(lanes, a, b int) (k []operand.Constant) {
	for lane := 0; lane < lanes/2; lane += 2 {
		for _, from := range []int{a, a + 1, b, b + 1} {
			k = append(k, operand.F32(from+lane))
		}
	}
	return k
}

// eight merges a span of five to eight keys.
func (z *zbuffer) eight(s reg.GPVirtual) {
	if z.N == AVX2 {
		z.ends(s, z.Lanes)
	} else {
		z.ends(s, z.Narrow())
	}
}

// sixteen merges a span of nine to sixteen keys.
func (z *zbuffer) sixteen(s reg.GPVirtual) { z.ends(s, z.Lanes) }

// ends merges the first N/2 keys and the last N/2 keys of a span. N is the number of lanes of l's vectors. The span
// must have more than N/2 and at most N keys.
func (z *zbuffer) ends(s reg.GPVirtual, l *Lanes) {
	p, k := z.spanOf(s, l), z.GP64()
	least := l.N/2 + 1
	var table []operand.Constant // by number of keys, from least on
	for n := least; n <= l.N; n++ {
		table = append(table, places(l.N, 0, n-l.N/2)...)
	}
	z.MOVQ(p.count, k)
	z.SHLQ(operand.Imm(uint64(bits.TrailingZeros(uint(l.Bytes())))), k)
	ends := z.GP64()
	z.LEAQ(z.Table(fmt.Sprint("ends", l.N), table...), ends)
	keys := z.keysOf(p, operand.Mem{Base: ends, Index: k, Scale: 1, Disp: -l.Bytes() * least}, l)
	first, last := operand.Mem{Base: p.at}, operand.Mem{Base: p.at, Index: p.count, Scale: 8, Disp: -l.Bytes()}
	keys[0], keys[1] = l.MaxWide(keys[0], first), l.MaxWide(keys[1], last)
	l.Store(keys[0], first)
	l.Store(keys[1], last)
}

// long merges a span that has more keys than a vector has lanes.
func (z *zbuffer) long(s reg.GPVirtual) {
	p := z.spanOf(s, z.Lanes)
	z.SUBQ(p.count, z.Arg("most"))
	lasts := z.GP64()
	z.LEAQ(operand.Mem{Base: p.at, Index: p.count, Scale: 8, Disp: -2 * z.Bytes()}, lasts)
	old := [2]Vec{z.Load(operand.Mem{Base: lasts}), z.Load(operand.Mem{Base: lasts, Disp: z.Bytes()})}
	last := z.ToFloat(z.BroadcastInt(p.count))
	last = z.Add(last, z.Table(fmt.Sprint("lasts", z.N), places(z.N, -z.N, -z.N/2)...))
	k := z.Load(z.Table(fmt.Sprint("firsts", z.N), places(z.N, 0, z.N/2)...))

	z.Label("vectors")
	for i, key := range z.keysOf(p, k, z.Lanes) {
		m := operand.Mem{Base: p.at, Disp: i * z.Bytes()}
		z.Store(z.MaxWide(key, m), m)
	}
	z.Into(k).Add(k, z.Constant(fmt.Sprint("lanes", z.N), operand.F32(z.N)))
	z.ADDQ(operand.Imm(uint64(2*z.Bytes())), p.at)
	z.CMPQ(p.at, lasts)
	z.JL(operand.LabelRef("vectors"))

	for i, key := range z.keysOf(p, last, z.Lanes) {
		z.Store(z.MaxWide(key, old[i]), operand.Mem{Base: lasts, Disp: i * z.Bytes()})
	}
}
