// Command occlude generates the loops that find how open the sky is above cells (two by two pixels).
package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

type loop struct {
	*Lanes
	i           reg.GPVirtual // next cell
	perspective func() *Mask
}

func main() {
	f := NewFile("occlude", "occludeArgs", "holds the arguments and results of a call of a loop.", []Field{
		// Each of the next six fields points to a column with an element for each cell.
		{Name: "z", Type: "*float32"},
		{Name: "nx", Type: "*float32"},
		{Name: "ny", Type: "*float32"},
		{Name: "nz", Type: "*float32"},
		{Name: "from", Type: "*float32"},
		{Name: "to", Type: "*float32"},
		{Name: "grid", Type: "*float32"}, // address of z for cell (0, 0)
		{Name: "offsets", Type: "*float32"},
		{Name: "cells", Type: "int64"},    // number of cells, a multiple of Lanes
		{Name: "steps", Type: "[3]int64"}, // offsets, in bytes, of the cells that are averaged with a cell
		{Name: "shifts", Type: "[3]float32"},
		{Name: "rows", Type: "[3]float32"},
		{Name: "x", Type: "int32"},
		{Name: "y", Type: "int32"}, // in the loop look, y - Shift
		{Name: "stride", Type: "int32"},
		{Name: "lastX", Type: "uint32"},
		{Name: "lastY", Type: "uint32"},
		{Name: "perspective", Type: "int32"}, // -1 or 0
		{Name: "perCell", Type: "float32"},
		{Name: "centerX", Type: "float32"},
		{Name: "middleY", Type: "float32"},
		{Name: "row", Type: "float32"}, // middleY - y
		{Name: "most", Type: "float32"},
		{Name: "radius2", Type: "float32"},
		{Name: "bias", Type: "float32"},
		{Name: "centre", Type: "float32"},
		{Name: "low", Type: "float32"},
		{Name: "perHigh", Type: "float32"},
		{Name: "inverse6", Type: "float32"},
		{Name: "perOff", Type: "float32"},
		// The following fields are for the loop of Nearest. This loop also uses three fields from above: `to` for the
		// nearness, `x` for the first place, and `y` for the number that is added to places of lower pixels.
		{Name: "upper", Type: "*uint64"},
		{Name: "lower", Type: "*uint64"},
		{Name: "triangles", Type: "*uint32"},
		{Name: "places", Type: "*uint32"},
		// The following field is the result of the loop of Edges.
		{Name: "edges", Type: "uint64"},
	})
	for _, lanes := range []int{AVX512, AVX2} {
		nearest(f, lanes)
		look(f, lanes)
		average(f, lanes)
		around(f, lanes)
		closed(f, lanes)
		edges(f, lanes)
	}
	f.Write()
}

// begin starts a function with a loop over cells. The method end ends the loop and the function.
func begin(f *File, name string, lanes int, doc string) *loop {
	l := &loop{Lanes: f.Function(name, lanes, doc)}
	l.perspective = l.Switch("perspective")
	l.i = l.GP64()
	l.XORQ(l.i, l.i)
	l.Label("loop")
	return l
}

func (l *loop) end() {
	l.Label("next")
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.CMPQ(l.i, l.Arg("cells"))
	l.JLT(operand.LabelRef("loop"))
	l.Return()
}

func (l *loop) number(name string, x float32) Scalar { return l.Constant(name, operand.F32(x)) }

func (l *loop) constant(name string) Scalar { return l.number(name, l.GoFloat(name)) }

func (l *loop) one() Vec { return l.Broadcast(l.number("one", 1)) }

func (l *loop) half() Scalar { return l.number("half", 0.5) }

// far returns the factor for View.PerCell of a cell at distance z. The factor is z in perspective, and 1 otherwise.
func (l *loop) far(z Vec) Vec { return l.Choose(*l.perspective(), z, l.one()) }

