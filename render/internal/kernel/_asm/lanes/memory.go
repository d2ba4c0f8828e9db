package lanes

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// LoadMasked loads the lanes of a mask and sets the others to 0.
func (l *Lanes) LoadMasked(from operand.Mem, m Mask) Vec {
	v := l.result()
	if l.N == AVX512 {
		l.VMOVUPS_Z(from, m.k, v)
	} else {
		l.VMASKMOVPS(from, m.v, v)
	}
	return v
}

// Gather loads the elements of an index behind a pointer field in the lanes of a mask,
// which it destroys; others are those of rest.
func (l *Lanes) Gather(name string, index Vec, m Mask, rest Scalar) Vec {
	from := operand.Mem{Base: l.Int(name), Index: index, Scale: 4}
	v := l.Broadcast(rest)
	if l.N == AVX512 {
		l.VGATHERDPS(from, m.k, v)
	} else {
		l.VGATHERDPS(m.v, from, v)
	}
	return v
}

// Permute returns the lanes of v that the numbers in memory name.
func (l *Lanes) Permute(v Vec, numbers operand.Mem) Vec {
	dst := l.result()
	l.VPERMD(v, l.inRegister(numbers), dst)
	return dst
}

// Load loads a vector.
func (l *Lanes) Load(from operand.Mem) Vec {
	v := l.result()
	l.VMOVUPS(from, v)
	return v
}

// Store stores a vector.
func (l *Lanes) Store(v Vec, to operand.Mem) { l.VMOVUPS(v, to) }

// StoreFour stores 128 bits of a vector, counted from the lowest.
func (l *Lanes) StoreFour(v Vec, four int, to operand.Mem) {
	switch {
	case four == 0:
		l.VMOVUPS(v.AsX(), to)
	case l.N == AVX512:
		l.VEXTRACTI32X4(operand.Imm(uint64(four)), v, to)
	default:
		l.VEXTRACTI128(operand.Imm(1), v, to)
	}
}

// A Packing brings the lanes of a mask to the front of a vector, in order.
type Packing struct {
	index Vec // of the lanes to take
}

// Packing prepares packing by a mask that Bits has turned into bits. AVX-512
// compresses the lanes' numbers alone: a compress takes two shuffles, and straight
// to memory it is very slow on some processors.
func (l *Lanes) Packing(m Mask, bits reg.GPVirtual) Packing {
	if l.opmasks() {
		return l.PackingOf(l.Numbers(), m, bits)
	}
	return l.PackingOf(nil, m, bits)
}

// Numbers is the vector 0, 1, 2, ... for PackingOf, which AVX2 does without.
func (l *Lanes) Numbers() Vec {
	v := l.result()
	l.VMOVDQU32(l.Iota(), v)
	return v
}

// PackingOf is Packing where the numbers are in a register.
func (l *Lanes) PackingOf(numbers Vec, m Mask, bits reg.GPVirtual) Packing {
	index := l.Vec()
	if l.opmasks() {
		l.VPCOMPRESSD_Z(numbers, m.k, index)
		return Packing{index: index}
	}
	table := l.GP64()
	l.LEAQ(l.packTable(), table)
	l.VPMOVZXBD(operand.Mem{Base: table, Index: bits.As64(), Scale: 8}, index)
	return Packing{index: index}
}

// Pack returns the packed vector. What follows the lanes of the mask is
// arbitrary.
func (l *Lanes) Pack(p Packing, v Operand) Vec {
	dst := l.result()
	l.VPERMD(v.(operand.Op), p.index, dst)
	return dst
}

// An Accumulator is a vector of int32 that goes through a loop: a register of
// AVX-512, memory for AVX2. It begins and ends in a field of the arguments.
type Accumulator struct {
	v    Vec
	home operand.Mem
}

// Accumulator begins one.
func (l *Lanes) Accumulator(name string) Accumulator {
	a := Accumulator{home: l.Arg(name)}
	if l.N == AVX512 {
		a.v = l.Load(a.home)
	}
	return a
}

// MinInto lowers the lanes of a mask to v where that is smaller.
func (l *Lanes) MinInto(a Accumulator, v Vec, m Mask) { l.accumulate(l.VPMINSD, a, v, m) }

// MaxInto raises the lanes of a mask to v where that is larger.
func (l *Lanes) MaxInto(a Accumulator, v Vec, m Mask) { l.accumulate(l.VPMAXSD, a, v, m) }

func (l *Lanes) accumulate(do op, a Accumulator, v Vec, m Mask) {
	if l.N == AVX512 {
		do(v, a.v, m.k, a.v)
		return
	}
	old, result := l.Load(a.home), l.Vec()
	do(old, v, result)
	l.VPBLENDVB(m.v, result, old, result)
	l.VMOVDQU(result, a.home)
}

// End writes an accumulator back.
func (l *Lanes) End(a Accumulator) {
	if l.N == AVX512 {
		l.Store(a.v, a.home)
	}
}

// Iota is the vector 0, 1, 2, ...
func (l *Lanes) Iota() operand.Mem {
	var numbers []operand.Constant
	for i := range AVX512 {
		numbers = append(numbers, operand.U32(i))
	}
	return l.Table("iota", numbers...)
}

// Constant is a constant in every lane, WideConstant one of 64 bits.
func (l *Lanes) Constant(name string, c operand.Constant) Scalar {
	return Scalar{l.Table(name, c)}
}

func (l *Lanes) WideConstant(name string, x float64) WideScalar {
	return WideScalar{l.Table(name, operand.F64(x))}
}

// tailTable is all bits set 8 times, then 0.
func (l *Lanes) tailTable() operand.Mem {
	table := make([]operand.Constant, 3*AVX2)
	for i := range table {
		table[i] = operand.I32(0)
		if i < AVX2 {
			table[i] = operand.I32(-1)
		}
	}
	return l.Table("tails", table...)
}

// packTable holds, for every mask of 8 lanes, the bytes that number its lanes.
func (l *Lanes) packTable() operand.Mem {
	table := make([]operand.Constant, 1<<AVX2)
	for bits := range table {
		var lanes uint64
		for lane, n := 0, 0; lane < AVX2; lane++ {
			if bits>>lane&1 == 1 {
				lanes |= uint64(lane) << (8 * n)
				n++
			}
		}
		table[bits] = operand.U64(lanes)
	}
	return l.Table("packings", table...)
}

// Table returns a static table, which is emitted when it is first used.
func (l *Lanes) Table(name string, values ...operand.Constant) operand.Mem {
	if m, ok := l.tables[name]; ok {
		return m
	}
	m := l.StaticGlobal(name)
	l.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, v := range values {
		l.AppendDatum(v)
	}
	l.tables[name] = m
	return m
}
