package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// aiming are the arguments of the loops that find what colours of points depend on.
var aiming = []Field{
	{Name: "weights", Type: "*float32"}, // of corners
	{Name: "sides", Type: "*float32"},
	{Name: "beside", Type: "int64"}, // whether weights beside the points are wanted
}

// aim writes the loops that find all that lighting wants to know of points but for their colours.
func aim(f *File, lanes int) {
	l := begin(f, "aim", lanes, "finds the normals of points, their sides, and the weights of corners there.")
	l.aims = true
	l.aim()
	l.CMPQ(l.Arg("beside"), operand.Imm(0))
	l.JEQ(operand.LabelRef("done"))
	l.points("right", func() { l.beside(1) })
	l.points("above", func() { l.beside(2) })
	l.Label("done")
	l.Return()
}

// aim emits the loops that shine wants before.
func (l *loop) aim() {
	l.points("sight", func() {
		inside := l.inside()
		pixel, samples := l.place(inside)
		l.sky(inside, pixel, samples)
		l.sight()
	})
	l.points("normal", func() {
		l.noteAll("Normal", l.turned(l.interpolated(), l.noted("ToEye")))
	})
}

// beside stores the weights a pixel right of the points at hand, or above them.
func (l *loop) beside(place int) {
	l.beginRuns()
	x, y := l.Load(l.note("X", 0)), l.Load(l.note("Y", 0))
	if one := l.number("one", 1); place == 1 {
		x = l.Add(x, one)
	} else {
		y = l.Add(y, one)
	}
	l.storeWeights(l.weights(l.lineAt("forward", x, y), l.lineAt("origin", x, y)), place)
}

// storeWeights stores weights where they are wanted.
func (l *loop) storeWeights(weights [3]Vec, place int) {
	if !l.aims {
		return
	}
	to := l.Int("weights")
	for k := range weights {
		l.Store(weights[k], operand.Mem{Base: to, Index: l.i, Scale: 4, Disp: 4 * l.Go("Capacity") * (3*place + k)})
	}
}