// places returns the numbers of the cells in their row.
func (l *loop) places() Vec {
	first := l.GP64()
	l.MOVL(l.Arg("x"), first.As32())
	l.ADDQ(l.i, first)
	return l.AddInt(l.BroadcastInt(first), l.Iota())
}

// across returns the distance of the centre of cell x from the picture's centre, to the right, in cells.
func (l *loop) across(x Vec) Vec {
	return l.Sub(l.Add(x, l.half()), l.Scalar("centerX"))
}

// look emits the code of Occlusion.MeasureSky, including lookFrom.
func look(f *File, lanes int) {
	l := begin(f, "look", lanes, "computes the open share of the sky above cells.")
	l.Forget()
	z := l.Load(l.At("z", l.i))
	visible := l.Greater(l.Broadcast(l.constant("MaxDistance")), z, nil)
	far := l.far(z)
	reach := l.Min(l.Div(l.Broadcast(l.Scalar("most")), far), l.constant("FarthestTap"))
	active := l.Greater(reach, l.constant("MinReach"), &visible)
	l.JumpIfNone(active, "open")
	t := &tap{loop: l, active: l.KeepMask(active), reach: l.Keep(reach), z: l.Keep(z)}
	per := l.Keep(l.Mul(far, l.Scalar("perCell")))
	x := l.places()
	t.x = l.Keep(l.SubInt(x, l.Constant("wholeShift", operand.I32(l.Go("Shift")))))
	t.px = l.Keep(l.Mul(l.across(l.ToFloat(x)), l.Use(per)))
	t.py = l.Keep(l.Mul(l.Broadcast(l.Scalar("row")), l.Use(per)))
	t.sum = l.Keep(l.Zero())
	t.all()
	l.Comment("What is not hidden is open.")
	open := l.Max(l.Sub(l.one(), l.Mul(l.Again(t.sum), l.Scalar("inverse6"))), l.constant("MinOpen"))
	l.Store(l.Choose(l.Mask(t.active), open, l.one()), l.At("to", l.i))
	l.JMP(operand.LabelRef("next"))
	l.Label("open")
	l.Store(l.one(), l.At("to", l.i))
	l.end()
}

// A tap is the state of the generator while it emits the loop over taps. Taps are the positions at which cells look
// for surfaces.
type tap struct {
	*loop
	active                   KeptMask
	x, z, reach, px, py, sum Kept
	offset                   reg.GPVirtual // address of the tap's offsets from the cells
	nth                      reg.GPVirtual
	notes                    reg.GPVirtual // address of the values that the first loop stores for the second, by tap
}

// Numbers of the vectors that are stored for a tap.
const (
	noteSquare = iota // squared distance from the cell
	noteRise          // height above the tangent plane
	noteLess          // number that is subtracted from the tap's weight of 1 because the surface there is high
	tapNotes
)

// all emits a loop over all taps, and a second loop over the taps that may hide something. Thus the first loop has no
// branch that is hard to predict, and the processor works on several taps at once.
func (t *tap) all() {
	size := 2 * t.Go("Lanes") * 4
	t.offset, t.nth = t.Int("offsets"), t.GP64()
	t.notes = t.aligned(t.Go("Taps") * tapNotes)
	may, note := t.GP64(), t.GP64()
	t.XORQ(may, may)
	t.XORQ(t.nth, t.nth)
	t.MOVQ(t.notes, note)
	t.Label("tap")
	t.hides(note, may)
	t.ADDQ(operand.I32(size), t.offset)
	t.ADDQ(operand.I32(tapNotes*t.Bytes()), note)
	t.INCQ(t.nth)
	t.CMPQ(t.nth, operand.Imm(uint64(t.Go("Taps"))))
	t.JNE(operand.LabelRef("tap"))
	t.TESTQ(may, may)
	t.JZ(operand.LabelRef("hidden"))
	t.Label("hiding")
	t.TZCNTQ(may, t.nth)
	t.BLSRQ(may, may)
	t.hidden()
	t.TESTQ(may, may)
	t.JNZ(operand.LabelRef("hiding"))
	t.Label("hidden")
}

