// Command texel generates the loops that read textures.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func main() {
	f := NewFile("texel", "texelArgs", "holds the arguments and results of a call of a loop.", []Field{
		{Name: "from", Type: "int64"}, {Name: "points", Type: "int64"},
		{Name: "corners", Type: "*float32"}, {Name: "extent", Type: "*float32"},
		{Name: "uv", Type: "*float32"}, {Name: "right", Type: "*float32"}, {Name: "above", Type: "*float32"},
		{Name: "weights", Type: "*float32"}, {Name: "counts", Type: "*float32"}, {Name: "all", Type: "float32"},
		{Name: "width", Type: "float32"}, {Name: "height", Type: "float32"}, {Name: "last", Type: "int32"},
		{Name: "repeatU", Type: "int32"}, {Name: "repeatV", Type: "int32"}, {Name: "reachU", Type: "int32"}, {Name: "reachV", Type: "int32"}, {Name: "holes", Type: "int32"},
		{Name: "picture", Type: "*uint8"}, {Name: "smaller", Type: "*uint8"},
		{Name: "widths", Type: "*float32"}, {Name: "heights", Type: "*float32"}, {Name: "starts", Type: "*int32"},
		{Name: "linear", Type: "*float32"}, {Name: "values", Type: "*float32"}, {Name: "missed", Type: "*int32"},
	})
	for _, lanes := range []int{AVX512, AVX2} {
		place(f, lanes)
		fetch(f, lanes)
	}
	f.Write()
}

type loop struct {
	*Lanes
	i reg.GPVirtual // first of the current points
}

// begin starts a function that works on points.
func begin(f *File, name string, lanes int, doc string) *loop {
	l := &loop{Lanes: f.Function(name, lanes, doc)}
	l.i = l.GP64()
	return l
}

// points emits a loop over all points. An iteration processes a vector of points.
func (l *loop) points(do func()) {
	l.MOVQ(l.Arg("from"), l.i)
	l.Label("points")
	l.Forget()
	do()
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.CMPQ(l.i, l.Arg("points"))
	l.JLT(operand.LabelRef("points"))
}

// column returns the memory of a column for the current points.
func (l *loop) column(name string, n int) operand.Mem {
	return operand.Mem{Base: l.Int(name), Index: l.i, Scale: 4, Disp: 4 * l.Go("Capacity") * n}
}

func (l *loop) number(name string, x float32) Scalar { return l.Constant(name, operand.F32(x)) }

func (l *loop) constant(name string) Scalar { return l.number(name, l.GoFloat(name)) }

func (l *loop) one() Scalar { return l.number("one", 1) }

// place emits the loop for trianglePaint.spot.
func place(f *File, lanes int) {
	l := begin(f, "place", lanes, "computes the texture coordinates of points, and of the sides of the squares for which they stand.")
	l.points(func() {
		side := l.Keep(l.Sqrt(l.Div(l.Load(l.column("counts", 0)), l.Scalar("all"))))
		for axis := range 2 {
			at := l.Keep(l.blend(axis, 0))
			l.Store(l.Again(at), l.column("uv", axis))
			for beside, name := range []string{"right", "above"} {
				to := l.Sub(l.blend(axis, 1+beside), l.Use(at))
				l.Store(l.Mul(to, l.Use(side)), l.column(name, axis))
			}
		}
	})
	l.Return()
}

// blend emits the code of placeIn of package surface along one axis, with one of the three sets of weights.
func (l *loop) blend(axis, set int) Vec {
	var sum Vec
	for k := range 3 {
		part := l.Mul(l.Load(l.column("weights", 3*set+k)), l.column("corners", 2*k+axis))
		if k == 0 {
			sum = part
		} else {
			sum = l.Add(sum, part)
		}
	}
	return sum
}
