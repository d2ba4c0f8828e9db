package lanes

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Lanes of 32 bits in a vector of each instruction set.
const (
	AVX2   = 8
	AVX512 = 16
)

var suffix = map[int]string{AVX2: "AVX2", AVX512: "AVX512"}

// Lanes emits one function for one instruction set.
type Lanes struct {
	*File
	N    int // lanes of a vector
	args reg.GPVirtual

	scratch reg.GPVirtual // where AVX2 keeps values, aligned to a vector
	kept    int
}

// A Vec is a vector register.
type Vec = reg.VecVirtual

// An Operand is a Vec, a Scalar or a vector in memory.
type Operand any

// A Scalar is a 32-bit number in memory that stands for a vector with the
// number in every lane.
type Scalar struct{ operand.Mem }

// keepMost is how many vectors an AVX2 function may keep in memory.
const keepMost = 32

// Function starts a function. Its name is completed by the instruction set's.
func (f *File) Function(name string, lanes int, doc ...string) *Lanes {
	l := &Lanes{File: f, N: lanes}
	f.Context.Function(name + suffix[lanes])
	doc[0] = fmt.Sprintf("%s%s %s", name, suffix[lanes], doc[0])
	f.Doc(doc...)
	f.Pragma("noescape")
	f.Signature(f.signature())
	l.args = f.GP64()
	f.Load(f.Param("args"), l.args)
	if lanes == AVX2 {
		local := f.AllocLocal(32*keepMost + 32)
		l.scratch = f.GP64()
		f.LEAQ(local, l.scratch)
		f.ADDQ(operand.Imm(31), l.scratch)
		f.ANDQ(operand.I32(-32), l.scratch)
	}
	return l
}

// Return ends the function.
func (l *Lanes) Return() {
	l.VZEROUPPER()
	l.RET()
}

// Narrow is the same function with half of the lanes in a vector.
func (l *Lanes) Narrow() *Lanes {
	half := *l
	half.N /= 2
	return &half
}

// Bytes is the size of a vector.
func (l *Lanes) Bytes() int { return 4 * l.N }

// Arg is a field of the struct of arguments.
func (l *Lanes) Arg(name string) operand.Mem {
	offset, ok := l.offset[name]
	if !ok {
		panic("no argument " + name)
	}
	return operand.Mem{Base: l.args, Disp: offset}
}

// Scalar is a 32-bit field of the struct of arguments in every lane.
func (l *Lanes) Scalar(name string) Scalar { return Scalar{l.Arg(name)} }

// Int returns a 64-bit field of the struct of arguments in a register.
func (l *Lanes) Int(name string) reg.GPVirtual {
	r := l.GP64()
	l.MOVQ(l.Arg(name), r)
	return r
}

// At is the memory at 32-bit element i behind a pointer field.
func (l *Lanes) At(name string, i reg.Register) operand.Mem {
	return operand.Mem{Base: l.Int(name), Index: i, Scale: 4}
}

// Vec returns a fresh register.
func (l *Lanes) Vec() Vec {
	if l.N == AVX512 {
		return l.ZMM()
	}
	return l.YMM()
}

// Broadcast returns a scalar in every lane of a register.
func (l *Lanes) Broadcast(s Scalar) Vec {
	v := l.Vec()
	l.VBROADCASTSS(s.Mem, v)
	return v
}

// op is an instruction as the build context has it.
type op func(...operand.Op)

// binary emits dst = a op b.
func (l *Lanes) binary(do, broadcast op, a Vec, b Operand) Vec {
	dst := l.Vec()
	l.into(do, broadcast, a, b, dst)
	return dst
}

// into emits dst = a op b. Where the second operand is a scalar, AVX-512
// broadcasts it on the way.
func (l *Lanes) into(do, broadcast op, a Vec, b Operand, dst Vec) {
	switch b := b.(type) {
	case Scalar:
		if l.N == AVX512 {
			broadcast(b.Mem, a, dst)
		} else {
			do(l.Broadcast(b), a, dst)
		}
	case operand.Op:
		do(b, a, dst)
	default:
		panic(fmt.Sprintf("no operand: %T", b))
	}
}

// Arithmetic on float32.

func (l *Lanes) Add(a Vec, b Operand) Vec { return l.binary(l.VADDPS, l.VADDPS_BCST, a, b) }
func (l *Lanes) Sub(a Vec, b Operand) Vec { return l.binary(l.VSUBPS, l.VSUBPS_BCST, a, b) }
func (l *Lanes) Mul(a Vec, b Operand) Vec { return l.binary(l.VMULPS, l.VMULPS_BCST, a, b) }
func (l *Lanes) Div(a Vec, b Operand) Vec { return l.binary(l.VDIVPS, l.VDIVPS_BCST, a, b) }