// aligned returns the address of aligned local memory for the given number of vectors.
func (t *tap) aligned(vectors int) reg.GPVirtual {
	at := t.GP64()
	t.LEAQ(t.AllocLocal((vectors+1)*t.Bytes()), at)
	t.ADDQ(operand.I32(t.Bytes()-1), at)
	t.ANDQ(operand.I32(-t.Bytes()), at)
	return at
}

// place returns the tap's distance from each cell along an axis, in cells, rounded down, plus Shift.
func (t *tap) place(axis int) Vec {
	d := t.Load(operand.Mem{Base: t.offset, Disp: axis * t.Go("Lanes") * 4})
	shift := t.Go("Shift")
	return t.Truncate(t.Add(t.Mul(d, t.Use(t.reach)), t.number("shift", float32(shift)+0.5)))
}

// distances loads the distances of the cells in columns i and rows j. Distances outside the grid are +Inf.
func (t *tap) distances(i, j Vec) Vec {
	insideX := t.AtLeastUnsigned(t.Broadcast(t.Scalar("lastX")), i)
	insideY := t.AtLeastUnsigned(t.Broadcast(t.Scalar("lastY")), j)
	inside := t.MaskAnd(t.MaskAnd(insideX, insideY), t.Mask(t.active))
	index := t.AddInt(t.MulInt(j, t.Scalar("stride")), i)
	return t.Gather("grid", index, inside, t.Constant("infinite", operand.U32(math.Float32bits(float32(math.Inf(1))))))
}

// hides stores the values that the second loop needs for a tap. It sets the tap's bit in `may` if the tap may hide
// something.
func (t *tap) hides(note, may reg.GPVirtual) {
	i := t.AddInt(t.place(0), t.Use(t.x))
	j := t.AddInt(t.place(1), t.Scalar("y"))
	tz := t.distances(i, j)
	wide := t.Mul(t.far(tz), t.Scalar("perCell"))
	vx := t.Sub(t.Mul(t.across(t.ToFloat(i)), wide), t.Use(t.px))
	vy := t.Sub(t.Mul(t.Sub(t.Broadcast(t.Scalar("middleY")), t.ToFloat(j)), wide), t.Use(t.py))
	height := t.Sub(t.Again(t.z), tz)
	above := t.Max(t.Sub(height, t.Scalar("low")), t.Nothing())
	less := t.Mul(above, t.Scalar("perHigh"))
	vz := t.Min(height, t.Scalar("low"))
	vv := t.Add(t.Add(t.Mul(vx, vx), t.Mul(vy, vy)), t.Mul(vz, vz))
	rise := t.Add(t.Mul(vx, t.At("nx", t.i)), t.Mul(vy, t.At("ny", t.i)))
	rise = t.Add(rise, t.Mul(vz, t.At("nz", t.i)))
	// The difference of two floats is above 0 if and only if the first is greater than the second.
	hides := t.Greater(rise, t.Scalar("bias"), nil)
	hides = t.Greater(t.Broadcast(t.Scalar("radius2")), vv, &hides)
	hides = t.Greater(t.one(), less, &hides)
	bits := t.Bits(hides)
	t.NEGL(bits)
	t.SBBQ(bits.As64(), bits.As64())
	t.ANDL(operand.Imm(1), bits)
	t.SHLXQ(t.nth, bits.As64(), bits.As64())
	t.ORQ(bits.As64(), may)
	for k, v := range []Vec{noteSquare: vv, noteRise: rise, noteLess: less} {
		t.Store(v, operand.Mem{Base: note, Disp: k * t.Bytes()})
	}
}

