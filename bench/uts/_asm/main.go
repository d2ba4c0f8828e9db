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
	row = (64 + 8) * 4
)

func main() {
	ConstraintExpr("amd64,!purego")
	TEXT("spawnAVX2", NOSPLIT, "func(b *uint32, vectors int64)")
	Doc("spawnAVX2 works like spawn on whole vectors of eight messages.")
	block()
	TEXT("expandAVX2", NOSPLIT, "func(b, stack, runs *uint32, count int64)")
	Doc("expandAVX2 works like expand. It writes up to seven messages too many.")
	runs()
	Generate()
}

// runs writes one run of siblings after another, eight at a time.
func runs() {
	base := Load(Param("b"), GP64())
	stack := Load(Param("stack"), GP64())
	run := Load(Param("runs"), GP64())
	left := Load(Param("count"), GP64())
	numbers := GLOBL("numbers", RODATA|NOPTR)
	for i := range lanes {
		DATA(4*i, operand.U32(i))
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
	VPADDD(numbers, number, number)
	MOVL(field(2), to.As32())
	LEAQ(operand.Mem{Base: base, Index: to, Scale: 4}, to)
	MOVL(field(3), count.As32())
	var words [5]reg.VecVirtual
	for w := range words {
		words[w] = YMM()
		VPBROADCASTD(operand.Mem{Base: from, Disp: 4 * w}, words[w])
	}
	Label("eight")
	for w := range words {
		VMOVDQU(words[w], operand.Mem{Base: to, Disp: w * row})
	}
	VMOVDQU(number, operand.Mem{Base: to, Disp: len(words) * row})
	VPADDD(constant(lanes), number, number)
	ADDQ(operand.Imm(4*lanes), to)
	SUBQ(operand.Imm(lanes), count)
	JG(operand.LabelRef("eight"))
	ADDQ(operand.Imm(4*4), run)
	DECQ(left)
	JMP(operand.LabelRef("next"))
	Label("end")
	VZEROUPPER()
	RET()
}

// block hashes one vector of messages after another.
func block() {
	base := Load(Param("b"), GP64())
	left := Load(Param("vectors"), GP64())
	h := hasher{message: base, window: AllocLocal(16 * 4 * lanes)}
	Label("loop")
	TESTQ(left, left)
	JZ(operand.LabelRef("done"))
	h.compress()
	ADDQ(operand.Imm(4*lanes), base)
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
		VMOVDQU(s[i], operand.Mem{Base: h.message, Disp: (6 + i) * row})
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
