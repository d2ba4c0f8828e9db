package lanes

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Mask selects lanes: by a bit of a mask register of AVX-512, by all bits of
// a lane for AVX2.
type Mask struct {
	k reg.OpmaskVirtual
	v Vec
}

// Predicates of VCMPPS and VPCMPD.
const (
	differentInt   = operand.U8(4)
	lessInt        = operand.U8(1)
	greaterInt     = operand.U8(6)
	atLeastOrdered = operand.U8(0x1d) // quiet
)

// compare emits a AVX-512 comparison for the lanes of within.
func (l *Lanes) compare(do, broadcast op, predicate operand.U8, a Vec, b Operand, within *Mask) Mask {
	k := l.K()
	operands := []operand.Op{predicate, nil, a}
	if within != nil {
		operands = append(operands, within.k)
	}
	operands = append(operands, k)
	if s, ok := b.(Scalar); ok {
		operands[1] = s.Mem
		broadcast(operands...)
	} else {
		operands[1] = b.(operand.Op)
		do(operands...)
	}
	return Mask{k: k}
}

// inRegister returns an operand in a register.
func (l *Lanes) inRegister(b Operand) Vec {
	switch b := b.(type) {
	case Scalar:
		return l.Broadcast(b)
	case operand.Mem:
		v := l.Vec()
		l.VMOVDQU(b, v)
		return v
	}
	return b.(Vec)
}

// within leaves out the lanes that are not in m; nil leaves all.
func (l *Lanes) within(v Vec, m *Mask) Mask {
	if m != nil {
		l.VPAND(m.v, v, v)
	}
	return Mask{v: v}
}

// AtLeast selects the lanes of within where a >= b; numbers only.
func (l *Lanes) AtLeast(a Vec, b Operand, within *Mask) Mask {
	if l.N == AVX512 {
		return l.compare(l.VCMPPS, l.VCMPPS_BCST, atLeastOrdered, a, b, within)
	}
	v := l.Vec()
	l.VCMPPS(atLeastOrdered, l.inRegister(b), a, v)
	return l.within(v, within)
}

// LessInt selects the lanes of within where a < b.
func (l *Lanes) LessInt(a Vec, b Operand, within *Mask) Mask {
	if l.N == AVX512 {
		return l.compare(l.VPCMPD, l.VPCMPD_BCST, lessInt, a, b, within)
	}
	v := l.Vec()
	l.VPCMPGTD(a, l.inRegister(b), v)
	return l.within(v, within)
}

// GreaterInt selects the lanes of within where a > b.
func (l *Lanes) GreaterInt(a Vec, b Operand, within *Mask) Mask {
	if l.N == AVX512 {
		return l.compare(l.VPCMPD, l.VPCMPD_BCST, greaterInt, a, b, within)
	}
	v := l.Vec()
	l.VPCMPGTD(l.inRegister(b), a, v)
	return l.within(v, within)
}

// BitsDifferent returns a bit for every lane in which a is not b.
func (l *Lanes) BitsDifferent(a Vec, b Operand) reg.GPVirtual {
	if l.N == AVX512 {
		return l.Bits(l.compare(l.VPCMPD, l.VPCMPD_BCST, differentInt, a, b, nil))
	}
	v := l.Vec()
	l.VPCMPEQD(l.inRegister(b), a, v)
	bits := l.Bits(Mask{v: v})
	l.XORL(operand.Imm(1<<AVX2-1), bits)
	return bits
}

// Or selects the lanes of both masks.
func (l *Lanes) Or(a, b Mask) Mask {
	if l.N == AVX512 {
		k := l.K()
		l.KORW(a.k, b.k, k)
		return Mask{k: k}
	}
	v := l.Vec()
	l.VPOR(a.v, b.v, v)
	return Mask{v: v}
}

// Bits returns the mask with a bit a lane.
func (l *Lanes) Bits(m Mask) reg.GPVirtual {
	bits := l.GP32()
	if l.N == AVX512 {
		l.KMOVW(m.k, bits)
	} else {
		l.VMOVMSKPS(m.v, bits)
	}
	return bits
}

