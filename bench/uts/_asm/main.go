// Command _asm generates the vector twins of uts.expand and uts.spawn: SHA-1 of
// eight messages of one block at a time, one a lane.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lanes = 8
	// row is the bytes of one word of all messages of a batch, see uts.batch.
	row = (64 + 16) * 4
	// child is the bytes of uts.parent, and runBytes those of uts.run.
	child    = 32
	runBytes = 24
)

func main() {
	ConstraintExpr("amd64,!purego")
	TEXT("spawnAVX2", NOSPLIT, "func(children, message *uint32, vectors int64)")
	Doc("spawnAVX2 hashes whole vectors of eight messages.")
	block()
	runs("expandAVX2", 0)
	runs("expandAVX512", 2)
	wide()
	prepare()
	visit()
	Generate()
}

// first is the numbers of eight siblings.
var first operand.Mem

// runs writes one run of siblings after another, eight at a time, and so many more
// words of each: its depth and its rule.
func runs(name string, more int) {
	TEXT(name, NOSPLIT, "func(message, stack, runs *uint32, count int64)")
	Doc(name + " writes the messages of the children of runs, and up to seven too many.")
	base := Load(Param("message"), GP64())
	stack := Load(Param("stack"), GP64())
	run := Load(Param("runs"), GP64())
	left := Load(Param("count"), GP64())
	if more == 0 {
		first = GLOBL("numbers", RODATA|NOPTR)
		for i := range lanes {
			DATA(4*i, operand.U32(i))
		}
	}
	Label("next")
	TESTQ(left, left)
	JZ(operand.LabelRef("end"))
	from, to, count, number := GP64(), GP64(), GP64(), YMM()
	field := func(i int) operand.Mem { return operand.Mem{Base: run, Disp: 4 * i} } // see uts.run
	MOVL(field(0), from.As32())
	SHLQ(operand.Imm(5), from)
	ADDQ(stack, from)
	VPBROADCASTD(field(1), number)
	VPADDD(first, number, number)
	MOVL(field(2), to.As32())
	LEAQ(operand.Mem{Base: base, Index: to, Scale: 4}, to)
	MOVL(field(3), count.As32())
	var words [5]reg.VecVirtual
	for w := range words {
		words[w] = YMM()
		VPBROADCASTD(operand.Mem{Base: from, Disp: 4 * w}, words[w])
	}
	extra := make([]reg.VecVirtual, more)
	for i := range extra {
		extra[i] = YMM()
		VPBROADCASTD(field(4+i), extra[i])
	}
	Label("eight")
	for i, v := range extra {
		VMOVDQU(v, operand.Mem{Base: to, Disp: (len(words) + 1 + i) * row})
	}
	for w := range words {
		VMOVDQU(words[w], operand.Mem{Base: to, Disp: w * row})
	}
	VMOVDQU(number, operand.Mem{Base: to, Disp: len(words) * row})
	VPADDD(constant(lanes), number, number)
	ADDQ(operand.Imm(4*lanes), to)
	SUBQ(operand.Imm(lanes), count)
	JG(operand.LabelRef("eight"))
	ADDQ(operand.Imm(runBytes), run)
	DECQ(left)
	JMP(operand.LabelRef("next"))
	Label("end")
	VZEROUPPER()
	RET()
}