// Min and Max return b where a or b is not a number, and where both are zero.
func (l *Lanes) Min(a Vec, b Operand) Vec { return l.binary(l.VMINPS, l.VMINPS_BCST, a, b) }
func (l *Lanes) Max(a Vec, b Operand) Vec { return l.binary(l.VMAXPS, l.VMAXPS_BCST, a, b) }

// AddTo adds b to a.
func (l *Lanes) AddTo(a Vec, b Operand) { l.into(l.VADDPS, l.VADDPS_BCST, a, b, a) }

// Sqrt is the square root, correctly rounded.
func (l *Lanes) Sqrt(a Vec) Vec {
	dst := l.Vec()
	l.VSQRTPS(a, dst)
	return dst
}

// Truncate converts float32 to int32 towards 0.
func (l *Lanes) Truncate(a Vec) Vec {
	dst := l.Vec()
	l.VCVTTPS2DQ(a, dst)
	return dst
}

// ToFloat converts int32 to float32.
func (l *Lanes) ToFloat(a Vec) Vec {
	dst := l.Vec()
	l.VCVTDQ2PS(a, dst)
	return dst
}

// Arithmetic on int32.

func (l *Lanes) AddInt(a Vec, b Operand) Vec { return l.binary(l.VPADDD, l.VPADDD_BCST, a, b) }
func (l *Lanes) SubInt(a Vec, b Operand) Vec { return l.binary(l.VPSUBD, l.VPSUBD_BCST, a, b) }
func (l *Lanes) MulInt(a Vec, b Operand) Vec { return l.binary(l.VPMULLD, l.VPMULLD_BCST, a, b) }
func (l *Lanes) MinInt(a Vec, b Operand) Vec { return l.binary(l.VPMINSD, l.VPMINSD_BCST, a, b) }
func (l *Lanes) MinUnsigned(a Vec, b Operand) Vec {
	return l.binary(l.VPMINUD, l.VPMINUD_BCST, a, b)
}
func (l *Lanes) MaxUnsigned(a Vec, b Operand) Vec {
	return l.binary(l.VPMAXUD, l.VPMAXUD_BCST, a, b)
}
func (l *Lanes) MaxInt(a Vec, b Operand) Vec { return l.binary(l.VPMAXSD, l.VPMAXSD_BCST, a, b) }

// AddIntTo and SubIntFrom change a.
func (l *Lanes) AddIntTo(a Vec, b Operand)   { l.into(l.VPADDD, l.VPADDD_BCST, a, b, a) }
func (l *Lanes) SubIntFrom(a Vec, b Operand) { l.into(l.VPSUBD, l.VPSUBD_BCST, a, b, a) }

// And is the bitwise and of 32-bit lanes.
func (l *Lanes) And(a Vec, b Operand) Vec {
	if l.N == AVX512 {
		return l.binary(l.VPANDD, l.VPANDD_BCST, a, b)
	}
	dst := l.Vec()
	l.VPAND(l.inRegister(b), a, dst)
	return dst
}

// Xor is the bitwise exclusive or.
func (l *Lanes) Xor(a Vec, b Operand) Vec {
	if l.N == AVX512 {
		return l.binary(l.VPXORD, l.VPXORD_BCST, a, b)
	}
	dst := l.Vec()
	l.VPXOR(l.inRegister(b), a, dst)
	return dst
}

// ShiftRight is an arithmetic shift.
func (l *Lanes) ShiftRight(a Vec, bits uint8) Vec {
	dst := l.Vec()
	l.VPSRAD(operand.U8(bits), a, dst)
	return dst
}

// UnpackLow interleaves the first two lanes of a and b in each 128 bits,
// UnpackHigh the last two; a lane of a comes first.
func (l *Lanes) UnpackLow(a, b Vec) Vec  { return l.binary(l.VPUNPCKLDQ, nil, a, b) }
func (l *Lanes) UnpackHigh(a, b Vec) Vec { return l.binary(l.VPUNPCKHDQ, nil, a, b) }

// Zero is a vector of zeros.
func (l *Lanes) Zero() Vec {
	v := l.Vec()
	if l.N == AVX512 {
		l.VPXORD(v, v, v)
	} else {
		l.VPXOR(v, v, v)
	}
	return v
}

// BroadcastInt returns a register in every lane.
func (l *Lanes) BroadcastInt(r reg.GPVirtual) Vec {
	v := l.Vec()
	if l.N == AVX512 {
		l.VPBROADCASTD(r.As32(), v)
		return v
	}
	x := l.XMM()
	l.VMOVD(r.As32(), x)
	l.VPBROADCASTD(x, v)
	return v
}