// Switch returns a mask of all lanes or of none: those of a 32-bit field that
// is -1 or 0. AVX-512 reads it once, where Switch is called, AVX2 at its use.
func (l *Lanes) Switch(name string) func() *Mask {
	if l.N == AVX512 {
		k := l.K()
		l.KMOVW(l.Arg(name), k)
		return func() *Mask { return &Mask{k: k} }
	}
	return func() *Mask { return &Mask{v: l.Broadcast(l.Scalar(name))} }
}

// First selects the first n lanes: all where n is larger than that, and none where
// it is below 0, but not further below than a vector has lanes.
func (l *Lanes) First(n reg.GPVirtual) Mask {
	all, lanes := l.GP64(), l.GP64()
	if l.N == AVX512 {
		l.MOVL(operand.I32(-1), all.As32())
		l.BZHIL(n.As32(), all.As32(), lanes.As32())
		l.CMPQ(n, operand.Imm(32)) // as many as there are bits in an operand
		l.CMOVQGE(all, lanes)
		k := l.K()
		l.KMOVW(lanes.As32(), k)
		return Mask{k: k}
	}
	l.MOVL(operand.U32(AVX2), lanes.As32())
	l.CMPQ(n, lanes)
	l.CMOVQLT(n, lanes)
	l.NEGQ(lanes)
	l.LEAQ(l.tailTable(), all)
	v := l.Vec()
	l.VMOVDQU(operand.Mem{Base: all, Index: lanes, Scale: 4, Disp: 4 * AVX2}, v)
	return Mask{v: v}
}

// Tail is the mask of the lanes that a loop's last, partial vector has.
type Tail struct {
	k    reg.OpmaskVirtual
	slot operand.Mem
}

// NewTail returns a mask of all lanes.
func (l *Lanes) NewTail() Tail {
	if l.N == AVX512 {
		k := l.K()
		l.KXNORW(k, k, k)
		return Tail{k: k}
	}
	t := Tail{slot: l.slot()}
	ones := l.Vec()
	l.VPCMPEQD(ones, ones, ones)
	l.VMOVDQA(ones, t.slot)
	return t
}

// Shorten leaves the first n lanes, n < N.
func (l *Lanes) Shorten(t Tail, n reg.Register) {
	if l.N == AVX512 {
		bits := l.GP32()
		l.MOVL(operand.I32(-1), bits)
		l.BZHIL(n.(reg.GP).As32(), bits, bits)
		l.KMOVW(bits, t.k)
		return
	}
	// A window of 8 into 8 lanes set and 8 clear.
	table, v := l.GP64(), l.Vec()
	l.LEAQ(l.tailTable(), table)
	l.NEGQ(n)
	l.VMOVDQU(operand.Mem{Base: table, Index: n, Scale: 4, Disp: 4 * AVX2}, v)
	l.VMOVDQA(v, t.slot)
}

// Mask returns the mask in a register.
func (l *Lanes) Mask(t Tail) Mask {
	if l.N == AVX512 {
		return Mask{k: t.k}
	}
	v := l.Vec()
	l.VMOVDQA(t.slot, v)
	return Mask{v: v}
}

// MaskAnd selects the lanes that are in both masks.
func (l *Lanes) MaskAnd(a, b Mask) Mask {
	if l.N == AVX512 {
		k := l.K()
		l.KANDW(a.k, b.k, k)
		return Mask{k: k}
	}
	v := l.Vec()
	l.VPAND(a.v, b.v, v)
	return Mask{v: v}
}

// BitsWithout returns the lanes of a that are not in b, a bit a lane.
func (l *Lanes) BitsWithout(a, b Mask) reg.GPVirtual {
	if l.N == AVX512 {
		k := l.K()
		l.KANDNW(a.k, b.k, k)
		return l.Bits(Mask{k: k})
	}
	v := l.Vec()
	l.VPANDN(a.v, b.v, v)
	return l.Bits(Mask{v: v})
}
