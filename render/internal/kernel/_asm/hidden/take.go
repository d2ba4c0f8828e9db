package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// takeFields returns the fields that only the loop of Take uses.
func takeFields() []Field {
	var f []Field
	add := func(typ string, names ...string) {
		for _, name := range names {
			f = append(f, Field{Name: name, Type: typ})
		}
	}
	add("*int32", "x0", "x1", "x2", "y0", "y1", "y2")
	add("*float32", "e0", "e1", "e2")
	add("*int32", "first", "rows", "source")
	add("*uint32", "payload")
	add("*uint32", "boxStart")
	add("*int32", "boxCount")
	add("*float32", "boxBound", "boxPlace")
	add("*uint32", "boxNumber")
	add("int64", "boxes", "from", "kept") // number of boxes, index of the first polygon, and index for the next polygon to keep
	add("int32", "size", "number", "rowKeys", "width", "mostRows")
	add("[16]int32", "takenRows", "takenSamples") // one for each lane
	return f
}

// taker emits the loop of Taking.Take.
type taker struct {
	*Lanes
	i reg.GPVirtual // index of the vector's first polygon
	// The next vectors hold, for each polygon: its columns of samples (the second exclusive), its rows (the second
	// exclusive), and its bound.
	x0, x1, top, end, bound Kept
	// The next vectors hold, for each polygon: the column of cells in which its first window starts, the column in
	// which its second window starts, and the index in a table at which the line of such windows for upper cells
	// starts.
	c0, c1, line Kept
	y            Kept // first row in the current tile row
	hidden, rest KeptMask
}

// take emits the loop of Taking.Take. An iteration processes a vector of polygons.
func take(f *File, lanes int) {
	t := &taker{Lanes: f.Function("take", lanes, "takes hidden polygons out of an array.")}
	t.i = t.GP64()
	t.MOVQ(t.Arg("from"), t.i)
	t.Label("loop")
	left := t.GP64()
	t.MOVQ(t.Arg("n"), left)
	t.SUBQ(t.i, left)
	t.JLE(operand.LabelRef("done"))
	t.Forget()
	live := t.KeepMask(t.First(left))
	t.measure(t.Mask(live))
	t.JumpIfNone(t.Mask(t.hidden), "keep")
	t.look()
	t.JumpIfNone(t.Mask(t.hidden), "keep")
	t.work()
	t.boxes()
	t.Label("keep")
	t.compact(live)
	t.ADDQ(operand.Imm(uint64(t.N)), t.i)
	t.JMP(operand.LabelRef("loop"))
	t.Label("done")
	t.Return()
}

