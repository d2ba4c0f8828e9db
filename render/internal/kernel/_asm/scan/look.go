package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// tallRows is the number of rows above which a polygon makes events rare in its
// group, so that AVX-512 tests whether there is one.
const tallRows = 32

// begin is at row 0 of a group: the end of Converter.load.
func (l *loop) begin() {
	l.Comment("Row 0: the group's tallest polygon, if it is worth a look later.")
	l.MOVQ(l.iterations, l.Arg("row"))
	l.MOVQ(operand.U32(l.Go("LookLanes")), l.Arg("look"))
	rows := l.rowsLeft()
	highest := rows[0]
	for _, more := range rows[1:] {
		highest = l.MaxInt(highest, more)
	}
	if l.N == AVX512 {
		l.isTall(highest)
	}
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

// rowsLeft returns the rows left of the active lanes.
func (l *loop) rowsLeft() (rows []Vec) {
	for _, v := range l.vectors {
		rows = append(rows, v.rowsLeft())
	}
	return rows
}

// isTall sets tall.
func (l *loop) isTall(rows Vec) {
	k := l.GreaterInt(rows, l.Constant("tallRows", operand.U32(tallRows)), nil)
	l.MOVL(l.Bits(k), l.tall)
}

// activeBits returns the active lanes, a bit each.
func (l *loop) activeBits() reg.GPVirtual {
	all := l.Bits(l.vectors[0].lanes())
	for i, v := range l.vectors[1:] {
		bits := l.Bits(v.lanes())
		l.SHLL(operand.Imm(uint64((i+1)*l.N)), bits)
		l.ORL(bits, all)
	}
	return all
}

// countActive counts the lanes with rows left. It goes to next when there is
// none.
func (l *loop) countActive() {
	l.Comment("Lanes have turned or ended: how many are active?")
	bits := l.activeBits()
	l.TESTL(bits, bits)
	l.JZ(operand.LabelRef("next"))
	l.POPCNTL(bits, l.count.As32())
}

// due is cursor.due: it goes on to row when no look is due.
func (l *loop) due() {
	l.Comment("Is a look at the workload due?")
	end := l.GP64()
	l.MOVQ(l.count, end)
	l.IMULQ(l.Arg("cost"), end)
	l.ADDQ(l.iterations, end)
	l.CMPQ(end, l.Arg("tallest"))
	l.JGE(operand.LabelRef("row"))
	l.CMPQ(l.count, l.Arg("look"))
	l.JG(operand.LabelRef("row"))
}

// look is Converter.look: it goes on to row when that is not worth its cost.
func (l *loop) look() {
	l.Comment("Gather the rows left: MAX - ceil(SUM / lanes) iterations can be saved.")
	half := l.GP64()
	l.MOVQ(l.count, half)
	l.SHRQ(operand.Imm(1), half)
	l.MOVQ(half, l.Arg("look"))
	rows := l.rowsLeft()
	most := l.Fold((*Lanes).MaxInt, append([]Vec(nil), rows...)...)
	saved := l.Fold((*Lanes).AddInt, append([]Vec(nil), rows...)...)
	l.ADDQ(operand.Imm(uint64(l.Go("Lanes")-1)), saved)
	l.SHRQ(operand.Imm(uint64(log2(l.Go("Lanes")))), saved)
	l.NEGQ(saved)
	l.ADDQ(most, saved)
	l.Comment("Decide: are the savings above the cost?")
	l.CMPQ(saved, l.costOf(l.count))
	l.JLE(operand.LabelRef("row"))
	l.deferActive(rows, most)
}

// costOf returns what it costs to defer a number of polygons.
func (l *loop) costOf(count reg.GPVirtual) reg.GPVirtual {
	cost := l.GP64()
	l.XORQ(cost, cost)
	l.CMPQ(l.Arg("deferred"), operand.Imm(0))
	l.SETEQ(cost.As8())
	l.LEAQ(operand.Mem{Base: count, Index: cost, Scale: uint8(l.Go("RedistributionCost"))}, cost)
	l.IMULQ(l.Arg("cost"), cost)
	return cost
}

// deferActive copies the active lanes' polygons, with the rows they have left.
func (l *loop) deferActive(rows []Vec, most reg.GPVirtual) {
	l.Comment("Defer the active lanes' polygons, with the rows they have left.")
	l.ADDQ(most, l.Arg("unbalanced"))
	l.INCQ(l.Arg("redistributions"))
	done := l.GP64()
	l.MOVQ(l.iterations, done)
	l.SUBQ(l.Arg("row"), done)
	group, deferred := l.Int("group"), l.Int("deferred")
	for i, v := range l.vectors {
		active := v.lanes()
		bits := l.Bits(active)
		after := fmt.Sprint("after", i)
		if len(l.vectors) > 1 {
			l.TESTL(bits, bits)
			l.JZ(operand.LabelRef(after))
		}
		packing := l.Packing(active, bits)
		column := func(name string) Vec { return l.Load(l.At(name, group).Offset(i * l.Bytes())) }
		put := func(v Vec, name string) { l.Store(l.Pack(packing, v), l.At(name, deferred)) }
		put(rows[i], "deferredRows")
		put(l.AddInt(column("first"), l.BroadcastInt(done)), "deferredFirst")
		for _, from := range columns() {
			put(column(from), deferredOf[from])
		}
		l.POPCNTL(bits, bits)
		l.ADDQ(bits.As64(), deferred)
		l.Label(after)
	}
	l.MOVQ(deferred, l.Arg("deferred"))
}

func log2(n int) (bits int) {
	for ; n > 1; n /= 2 {
		bits++
	}
	return bits
}
