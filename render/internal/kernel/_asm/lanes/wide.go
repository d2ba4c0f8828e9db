package lanes

import (
	"github.com/mmcloughlin/avo/operand"
)

// A vector has half as many float64 as 32-bit lanes. A whole vector of lanes therefore becomes two vectors of
// float64.

// Halves are two vectors of float64, for the lower and the upper half of the lanes.
type Halves [2]Vec

// Operations on float64.

func (l *Lanes) AddWide(a Vec, b Operand) Vec { return l.binary(l.VADDPD, l.VADDPD_BCST, a, b) }
func (l *Lanes) SubWide(a Vec, b Operand) Vec { return l.binary(l.VSUBPD, l.VSUBPD_BCST, a, b) }
func (l *Lanes) MulWide(a Vec, b Operand) Vec { return l.binary(l.VMULPD, l.VMULPD_BCST, a, b) }
func (l *Lanes) DivWide(a Vec, b Operand) Vec { return l.binary(l.VDIVPD, l.VDIVPD_BCST, a, b) }
func (l *Lanes) MinWide(a Vec, b Operand) Vec { return l.binary(l.VMINPD, l.VMINPD_BCST, a, b) }
func (l *Lanes) MaxWide(a Vec, b Operand) Vec { return l.binary(l.VMAXPD, l.VMAXPD_BCST, a, b) }

// BroadcastWide loads a 64-bit number into every 64-bit lane of a register.
func (l *Lanes) BroadcastWide(s WideScalar) Vec {
	v := l.result()
	l.VBROADCASTSD(s.Mem, v)
	return v
}

// FloorWide rounds towards minus infinity.
func (l *Lanes) FloorWide(a Vec) Vec {
	if l.N == AVX512 {
		return l.unary(l.VRNDSCALEPD, roundDown, a)
	}
	return l.unary(three(l.VROUNDPD), roundDown, a)
}

// WideInt converts half h (0 or 1) of the lanes from int32 to float64. WideFloat converts them from float32.
func (l *Lanes) WideInt(v Operand, h int) Vec   { return l.unary(l.VCVTDQ2PD, l.half(v, h)) }
func (l *Lanes) WideFloat(v Operand, h int) Vec { return l.unary(l.VCVTPS2PD, l.half(v, h)) }

// half returns half h of a vector of 32-bit lanes.
func (l *Lanes) half(of Operand, h int) operand.Op {
	switch v := of.(type) {
	case operand.Mem:
		return v.Offset(h * l.Bytes() / 2)
	case Vec:
		switch {
		case l.N == AVX512 && h == 0:
			return v.AsY()
		case l.N == AVX512:
			upper := l.YMM()
			l.VEXTRACTI64X4(operand.Imm(1), v, upper)
			return upper
		case h == 0:
			return v.AsX()
		}
		upper := l.XMM()
		l.VEXTRACTI128(operand.Imm(1), v, upper)
		return upper
	}
	panic("no vector")
}

// StoreWideInt stores whole numbers in float64 as int32. 2^31 is stored as the bits of the unsigned number, because
// the conversion returns these bits for all numbers that do not fit.
func (l *Lanes) StoreWideInt(v Vec, to operand.Mem) {
	if l.N == AVX512 {
		y := l.YMM()
		l.VCVTPD2DQ(v, y)
		l.VMOVUPS(y, to)
		return
	}
	x := l.XMM()
	l.VCVTPD2DQY(v, x)
	l.VMOVUPS(x, to)
}

// NarrowWide rounds two halves of float64 to one vector of float32.
func (l *Lanes) NarrowWide(halves Halves) Vec {
	v := l.Zero() // the conversion clears the upper half, but avo does not know that
	dst := l.result()
	if l.N == AVX512 {
		upper := l.YMM()
		l.VCVTPD2PS(halves[0], v.AsY())
		l.VCVTPD2PS(halves[1], upper)
		l.VINSERTF64X4(operand.Imm(1), upper, v, dst)
		return dst
	}
	upper := l.XMM()
	l.VCVTPD2PSY(halves[0], v.AsX())
	l.VCVTPD2PSY(halves[1], upper)
	l.VINSERTF128(operand.Imm(1), upper, v, dst)
	return dst
}

// NarrowWideInt converts whole numbers in two halves of float64 to one vector of int32.
func (l *Lanes) NarrowWideInt(halves Halves) Vec {
	v := l.Zero() // the conversion clears the upper half, but avo does not know that
	dst := l.result()
	if l.N == AVX512 {
		upper := l.YMM()
		l.VCVTPD2DQ(halves[0], v.AsY())
		l.VCVTPD2DQ(halves[1], upper)
		l.VINSERTI64X4(operand.Imm(1), upper, v, dst)
		return dst
	}
	upper := l.XMM()
	l.VCVTPD2DQY(halves[0], v.AsX())
	l.VCVTPD2DQY(halves[1], upper)
	l.VINSERTI128(operand.Imm(1), upper, v, dst)
	return dst
}

// NegativeWide selects the lanes of two halves of float64 whose sign bit is set.
func (l *Lanes) NegativeWide(halves Halves) Mask {
	m := l.mask()
	if l.N == AVX512 {
		upper := l.K()
		l.VPMOVQ2M(halves[0], m.k)
		l.VPMOVQ2M(halves[1], upper)
		l.KUNPCKBW(m.k, upper, m.k)
		return m
	}
	l.VSHUFPS(operand.U8(0xdd), halves[1], halves[0], m.v) // the upper halves of lanes 0, 1, 4, 5, 2, 3, 6, 7
	l.VPERMQ(operand.U8(0xd8), m.v, m.v)
	l.VPSRAD(operand.U8(31), m.v, m.v)
	return m
}

// ProductsDiffer compares a*b with c*d. The products must be below 2^52 in magnitude. Each lane of the result, as an
// int32, is negative if a*b is smaller, 0 if both are equal, and positive otherwise. It has the bits of the
// difference as a float32. The factors are functions, so that they are computed where they are needed, which takes
// fewer registers.
func (l *Lanes) ProductsDiffer(a, b, c, d func() Vec) Vec {
	var halves Halves
	for h := range halves {
		p := l.WideInt(a(), h)
		l.Into(p).MulWide(p, l.WideInt(b(), h))
		q := l.WideInt(c(), h)
		l.Into(q).MulWide(q, l.WideInt(d(), h))
		l.Into(p).SubWide(p, q)
		// Products of 0 may have either sign, and -0 - 0 is -0, whose bits are not 0.
		halves[h] = l.Into(p).AddWide(p, l.Zero())
	}
	return l.NarrowWide(halves)
}
