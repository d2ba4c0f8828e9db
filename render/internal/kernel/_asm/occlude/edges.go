package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// edges emits the loop of Edges. The four cells of a place are a cell, the cell to its right, and the two cells below
// these.
func edges(f *File, lanes int) {
	l := &loop{Lanes: f.Function("edges", lanes, "looks for places where cells show different surfaces.")}
	l.i = l.GP64()
	all := l.GP64()
	l.XORQ(l.i, l.i)
	l.XORQ(all, all)
	l.Label("loop")
	l.Forget()
	l.Comment("Nearly everywhere the sky is open alike, and nothing else need be compared.")
	l.JumpIfNone(l.anyPair(l.skiesDiffer), "alike")
	bits := l.Bits(l.anyPair(l.differ))
	l.SHLXQ(l.i, bits.As64(), bits.As64())
	l.ORQ(bits.As64(), all)
	l.Label("alike")
	l.ADDQ(operand.Imm(uint64(l.N)), l.i)
	l.CMPQ(l.i, l.Arg("cells"))
	l.JLT(operand.LabelRef("loop"))
	l.MOVQ(all, l.Arg("edges"))
	l.Return()
}

// A cell is one of the four cells of a place. right and below are its offset.
type cell struct{ right, below int }

// at returns the memory of a column of the grid for one of the cells.
func (l *loop) at(column string, c cell) operand.Mem {
	base := l.Int(column)
	if c.below > 0 {
		l.ADDQ(l.Arg("steps"), base)
	}
	return operand.Mem{Base: base, Index: l.i, Scale: 4, Disp: 4 * c.right}
}

// anyPair selects the places where differ selects two cells that have a side in common.
func (l *loop) anyPair(differ func(a, b cell) Mask) Mask {
	any := differ(cell{0, 0}, cell{1, 0})
	for _, pair := range [][2]cell{{{0, 1}, {1, 1}}, {{0, 0}, {0, 1}}, {{1, 0}, {1, 1}}} {
		any = l.Or(any, differ(pair[0], pair[1]))
	}
	return any
}

// between returns the magnitude of the difference of two cells in a column of the grid.
func (l *loop) between(column string, a, b cell) Vec {
	return l.And(l.Sub(l.Load(l.at(column, a)), l.at(column, b)), l.Constant("magnitude", operand.U32(1<<31-1)))
}

// skiesDiffer selects the places in which the open shares of two cells differ.
func (l *loop) skiesDiffer(a, b cell) Mask {
	return l.Greater(l.between("from", a, b), l.constant("SkyDiff"), nil)
}

// differ selects the places in which two cells differ, as defined by surface.Occlusion.cellsDiffer.
func (l *loop) differ(a, b cell) Mask {
	leap := l.Mul(l.between("z", a, b), l.Scalar("perOff"))
	dot := l.Mul(l.Load(l.at("nx", a)), l.at("nx", b))
	dot = l.Add(dot, l.Mul(l.Load(l.at("ny", a)), l.at("ny", b)))
	dot = l.Add(dot, l.Mul(l.Load(l.at("nz", a)), l.at("nz", b)))
	either := l.Or(l.Greater(leap, l.constant("LeapPart"), nil), l.Greater(l.Broadcast(l.constant("BentDot")), dot, nil))
	either = l.Greater(l.Broadcast(l.constant("MaxDistance")), leap, &either)
	return l.Greater(l.between("from", a, b), l.constant("SkyDiff"), &either)
}