// measure finds the boxes and bounds of polygons. It sets hidden to a mask of the polygons that may be taken.
func (t *taker) measure(live Mask) {
	one := t.Constant("one", operand.U32(1))
	limits := func(axis string) (lo, hi Vec) {
		a, b, c := t.Load(t.At(axis+"0", t.i)), t.Load(t.At(axis+"1", t.i)), t.Load(t.At(axis+"2", t.i))
		return t.MinInt(t.MinInt(a, b), c), t.MaxInt(t.MaxInt(a, b), c)
	}
	t.Comment("Polygons that are not too large.")
	extent := t.Constant("takeExtent", operand.U32(t.Go("takeExtent")))
	lo, hi := limits("y")
	small := t.LessInt(t.SubInt(hi, lo), extent, &live)
	lo, hi = limits("x")
	small = t.LessInt(t.SubInt(hi, lo), extent, &small)
	top := t.Load(t.At("first", t.i))
	end := t.AddInt(top, t.At("rows", t.i))
	t.top, t.end = t.Keep(top), t.Keep(end)
	shift := t.Go("TileShift")
	tiles := t.SubInt(t.ShiftRight(t.SubInt(end, one), shift), t.ShiftRight(top, shift))
	small = t.LessInt(tiles, t.Broadcast(t.Scalar("mostRows")), &small)
	t.Comment("Their columns.")
	centre := func(x Vec) Vec {
		v := t.AddInt(x, t.Constant("centre", operand.U32(t.Go("Half")-1)))
		dst := t.Vec()
		t.VPSRAD(operand.Imm(uint64(t.Go("SubBits"))), v, dst)
		return dst
	}
	x0, x1 := t.MaxInt(centre(lo), t.Zero()), t.MinInt(centre(hi), t.Broadcast(t.Scalar("width")))
	t.x0, t.x1 = t.Keep(x0), t.Keep(x1)
	c0, c1 := t.ShiftRight(x0, t.Go("CellShift")), t.ShiftRight(t.SubInt(x1, one), t.Go("CellShift"))
	t.c0 = t.Keep(c0)
	count := t.AddInt(t.SubInt(c1, c0), one)
	small = t.LessInt(count, t.Constant("takeCells", operand.U32(t.Go("takeCells"))), &small)
	t.hidden = t.KeepMask(small)
	t.Comment("The level and the width of windows: the exponent of the number of cells, and its power of two.")
	const exponent = 23
	cells := t.ToFloat(count)
	level := t.SubInt(t.ShiftRight(cells, exponent), t.Constant("bias", operand.U32(127)))
	width := t.Truncate(t.And(cells, t.Constant("exponent", operand.U32(0x7f800000))))
	t.c1 = t.Keep(t.SubInt(t.AddInt(c1, one), width))
	t.line = t.Keep(t.MulInt(level, t.Scalar("line")))
	t.Comment("Their bounds.")
	bound := t.Max(t.Max(t.Load(t.At("e0", t.i)), t.At("e1", t.i)), t.At("e2", t.i))
	bound = t.Mul(bound, t.Constant("takeFactor", operand.F32(t.GoFloat("takeFactor"))))
	t.bound = t.Keep(t.Max(bound, t.Constant("takeLeast", operand.U32(math.Float32bits(t.GoFloat("minTakeBound"))))))
}

// rowEnd returns the row after the last row of the polygon in the tile row that contains row y. inTile is the number of
// y in its tile row.
func (t *taker) rowEnd(y, inTile Vec) Vec {
	end := t.AddInt(t.SubInt(y, inTile), t.Constant("tileRows", operand.U32(t.Go("TileRows"))))
	return t.MinInt(end, t.Use(t.end))
}

// look removes a polygon from hidden if the polygon is not hidden in one of its tile rows. It first tests the tile
// rows in which polygons begin, then the tile rows below, and so on.
func (t *taker) look() {
	one := t.Constant("one", operand.U32(1))
	tileLast := t.Constant("tileLast", operand.U32(t.Go("TileRows")-1))
	cell := t.Go("CellShift")
	t.y = t.Keep(t.MaxInt(t.Again(t.top), t.Zero())) // a copy
	t.rest = t.KeepMask(t.MaskAnd(t.Mask(t.hidden), t.Mask(t.hidden)))
	t.Label("look")
	y := t.Again(t.y)
	inTile := t.And(y, tileLast)
	end := t.rowEnd(y, inTile)
	last := t.And(t.SubInt(end, one), tileLast)
	rows := t.AddInt(t.ShiftRight(inTile, cell), t.ShiftRight(last, cell))
	line := t.MulInt(t.ShiftLeft(rows, t.Go("levelShift")), t.Scalar("line"))
	line = t.AddInt(line, t.MulInt(t.ShiftRight(y, t.Go("TileShift")), t.Scalar("size")))
	line = t.AddInt(line, t.Use(t.line))
	most := t.Broadcast(t.Scalar("last"))
	window := func(at Kept) Vec {
		index := t.MinUnsigned(t.AddInt(line, t.Use(at)), most)
		m := t.MaskAnd(t.Mask(t.rest), t.Mask(t.rest)) // a copy, because Gather destroys its mask
		return t.Gather("near", index, m, t.Constant("nothing", operand.U32(0)))
	}
	near := window(t.c0)
	near = t.MinUnsigned(near, window(t.c1))
	rest := t.Mask(t.rest)
	behind := t.GreaterInt(near, t.Again(t.bound), &rest)
	t.SetMask(t.hidden, t.Without(t.Mask(t.hidden), t.Without(t.Mask(t.rest), behind)))
	t.Set(t.y, end)
	t.SetMask(t.rest, t.LessInt(end, t.Again(t.end), &behind))
	t.JumpIfNone(t.Mask(t.rest), "looked")
	t.JMP(operand.LabelRef("look"))
	t.Label("looked")
}

