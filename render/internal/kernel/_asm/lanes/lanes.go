package lanes

import (
	"fmt"
	"log"
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// AVX2 and AVX512 are the numbers of 32-bit lanes in a vector of each instruction set.
const (
	AVX2   = 8
	AVX512 = 16
)

var suffix = map[int]string{AVX2: "AVX2", AVX512: "AVX512"}

// Lanes emits one function for one instruction set.
type Lanes struct {
	*File
	N     int  // number of lanes of a vector
	masks bool // masks are in mask registers although N is AVX2, see Half
	args  reg.GPVirtual

	scratch reg.GPVirtual // with AVX2, address of kept vectors, aligned to a vector
	kept    *keptVectors

	into     Vec               // register for the next result; nil means a new register
	intoMask reg.OpmaskVirtual // mask register for the next AVX-512 mask; nil means a new register
}

// A Vec is a vector register.
type Vec = reg.VecVirtual

// An Operand is a Vec, a vector in memory, a Scalar or a WideScalar.
type Operand any

// A Scalar is a 32-bit number in memory. It stands for a vector with that number in every lane.
type Scalar struct{ operand.Mem }

// A WideScalar is a Scalar with 64 bits.
type WideScalar struct{ operand.Mem }

// keptVectors counts the vectors that an AVX2 function keeps in memory: now is the current number, and most the
// largest number so far.
type keptVectors struct{ now, most int }

// Function starts a function. Its name consists of the given name and the name of the instruction set.
func (f *File) Function(name string, lanes int, doc ...string) *Lanes {
	l := &Lanes{File: f, N: lanes, kept: new(keptVectors)}
	f.Context.Function(name + suffix[lanes])
	doc[0] = fmt.Sprintf("%s%s %s", name, suffix[lanes], doc[0])
	f.Doc(doc...)
	f.Pragma("noescape")
	f.Signature(f.signature())
	l.args = f.GP64()
	f.Load(f.Param("args"), l.args)
	l.scratch = f.GP64()
	return l
}

// Return ends the function.
func (l *Lanes) Return() {
	l.VZEROUPPER()
	l.RET()
	if l.kept.most > 0 {
		l.atStart(func() {
			l.LEAQ(l.AllocLocal(32*l.kept.most+32), l.scratch)
			l.ADDQ(operand.Imm(31), l.scratch)
			l.ANDQ(operand.I32(-32), l.scratch)
		})
	}
}

// atStart calls emit, and moves the instructions that emit has added to the start of the function.
func (l *Lanes) atStart(emit func()) {
	file, err := l.Result()
	if err != nil {
		log.Fatal(err)
	}
	functions := file.Functions()
	fn := functions[len(functions)-1]
	before := len(fn.Nodes)
	emit()
	fn.Nodes = append(slices.Clone(fn.Nodes[before:]), fn.Nodes[:before]...)
}

// Narrow returns a copy of l for the same function whose vectors have half as many lanes.
func (l *Lanes) Narrow() *Lanes {
	half := *l
	half.N /= 2
	return &half
}

// Half returns a copy of l for the same function whose vectors have eight lanes. With AVX-512 it still uses mask
// registers.
func (l *Lanes) Half() *Lanes {
	eight := *l
	eight.N, eight.masks = AVX2, l.N == AVX512
	return &eight
}

// Into returns a copy of l whose results go to register v: Into(v).Add(a, b) leaves the sum in v.
func (l *Lanes) Into(v Vec) *Lanes {
	to := *l
	to.into = v
	return &to
}

// Bytes returns the size of a vector in bytes.
func (l *Lanes) Bytes() int { return 4 * l.N }

// Arg returns the memory of a field of the struct of arguments.
func (l *Lanes) Arg(name string) operand.Mem {
	offset, ok := l.offset[name]
	if !ok {
		panic("no argument " + name)
	}
	return operand.Mem{Base: l.args, Disp: offset}
}

// Scalar returns a 32-bit field of the struct of arguments, as a vector with that number in every lane.
func (l *Lanes) Scalar(name string) Scalar { return Scalar{l.Arg(name)} }

// Int returns a 64-bit field of the struct of arguments in a register.
func (l *Lanes) Int(name string) reg.GPVirtual {
	r := l.GP64()
	l.MOVQ(l.Arg(name), r)
	return r
}

// At returns the memory of 32-bit element i of the array that a pointer field points to.
func (l *Lanes) At(name string, i reg.Register) operand.Mem {
	return operand.Mem{Base: l.Int(name), Index: i, Scale: 4}
}

// Vec returns a new register.
func (l *Lanes) Vec() Vec {
	if l.N == AVX512 {
		return l.ZMM()
	}
	return l.YMM()
}

// result returns the register for the next result.
func (l *Lanes) result() Vec {
	if l.into != nil {
		return l.into
	}
	return l.Vec()
}

// Broadcast loads a scalar into every lane of a register.
func (l *Lanes) Broadcast(s Scalar) Vec {
	v := l.result()
	l.VBROADCASTSS(s.Mem, v)
	return v
}

// BroadcastInt copies the lower half of r into every lane of a register.
func (l *Lanes) BroadcastInt(r reg.GPVirtual) Vec {
	v := l.result()
	if l.opmasks() {
		l.VPBROADCASTD(r.As32(), v)
		return v
	}
	x := l.XMM()
	l.VMOVD(r.As32(), x)
	l.VPBROADCASTD(x, v)
	return v
}

// Zero returns a vector of zeros.
func (l *Lanes) Zero() Vec {
	v := l.result()
	if l.opmasks() {
		// An exclusive or of v with itself would suffice, but avo does not know that the result does not depend on v.
		l.VBROADCASTSS(l.Constant("nothing", operand.U32(0)).Mem, v)
	} else {
		l.VPXOR(v, v, v)
	}
	return v
}

// Nothing returns a vector of zeros that can be the second operand of an operation.
func (l *Lanes) Nothing() Operand {
	if l.opmasks() {
		return l.Constant("nothing", operand.U32(0))
	}
	return l.Zero()
}

// MinusOne returns a vector with all bits set.
func (l *Lanes) MinusOne() Vec {
	v := l.result()
	if l.opmasks() {
		l.VBROADCASTSS(l.minusOne(), v)
	} else {
		l.VPCMPEQD(v, v, v)
	}
	return v
}

// Move copies a vector into another register.
func (l *Lanes) Move(from, to Vec) {
	if l.opmasks() {
		l.VMOVDQA32(from, to)
	} else {
		l.VMOVDQA(from, to)
	}
}

// op is an instruction, as a function that takes its operands.
type op func(...operand.Op)

// three converts the method of an instruction with three operands to an op.
func three(do func(b, a, dst operand.Op)) op {
	return func(o ...operand.Op) { do(o[0], o[1], o[2]) }
}

// unary emits an operation on one vector.
func (l *Lanes) unary(do op, a ...operand.Op) Vec {
	dst := l.result()
	do(append(a, dst)...)
	return dst
}

// binary emits an operation on a and b. do is its instruction. If b is a scalar, AVX-512 uses the instruction
// broadcast instead, which broadcasts b itself.
func (l *Lanes) binary(do, broadcast op, a Vec, b Operand) Vec {
	from, isScalar := l.source(b)
	dst := l.result()
	if isScalar {
		do = broadcast
	}
	do(from, a, dst)
	return dst
}

// source returns b as an operand of an instruction, and whether the instruction must broadcast it (AVX-512 only).
func (l *Lanes) source(b Operand) (from operand.Op, isScalar bool) {
	switch s := b.(type) {
	case Scalar:
		if l.opmasks() {
			return s.Mem, true
		}
	case WideScalar:
		if l.opmasks() {
			return s.Mem, true
		}
	case operand.Op:
		return s, false
	}
	return l.inRegister(b), false
}

// inRegister returns b in a register. It loads b if b is not in a register.
func (l *Lanes) inRegister(b Operand) Vec {
	v := l.Vec()
	switch b := b.(type) {
	case Scalar:
		l.VBROADCASTSS(b.Mem, v)
	case WideScalar:
		l.VBROADCASTSD(b.Mem, v)
	case operand.Mem:
		l.VMOVUPS(b, v)
	case Vec:
		return b
	default:
		panic(fmt.Sprintf("no operand: %T", b))
	}
	return v
}

// Add, Sub, Mul and Div are operations on float32.

func (l *Lanes) Add(a Vec, b Operand) Vec { return l.binary(l.VADDPS, l.VADDPS_BCST, a, b) }
func (l *Lanes) Sub(a Vec, b Operand) Vec { return l.binary(l.VSUBPS, l.VSUBPS_BCST, a, b) }
func (l *Lanes) Mul(a Vec, b Operand) Vec { return l.binary(l.VMULPS, l.VMULPS_BCST, a, b) }
func (l *Lanes) Div(a Vec, b Operand) Vec { return l.binary(l.VDIVPS, l.VDIVPS_BCST, a, b) }

// Min and Max return b if a or b is NaN, or if both are zero.
func (l *Lanes) Min(a Vec, b Operand) Vec { return l.binary(l.VMINPS, l.VMINPS_BCST, a, b) }
func (l *Lanes) Max(a Vec, b Operand) Vec { return l.binary(l.VMAXPS, l.VMAXPS_BCST, a, b) }

// Sqrt returns the correctly rounded square root.
func (l *Lanes) Sqrt(a Vec) Vec { return l.unary(l.VSQRTPS, a) }

// Truncate converts float32 to int32, rounding towards 0. Floor rounds towards minus infinity.
func (l *Lanes) Truncate(a Vec) Vec { return l.unary(l.VCVTTPS2DQ, a) }

func (l *Lanes) Floor(a Vec) Vec {
	if l.N == AVX512 {
		return l.unary(l.VCVTPS2DQ_RD_SAE, a)
	}
	whole := l.Vec()
	l.VROUNDPS(roundDown, a, whole)
	return l.Truncate(whole)
}

// roundDown selects rounding towards minus infinity without exceptions.
const roundDown = operand.U8(9)

// ToFloat converts int32 to float32.
func (l *Lanes) ToFloat(a Vec) Vec { return l.unary(l.VCVTDQ2PS, a) }

// Operations on int32.

func (l *Lanes) AddInt(a Vec, b Operand) Vec { return l.binary(l.VPADDD, l.VPADDD_BCST, a, b) }
func (l *Lanes) SubInt(a Vec, b Operand) Vec { return l.binary(l.VPSUBD, l.VPSUBD_BCST, a, b) }
func (l *Lanes) MulInt(a Vec, b Operand) Vec { return l.binary(l.VPMULLD, l.VPMULLD_BCST, a, b) }
func (l *Lanes) MinInt(a Vec, b Operand) Vec { return l.binary(l.VPMINSD, l.VPMINSD_BCST, a, b) }
func (l *Lanes) MaxInt(a Vec, b Operand) Vec { return l.binary(l.VPMAXSD, l.VPMAXSD_BCST, a, b) }
func (l *Lanes) MinUnsigned(a Vec, b Operand) Vec {
	return l.binary(l.VPMINUD, l.VPMINUD_BCST, a, b)
}
func (l *Lanes) MaxUnsigned(a Vec, b Operand) Vec {
	return l.binary(l.VPMAXUD, l.VPMAXUD_BCST, a, b)
}

// ShiftRight emits an arithmetic shift, which repeats the sign bit.
func (l *Lanes) ShiftRight(a Vec, bits int) Vec { return l.unary(l.VPSRAD, operand.U8(bits), a) }
func (l *Lanes) ShiftLeft(a Vec, bits int) Vec  { return l.unary(l.VPSLLD, operand.U8(bits), a) }

// And and Xor are bitwise.
func (l *Lanes) And(a Vec, b Operand) Vec {
	if l.opmasks() {
		return l.binary(l.VPANDD, l.VPANDD_BCST, a, b)
	}
	return l.binary(three(l.VPAND), nil, a, b)
}

func (l *Lanes) Xor(a Vec, b Operand) Vec {
	if l.opmasks() {
		return l.binary(l.VPXORD, l.VPXORD_BCST, a, b)
	}
	return l.binary(three(l.VPXOR), nil, a, b)
}

// UnpackLow interleaves the first two lanes of a and b in each 128 bits. UnpackHigh interleaves the last two lanes. A
// lane of a comes first.
func (l *Lanes) UnpackLow(a, b Vec) Vec  { return l.binary(l.VPUNPCKLDQ, nil, a, b) }
func (l *Lanes) UnpackHigh(a, b Vec) Vec { return l.binary(l.VPUNPCKHDQ, nil, a, b) }

// UnpackLowPairs returns, in each 128 bits, the first two lanes of a and then those of b. UnpackHighPairs returns the
// last two lanes of a and then those of b.
func (l *Lanes) UnpackLowPairs(a, b Vec) Vec  { return l.binary(l.VPUNPCKLQDQ, nil, a, b) }
func (l *Lanes) UnpackHighPairs(a, b Vec) Vec { return l.binary(l.VPUNPCKHQDQ, nil, a, b) }

// Fold combines all lanes of the given vectors by an operation such as MaxInt, and returns the result in a register.
// The lanes must not be negative.
func (l *Lanes) Fold(do func(l *Lanes, a Vec, b Operand) Vec, v ...Vec) reg.GPVirtual {
	for ; len(v) > 1; v = v[1:] {
		v[1] = do(l, v[0], v[1])
	}
	half, x, t, result := v[0], l.XMM(), l.XMM(), l.GP64()
	if l.N == AVX512 {
		half = l.YMM()
		l.VEXTRACTI64X4(operand.Imm(1), v[0], half)
		do(l.Narrow().Into(half), v[0].AsY().(Vec), half)
		l.VEXTRACTI32X4(operand.Imm(1), half, x)
	} else {
		l.VEXTRACTI128(operand.Imm(1), half, x)
	}
	do(l.Narrow().Into(x), half.AsX().(Vec), x)
	for _, order := range []operand.U8{0x4e, 0xb1} { // exchanges halves, then neighbours
		l.VPSHUFD(order, x, t)
		do(l.Narrow().Into(x), x, t)
	}
	l.VMOVD(x, result.As32())
	return result
}
