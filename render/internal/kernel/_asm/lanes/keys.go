package lanes

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// OrBits is the bitwise or.
func (l *Lanes) OrBits(a, b Vec) Vec {
	v := l.Vec()
	if l.N == AVX512 {
		l.VPORQ(b, a, v)
	} else {
		l.VPOR(b, a, v)
	}
	return v
}

// JumpIfZero jumps where all bits of a vector are 0.
func (l *Lanes) JumpIfZero(v Vec, label string) {
	if l.N == AVX512 {
		k := l.K()
		l.VPTESTMD(v, v, k)
		l.KORTESTW(k, k)
	} else {
		l.VPTEST(v, v)
	}
	l.JEQ(operand.LabelRef(label))
}

// MaxKeys is the larger of 64-bit keys. AVX2 only compares signed numbers,
// which comes to the same: the top bit of a key is the sign of its nearness,
// which is greater than 0.
func (l *Lanes) MaxKeys(a, b Vec) Vec {
	v := l.Vec()
	if l.N == AVX512 {
		l.VPMAXUQ(b, a, v)
		return v
	}
	less := l.Vec()
	l.VPCMPGTQ(a, b, less)
	l.VPBLENDVB(less, b, a, v)
	return v
}

// Payloads returns the payloads of two vectors of keys, in order, the
// background where a key is 0, and a bit for every other key.
func (l *Lanes) Payloads(a, b, background Vec) (Vec, reg.GPVirtual) {
	hit := l.GP32()
	if l.N == AVX512 {
		lo, hi := l.K(), l.K()
		l.VPTESTMQ(a, a, lo)
		l.VPTESTMQ(b, b, hi)
		l.KUNPCKBW(lo, hi, lo)
		l.KMOVW(lo, hit)
		low := l.YMM()
		payload, high := l.Vec(), l.YMM()
		l.VPMOVQD(a, low)
		l.VPMOVQD(b, high)
		l.VINSERTI64X4(operand.Imm(1), high, low.AsZ(), payload)
		result := l.Vec()
		l.VMOVDQA64(background, result)
		// not payload where hit
		l.VPTERNLOGD(operand.U8(0x55), payload, payload, lo, result)
		return result, hit
	}
	payload, empty := l.lowHalves(a, b), l.lowHalves(l.isZero(a), l.isZero(b))
	l.VMOVMSKPS(empty, hit)
	l.XORL(operand.Imm(1<<AVX2-1), hit)
	result := l.Vec()
	l.VPXOR(l.MinusOne(), payload, payload)
	l.VPBLENDVB(empty, background, payload, result)
	return result, hit
}

// isZero sets all bits of the 64-bit lanes that are 0.
func (l *Lanes) isZero(v Vec) Vec {
	zero, is := l.Zero(), l.Vec()
	l.VPCMPEQQ(zero, v, is)
	return is
}

// lowHalves returns the low 32 bits of the 64-bit lanes of two vectors of AVX2.
func (l *Lanes) lowHalves(a, b Vec) Vec {
	v := l.Vec()
	l.VSHUFPS(operand.U8(0x88), b, a, v) // a0 a1 b0 b1 | a2 a3 b2 b3
	l.VPERMQ(operand.U8(0xd8), v, v)
	return v
}