// work adds up the rows and samples of hidden polygons.
func (t *taker) work() {
	rows := t.SubInt(t.Again(t.end), t.Use(t.top))
	samples := t.MulInt(rows, t.SubInt(t.Again(t.x1), t.Use(t.x0)))
	t.add("takenRows", rows)
	t.add("takenSamples", samples)
}

// add adds v to a sum for each lane, but only in lanes whose polygons are hidden.
func (t *taker) add(name string, v Vec) {
	sum := t.Load(t.Arg(name))
	t.Store(t.AddInt(sum, t.Blend(t.Mask(t.hidden), v, t.Zero())), t.Arg(name))
}

// boxes appends the boxes of hidden polygons, in the order in which look tests them.
func (t *taker) boxes() {
	tileLast := t.Constant("tileLast", operand.U32(t.Go("TileRows")-1))
	t.Set(t.y, t.MaxInt(t.Again(t.top), t.Zero()))
	t.SetMask(t.rest, t.Mask(t.hidden))
	boxes := t.Int("boxes")
	t.Label("boxes")
	mask := t.Mask(t.rest)
	bits := t.Bits(mask)
	packing := t.Packing(mask, bits)
	put := func(column string, v Vec) { t.Store(t.Pack(packing, v), t.At(column, boxes)) }
	put("boxBound", t.Again(t.bound))
	put("boxNumber", t.AddInt(t.Load(t.At("source", t.i)), t.Scalar("number")))
	put("boxCount", t.SubInt(t.Again(t.x1), t.Use(t.x0)))
	y := t.Again(t.y)
	put("boxStart", t.AddInt(t.MulInt(y, t.Scalar("rowKeys")), t.Use(t.x0)))
	inTile := t.And(y, tileLast)
	place := t.OrBits(t.Again(t.x0), t.ShiftLeft(inTile, t.Go("PlaceRowShift")))
	end := t.rowEnd(y, inTile)
	rows := t.SubInt(t.SubInt(end, y), t.Constant("one", operand.U32(1)))
	put("boxPlace", t.OrBits(place, t.ShiftLeft(rows, t.Go("PlaceRowsShift"))))
	t.POPCNTL(bits, bits)
	t.ADDQ(bits.As64(), boxes)
	t.Set(t.y, end)
	again := t.Mask(t.rest)
	t.SetMask(t.rest, t.LessInt(end, t.Again(t.end), &again))
	t.JumpIfNone(t.Mask(t.rest), "boxed")
	t.JMP(operand.LabelRef("boxes"))
	t.Label("boxed")
	t.MOVQ(boxes, t.Arg("boxes"))
}

// compact keeps the live polygons that are not hidden: it moves them to the end of the polygons kept before.
func (t *taker) compact(live KeptMask) {
	keep := t.Without(t.Mask(live), t.Mask(t.hidden))
	bits, kept := t.Bits(keep), t.Int("kept")
	t.CMPQ(kept, t.i)
	t.JNE(operand.LabelRef("move"))
	t.Comment("Polygons stay where they are up to the first vector with one that is taken.")
	t.CMPL(bits, operand.I32(1<<t.N-1))
	t.JEQ(operand.LabelRef("stay"))
	t.Label("move")
	packing := t.Packing(keep, bits)
	names := []string{"first", "rows", "source", "payload"}
	for k := range 3 {
		names = append(names, fmt.Sprint("x", k), fmt.Sprint("y", k), fmt.Sprint("e", k))
	}
	for _, name := range names {
		t.Store(t.Pack(packing, t.Load(t.At(name, t.i))), t.At(name, kept))
	}
	t.Label("stay")
	t.POPCNTL(bits, bits)
	t.ADDQ(bits.As64(), kept)
	t.MOVQ(kept, t.Arg("kept"))
}
