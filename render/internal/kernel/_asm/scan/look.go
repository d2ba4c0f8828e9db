package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// tallRows is a number of rows. If a polygon has more rows, events (turns and ends of lanes) are rare in its group.
// In such groups the loop tests whether a row has an event, or skips rows that cover nothing.
const tallRows = 32

// begin emits the end of Converter.load, for row 0 of a group.
func (l *loop) begin() {
	l.Comment("Row 0: the group's tallest polygon, if it is worth a look later.")
	l.MOVQ(l.iterations, l.Arg("row"))
	l.MOVQ(operand.U32(l.Go("LookLanes")), l.Arg("look"))
	highest := l.isTall(l.rowsLeft())
	tallest := l.GP64()
	l.XORQ(tallest, tallest)
	bits := l.Bits(l.GreaterInt(highest, l.Scalar("tall"), nil))
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("begun"))
	l.MOVQ(l.Fold((*Lanes).MaxInt, highest), tallest)
	l.ADDQ(l.iterations, tallest)
	l.Label("begun")
	l.MOVQ(tallest, l.Arg("tallest"))
}

// rowsLeft returns the number of rows that each active lane has left.
func (l *loop) rowsLeft() (rows []Vec) {
	for _, v := range l.vectors {
		rows = append(rows, v.rowsLeft())
	}
	return rows
}

// isTall stores whether a lane has more than tallRows rows. If there are two vectors, it returns the larger number of
// rows of both for each lane.
func (l *loop) isTall(rows []Vec) (highest Vec) {
	highest = rows[0]
	for _, more := range rows[1:] {
		highest = l.MaxInt(highest, more)
	}
	bits := l.Bits(l.GreaterInt(highest, l.Constant("tallRows", operand.U32(tallRows)), nil))
	if l.N == AVX512 {
		l.MOVL(bits, l.tall)
	} else {
		l.MOVL(bits, l.Arg("isTall"))
	}
	return highest
}

// activeBits returns an integer with a bit set for every active lane.
func (l *loop) activeBits() reg.GPVirtual {
	all := l.Bits(l.vectors[0].lanes())
	for i, v := range l.vectors[1:] {
		bits := l.Bits(v.lanes())
		l.SHLL(operand.Imm(uint64((i+1)*l.N)), bits)
		l.ORL(bits, all)
	}
	return all
}

// countActive counts the lanes with rows left. If there are no such lanes, it jumps to the label next.
func (l *loop) countActive() {
	l.Comment("Lanes have turned or ended: how many are active?")
	bits := l.activeBits()
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("next"))
	l.POPCNTL(bits, l.count.As32())
}

// due emits the code of cursor.due. It jumps to the label row if the workload should not be tested now.
func (l *loop) due() {
	l.Comment("Is a look at the workload due?")
	end := l.GP64()
	l.MOVQ(l.count, end)
	l.IMULQ(l.Arg("cost"), end)
	l.ADDQ(l.Arg("firstCost"), end)
	l.ADDQ(l.iterations, end)
	l.CMPQ(end, l.Arg("tallest"))
	l.JGE(operand.LabelRef("row"))
	l.CMPQ(l.count, l.Arg("look"))
	l.JG(operand.LabelRef("row"))
}

// look emits the code of Converter.lookAt. It jumps to the label row if a redistribution would cost more than it saves.
// The time of a redistribution starts at the beginning of look.
func (l *loop) look() {
	l.Comment("A look.")
	l.INCQ(l.Arg("looks"))
	l.MOVQ(l.now(), l.Arg("began"))
	l.Comment("Gather the rows left, and the iterations in which all lanes do them polygon by polygon.")
	half := l.GP64()
	l.MOVQ(l.count, half)
	l.SHRQ(operand.Imm(1), half)
	l.MOVQ(half, l.Arg("look"))
	rows := l.rowsLeft()
	most := l.Fold((*Lanes).MaxInt, append([]Vec(nil), rows...)...)
	var intervals []Vec
	for _, r := range rows {
		up := l.AddInt(r, l.Constant("lanesLess", operand.U32(l.Go("Lanes")-1)))
		intervals = append(intervals, l.Into(up).ShiftRight(up, log2(l.Go("Lanes"))))
	}
	after := l.Fold((*Lanes).AddInt, intervals...)
	l.Comment("Decide: are the savings above the cost?")
	cost := l.GP64()
	l.MOVQ(after, cost)
	l.IMULQ(l.Arg("full"), cost)
	l.ADDQ(operand.Imm(15), cost)
	l.SARQ(operand.Imm(4), cost)
	l.ADDQ(l.Arg("firstCost"), cost)
	l.ADDQ(after, cost)
	l.MOVQ(cost, l.Arg("atMost"))
	l.MOVQ(l.count, cost)
	l.IMULQ(l.Arg("cost"), cost)
	l.ADDQ(l.Arg("atMost"), cost)
	l.CMPQ(most, cost)
	l.JLE(operand.LabelRef("row"))

	l.Comment("Redistribute.")
	l.IMULQ(l.Arg("iterationTicks"), cost)
	l.SARQ(operand.Imm(4), cost)
	l.MOVQ(cost, l.Arg("atMost"))
	l.XORL(cost.As32(), cost.As32())
	l.MOVQ(cost, l.Arg("spent"))
	l.MOVQ(cost, l.Arg("firstCost"))
	l.ADDQ(l.Fold((*Lanes).AddInt, rows...), l.tasks)
	l.ADDQ(most, l.Arg("unbalanced"))
	l.ADDQ(after, l.Arg("spreadIterations"))
	l.ADDQ(l.count, l.Arg("moved"))
	l.INCQ(l.Arg("redistributions"))
	bits := l.activeBits()
	l.MOVQ(bits.As64(), l.Arg("spread"))
}

// now returns the time-stamp counter.
func (l *loop) now() reg.GPVirtual {
	t := l.GP64()
	l.RDTSC()
	l.SHLQ(operand.Imm(32), reg.RDX)
	l.ORQ(reg.RDX, reg.RAX)
	l.MOVQ(reg.RAX, t)
	return t
}

func log2(n int) (bits int) {
	for ; n > 1; n /= 2 {
		bits++
	}
	return bits
}
