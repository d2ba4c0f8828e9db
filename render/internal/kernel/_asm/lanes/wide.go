package lanes

import (
	"github.com/mmcloughlin/avo/operand"
)

// Fresh is a vector of zeros whose earlier contents avo knows to be dead, which
// it does not see of an exclusive or.
func (l *Lanes) Fresh() Vec { return l.Broadcast(l.Constant("nothing", operand.U32(0))) }

// Move copies a vector into another register.
func (l *Lanes) Move(from, to Vec) {
	if l.N == AVX512 {
		l.VMOVDQA32(from, to)
	} else {
		l.VMOVDQA(from, to)
	}
}

// ProductsDiffer compares a*b with c*d, which must be below 2^52 in size: every
// lane is, as an int32, less than 0 where a*b is the smaller, 0 where they are
// equal, and else greater. It is the bits of their difference as a float32. The
// factors are computed where they are used, which takes fewer registers.
func (l *Lanes) ProductsDiffer(a, b, c, d func() Vec) Vec {
	var halves [2]Vec
	for h := range halves {
		p := l.wide(a(), h)
		l.VMULPD(l.wide(b(), h), p, p)
		q := l.wide(c(), h)
		l.VMULPD(l.wide(d(), h), q, q)
		l.VSUBPD(q, p, p)
		// Products of 0 may have either sign, and -0 - 0 is -0, whose bits are not 0.
		l.VADDPD(l.Fresh(), p, p)
		halves[h] = p
	}
	return l.narrow(halves)
}

// Arithmetic on float64.

func (l *Lanes) MaxWide(a Vec, b Operand) Vec { return l.binary(l.VMAXPD, l.VMAXPD_BCST, a, b) }

// wide converts the lower (0) or upper (1) half of the lanes to float64.
func (l *Lanes) wide(v Vec, half int) Vec {
	w := l.Vec()
	switch {
	case l.N == AVX512 && half == 0:
		l.VCVTDQ2PD(v.AsY(), w)
	case l.N == AVX512:
		upper := l.YMM()
		l.VEXTRACTI64X4(operand.Imm(1), v, upper)
		l.VCVTDQ2PD(upper, w)
	case half == 0:
		l.VCVTDQ2PD(v.AsX(), w)
	default:
		upper := l.XMM()
		l.VEXTRACTI128(operand.Imm(1), v, upper)
		l.VCVTDQ2PD(upper, w)
	}
	return w
}

// narrow rounds two halves of float64 to one vector of float32.
func (l *Lanes) narrow(halves [2]Vec) Vec {
	v := l.Fresh() // the conversion clears the upper half, which avo does not know
	if l.N == AVX512 {
		upper := l.YMM()
		l.VCVTPD2PS(halves[0], v.AsY())
		l.VCVTPD2PS(halves[1], upper)
		l.VINSERTF64X4(operand.Imm(1), upper, v, v)
		return v
	}
	upper := l.XMM()
	l.VCVTPD2PSY(halves[0], v.AsX())
	l.VCVTPD2PSY(halves[1], upper)
	l.VINSERTF128(operand.Imm(1), upper, v, v)
	return v
}
