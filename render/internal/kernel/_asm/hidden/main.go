// Command hidden generates the loops that find which boxes lie behind the samples drawn so far.
package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func main() {
	fields := append(takeFields(), []Field{
		{Name: "keys", Type: "*uint64"},
		{Name: "stride", Type: "int64"}, // bytes between the starts of two rows
		{Name: "upper", Type: "*uint32"},
		{Name: "lower", Type: "*uint32"},
		{Name: "n", Type: "int64"}, // depending on the loop, number of cells (a multiple of eight), elements of near (whole vectors), or boxes
		{Name: "near", Type: "*uint32"},
		{Name: "line", Type: "int32"}, // length of a line, in elements of near
		{Name: "last", Type: "int32"}, // index of the last element of near
		{Name: "count", Type: "*int32"},
		{Name: "bound", Type: "*float32"},
		{Name: "place", Type: "*float32"},
		{Name: "to", Type: "*uint32"},
		{Name: "found", Type: "int64"},
	}...)
	f := NewFile("hidden", "hiddenArgs", "holds the arguments and results of a call of a loop.", fields)
	for _, lanes := range []int{AVX512, AVX2} {
		cells(f, lanes)
		least(f, lanes)
		visible(f, lanes)
		take(f, lanes)
	}
	f.Write()
}

// cells emits the loop of Cells, which works on eight cells at a time.
func cells(f *File, lanes int) {
	l := f.Function("cells", lanes, "finds the least nearness of cells.")
	i, at, stride := l.GP64(), l.Int("keys"), l.Int("stride")
	l.XORQ(i, i)
	l.Label("loop")
	row := l.GP64()
	l.MOVQ(at, row)
	for _, name := range []string{"upper", "lower"} {
		var pairs [4]Vec
		for y := range l.Go("CellHeight") {
			for p := range pairs {
				v := pair(l, row, p)
				if y > 0 {
					v = l.MinUnsigned(v, pairs[p])
				}
				pairs[p] = v
			}
			l.ADDQ(stride, row)
		}
		l.VMOVDQU(fold(l, pairs).AsY(), l.At(name, i))
	}
	l.ADDQ(operand.I32(8*8*l.Go("CellWidth")), at)
	l.ADDQ(operand.Imm(uint64(8)), i)
	l.CMPQ(i, l.Arg("n"))
	l.JLT(operand.LabelRef("loop"))
	l.Return()
}

// pair returns the smallest nearness of the keys of cells 2p and 2p+1 in a row of samples. Each 128 bits of the
// result hold two values of the first cell and two of the second.
func pair(l *Lanes, row reg.GPVirtual, p int) Vec {
	const high = 0xdd
	cell := 8 * l.Go("CellWidth") // bytes
	var v Vec
	for from := 0; from < cell; from += l.Bytes() {
		first := operand.Mem{Base: row, Disp: 2*p*cell + from}
		w := l.Halves(high, l.Load(first), l.Load(first.Offset(cell)))
		if from > 0 {
			w = l.MinUnsigned(v, w)
		}
		v = w
	}
	return v
}

// fold returns the smallest nearness of each of eight cells in the lower 256 bits.
func fold(l *Lanes, pairs [4]Vec) Vec {
	const even, odd = 0x88, 0xdd
	four := func(a, b Vec) Vec { return l.MinUnsigned(l.Halves(even, a, b), l.Halves(odd, a, b)) }
	low, high := four(pairs[0], pairs[1]), four(pairs[2], pairs[3])
	v := l.MinUnsigned(l.EvenQuarters(low, high), l.OddQuarters(low, high))
	if l.N == AVX512 {
		v = l.MinUnsigned(l.EvenQuarters(v, v), l.OddQuarters(v, v))
	}
	return v
}

// least emits the loop of Loops.Minima, for whole AVX-512 vectors.
func least(f *File, lanes int) {
	l := f.Function("least", lanes, "takes the smaller element of each pair of elements of two lines.")
	i := l.GP64()
	l.XORQ(i, i)
	l.Label("loop")
	l.Store(l.MinUnsigned(l.Load(l.At("upper", i)), l.Load(l.At("lower", i))), l.At("to", i))
	l.ADDQ(operand.Imm(uint64(l.N)), i)
	l.CMPQ(i, l.Arg("n"))
	l.JLT(operand.LabelRef("loop"))
	l.Return()
}

// visible emits the loop of Table.Visible. The loop never reads beyond the table, even if a box is invalid.
func visible(f *File, lanes int) {
	l := f.Function("visible", lanes, "stores the numbers of boxes that are not hidden.")
	i, found := l.GP64(), l.GP64()
	l.XORQ(i, i)
	l.XORQ(found, found)
	one, shift := l.Constant("one", operand.U32(1)), l.Go("CellShift")
	row := l.Constant("tileLast", operand.U32(l.Go("TileRows")-1))
	last := l.Broadcast(l.Scalar("last"))
	l.Label("loop")
	left := l.GP64()
	l.MOVQ(l.Arg("n"), left)
	l.SUBQ(i, left)
	l.JLE(operand.LabelRef("done"))
	l.Comment("The first and the last cell, and the lines of their rows.")
	place := l.Load(l.At("place", i))
	x := l.And(place, l.Constant("column", operand.U32(1<<l.Go("PlaceRowShift")-1)))
	c0 := l.ShiftRight(x, shift)
	c1 := l.ShiftRight(l.SubInt(l.AddInt(x, l.At("count", i)), one), shift)
	y0 := l.And(l.ShiftRight(place, l.Go("PlaceRowShift")), row)
	y1 := l.AddInt(y0, l.ShiftRight(place, l.Go("PlaceRowsShift")))
	rows := l.AddInt(l.ShiftRight(y0, shift), l.ShiftRight(y1, shift))
	l.Comment("The level and the width of windows: the exponent of the number of cells, and its power of two.")
	const exponent = 23
	cells := l.ToFloat(l.AddInt(l.SubInt(c1, c0), one))
	level := l.SubInt(l.ShiftRight(cells, exponent), l.Constant("bias", operand.U32(127)))
	width := l.Truncate(l.And(cells, l.Constant("exponent", operand.U32(0x7f800000))))
	line := l.MulInt(l.AddInt(l.ShiftLeft(rows, l.Go("levelShift")), level), l.Scalar("line"))
	l.Comment("The least nearness of both windows.")
	window := func(at Vec) Vec {
		return l.Gather("near", l.MinUnsigned(at, last), all(l), l.Constant("nothing", operand.U32(0)))
	}
	near := l.MinUnsigned(window(l.AddInt(line, c0)), window(l.SubInt(l.AddInt(l.AddInt(line, c1), one), width)))
	hidden := l.GreaterInt(near, l.At("bound", i), nil)
	seen := l.Without(l.First(left), hidden)
	bits := l.Bits(seen)
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("next"))
	packing := l.Packing(seen, bits)
	numbers := l.AddInt(l.BroadcastInt(i), l.Iota())
	l.Store(l.Pack(packing, numbers), l.At("to", found))
	l.POPCNTL(bits, bits)
	l.ADDQ(bits.As64(), found)
	l.Label("next")
	l.ADDQ(operand.Imm(uint64(l.N)), i)
	l.JMP(operand.LabelRef("loop"))
	l.Label("done")
	l.MOVQ(found, l.Arg("found"))
	l.Return()
}

// all returns a mask that selects all lanes.
func all(l *Lanes) Mask {
	v := l.Zero()
	return l.IsZero(v)
}
