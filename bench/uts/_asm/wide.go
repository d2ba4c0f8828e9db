package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wideLanes is the messages of a vector of AVX-512. Its 32 registers hold the
// state and the whole window of the schedule.
const wideLanes = 16

// wideWord is a word of the message schedule: a constant, or a vector.
type wideWord struct {
	known bool
	value uint32
	lanes reg.VecVirtual
}

// wide hashes vectors of sixteen messages and keeps those children that have
// children, without a word of them in scalar registers.
func wide() {
	TEXT("visitAVX512", NOSPLIT, "func(inner, message, cells *uint32, count int64) (found, children int64)")
	Doc("visitAVX512 hashes children by sixteens and writes those that have children to inner.")
	w := wideVisitor{to: Load(Param("inner"), GP64()), message: Load(Param("message"), GP64())}
	cells, left := Load(Param("cells"), GP64()), Load(Param("count"), GP64())
	total, zero := ZMM(), ZMM()
	VPXORD(total, total, total)
	Label("sixteen")
	s := w.hash()
	live, all := K(), GP32()
	MOVL(operand.U32(1<<wideLanes-1), all)
	BZHIL(left.(reg.GP).As32(), all, all)
	KMOVW(all, live)
	n := w.count(s[4], cells, live)
	VPADDD(n, total, total)
	depth := ZMM()
	VMOVDQU32(operand.Mem{Base: w.message, Disp: 6 * row}, depth)
	VPXORD(zero, zero, zero)
	w.write([7]reg.VecVirtual{s[0], s[1], s[2], s[3], s[4], depth, n}, zero)
	ADDQ(operand.Imm(4*wideLanes), w.message)
	SUBQ(operand.Imm(wideLanes), left)
	JG(operand.LabelRef("sixteen"))
	SUBQ(argument("inner"), w.to)
	SHRQ(operand.Imm(5), w.to)
	Store(w.to, Return("found"))
	Store(horizontalSum(total), Return("children"))
	VZEROUPPER()
	RET()
}

type wideVisitor struct {
	to, message reg.Register
	words       [80]wideWord
}

// broadcast is a number in memory for all lanes.
func broadcast(value uint32) operand.Mem {
	if m, ok := broadcasts[value]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("lanes%08x", value), RODATA|NOPTR)
	DATA(0, operand.U32(value))
	broadcasts[value] = m
	return m
}

var broadcasts = make(map[uint32]operand.Mem)

// hash finds the states of sixteen children.
func (w *wideVisitor) hash() [5]reg.VecVirtual {
	var s [5]reg.VecVirtual
	for i := range s {
		s[i] = ZMM()
		VPBROADCASTD(broadcast(initial[i]), s[i])
	}
	for t := range w.words {
		w.words[t] = w.scheduled(t)
		w.round(t, &s)
	}
	for i := range s {
		VPADDD_BCST(broadcast(initial[i]), s[i], s[i])
	}
	return s
}

// scheduled is word t of the schedule; see hasher.scheduled.
func (w *wideVisitor) scheduled(t int) wideWord {
	switch {
	case t < 6:
		v := ZMM()
		VMOVDQU32(operand.Mem{Base: w.message, Disp: t * row}, v)
		return wideWord{lanes: v}
	case t == 6:
		return wideWord{known: true, value: 0x80000000}
	case t < 15:
		return wideWord{known: true}
	case t == 15:
		return wideWord{known: true, value: 24 * 8}
	}
	known, terms := uint32(0), []reg.VecVirtual(nil)
	for _, back := range []int{16, 14, 8, 3} { // the oldest first: it is not needed again
		if v := w.words[t-back]; v.known {
			known ^= v.value
		} else {
			terms = append(terms, v.lanes)
		}
	}
	if len(terms) == 0 {
		return wideWord{known: true, value: bits.RotateLeft32(known, 1)}
	}
	v := terms[0]
	if w.words[t-16].known {
		v = ZMM()
		VMOVDQA32(terms[0], v)
	}
	terms = terms[1:]
	if len(terms) >= 2 {
		VPTERNLOGD(operand.U8(0x96), terms[1], terms[0], v)
		terms = terms[2:]
	}
	for _, other := range terms {
		VPXORD(other, v, v)
	}
	if known != 0 {
		VPXORD_BCST(broadcast(known), v, v)
	}
	VPROLD(operand.Imm(1), v, v)
	return wideWord{lanes: v}
}

// choices are the functions of b, c and d of the four times twenty rounds as truth
// tables: b ? c : d, parity, majority and parity.
var choices = [4]uint8{0xca, 0x96, 0xe8, 0x96}

