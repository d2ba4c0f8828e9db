// Command _asm generates the vector version of flowshop.bound. It computes the one-machine bounds of 32 children at
// each end, in two vectors of 16 jobs each.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of fields in the structs of flowshop. A row has 32 numbers of 16 bits.
const (
	row = 64

	nodeFront  = 0
	nodeBack   = row
	nodeRemain = 2 * row

	limitPrune     = 0
	limitReference = 2

	outFront     = 0
	outBack      = row
	outSurviving = 2 * row // one word for children at the front, one for children at the back
	outReference = 2*row + 8
)

func main() {
	ConstraintExpr("amd64,!purego")
	TEXT("boundAVX2", NOSPLIT, "func(n, times *int16, machines int64, limits, out *int16)")
	Doc("boundAVX2 works like bound.")
	bound()
	Generate()
}

// An end has the registers for the children that fix a job at the front, or for those that fix a job at the back.
type end struct {
	time, bound [2]reg.VecVirtual // for each child, when its job can begin on the machine, and its bound so far
}

func bound() {
	node := Load(Param("n"), GP64())
	times := Load(Param("times"), GP64())
	machines := Load(Param("machines"), GP64())
	sums := AllocLocal(2 * row) // rows of remain + back and of remain + front

	remain, v := [2]reg.VecVirtual{YMM(), YMM()}, YMM()
	for h := range 2 {
		VMOVDQU(operand.Mem{Base: node, Disp: nodeRemain + 32*h}, remain[h])
		VPADDW(operand.Mem{Base: node, Disp: nodeBack + 32*h}, remain[h], v)
		VMOVDQU(v, sums.Offset(32*h))
		VPADDW(operand.Mem{Base: node, Disp: nodeFront + 32*h}, remain[h], v)
		VMOVDQU(v, sums.Offset(row+32*h))
	}
	// Times and bounds start with 0, the least possible value.
	var front, back end
	for _, e := range []*end{&front, &back} {
		for h := range 2 {
			e.time[h], e.bound[h] = YMM(), YMM()
			VPXOR(e.time[h], e.time[h], e.time[h])
			VPXOR(e.bound[h], e.bound[h], e.bound[h])
		}
	}
	first, last := GP64(), GP64() // offsets of the current machine at the front and of the current machine at the back, 2 bytes per machine
	sum := GP64()
	LEAQ(sums, sum)
	XORQ(first, first)
	LEAQ(operand.Mem{Base: machines, Index: machines, Scale: 1, Disp: -2}, last)
	here, there := GP64(), GP64() // rows of times of these machines
	MOVQ(times, here)
	MOVQ(machines, there)
	SHLQ(operand.Imm(6), there)
	LEAQ(operand.Mem{Base: times, Index: there, Scale: 1, Disp: -row}, there)
	Label("machine")
	front.step(operand.Mem{Base: node, Index: first, Scale: 1, Disp: nodeFront}, operand.Mem{Base: sum, Index: first, Scale: 1}, here)
	back.step(operand.Mem{Base: node, Index: last, Scale: 1, Disp: nodeBack}, operand.Mem{Base: sum, Index: last, Scale: 1, Disp: row}, there)
	ADDQ(operand.Imm(row), here)
	SUBQ(operand.Imm(row), there)
	ADDQ(operand.Imm(2), first)
	SUBQ(operand.Imm(2), last)
	JGE(operand.LabelRef("machine"))

	limits, out := Load(Param("limits"), GP64()), Load(Param("out"), GP64())
	for i, e := range []*end{&front, &back} {
		for h := range 2 {
			VMOVDQU(e.bound[h], operand.Mem{Base: out, Disp: outFront + i*(outBack-outFront) + 32*h})
		}
		e.below(operand.Mem{Base: limits, Disp: limitPrune}, operand.Mem{Base: out, Disp: outSurviving + 4*i})
		e.below(operand.Mem{Base: limits, Disp: limitReference}, operand.Mem{Base: out, Disp: outReference + 4*i})
	}
	VZEROUPPER()
	RET()
}

// step generates the code for one machine and all children. ready is the time at which the machine becomes free. rest
// is the time of the free jobs on the machine plus the least time after them. times points to the jobs' times.
func (e *end) step(ready, rest operand.Mem, times reg.Register) {
	r, s := YMM(), YMM()
	VPBROADCASTW(ready, r)
	VPBROADCASTW(rest, s)
	for h := range 2 {
		begin, through := YMM(), YMM()
		VPMAXSW(r, e.time[h], begin)
		VPADDW(s, begin, through)
		VPMAXSW(through, e.bound[h], e.bound[h])
		VPADDW(operand.Mem{Base: times, Disp: 32 * h}, begin, e.time[h])
	}
}

// below generates code that stores a bit for every child, which is set if the child's bound is below limit.
func (e *end) below(limit, to operand.Mem) {
	l, low, high, bits := YMM(), YMM(), YMM(), GP32()
	VPBROADCASTW(limit, l)
	VPCMPGTW(e.bound[0], l, low)
	VPCMPGTW(e.bound[1], l, high)
	VPACKSSWB(high, low, low) // packs the low halves of both registers, then the high halves
	VPERMQ(operand.U8(0xd8), low, low)
	VPMOVMSKB(low, bits)
	MOVL(bits, to)
}
