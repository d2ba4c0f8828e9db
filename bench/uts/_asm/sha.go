package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The message schedule of SHA-1 is linear over exclusive or. So the schedule of
// a child is that of its parent with the child's number 0, which is found once
// a parent, and that of the number alone, which is in a table. Siblings share the
// first four rounds too.

const (
	// record is the bytes of uts.record.
	record = 20 * 16
	// numbers is uts.numberCount.
	numbers = 128
	// streams are hashed in turn: each round waits for the one before for six
	// cycles, and another can begin after two.
	streams = 4
)

// quad is four words, the first one highest, as the SHA instructions want them.
func quad(name string, words ...uint32) operand.Mem {
	if m, ok := quads[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	quads[name] = m
	for i := range words {
		DATA(4*i, operand.U32(words[3-i]))
	}
	return m
}

var quads = make(map[string]operand.Mem)

// prepare makes the records of parents: the state after four rounds, what the
// next two groups of rounds add, and the schedule from word 16 on.
func prepare() {
	TEXT("prepareSHA", NOSPLIT, "func(records, stack, runs *uint32, count int64)")
	Doc("prepareSHA makes the records of the parents of runs.")
	to := Load(Param("records"), GP64())
	stack := Load(Param("stack"), GP64())
	run := Load(Param("runs"), GP64())
	left := Load(Param("count"), GP64())
	start := quad("start", initial[:4]...)
	Label("parent")
	from, low := GP64(), GP64()
	MOVL(operand.Mem{Base: run}, from.As32())
	SHLQ(operand.Imm(5), from)
	ADDQ(stack, from)
	var w [4]reg.VecVirtual
	for i := range w {
		w[i] = XMM()
	}
	VPSHUFD(operand.Imm(0x1b), operand.Mem{Base: from}, w[0])
	// The fifth word and the high bits of the number.
	MOVL(operand.Mem{Base: run, Disp: 4}, low.As32())
	ANDL(operand.I32(-numbers), low.As32())
	fifth := GP64()
	MOVL(operand.Mem{Base: from, Disp: 16}, fifth.As32())
	SHLQ(operand.Imm(32), fifth)
	ORQ(low, fifth)
	MOVQ(fifth, w[1])
	VPSLLDQ(operand.Imm(8), w[1], w[1])
	VPOR(quad("padding", 0, 0, 0x80000000, 0), w[1], w[1])
	VPXOR(w[2], w[2], w[2])
	VMOVDQU(quad("length", 0, 0, 0, 24*8), w[3])
	abcd, e := XMM(), XMM()
	VMOVDQU(start, abcd)
	VPADDD(quad("startE", initial[4], 0, 0, 0), w[0], e)
	next := XMM()
	VMOVDQA(abcd, next)
	SHA1RNDS4(operand.Imm(0), e, abcd)
	VMOVDQU(abcd, operand.Mem{Base: to})
	SHA1NEXTE(w[1], next)
	VMOVDQU(next, operand.Mem{Base: to, Disp: 16})
	SHA1NEXTE(w[2], abcd)
	VMOVDQU(abcd, operand.Mem{Base: to, Disp: 32})
	for t := 4; t < 20; t++ {
		v := w[t%4]
		SHA1MSG1(w[(t+1)%4], v)
		VPXOR(w[(t+2)%4], v, v)
		SHA1MSG2(w[(t+3)%4], v)
		VMOVDQU(v, operand.Mem{Base: to, Disp: (t - 1) * 16})
	}
	ADDQ(operand.Imm(runBytes), run)
	ADDQ(operand.U32(record), to)
	DECQ(left)
	JNZ(operand.LabelRef("parent"))
	RET()
}

// hash hashes children in turn.
func hash() {
	TEXT("spawnSHA", NOSPLIT, "func(children, entries, records, numbers *uint32, count int64)")
	Doc("spawnSHA hashes children by fours. It writes up to three too many.")
	to := Load(Param("children"), GP64())
	entry := Load(Param("entries"), GP64())
	records := Load(Param("records"), GP64())
	table := Load(Param("numbers"), GP64())
	left := Load(Param("count"), GP64())
	Label("four")
	type stream struct {
		parent, number reg.GPVirtual
		abcd, e, next  reg.VecVirtual
	}
	var all [streams]stream
	for i := range all {
		s := stream{GP64(), GP64(), XMM(), XMM(), XMM()}
		all[i] = s
		for half, r := range []reg.GPVirtual{s.number, s.parent} {
			MOVWLZX(operand.Mem{Base: entry, Disp: 4*i + 2*half}, r.As32())
			LEAQ(operand.Mem{Base: r, Index: r, Scale: 4}, r)
			SHLQ(operand.Imm(6), r)
		}
		ADDQ(records, s.parent)
		ADDQ(table, s.number)
		VMOVDQU(operand.Mem{Base: s.parent}, s.abcd)
		VMOVDQU(operand.Mem{Base: s.parent, Disp: 16}, s.e)
		VPXOR(operand.Mem{Base: s.number}, s.e, s.e)
	}
	length := XMM()
	VMOVDQU(quad("length", 0, 0, 0, 24*8), length)
	for g := 1; g < 20; g++ {
		for i := range all {
			s := &all[i]
			switch g {
			case 1:
			case 2:
				VMOVDQU(operand.Mem{Base: s.parent, Disp: 32}, s.e)
			case 3:
				SHA1NEXTE(length, s.e)
			default:
				m := XMM()
				VMOVDQU(operand.Mem{Base: s.parent, Disp: 16 * (g - 1)}, m)
				VPXOR(operand.Mem{Base: s.number, Disp: 16 * (g - 3)}, m, m)
				SHA1NEXTE(m, s.e)
			}
			VMOVDQA(s.abcd, s.next)
			SHA1RNDS4(operand.Imm(uint64(g/5)), s.e, s.abcd)
			s.e, s.next = s.next, s.e
		}
	}
	for i := range all {
		s := &all[i]
		VPADDD(quad("start", initial[:4]...), s.abcd, s.abcd)
		VPSHUFD(operand.Imm(0x1b), s.abcd, s.abcd)
		VMOVDQU(s.abcd, operand.Mem{Base: to, Disp: child * i})
		last := XMM()
		VMOVDQU(quad("startE", initial[4], 0, 0, 0), last)
		SHA1NEXTE(last, s.e)
		VPEXTRD(operand.Imm(3), s.e, operand.Mem{Base: to, Disp: child*i + 16})
	}
	ADDQ(operand.Imm(4*streams), entry)
	ADDQ(operand.U32(child*streams), to)
	SUBQ(operand.Imm(streams), left)
	JG(operand.LabelRef("four"))
	RET()
}