// round does what hasher.round does.
func (w *wideVisitor) round(t int, s *[5]reg.VecVirtual) {
	a, b, c, d, sum := s[0], s[1], s[2], s[3], s[4]
	if word := w.words[t]; word.known {
		VPADDD_BCST(broadcast(stages[t/20]+word.value), sum, sum)
	} else {
		VPADDD(word.lanes, sum, sum)
		VPADDD_BCST(broadcast(stages[t/20]), sum, sum)
	}
	f, rotated := ZMM(), ZMM()
	VMOVDQA32(b, f)
	VPTERNLOGD(operand.U8(choices[t/20]), d, c, f)
	VPADDD(f, sum, sum)
	VPROLD(operand.Imm(5), a, rotated)
	VPADDD(rotated, sum, sum)
	VPROLD(operand.Imm(30), b, b)
	s[0], s[1], s[2], s[3], s[4] = sum, a, b, c, d
}

// count looks up how many children the live lanes have; the others have none. See
// uts.cellOf and uts.Tree.children.
func (w *wideVisitor) count(fifth reg.VecVirtual, cells, live reg.Register) reg.VecVirtual {
	const one = 0x3f800000 >> (23 - 6) * 8
	random, at, threshold, both, n := ZMM(), ZMM(), ZMM(), ZMM(), ZMM()
	VPANDD_BCST(broadcast(1<<31-1), fifth, random)
	VPXORD_BCST(broadcast(1<<31-1), random, at)
	VPORD_BCST(broadcast(1), at, at)
	VCVTDQ2PS(at, at)
	VPSRLD(operand.Imm(23-6), at, at)
	VPADDD(operand.Mem{Base: w.message, Disp: 7 * row}, at, at)
	gather := func(displacement int, to reg.VecVirtual) {
		mask := K()
		KMOVW(live, mask)
		VPXORD(to, to, to)
		VPGATHERDD(operand.Mem{Base: cells, Index: at, Scale: 8, Disp: displacement - one}, mask, to)
	}
	gather(0, threshold)
	gather(4, both)
	above := K()
	VPCMPUD(operand.Imm(5), threshold, random, above) // not less
	VPANDD_BCST(broadcast(0xffff), both, n)
	VPSRLD(operand.Imm(16), both, above, n)
	return n
}

// write writes the children that have children, as rows of eight words, at the
// end of those before them, and whatever it likes into the rows after them, up to
// sixteen in all. The sixth word of a row is its depth, the seventh 0.
func (w *wideVisitor) write(v [7]reg.VecVirtual, zero reg.VecVirtual) {
	parents := K()
	VPTESTMD(v[6], v[6], parents)
	for i := range v {
		VPCOMPRESSD_Z(v[i], parents, v[i])
	}
	words := [8]reg.VecVirtual{v[0], v[1], v[2], v[3], v[4], v[5], zero, v[6]}
	pair := func(op func(...operand.Op), a, b reg.VecVirtual) reg.VecVirtual {
		to := ZMM()
		op(b, a, to)
		return to
	}
	// quads[j] are words 0 to 3 of children j, 4+j, 8+j and 12+j; quads[4+j] words
	// 4 to 7.
	var quads [8]reg.VecVirtual
	for half := range 2 {
		w := words[4*half:]
		for i, op := range []func(...operand.Op){VPUNPCKLDQ, VPUNPCKHDQ} {
			ab, cd := pair(op, w[0], w[1]), pair(op, w[2], w[3])
			quads[4*half+2*i] = pair(VPUNPCKLQDQ, ab, cd)
			quads[4*half+2*i+1] = pair(VPUNPCKHQDQ, ab, cd)
		}
	}
	shuffle := func(selected uint64, a, b reg.VecVirtual) reg.VecVirtual {
		to := ZMM()
		VSHUFI32X4(operand.U8(selected), b, a, to)
		return to
	}
	for j := 0; j < 4; j += 2 { // rows j and j+1 of every four
		for half, selected := range []uint64{0x44, 0xee} {
			first := shuffle(selected, quads[j], quads[4+j])
			second := shuffle(selected, quads[j+1], quads[4+j+1])
			for i, selected := range []uint64{0x88, 0xdd} {
				at := child * (4*(2*half+i) + j)
				VMOVDQU32(shuffle(selected, first, second), operand.Mem{Base: w.to, Disp: at})
			}
		}
	}
	found := GP32()
	KMOVW(parents, found)
	POPCNTL(found, found)
	SHLQ(operand.Imm(5), found.As64())
	ADDQ(found.As64(), w.to)
}

// horizontalSum adds up the lanes.
func horizontalSum(v reg.VecVirtual) reg.GPVirtual {
	high, sum := YMM(), GP64()
	low := v.AsY()
	VEXTRACTI64X4(operand.Imm(1), v, high)
	VPADDD(high, low, low)
	x, other := v.AsX(), high.AsX()
	VEXTRACTI128(operand.Imm(1), low, other)
	VPADDD(other, x, x)
	for _, order := range []uint64{0x4e, 0xb1} {
		VPSHUFD(operand.Imm(order), x, other)
		VPADDD(other, x, x)
	}
	VPEXTRD(operand.Imm(0), x, sum.As32()) // MOVD would move 64 bits
	return sum
}
