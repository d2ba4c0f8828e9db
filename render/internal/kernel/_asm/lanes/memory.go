package lanes

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// LoadMasked loads the lanes that mask m selects and sets the others to 0.
func (l *Lanes) LoadMasked(from operand.Mem, m Mask) Vec {
	v := l.result()
	if l.N == AVX512 {
		l.VMOVUPS_Z(from, m.k, v)
	} else {
		l.VMASKMOVPS(from, m.v, v)
	}
	return v
}

// Gather loads elements of the array that a pointer field points to. In the lanes that mask m selects, it loads the
// elements at index. The other lanes get the value of `rest`. Gather destroys m.
func (l *Lanes) Gather(name string, index Vec, m Mask, rest Scalar) Vec {
	return l.GatherOver(name, index, m, l.Broadcast(rest))
}

// GatherOver is like Gather, but lanes that mask m does not select keep their values in v.
func (l *Lanes) GatherOver(name string, index Vec, m Mask, v Vec) Vec {
	from := operand.Mem{Base: l.Int(name), Index: index, Scale: 4}
	if l.N == AVX512 {
		l.VGATHERDPS(from, m.k, v)
	} else {
		l.VGATHERDPS(m.v, from, v)
	}
	return v
}

// Permute returns a vector of lanes of v. The numbers of these lanes are in memory.
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

// StoreFour stores four lanes (128 bits) of a vector. four is their number; 0 stands for the lowest lanes.
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

// A Packing moves the lanes that a mask selects to the front of a vector, in order.
type Packing struct {
	index Vec // numbers of the selected lanes
}

// Packing prepares packing by mask m. bits must be Bits(m). With AVX-512, only the numbers of the lanes are
// compressed, once: a compress takes two shuffles, and a compress to memory is very slow on some processors.
func (l *Lanes) Packing(m Mask, bits reg.GPVirtual) Packing {
	if l.opmasks() {
		return l.PackingOf(l.Numbers(), m, bits)
	}
	return l.PackingOf(nil, m, bits)
}

// Numbers returns the vector 0, 1, 2, ... for PackingOf; AVX2 does not need it.
func (l *Lanes) Numbers() Vec {
	v := l.result()
	l.VMOVDQU32(l.Iota(), v)
	return v
}

// PackingOf is like Packing, but does not load the numbers of the lanes. Register numbers must hold the result of
// Numbers.
func (l *Lanes) PackingOf(numbers Vec, m Mask, bits reg.GPVirtual) Packing {
	index := l.Vec()
	if l.opmasks() {
		l.VPCOMPRESSD_Z(numbers, m.k, index)
		return Packing{index: index}
	}
	table := l.GP64()
	l.LEAQ(GoTable("PackedLanes"), table)
	l.VPMOVZXBD(operand.Mem{Base: table, Index: bits.As64(), Scale: 8}, index)
	return Packing{index: index}
}

// Pack returns v packed. Lanes after the packed lanes are undefined.
func (l *Lanes) Pack(p Packing, v Operand) Vec {
	dst := l.result()
	l.VPERMD(v.(operand.Op), p.index, dst)
	return dst
}

// An Accumulator is a vector of int32 that is updated throughout a loop. With AVX-512 it is in a register, with AVX2 in
// memory. Its initial and final value are in a field of the arguments.
type Accumulator struct {
	v    Vec
	home operand.Mem
}

// Accumulator returns an accumulator that starts with the value of a field.
func (l *Lanes) Accumulator(name string) Accumulator {
	a := Accumulator{home: l.Arg(name)}
	if l.N == AVX512 {
		a.v = l.Load(a.home)
	}
	return a
}

// MinInto sets lanes of the accumulator to the minimum of the lane and v, where mask m selects them.
func (l *Lanes) MinInto(a Accumulator, v Vec, m Mask) { l.accumulate(l.VPMINSD, a, v, m) }

// MaxInto sets lanes of the accumulator to the maximum of the lane and v, where mask m selects them.
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

// End writes an accumulator back to its field.
func (l *Lanes) End(a Accumulator) {
	if l.N == AVX512 {
		l.Store(a.v, a.home)
	}
}

// Iota returns a table with the vector 0, 1, 2, ...
func (l *Lanes) Iota() operand.Mem {
	var numbers []operand.Constant
	for i := range AVX512 {
		numbers = append(numbers, operand.U32(i))
	}
	return l.Table("iota", numbers...)
}

// Constant returns a vector with the constant c in every lane. WideConstant does the same for 64-bit lanes.
func (l *Lanes) Constant(name string, c operand.Constant) Scalar {
	return Scalar{l.Table(name, c)}
}

func (l *Lanes) WideConstant(name string, x float64) WideScalar {
	return WideScalar{l.Table(name, operand.F64(x))}
}

// tailTable returns a table of 8 lanes with all bits set, followed by 16 lanes of 0.
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

// GoTable returns the table that is the variable of package array with the given name.
func GoTable(name string) operand.Mem {
	return operand.NewDataAddr(operand.Symbol{Name: "lockstep\u2215render\u2215internal\u2215kernel\u2215array\u00b7" + name}, 0)
}

// Table returns a static table with the given name and values. The first call for a name emits the table.
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
