package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The message schedule of SHA-1 is linear with respect to exclusive or. The schedule of a child is therefore the
// exclusive or of two schedules. One is that of its parent's state with 0 as the child's number, and is computed once
// per parent. The other is that of the child's number alone, and comes from a table. Siblings also share the first four
// rounds.

const (
	// record is the number of bytes of uts.scheduleRecord.
	record = 20 * 16
	// afterSchedule is the offset of uts.run's depth and table in a parent's record.
	afterSchedule = 19 * 16
	// numbers is uts.numberCount.
	numbers = 128
	// streams is the number of children whose hashing is interleaved. A round of a child waits for the child's previous
	// round, so these rounds start six cycles apart. Rounds of different children can start two cycles apart.
	streams = 4
)

// quad returns a constant of four words, the first word in the highest place, as the SHA instructions require.
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

// prepare generates prepareSHA, which makes the records of parents. A record holds, in this order:
//   - the state of SHA-1 after four rounds;
//   - the words that the next eight rounds add;
//   - the schedule from word 16 on;
//   - the depth and the table of the children.
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
	// The message continues with the fifth word of the state and the high bits of the child's number.
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
	for i := range 2 { // one by one: a read of both would wait until both were stored
		field := GP64()
		MOVL(operand.Mem{Base: run, Disp: 16 + 4*i}, field.As32())
		MOVL(field.As32(), operand.Mem{Base: to, Disp: afterSchedule + 4*i})
	}
	ADDQ(operand.Imm(runBytes), run)
	ADDQ(operand.U32(record), to)
	DECQ(left)
	JNZ(operand.LabelRef("parent"))
	RET()
}

// A stream is one of the children whose hashing is interleaved.
type stream struct {
	parent, number reg.GPVirtual // addresses of the records
	abcd, e, next  reg.VecVirtual
}

// visit generates visitSHA, which hashes four children at a time and writes the children that have children of their
// own. The scalar instructions for four children are placed between the rounds of the next four children, where the SHA
// instructions leave execution units free.
func visit() {
	TEXT("visitSHA", NOSPLIT, "func(inner, entries, records, numbers, cells *uint32, count int64) (found, children int64)")
	Doc("visitSHA hashes children by fours and writes those that have children to inner.")
	v := visitor{hashed: AllocLocal(streams * hashedBytes), left: AllocLocal(8)}
	v.to, v.entry, v.sum = Load(Param("inner"), GP64()), Load(Param("entries"), GP64()), GP64()
	XORQ(v.sum, v.sum)
	MOVQ(Load(Param("count"), GP64()), v.left)
	v.pretend()
	Label("more")
	v.hash()
	left := GP64()
	MOVQ(v.left, left)
	CMPQ(left, argument("count"))
	JNE(operand.LabelRef("kept"))
	Comment("Forget the children that the first round has kept.")
	MOVQ(argument("inner"), v.to)
	XORQ(v.sum, v.sum)
	Label("kept")
	SUBQ(operand.Imm(streams), v.left)
	JG(operand.LabelRef("more"))
	for i := range streams {
		v.keep(i)
		CMPQ(v.left, operand.I32(int32(i+1-streams))) // left is the count minus the number of hashed children
		JE(operand.LabelRef("done"))
	}
	Label("done")
	SUBQ(argument("inner"), v.to)
	SHRQ(operand.Imm(5), v.to)
	Store(v.to, Return("found"))
	Store(v.sum, Return("children"))
	RET()
}

