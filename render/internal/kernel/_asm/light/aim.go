package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// aiming are the arguments of the loops that compute the inputs of the colours of points.
var aiming = []Field{
	{Name: "weights", Type: "*float32"}, // weights of the corners
	{Name: "sides", Type: "*float32"},
	{Name: "beside", Type: "int64"}, // not 0 if the weights one pixel to the right and one pixel above are wanted
}

// aim stores the inputs of lighting for the current points.
func (l *loop) aim(p point) {
	l.Save(p.x, p.y)
	l.Save(p.forward[:]...)
	l.Save(p.normal[:]...)
}

// besides emits the loops that compute weights beside the points that are aimed.
func (l *loop) besides() {
	l.CMPQ(l.Arg("beside"), operand.Imm(0))
	l.JEQ(operand.LabelRef("done"))
	l.points("right", func() { l.beside(1) })
	l.points("above", func() { l.beside(2) })
	l.Label("done")
}

// beside stores the weights of the corners at a place near the current points: a pixel to the right (place 1) or a
// pixel above (place 2). It emits the code of triangleShape.planeWeights.
func (l *loop) beside(place int) {
	l.beginRuns()
	x, y := l.Load(l.note("X", 0)), l.Load(l.note("Y", 0))
	if one := l.number("one", 1); place == 1 {
		x = l.Add(x, one)
	} else {
		y = l.Add(y, one)
	}
	px, py := l.Keep(x), l.Keep(y)
	forward, from := l.newLine("forward", px, py), l.newLine("origin", px, py)
	for a := range from {
		from[a] = l.Keep(l.Sub(l.Again(from[a]), l.ofRun("Corner", a)))
	}
	per := l.Keep(l.Div(l.Broadcast(l.number("negativeOne", -1)), l.dotKept(forward, l.of("Plane"))))
	u := l.Keep(l.Mul(l.dot(l.cross(forward, l.of("Edge2")), l.triple(from)), l.Use(per)))
	v := l.Keep(l.Mul(l.dot(l.cross(from, l.of("Edge1")), l.triple(forward)), l.Use(per)))
	w := l.Keep(l.Sub(l.Sub(l.Broadcast(l.number("one", 1)), l.Use(u)), l.Use(v)))
	for k, weight := range []Kept{w, u, v} {
		l.Store(l.Again(weight), l.weight(place, k))
	}
}

// storeWeights emits the code of triangleShape.weights: it stores shares, scaled so that their sum is 1.
func (l *loop) storeWeights(shares [3]Kept) {
	sum := l.Add(l.Add(l.Again(shares[0]), l.Use(shares[1])), l.Use(shares[2]))
	per := l.Div(l.Broadcast(l.number("one", 1)), sum)
	for k := range shares {
		l.Store(l.Mul(per, l.Use(shares[k])), l.weight(0, k))
	}
}

// weight returns the memory of the weights of corner k for the current points. place is as in surface.weightsOf.
func (l *loop) weight(place, k int) operand.Mem {
	return operand.Mem{Base: l.Int("weights"), Index: l.i, Scale: 4, Disp: 4 * l.Go("Capacity") * (3*place + k)}
}
