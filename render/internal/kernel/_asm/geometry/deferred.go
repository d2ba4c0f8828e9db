package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// setBoxes emits the code of array.Deferred.Take. It removes the deferred polygons from live. If no polygon is left, it
// jumps to the next triangles.
func (l *loop) setBoxes(live Mask, bits reg.GPVirtual, e [3]Kept, box [4]Vec) {
	l.Comment("Defer small back faces.")
	rows := l.GP32()
	l.MOVL(l.Arg("tileRows"), rows)
	l.TESTL(rows, rows)
	l.JZ(operand.LabelRef("seen"))
	one, shift := l.Constant("oneInt", operand.U32(1)), l.Go("TileShift")
	last := l.ShiftRight(l.SubInt(box[3], one), shift)
	few := l.LessInt(l.SubInt(last, l.ShiftRight(box[2], shift)), l.Broadcast(l.Scalar("tileRows")), &live)
	deferred := l.MaskAnd(few, l.Mask(l.small))
	count := l.Bits(deferred)
	l.TESTL(count, count)
	l.JZ(operand.LabelRef("seen"))
	l.IntoMask(live).Without(live, deferred)
	l.POPCNTL(count, count)
	l.ADDQ(count.As64(), l.Arg("boxed"))
	l.boxes(deferred, e, box)
	l.MOVL(l.Bits(live), bits)
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("next"))
	l.Label("seen")
}

// boxes appends the boxes of deferred polygons: first the boxes in the first tile row of each polygon, then those in
// the second tile row, and so on. Values for later use are kept in memory, because there are few registers and most
// polygons have only one box.
func (l *loop) boxes(deferred Mask, e [3]Kept, box [4]Vec) {
	one := l.Constant("oneInt", operand.U32(1))
	tileLast := l.Constant("tileLast", operand.U32(l.Go("TileRows")-1))
	near, number, row := l.AllocLocal(l.Bytes()), l.AllocLocal(l.Bytes()), l.AllocLocal(l.Bytes())
	l.Store(l.bound(e), near)
	l.Store(l.AddInt(l.index(), l.Scalar("number")), number)
	l.Store(box[2], row)
	rest, boxes := l.KeepMask(deferred), l.Int("boxes")
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
	inTile := l.And(y, tileLast)
	place := l.OrBits(box[0], l.ShiftLeft(inTile, l.Go("PlaceRowShift")))
	// The box ends at the last row of the tile row, y - inTile + TileRows - 1, or before.
	end := l.AddInt(l.SubInt(y, inTile), tileLast)
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

// bound emits the code of array.NearestBound for the nearness of the corners.
func (l *loop) bound(e [3]Kept) Vec {
	bound := l.Max(l.Max(l.Again(e[0]), l.Use(e[1])), l.Use(e[2]))
	bound = l.Mul(bound, l.Constant("nearestFactor", operand.F32(l.GoFloat("nearestFactor"))))
	return l.Max(bound, l.Constant("nearestLeast", operand.U32(math.Float32bits(l.GoFloat("nearestLeast")))))
}