// argument returns the memory operand of an argument of the generated function.
func argument(name string) operand.Mem {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// A visitor has the registers and the memory of visitSHA.
type visitor struct {
	to, entry, sum reg.Register // addresses of the next node and the next entry, number of children so far
	left           operand.Mem
	hashed         operand.Mem // the previous four children: states, fifth words of the states, cells, and depths with tables
	all            [streams]stream
}

// firstCell is the number that stands for the first cell of a table: the bits of the float32 1, shifted as by
// uts.cellIndex.
const firstCell = 0x3f800000 >> (23 - 6)

// Offsets of the parts of visitor.hashed, in bytes.
const (
	hashedFifth = streams * 16
	hashedCell  = hashedFifth + streams*4
	hashedRule  = hashedCell + streams*4
	hashedBytes = 16 + 4 + 4 + 8
)

// pretend generates code that stores four made-up children in v.hashed. While the loop hashes four children, it runs
// the code of method keep for the previous four. In the first round these are the made-up children, which visitSHA
// forgets afterwards. A second copy of the hashing, without keep, would take 400 lines. The made-up children are in the
// first cell.
func (v *visitor) pretend() {
	zero := GP64()
	XORQ(zero, zero)
	for i := range streams {
		MOVL(operand.U32(firstCell), v.hashed.Offset(hashedCell+4*i))
		MOVQ(zero, v.hashed.Offset(hashedRule+8*i))
	}
}

// hash generates the hashing of four children. Between rounds it places the code of keep for the previous four.
func (v *visitor) hash() {
	for i := range v.all {
		s := stream{GP64(), GP64(), XMM(), XMM(), XMM()}
		v.all[i] = s
		for half, r := range []reg.GPVirtual{s.number, s.parent} {
			MOVWLZX(operand.Mem{Base: v.entry, Disp: 4*i + 2*half}, r.As32())
			LEAQ(operand.Mem{Base: r, Index: r, Scale: 4}, r)
			SHLQ(operand.Imm(6), r)
		}
		ADDQ(argument("records"), s.parent)
		ADDQ(argument("numbers"), s.number)
		VMOVDQU(operand.Mem{Base: s.parent}, s.abcd)
		VMOVDQU(operand.Mem{Base: s.parent, Disp: 16}, s.e)
		VPXOR(operand.Mem{Base: s.number}, s.e, s.e)
	}
	length := XMM()
	VMOVDQU(quad("length", 0, 0, 0, 24*8), length)
	for g := 1; g < 20; g++ {
		for i := range v.all {
			s := &v.all[i]
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
		if i := g/4 - 1; g%4 == 0 && i < streams {
			v.keep(i)
		}
	}
	last := XMM()
	VMOVDQU(quad("startE", initial[4], 0, 0, 0), last)
	for i := range v.all {
		s := &v.all[i]
		VPADDD(quad("start", initial[:4]...), s.abcd, s.abcd)
		VPSHUFD(operand.Imm(0x1b), s.abcd, s.abcd)
		VMOVDQU(s.abcd, v.hashed.Offset(16*i))
		SHA1NEXTE(last, s.e)
		rule := GP64()
		MOVQ(operand.Mem{Base: s.parent, Disp: afterSchedule}, rule)
		MOVQ(rule, v.hashed.Offset(hashedRule+8*i))
	}
	fifth, other := XMM(), XMM()
	VPUNPCKHDQ(v.all[1].e, v.all[0].e, fifth)
	VPUNPCKHDQ(v.all[3].e, v.all[2].e, other)
	VPUNPCKHQDQ(other, fifth, fifth)
	VMOVDQU(fifth, v.hashed.Offset(hashedFifth))
	// The next instructions compute uts.cellIndex.
	VPANDN(quad("lastRandom", 1<<31-1, 1<<31-1, 1<<31-1, 1<<31-1), fifth, fifth)
	VPOR(quad("one", 1, 1, 1, 1), fifth, fifth)
	VCVTDQ2PS(fifth, fifth)
	VPSRLD(operand.Imm(23-6), fifth, fifth)
	VMOVDQU(fifth, v.hashed.Offset(hashedCell))
	ADDQ(operand.Imm(4*streams), v.entry)
}

// keep generates the code that finds the number of children of hashed child i and writes the child to v.to. If the
// child has no children, the next child overwrites it.
func (v *visitor) keep(i int) {
	a, b, c, state := GP64(), GP64(), GP64(), XMM()
	MOVL(v.hashed.Offset(hashedCell+4*i), a.As32())
	ADDL(v.hashed.Offset(hashedRule+8*i+4), a.As32())
	SHLQ(operand.Imm(3), a)
	ADDQ(argument("cells"), a)
	const one = firstCell * 8
	MOVL(v.hashed.Offset(hashedFifth+4*i), b.As32())
	VMOVDQU(v.hashed.Offset(16*i), state)
	VMOVDQU(state, operand.Mem{Base: v.to})
	MOVL(b.As32(), operand.Mem{Base: v.to, Disp: 16})
	ANDL(operand.U32(1<<31-1), b.As32())
	MOVWLZX(operand.Mem{Base: a, Disp: 6 - one}, c.As32())
	CMPL(b.As32(), operand.Mem{Base: a, Disp: -one})
	MOVWLZX(operand.Mem{Base: a, Disp: 4 - one}, a.As32())
	CMOVLCC(c.As32(), a.As32())
	MOVL(v.hashed.Offset(hashedRule+8*i), c.As32())
	MOVL(c.As32(), operand.Mem{Base: v.to, Disp: 20})
	MOVL(operand.U32(0), operand.Mem{Base: v.to, Disp: 24})
	MOVL(a.As32(), operand.Mem{Base: v.to, Disp: 28})
	ADDQ(a, v.sum)
	LEAQ(operand.Mem{Base: v.to, Disp: child}, c)
	TESTL(a.As32(), a.As32())
	CMOVQNE(c, v.to)
}
