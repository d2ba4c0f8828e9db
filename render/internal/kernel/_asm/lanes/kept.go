package lanes

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Kept is a vector that is used later or changes during a loop. With AVX-512 it is in a register. AVX2 has half as
// many registers; there it is in memory.
type Kept struct {
	v    Vec
	home operand.Mem
}

// slot returns memory for one more vector of an AVX2 function.
func (l *Lanes) slot() operand.Mem {
	home := operand.Mem{Base: l.scratch, Disp: 32 * l.kept.now}
	l.kept.now++
	l.kept.most = max(l.kept.most, l.kept.now)
	return home
}

// Forget frees the memory of all vectors kept by Keep and Slot.
func (l *Lanes) Forget() { l.kept.now = 0 }

// Variable returns a vector that can be saved in the memory home. With AVX2 the vector is always in this memory.
func (l *Lanes) Variable(home operand.Mem) Kept {
	if l.N == AVX512 {
		return Kept{v: l.Vec(), home: home}
	}
	return Kept{home: home}
}

// Slot returns a Kept without a value, which the caller sets later.
func (l *Lanes) Slot() Kept {
	if l.N == AVX512 {
		return Kept{v: l.Vec()}
	}
	return Kept{home: l.slot()}
}

// Keep stores v as a Kept and returns the Kept.
func (l *Lanes) Keep(v Vec) Kept {
	if l.N == AVX512 {
		return Kept{v: v}
	}
	k := Kept{home: l.slot()}
	l.Set(k, v)
	return k
}

// KeptIn returns a Kept for a vector that is both in register v and in memory.
func (l *Lanes) KeptIn(v Vec, home operand.Mem) Kept { return Kept{v: v, home: home} }

// Set replaces a kept vector.
func (l *Lanes) Set(k Kept, v Vec) {
	switch {
	case l.N == AVX2:
		l.VMOVDQU(v, k.home)
	case k.v != v:
		l.Move(v, k.v)
	}
}

// SetWhere replaces lanes of k by lanes of v, where mask m selects them.
func (l *Lanes) SetWhere(m Mask, k Kept, v Operand) {
	old := l.Again(k)
	l.MoveWhere(m, old, v)
	l.Set(k, old)
}

// AddTo adds b (float32) to k in the lanes that mask m selects.
func (l *Lanes) AddTo(k Kept, m Mask, b Operand) {
	if l.N == AVX512 {
		l.VADDPS(b.(operand.Op), k.v, m.k, k.v)
		return
	}
	l.Set(k, l.Add(l.Again(k), l.Blend(m, b, l.Zero())))
}

// To returns a copy of l whose results go to the register of k. With AVX2 the results go to a new register, and the
// caller must store the result with Set.
func (l *Lanes) To(k Kept) *Lanes {
	if l.N == AVX512 {
		return l.Into(k.v)
	}
	return l.Into(l.Vec())
}

// Use returns a kept vector as the second operand of an operation.
func (l *Lanes) Use(k Kept) Operand {
	if l.N == AVX512 {
		return k.v
	}
	return k.home
}

// Again returns a kept vector in a register. If the caller changes the register, it must call Set afterwards.
func (l *Lanes) Again(k Kept) Vec {
	if l.N == AVX512 {
		return k.v
	}
	return l.Load(k.home)
}

// Save writes variables from their registers to their memory. Restore reads the variables back. With AVX2 both do
// nothing, because variables are always in memory.
func (l *Lanes) Save(variables ...Kept) {
	if l.N == AVX512 {
		for _, k := range variables {
			l.Store(k.v, k.home)
		}
	}
}

func (l *Lanes) Restore(variables ...Kept) {
	if l.N == AVX512 {
		for _, k := range variables {
			l.Into(k.v).Load(k.home)
		}
	}
}

// Home returns the memory of a variable.
func (k Kept) Home() operand.Mem { return k.home }

// A KeptMask is a mask that is used later or changes during a loop. It is in a register or in memory, like a Kept.
type KeptMask struct {
	k    reg.OpmaskVirtual
	home operand.Mem
}

// MaskVariable returns a mask that can be saved in the memory home. With AVX2 the mask is always in this memory.
func (l *Lanes) MaskVariable(home operand.Mem) KeptMask {
	if l.N == AVX512 {
		return KeptMask{k: l.K(), home: home}
	}
	return KeptMask{home: home}
}

// KeepMask keeps a mask.
func (l *Lanes) KeepMask(m Mask) KeptMask {
	if l.N == AVX512 {
		return KeptMask{k: m.k}
	}
	t := KeptMask{home: l.slot()}
	l.StoreMask(m, t.home)
	return t
}

// Mask returns a kept mask in a register.
func (l *Lanes) Mask(t KeptMask) Mask {
	if l.N == AVX512 {
		return Mask{k: t.k}
	}
	return l.LoadMask(t.home)
}

// SetMask replaces a kept mask.
func (l *Lanes) SetMask(t KeptMask, m Mask) {
	switch {
	case l.N == AVX2:
		l.StoreMask(m, t.home)
	case t.k != m.k:
		l.KMOVW(m.k, t.k)
	}
}

// SaveMask and RestoreMask are Save and Restore for a mask.
func (l *Lanes) SaveMask(t KeptMask) {
	if l.N == AVX512 {
		l.StoreMask(Mask{k: t.k}, t.home)
	}
}

func (l *Lanes) RestoreMask(t KeptMask) {
	if l.N == AVX512 {
		l.IntoMask(Mask{k: t.k}).LoadMask(t.home)
	}
}

// LoadMask loads a mask.
func (l *Lanes) LoadMask(from operand.Mem) Mask {
	m := l.mask()
	if l.N == AVX512 {
		l.KMOVW(from, m.k)
	} else {
		l.VMOVDQU(from, m.v)
	}
	return m
}

// StoreMask stores a mask.
func (l *Lanes) StoreMask(m Mask, to operand.Mem) {
	if l.N == AVX512 {
		l.KMOVW(m.k, to)
	} else {
		l.VMOVDQU(m.v, to)
	}
}

// NewTail returns a mask that selects all lanes. Shorten reduces it for the last, partial vector of a loop.
func (l *Lanes) NewTail() KeptMask {
	if l.N == AVX512 {
		k := l.K()
		l.KXNORW(k, k, k)
		return KeptMask{k: k}
	}
	t := KeptMask{home: l.slot()}
	l.VMOVDQA(l.MinusOne(), t.home)
	return t
}

// Shorten sets t to select the first n lanes; n must be below N.
func (l *Lanes) Shorten(t KeptMask, n reg.GPVirtual) {
	if l.N == AVX512 {
		bits := l.GP32()
		l.MOVL(operand.I32(-1), bits)
		l.BZHIL(n.As32(), bits, bits)
		l.KMOVW(bits, t.k)
		return
	}
	l.SetMask(t, l.First(n))
}
