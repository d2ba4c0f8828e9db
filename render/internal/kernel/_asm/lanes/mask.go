package lanes

import (
	"log"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// A Mask selects lanes. With AVX-512 it is a mask register with a bit for each lane. With AVX2 it is a vector; all
// bits of a selected lane are set.
type Mask struct {
	k reg.OpmaskVirtual
	v Vec
}

// opmasks reports whether masks are in the mask registers of AVX-512.
func (l *Lanes) opmasks() bool { return l.N == AVX512 || l.masks }

// MaskOf returns an AVX2 mask that selects the lanes of v whose bits are all set.
func MaskOf(v Vec) Mask { return Mask{v: v} }

// Mask512 returns an AVX-512 mask that is in register k.
func Mask512(k reg.OpmaskVirtual) Mask { return Mask{k: k} }

// Predicates of VCMPPS, VPCMPD and VPCMPUD.
const (
	lessInt        = operand.U8(1)
	differentInt   = operand.U8(4)
	atLeastInt     = operand.U8(5)
	greaterInt     = operand.U8(6)
	atLeastOrdered = operand.U8(0x1d) // no exceptions for NaN; also true of greaterOrdered
	greaterOrdered = operand.U8(0x1e)
)

// IntoMask returns a copy of l whose next masks go to m: IntoMask(m).MaskAnd(a, b) changes m.
func (l *Lanes) IntoMask(m Mask) *Lanes {
	to := *l
	to.intoMask, to.into = m.k, m.v
	return &to
}

// mask returns the mask for the next result.
func (l *Lanes) mask() Mask {
	switch {
	case !l.opmasks():
		return Mask{v: l.result()}
	case l.intoMask != nil:
		return Mask{k: l.intoMask}
	}
	return Mask{k: l.K()}
}

// compare emits an AVX-512 comparison for the lanes that `within` selects. If `within` is nil, it compares all lanes.
func (l *Lanes) compare(do, broadcast op, predicate operand.U8, a Vec, b Operand, within *Mask) Mask {
	from, isScalar := l.source(b)
	if isScalar {
		do = broadcast
	}
	m := l.mask()
	operands := []operand.Op{predicate, from, a}
	if within != nil {
		operands = append(operands, within.k)
	}
	do(append(operands, m.k)...)
	return m
}

// within restricts the AVX2 mask v to the lanes that m selects, and returns it. If m is nil, there is no restriction.
// within changes v.
func (l *Lanes) within(v Vec, m *Mask) Mask {
	if m != nil {
		l.VPAND(m.v, v, v)
	}
	return Mask{v: v}
}

// AtLeast selects the lanes of the mask `within` in which a >= b. It does not select lanes with NaN. Here and in the
// next functions, nil for `within` means all lanes.
func (l *Lanes) AtLeast(a Vec, b Operand, within *Mask) Mask {
	if l.opmasks() {
		return l.compare(l.VCMPPS, l.VCMPPS_BCST, atLeastOrdered, a, b, within)
	}
	v := l.result()
	l.VCMPPS(atLeastOrdered, l.inRegister(b), a, v)
	return l.within(v, within)
}

// Greater selects the lanes of `within` in which a > b. It does not select lanes with NaN.
func (l *Lanes) Greater(a Vec, b Operand, within *Mask) Mask {
	if l.opmasks() {
		return l.compare(l.VCMPPS, l.VCMPPS_BCST, greaterOrdered, a, b, within)
	}
	v := l.result()
	l.VCMPPS(greaterOrdered, l.inRegister(b), a, v)
	return l.within(v, within)
}

// LessInt selects the lanes of `within` in which a < b.
func (l *Lanes) LessInt(a Vec, b Operand, within *Mask) Mask {
	if l.opmasks() {
		return l.compare(l.VPCMPD, l.VPCMPD_BCST, lessInt, a, b, within)
	}
	v := l.result()
	l.VPCMPGTD(a, l.inRegister(b), v)
	return l.within(v, within)
}

// GreaterInt selects the lanes of `within` in which a > b.
func (l *Lanes) GreaterInt(a Vec, b Operand, within *Mask) Mask {
	if l.opmasks() {
		return l.compare(l.VPCMPD, l.VPCMPD_BCST, greaterInt, a, b, within)
	}
	v := l.result()
	l.VPCMPGTD(l.inRegister(b), a, v)
	return l.within(v, within)
}

// AtLeastInt selects the lanes in which a >= b.
func (l *Lanes) AtLeastInt(a Vec, b Operand) Mask {
	if l.opmasks() {
		return l.compare(l.VPCMPD, nil, atLeastInt, a, b, nil)
	}
	return l.same(l.MaxInt(a, b), a)
}

// AtLeastUnsigned selects the lanes in which a >= b, both unsigned.
func (l *Lanes) AtLeastUnsigned(a Vec, b Operand) Mask {
	if l.opmasks() {
		return l.compare(l.VPCMPUD, nil, atLeastInt, a, b, nil)
	}
	return l.same(l.MaxUnsigned(a, b), a)
}

// same selects the lanes in which v equals a, for AVX2. It changes v.
func (l *Lanes) same(v, a Vec) Mask {
	l.VPCMPEQD(a, v, v)
	return Mask{v: v}
}

// IsZero selects the lanes that are 0.
func (l *Lanes) IsZero(v Vec) Mask {
	m := l.mask()
	if l.opmasks() {
		l.VPTESTNMD(v, v, m.k)
	} else {
		l.VPCMPEQD(l.Zero(), v, m.v)
	}
	return m
}

// Positive selects the lanes of `within` in which v is above 0. With AVX-512, v must not be negative.
func (l *Lanes) Positive(v Vec, within *Mask) Mask {
	if !l.opmasks() {
		return l.GreaterInt(v, l.Zero(), within)
	}
	m := l.mask()
	if within == nil {
		l.VPTESTMD(v, v, m.k)
	} else {
		l.VPTESTMD(v, v, within.k, m.k)
	}
	return m
}

// Negative selects the lanes whose sign bit is set.
func (l *Lanes) Negative(v Vec) Mask {
	m := l.mask()
	if l.opmasks() {
		l.VPMOVD2M(v, m.k)
	} else {
		l.VPSRAD(operand.U8(31), v, m.v)
	}
	return m
}

// The following operations change only the lanes of a that mask m selects.

// AddWhere adds b to a in the lanes that m selects.
func (l *Lanes) AddWhere(m Mask, a Vec, b Operand) { l.where(l.VPADDD, m, a, b) }

// SubWhere subtracts b from a in the lanes that m selects.
func (l *Lanes) SubWhere(m Mask, a Vec, b Operand) { l.where(l.VPSUBD, m, a, b) }

func (l *Lanes) where(do op, m Mask, a Vec, operandB Operand) {
	b := operandB.(operand.Op)
	if l.opmasks() {
		do(b, a, m.k, a)
		return
	}
	some := l.Vec()
	l.VPAND(b, m.v, some)
	do(some, a, a)
}

// AddOneWhere adds 1 to a in the lanes that m selects.
func (l *Lanes) AddOneWhere(m Mask, a Vec) {
	if l.opmasks() {
		l.VPSUBD_BCST(l.minusOne(), a, m.k, a)
	} else {
		l.VPSUBD(m.v, a, a)
	}
}

// SubOneWhere subtracts 1 from a in the lanes that m selects.
func (l *Lanes) SubOneWhere(m Mask, a Vec) {
	if l.opmasks() {
		l.VPADDD_BCST(l.minusOne(), a, m.k, a)
	} else {
		l.VPADDD(m.v, a, a)
	}
}

func (l *Lanes) minusOne() operand.Mem { return l.Constant("minusOne", operand.I32(-1)).Mem }

// MoveWhere copies b to a in the lanes that m selects.
func (l *Lanes) MoveWhere(m Mask, a Vec, b Operand) {
	from := b.(operand.Op)
	if l.opmasks() {
		l.VMOVDQU32(from, m.k, a)
	} else {
		l.VPBLENDVB(m.v, from, a, a)
	}
}

// Blend returns a in the lanes that mask m selects, and b in the other lanes.
func (l *Lanes) Blend(m Mask, a Operand, b Vec) Vec {
	v := l.result()
	if l.opmasks() { // avo would mistake the target of a blend instruction for one of its sources
		l.Move(b, v)
		l.MoveWhere(m, v, a)
	} else {
		l.VPBLENDVB(m.v, a.(operand.Op), b, v)
	}
	return v
}

// Choose is like Blend, but takes only one instruction of AVX-512.
func (l *Lanes) Choose(m Mask, a Operand, b Vec) Vec {
	if !l.opmasks() {
		return l.Blend(m, a, b)
	}
	v := l.result()
	choose, err := x86.VBLENDMPS(a.(operand.Op), b, m.k, v)
	if err != nil {
		log.Fatal(err)
	}
	// avo mistakes the target for one of the sources.
	choose.Inputs = slices.DeleteFunc(choose.Inputs, func(o operand.Op) bool { return o == v })
	l.Instruction(choose)
	return v
}

// AddIntSome returns a + b in the lanes that mask m selects, and 0 in the other lanes.
func (l *Lanes) AddIntSome(m Mask, a, b Vec) Vec {
	if !l.opmasks() {
		return l.And(l.AddInt(a, b), m.v)
	}
	v := l.result()
	l.VPADDD_Z(b, a, m.k, v)
	return v
}

// BitsDifferent returns an integer with a bit set for every lane in which a and b differ.
func (l *Lanes) BitsDifferent(a Vec, b Operand) reg.GPVirtual {
	if l.opmasks() {
		return l.Bits(l.compare(l.VPCMPD, l.VPCMPD_BCST, differentInt, a, b, nil))
	}
	v := l.Vec()
	l.VPCMPEQD(l.inRegister(b), a, v)
	bits := l.Bits(Mask{v: v})
	l.XORL(operand.Imm(1<<AVX2-1), bits)
	return bits
}

// Or selects the lanes that a or b selects.
func (l *Lanes) Or(a, b Mask) Mask { return l.join(l.KORW, l.VPOR, a, b) }

// MaskAnd selects the lanes that both masks select.
func (l *Lanes) MaskAnd(a, b Mask) Mask { return l.join(l.KANDW, l.VPAND, a, b) }

// MaskXor selects the lanes that exactly one of the masks selects.
func (l *Lanes) MaskXor(a, b Mask) Mask { return l.join(l.KXORW, l.VPXOR, a, b) }

// Without selects the lanes that a selects and b does not.
func (l *Lanes) Without(a, b Mask) Mask { return l.join(l.KANDNW, l.VPANDN, a, b) }

func (l *Lanes) join(do512, do2 func(b, a, dst operand.Op), a, b Mask) Mask {
	m := l.mask()
	if l.opmasks() {
		do512(a.k, b.k, m.k)
	} else {
		do2(a.v, b.v, m.v)
	}
	return m
}

// Bits returns the mask as an integer with one bit for each lane.
func (l *Lanes) Bits(m Mask) reg.GPVirtual {
	bits := l.GP32()
	if l.opmasks() {
		l.KMOVW(m.k, bits)
	} else {
		l.VMOVMSKPS(m.v, bits)
	}
	return bits
}

// JumpIfNone jumps to label if a mask selects no lane.
func (l *Lanes) JumpIfNone(m Mask, label string) {
	if l.opmasks() {
		l.KORTESTW(m.k, m.k)
	} else {
		bits := l.Bits(m)
		l.TESTL(bits, bits)
	}
	l.JZ(operand.LabelRef(label))
}

// Switch returns a function that returns a mask, depending on a 32-bit field: all lanes if the field is -1, and no
// lane if it is 0. AVX-512 reads the field once, where Switch is called. AVX2 reads it at every use.
func (l *Lanes) Switch(name string) func() *Mask {
	if l.opmasks() {
		k := l.K()
		l.KMOVW(l.Arg(name), k)
		return func() *Mask { return &Mask{k: k} }
	}
	return func() *Mask { return &Mask{v: l.Broadcast(l.Scalar(name))} }
}

// First selects the first n lanes. It selects all lanes if n is larger than N, and no lane if n is negative. n must
// not be less than -N.
func (l *Lanes) First(n reg.GPVirtual) Mask {
	all, lanes := l.GP64(), l.GP64()
	m := l.mask()
	if l.opmasks() {
		l.MOVL(operand.I32(-1), all.As32())
		l.BZHIL(n.As32(), all.As32(), lanes.As32())
		l.CMPQ(n, operand.Imm(32)) // needed because BZHI only uses the low 8 bits of n
		l.CMOVQGE(all, lanes)
		l.KMOVW(lanes.As32(), m.k)
		return m
	}
	// The mask is a window of 8 lanes in a table. The table has 8 lanes that are set and 16 that are not.
	l.MOVL(operand.U32(AVX2), lanes.As32())
	l.CMPQ(n, lanes)
	l.CMOVQLT(n, lanes)
	l.NEGQ(lanes)
	l.LEAQ(l.tailTable(), all)
	l.VMOVDQU(operand.Mem{Base: all, Index: lanes, Scale: 4, Disp: 4 * AVX2}, m.v)
	return m
}
