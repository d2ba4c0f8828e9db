package lanes

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// OrBits emits a bitwise or.
func (l *Lanes) OrBits(a, b Vec) Vec {
	v := l.Vec()
	if l.N == AVX512 {
		l.VPORQ(b, a, v)
	} else {
		l.VPOR(b, a, v)
	}
	return v
}

// JumpIfZero jumps to label if all bits of v are 0.
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

// MaxKeys returns the larger 64-bit key of a and b in each lane. AVX2 can only compare signed numbers. The result is
// the same, because the top bit of a key is the sign of its nearness, which is positive.
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

// Payloads returns the payloads of two vectors of keys, in order. If a key is 0, its payload is background. Payloads
// also returns an integer with a bit set for every key that is not 0.
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
		// the complement of payload where the bit in lo is set
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

// isZero returns a mask of the 64-bit lanes of v that are 0. All bits of such a lane are set in the mask.
func (l *Lanes) isZero(v Vec) Vec {
	zero, is := l.Zero(), l.Vec()
	l.VPCMPEQQ(zero, v, is)
	return is
}

// lowHalves returns the low 32 bits of the 64-bit lanes of two AVX2 vectors.
func (l *Lanes) lowHalves(a, b Vec) Vec {
	v := l.Vec()
	l.VSHUFPS(operand.U8(0x88), b, a, v) // a0 a1 b0 b1 | a2 a3 b2 b3
	l.VPERMQ(operand.U8(0xd8), v, v)
	return v
}

// GreaterKeys selects the 64-bit lanes in which the key of a is larger than the key of b. The result is a mask for
// BlendKeys. Keys are compared as in MaxKeys.
func (l *Lanes) GreaterKeys(a, b Vec) Mask {
	m := l.mask()
	if l.N == AVX512 {
		l.VPCMPUQ(greaterInt, b, a, m.k)
	} else {
		l.VPCMPGTQ(b, a, m.v)
	}
	return m
}

// BlendKeys returns a in the 64-bit lanes that the mask selects, and b in the other lanes.
func (l *Lanes) BlendKeys(m Mask, a, b Vec) Vec {
	if l.N == AVX2 {
		return l.Blend(m, a, b)
	}
	v := l.Vec()
	l.Move(b, v)
	l.VMOVDQU64(a, m.k, v)
	return v
}

// EvenQuarters returns the even-numbered 128-bit parts of a (0, 2 and so on), and then those of b. OddQuarters
// returns the odd-numbered parts.
func (l *Lanes) EvenQuarters(a, b Vec) Vec { return l.quarters(a, b, 0x88, 0x20) }
func (l *Lanes) OddQuarters(a, b Vec) Vec  { return l.quarters(a, b, 0xdd, 0x31) }

func (l *Lanes) quarters(a, b Vec, four, two operand.U8) Vec {
	v := l.Vec()
	if l.N == AVX512 {
		l.VSHUFI64X2(four, b, a, v)
	} else {
		l.VPERM2I128(two, b, a, v)
	}
	return v
}

// Halves returns the low 32 bits of the 64-bit lanes of a and b if order is 0x88, and the high 32 bits if it is 0xdd.
// In each 128 bits, the halves from a come before the halves from b.
func (l *Lanes) Halves(order operand.U8, a, b Vec) Vec {
	v := l.Vec()
	l.VSHUFPS(order, b, a, v)
	return v
}