// block hashes one vector of messages after another.
func block() {
	to := Load(Param("children"), GP64())
	base := Load(Param("message"), GP64())
	left := Load(Param("vectors"), GP64())
	h := hasher{to: to, message: base, window: AllocLocal(16 * 4 * lanes)}
	Label("loop")
	TESTQ(left, left)
	JZ(operand.LabelRef("done"))
	h.compress()
	ADDQ(operand.Imm(4*lanes), base)
	ADDQ(operand.U32(child*lanes), to)
	DECQ(left)
	JMP(operand.LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// word is a word of the message schedule: a constant, or in memory, with
// anything exclusive-ored to it that is known when the code is made.
type word struct {
	known bool
	value uint32
	at    operand.Mem
}

type hasher struct {
	to      reg.Register
	message reg.Register
	window  operand.Mem
	words   [80]word
}

// tables are the constants made so far.
var tables = make(map[uint32]operand.Mem)

// scheduled fills in word t of the schedule. Messages have 24 bytes: the parent's
// state and the number of the child. The padding is known.
func (h *hasher) scheduled(t int) word {
	switch {
	case t < 6:
		return word{at: operand.Mem{Base: h.message, Disp: t * row}}
	case t == 6:
		return word{known: true, value: 0x80000000}
	case t < 15:
		return word{known: true}
	case t == 15:
		return word{known: true, value: 24 * 8}
	}
	known, terms := uint32(0), []operand.Mem(nil)
	for _, w := range []word{h.words[t-3], h.words[t-8], h.words[t-14], h.words[t-16]} {
		if w.known {
			known ^= w.value
		} else {
			terms = append(terms, w.at)
		}
	}
	if len(terms) == 0 {
		return word{known: true, value: known<<1 | known>>31}
	}
	v := YMM()
	VMOVDQU(terms[0], v)
	for _, m := range terms[1:] {
		VPXOR(m, v, v)
	}
	if known != 0 {
		VPXOR(constant(known), v, v)
	}
	at := h.window.Offset(t % 16 * 4 * lanes)
	VMOVDQU(rotate(v, 1), at)
	return word{at: at}
}

// constant is a vector with one number in all lanes.
func constant(value uint32) operand.Mem {
	if m, ok := tables[value]; ok {
		return m
	}
	m := GLOBL(fmt.Sprintf("word%08x", value), RODATA|NOPTR)
	for i := range lanes {
		DATA(4*i, operand.U32(value))
	}
	tables[value] = m
	return m
}

// rotate returns v rotated left.
func rotate(v reg.VecVirtual, bits uint64) reg.VecVirtual {
	low, high := YMM(), YMM()
	VPSRLD(operand.Imm(32-bits), v, low)
	if bits == 1 {
		VPADDD(v, v, high)
	} else {
		VPSLLD(operand.Imm(bits), v, high)
	}
	VPOR(low, high, high)
	return high
}

// initial is the state before the first block.
var initial = [5]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}

// stages are the constants of the four times twenty rounds.
var stages = [4]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}

// compress hashes one vector of messages.
func (h *hasher) compress() {
	var s [5]reg.VecVirtual
	for i := range s {
		s[i] = YMM()
		VMOVDQU(constant(initial[i]), s[i])
	}
	for t := range h.words {
		w := h.scheduled(t)
		h.words[t] = w
		h.round(t, w, &s)
	}
	for i := range s {
		VPADDD(constant(initial[i]), s[i], s[i])
	}
	h.transpose(s)
}

// transpose writes the states as rows of eight words, of which the last three
// mean nothing.
func (h *hasher) transpose(s [5]reg.VecVirtual) {
	pair := func(op func(...operand.Op), a, b reg.VecVirtual) reg.VecVirtual {
		v := YMM()
		op(b, a, v)
		return v
	}
	low, high := VPUNPCKLDQ, VPUNPCKHDQ
	for half, op := range []func(...operand.Op){low, high} {
		ab, cd, ee := pair(op, s[0], s[1]), pair(op, s[2], s[3]), pair(op, s[4], s[4])
		for quarter, op := range []func(...operand.Op){VPUNPCKLQDQ, VPUNPCKHQDQ} {
			abcd, e := pair(op, ab, cd), pair(op, ee, ee)
			for side, selected := range []uint64{0x20, 0x31} {
				row := YMM()
				VPERM2I128(operand.Imm(selected), e, abcd, row)
				VMOVDQU(row, operand.Mem{Base: h.to, Disp: child * (4*side + 2*half + quarter)})
			}
		}
	}
}

// round does a, b, c, d, e = rotl(a, 5) + f(b, c, d) + e + k + w, a, rotl(b, 30), c, d.
func (h *hasher) round(t int, w word, s *[5]reg.VecVirtual) {
	a, b, c, d, e := s[0], s[1], s[2], s[3], s[4]
	k, sum := stages[t/20], YMM()
	if w.known {
		VPADDD(constant(k+w.value), e, sum)
	} else {
		VPADDD(w.at, e, sum)
		VPADDD(constant(k), sum, sum)
	}
	f := YMM()
	switch t / 20 {
	case 0: // d ^ b&(c^d)
		VPXOR(c, d, f)
		VPAND(b, f, f)
		VPXOR(d, f, f)
	case 2: // b&c + d&(b^c)
		both := YMM()
		VPAND(b, c, both)
		VPADDD(both, sum, sum)
		VPXOR(b, c, f)
		VPAND(d, f, f)
	default: // b ^ c ^ d
		VPXOR(c, d, f)
		VPXOR(b, f, f)
	}
	VPADDD(f, sum, sum)
	VPADDD(rotate(a, 5), sum, sum)
	s[0], s[1], s[2], s[3], s[4] = sum, a, rotate(b, 30), c, d
}