// hidden adds the share of the sky that a tap hides, a product. A tap hides nothing if a factor is 0 or negative, so
// such lanes are left out of the sum.
func (t *tap) hidden() {
	note := t.GP64()
	t.IMUL3Q(operand.I32(tapNotes*t.Bytes()), t.nth, note)
	t.ADDQ(t.notes, note)
	of := func(k int) operand.Mem { return operand.Mem{Base: note, Disp: k * t.Bytes()} }
	vv, counts := t.Load(of(noteSquare)), t.Sub(t.one(), of(noteLess))
	f := t.Sub(t.Broadcast(t.Scalar("radius2")), vv)
	vn := t.Sub(t.Sub(t.Load(of(noteRise)), t.Scalar("bias")), t.Mul(t.Sqrt(vv), t.constant("Shallow")))
	hides := t.Greater(vn, t.Nothing(), nil)
	hides = t.Greater(f, t.Nothing(), &hides)
	hides = t.Greater(counts, t.Nothing(), &hides)
	part := t.Div(t.Mul(vn, counts), t.Add(vv, t.Scalar("centre")))
	part = t.Mul(t.Mul(t.Mul(f, f), f), part)
	t.AddTo(t.sum, hides, part)
}

// average emits the code of Occlusion.average.
func average(f *File, lanes int) {
	l := begin(f, "average", lanes, "averages cells with three others.")
	l.Forget()
	own := l.Load(l.At("from", l.i))
	least := own
	var others [3]operand.Mem
	for k := range others {
		at := l.Int("from")
		l.ADDQ(l.Arg("steps").Offset(8*k), at)
		others[k] = operand.Mem{Base: at, Index: l.i, Scale: 4}
		least = l.Min(least, others[k])
	}
	different := l.BitsDifferent(least, l.number("one", 1))
	l.TESTL(different, different)
	l.JZ(operand.LabelRef("same"))
	z := l.Keep(l.Load(l.At("z", l.i)))
	per := l.Mul(l.far(l.Again(z)), l.Scalar("perCell"))
	x := l.Keep(l.ToFloat(l.places()))
	px := l.Keep(l.Mul(l.across(l.Again(x)), per))
	py := l.Keep(l.Mul(l.Broadcast(l.Scalar("row")), per))
	sum, weight := l.Keep(own), l.Keep(l.one())
	for k, other := range others {
		at := l.Int("z")
		l.ADDQ(l.Arg("steps").Offset(8*k), at)
		oz := l.Load(operand.Mem{Base: at, Index: l.i, Scale: 4})
		per := l.Mul(l.far(oz), l.Scalar("perCell"))
		qx := l.Mul(l.across(l.Add(l.Again(x), Scalar{l.Arg("shifts").Offset(4 * k)})), per)
		qy := l.Mul(l.Broadcast(Scalar{l.Arg("rows").Offset(4 * k)}), per)
		off := l.Add(l.Mul(l.Sub(qx, l.Use(px)), l.At("nx", l.i)), l.Mul(l.Sub(qy, l.Use(py)), l.At("ny", l.i)))
		off = l.Add(off, l.Mul(l.Sub(l.Again(z), oz), l.At("nz", l.i)))
		above := l.Greater(off, per, nil)
		off = l.And(off, l.Constant("magnitude", operand.U32(1<<31-1)))
		var dot Vec
		for _, axis := range []string{"nx", "ny", "nz"} {
			at := l.Int(axis)
			l.ADDQ(l.Arg("steps").Offset(8*k), at)
			part := l.Mul(l.Load(operand.Mem{Base: at, Index: l.i, Scale: 4}), l.At(axis, l.i))
			if dot == nil {
				dot = part
			} else {
				dot = l.Add(dot, part)
			}
		}
		alike := l.Choose(above, l.one(), l.Max(l.Sub(l.Mul(dot, l.number("two", 2)), l.one()), l.Nothing()))
		w := l.Mul(l.Max(l.Sub(l.one(), l.Mul(off, l.Scalar("perOff"))), l.Nothing()), alike)
		l.Set(sum, l.Add(l.Again(sum), l.Mul(w, other)))
		l.Set(weight, l.Add(l.Again(weight), w))
	}
	l.Store(l.Div(l.Again(sum), l.Use(weight)), l.At("to", l.i))
	l.JMP(operand.LabelRef("next"))
	l.Label("same")
	l.Store(l.one(), l.At("to", l.i))
	l.end()
}

