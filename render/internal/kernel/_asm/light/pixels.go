package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// placing are the arguments of the loops that find where points lie, and what pixels they make.
var placing = []Field{
	{Name: "places", Type: "*uint32"},
	{Name: "sky", Type: "*float32"}, // by pixel
	{Name: "left", Type: "float32"},
	{Name: "top", Type: "float32"},
	{Name: "perCount", Type: "int32"}, // twice the grid
	{Name: "opaque", Type: "int32"},   // -1 or 0
	{Name: "samples", Type: "float32"},
	{Name: "perSamples", Type: "float32"},
	{Name: "halfSamples", Type: "float32"},
	{Name: "background", Type: "[3]float32"},
}

// place writes the loop of Shader.place.
func place(f *File, lanes int) {
	l := begin(f, "place", lanes, "finds where points lie.")
	l.Forget()
	rest := l.Int("points")
	l.SUBQ(l.i, rest)
	inside := l.KeepMask(l.First(rest))
	p := l.Keep(l.LoadMasked(l.At("places", l.i), l.Mask(inside)))
	field := func(shift, bits int) Vec {
		return l.And(l.ShiftRight(l.Again(p), shift), l.Constant(map[int]string{4: "fourBits", 6: "sixBits"}[bits], operand.U32(1<<bits-1)))
	}
	middle := l.Constant("sumShift", operand.I32(32))
	pixel := l.Keep(l.And(l.Again(p), l.Constant("low", operand.U32(0xffff))))
	count := l.AddInt(field(16, 4), l.Constant("whole1", operand.I32(1)))
	part := l.Keep(l.Div(l.Broadcast(l.number("one", 1)), l.ToFloat(l.MulInt(count, l.Scalar("perCount")))))
	l.Store(l.ToFloat(count), l.column("Weight", 0))
	x := l.Add(l.ToFloat(l.Again(pixel)), l.Scalar("left"))
	l.Store(l.Add(x, l.Mul(l.ToFloat(l.SubInt(field(20, 6), middle)), l.Use(part))), l.column("X", 0))
	down := l.Mul(l.ToFloat(l.SubInt(field(26, 6), middle)), l.Use(part))
	l.Store(l.Sub(l.Broadcast(l.Scalar("top")), down), l.column("Y", 0))
	l.Store(l.Again(pixel), l.column("Pixel", 0))
	l.Store(l.Gather("sky", l.Again(pixel), l.MaskAnd(l.Mask(inside), l.Mask(inside)), l.nothing()), l.column("Open", 0))
	l.end()
}

// blend writes the loop of Shader.blend.
func blend(f *File, lanes int) {
	l := begin(f, "blend", lanes, "finds the colours of pixels.")
	l.Forget()
	opaque := l.Switch("opaque")
	pixel := l.Keep(l.Load(l.column("Pixel", 0)))
	weight := l.Load(l.column("Weight", 0))
	covered := l.Keep(weight)
	if lanes == AVX512 {
		covered = l.Slot()
		l.Set(covered, weight)
	}
	var sums [3]Kept
	for a := range sums {
		sums[a] = l.Keep(l.Mul(weight, l.column("Color", a)))
	}
	// The points of a pixel lie side by side.
	next := l.GP64()
	l.MOVQ(l.i, next)
	l.Label("point")
	l.INCQ(next)
	same := l.IsZero(l.Xor(l.Again(pixel), l.columnAt("Pixel", 0, next)))
	l.JumpIfNone(same, "pixel")
	w := l.Load(l.columnAt("Weight", 0, next))
	l.Set(covered, l.Add(l.Again(covered), l.Blend(same, w, l.Zero())))
	for a := range sums {
		c := l.Blend(same, l.Mul(w, l.columnAt("Color", a, next)), l.Zero())
		l.Set(sums[a], l.Add(l.Again(sums[a]), c))
	}
	l.JMP(operand.LabelRef("point"))
	l.Label("pixel")
	alpha := l.Add(l.Mul(l.Again(covered), l.number("full", 255)), l.Scalar("halfSamples"))
	alpha = l.Truncate(l.Mul(alpha, l.Scalar("perSamples")))
	l.Store(l.Blend(*opaque(), l.Broadcast(l.Constant("whole255", operand.I32(255))), alpha), l.column("Alpha", 0))
	all := l.Broadcast(l.Scalar("samples"))
	rest := l.Keep(l.Sub(all, l.Use(covered)))
	count := l.Blend(*opaque(), all, l.Again(covered))
	per := l.Keep(l.Div(l.Broadcast(l.number("one", 1)), count))
	for a := range sums {
		behind := l.Add(l.Again(sums[a]), l.Mul(l.Again(rest), l.uniform("background", a)))
		c := l.Blend(*opaque(), behind, l.Again(sums[a]))
		l.Store(l.step(l.Mul(c, l.Use(per))), l.column("Step", a))
	}
	l.end()
}

// step is the number of a step of linear light, as of Colors.step.
func (l *loop) step(c Vec) Vec {
	last := l.Go("Steps") - 1
	n := l.Truncate(l.Add(l.Mul(c, l.number("last", float32(last))), l.number("half", 0.5)))
	return l.MinInt(l.MaxInt(n, l.Zero()), l.Constant("lastStep", operand.I32(last)))
}
