package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// setBoxesAside is array.Aside.Take: it leaves the other polygons live, and jumps where none is
// left.
func (l *loop) setBoxesAside(live Mask, bits reg.GPVirtual, e [3]Kept, box [4]Vec) {
	l.Comment("Set small back faces aside.")
	bands := l.GP32()
	l.MOVL(l.Arg("bands"), bands)
	l.TESTL(bands, bands)
	l.JZ(operand.LabelRef("seen"))
	one, shift := l.Constant("oneInt", operand.U32(1)), l.Go("BandShift")
	last := l.ShiftRight(l.SubInt(box[3], one), shift)
	few := l.LessInt(l.SubInt(last, l.ShiftRight(box[2], shift)), l.Broadcast(l.Scalar("bands")), &live)
	aside := l.MaskAnd(few, l.Mask(l.small))
	count := l.Bits(aside)
	l.TESTL(count, count)
	l.JZ(operand.LabelRef("seen"))
	l.IntoMask(live).Without(live, aside)
	l.POPCNTL(count, count)
	l.ADDQ(count.As64(), l.Arg("boxed"))
	l.boxes(aside, e, box)
	l.MOVL(l.Bits(live), bits)
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("next"))
	l.Label("seen")
}

// boxes appends the boxes of polygons: their first bands', then their second ones', and so on.
// Most of them have one, so what the loop needs again goes to memory: registers are short.
func (l *loop) boxes(aside Mask, e [3]Kept, box [4]Vec) {
	one := l.Constant("oneInt", operand.U32(1))
	bandLast := l.Constant("bandLast", operand.U32(l.Go("BandRows")-1))
	near, number, row := l.AllocLocal(l.Bytes()), l.AllocLocal(l.Bytes()), l.AllocLocal(l.Bytes())
	l.Store(l.bound(e), near)
	l.Store(l.AddInt(l.index(), l.Scalar("number")), number)
	l.Store(box[2], row)
	rest, boxes := l.KeepMask(aside), l.Int("boxes")
	l.Label("boxes")
	mask := l.Mask(rest)
	bits := l.Bits(mask)
	packing := l.Packing(mask, bits)
	put := func(column string, v Operand) { l.Store(l.Pack(packing, v), l.At(column, boxes)) }
	put("boxBound", near)
	put("boxNumber", number)
	put("boxCount", l.SubInt(box[1], box[0]))
	y := l.Load(row)
	put("boxStart", l.AddInt(l.MulInt(y, l.Scalar("stride")), box[0]))
	inBand := l.And(y, bandLast)
	place := l.OrBits(box[0], l.ShiftLeft(inBand, l.Go("PlaceRowShift")))
	// The last row of the band: y - inBand + BandRows - 1.
	end := l.AddInt(l.SubInt(y, inBand), bandLast)
	end = l.MinInt(l.AddInt(end, one), box[3])
	l.Store(end, row)
	rows := l.SubInt(l.SubInt(end, y), one)
	put("boxPlace", l.OrBits(place, l.ShiftLeft(rows, l.Go("PlaceRowsShift"))))
	l.POPCNTL(bits, bits)
	l.ADDQ(bits.As64(), boxes)
	l.SetMask(rest, l.LessInt(end, box[3], &mask))
	more := l.Bits(l.Mask(rest))
	l.TESTL(more, more)
	l.JNZ(operand.LabelRef("boxes"))
	l.MOVQ(boxes, l.Arg("boxes"))
}

// bound is array.NearestBound of the corners.
func (l *loop) bound(e [3]Kept) Vec {
	bound := l.Max(l.Max(l.Again(e[0]), l.Use(e[1])), l.Use(e[2]))
	bound = l.Mul(bound, l.Constant("nearestFactor", operand.F32(l.GoFloat("nearestFactor"))))
	return l.Max(bound, l.Constant("nearestLeast", operand.U32(math.Float32bits(l.GoFloat("nearestLeast")))))
}
