package lanes

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// LoadMasked loads the lanes of a mask and sets the others to 0.
func (l *Lanes) LoadMasked(from operand.Mem, m Mask) Vec {
	v := l.Vec()
	if l.N == AVX512 {
		l.VMOVUPS_Z(from, m.k, v)
	} else {
		l.VMASKMOVPS(from, m.v, v)
	}
	return v
}

// Load loads a vector.
func (l *Lanes) Load(from operand.Mem) Vec {
	v := l.Vec()
	l.VMOVUPS(from, v)
	return v
}

// Store stores a vector.
func (l *Lanes) Store(v Vec, to operand.Mem) { l.VMOVUPS(v, to) }

// A Kept is a vector that is kept for later.
type Kept struct {
	v    Vec
	slot operand.Mem
}

// slot returns memory for one more vector of an AVX2 function.
func (l *Lanes) slot() operand.Mem {
	if l.kept == keepMost {
		panic("too many vectors kept")
	}
	l.kept++
	return operand.Mem{Base: l.scratch, Disp: 32 * (l.kept - 1)}
}

// Keep keeps a vector.
func (l *Lanes) Keep(v Vec) Kept {
	if l.N == AVX512 {
		return Kept{v: v}
	}
	k := Kept{slot: l.slot()}
	l.VMOVDQA(v, k.slot)
	return k
}

// Use returns a kept vector as the second operand of an operation.
func (l *Lanes) Use(k Kept) Operand {
	if l.N == AVX512 {
		return k.v
	}
	return k.slot
}

// Again returns a kept vector in a register, which must not be changed.
func (l *Lanes) Again(k Kept) Vec {
	if l.N == AVX512 {
		return k.v
	}
	v := l.Vec()
	l.VMOVDQA(k.slot, v)
	return v
}

// A Packing brings the lanes of a mask to the front of a vector, in order.
type Packing struct {
	index Vec // of the lanes to take
}

// Packing prepares packing by a mask that Bits has turned into bits. AVX-512
// compresses the lanes' numbers alone: a compress takes two shuffles.
func (l *Lanes) Packing(m Mask, bits reg.GPVirtual) Packing {
	index := l.Vec()
	if l.N == AVX512 {
		l.VMOVDQU32(l.Iota(), index)
		l.VPCOMPRESSD_Z(index, m.k, index)
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
	dst := l.Vec()
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
	return l.table("iota", func(add func(operand.Constant)) {
		for i := range AVX512 {
			add(operand.U32(i))
		}
	})
}

// Constant is a constant in every lane.
func (l *Lanes) Constant(name string, c operand.Constant) Scalar {
	return Scalar{l.table(name, func(add func(operand.Constant)) { add(c) })}
}

// Table is a table of constants.
func (l *Lanes) Table(name string, values ...operand.Constant) operand.Mem {
	return l.table(name, func(add func(operand.Constant)) {
		for _, v := range values {
			add(v)
		}
	})
}

func (l *Lanes) tailTable() operand.Mem {
	return l.table("tails", func(add func(operand.Constant)) {
		for i := range 3 * AVX2 {
			set := operand.U32(0)
			if i < AVX2 {
				set = 0xffffffff
			}
			add(set)
		}
	})
}

// packTable holds, for every mask of 8 lanes, the bytes that number its lanes.
func (l *Lanes) packTable() operand.Mem {
	return l.table("packings", func(add func(operand.Constant)) {
		for bits := range 1 << AVX2 {
			var lanes uint64
			for lane, n := 0, 0; lane < AVX2; lane++ {
				if bits>>lane&1 == 1 {
					lanes |= uint64(lane) << (8 * n)
					n++
				}
			}
			add(operand.U64(lanes))
		}
	})
}

// table returns a static table, which is emitted when it is first used.
func (l *Lanes) table(name string, fill func(add func(operand.Constant))) operand.Mem {
	if m, ok := l.tables[name]; ok {
		return m
	}
	m := l.StaticGlobal(name)
	l.DataAttributes(attr.RODATA | attr.NOPTR)
	fill(l.AppendDatum)
	l.tables[name] = m
	return m
}