// closed emits the loop of IsOpen. The loop sets the field cells to 0 if the sky is open above all cells.
func closed(f *File, lanes int) {
	l := &loop{Lanes: f.Function("closed", lanes, "looks for cells that are not open.")}
	one, upper, lower, rest := l.one(), l.Int("from"), l.Int("from"), l.Int("cells")
	l.ADDQ(l.Arg("steps"), lower)
	l.i = l.GP64()
	l.XORQ(l.i, l.i)
	l.Label("loop")
	different := l.BitsDifferent(one, operand.Mem{Base: upper, Index: l.i, Scale: 4})
	below := l.BitsDifferent(one, operand.Mem{Base: lower, Index: l.i, Scale: 4})
	l.ORL(below, different)
	l.JNZ(operand.LabelRef("done"))
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.SUBQ(operand.Imm(uint64(l.N)), rest)
	l.JNZ(operand.LabelRef("loop"))
	l.Label("done")
	l.MOVQ(rest, l.Arg("cells"))
	l.Return()
}

// around emits the code of Occlusion.At. A column of cells is two pixels wide; one pixel lies to the left of the
// column's middle and the other to the right.
func around(f *File, lanes int) {
	l := &loop{Lanes: f.Function("around", lanes, "averages the cells around pixels.")}
	l.Forget()
	l.i = l.GP64()
	cell, below := l.GP64(), l.Int("steps")
	l.XORQ(l.i, l.i)
	l.XORQ(cell, cell)
	l.Label("loop")
	distance := l.Keep(l.Load(l.At("z", l.i)))
	sum, weight := l.Keep(l.Zero()), l.Keep(l.Zero())
	for row := range 2 {
		z, open := l.Int("grid"), l.Int("from")
		if row == 1 {
			l.ADDQ(below, z)
			l.ADDQ(below, open)
		}
		for column := range 2 {
			beside := l.beside(column)
			load := func(base reg.GPVirtual) Vec {
				return l.Permute(l.Load(operand.Mem{Base: base, Index: cell, Scale: 4}), beside)
			}
			off := l.And(l.Sub(load(z), l.Use(distance)), l.Constant("magnitude", operand.U32(1<<31-1)))
			part := l.Mul(l.weights(column), Scalar{l.Arg("rows").Offset(4 * row)})
			w := l.Mul(l.Max(l.Sub(l.one(), l.Mul(off, l.Scalar("perOff"))), l.Nothing()), part)
			l.Set(sum, l.Add(l.Again(sum), l.Mul(w, load(open))))
			l.Set(weight, l.Add(l.Again(weight), w))
		}
	}
	any := l.Greater(l.Again(weight), l.Nothing(), nil)
	l.Store(l.Choose(any, l.Div(l.Again(sum), l.Use(weight)), l.one()), l.At("to", l.i))
	l.ADDQ(operand.Imm(uint64(l.N/2)), cell)
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.CMPQ(l.i, l.Arg("cells"))
	l.JLT(operand.LabelRef("loop"))
	l.Return()
}

// beside returns a table with a cell for each pixel: the cell to its left (column 0) or to its right (column 1).
// Cells are counted from the cell to the left of the first pixel.
func (l *loop) beside(column int) operand.Mem {
	var numbers []operand.Constant
	for i := range AVX512 {
		numbers = append(numbers, operand.U32((i+1)/2+column))
	}
	return l.Table([]string{"left", "right"}[column], numbers...)
}

// weights returns the weights of the cells to the left or to the right of pixels. The nearer cell has three times the
// weight of the farther cell.
func (l *loop) weights(column int) Vec {
	var numbers []operand.Constant
	for i := range AVX512 {
		numbers = append(numbers, operand.F32([]float32{0.25, 0.75}[(i+column)%2]))
	}
	return l.Load(l.Table([]string{"leftWeights", "rightWeights"}[column], numbers...))
}
