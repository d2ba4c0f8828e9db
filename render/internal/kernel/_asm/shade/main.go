// Command shade generates the assembly versions of shade.Shade for polygons in the base colour.
package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func main() {
	f := NewFile("shade", "shadeArgs", "holds the arguments of a call.", []Field{
		{Name: "payload", Type: "*uint32"}, // bits of intensities before the call
		{Name: "table", Type: "*uint32"},   // payload of each intensity
		{Name: "polygons", Type: "int64"},
	})
	for _, lanes := range []int{AVX512, AVX2} {
		emit(f, lanes)
	}
	f.Write()
}

// emit emits the code of shade.Shade for one instruction set.
func emit(f *File, lanes int) {
	l := f.Function("shade", lanes, "looks up the payloads of intensities.")
	i, polygons := l.GP64(), l.Int("polygons")
	l.XORQ(i, i)
	l.Label("loop")
	l.CMPQ(i, polygons)
	l.JGE(operand.LabelRef("done"))

	l.Comment("The indices of a vector of intensities.")
	// The indices are stored in memory, and each lane is looked up separately. With the gather instruction, the whole
	// loop took 1.4 times as long on a Zen 5.
	payload, table := l.Int("payload"), l.Int("table")
	l.LEAQ(operand.Mem{Base: payload, Index: i, Scale: 4}, payload)
	scaled := l.Mul(l.Load(operand.Mem{Base: payload}), l.Constant("lastStep", operand.F32(l.Go("ShadeSteps")-1)))
	index := l.Truncate(l.Add(scaled, l.Constant("half", operand.F32(0.5))))
	// Invalid intensities must not lead to an index outside the table.
	index = l.MinUnsigned(index, l.Constant("last", operand.U32(l.Go("ShadeSteps")-1)))
	l.Store(index, operand.Mem{Base: payload})
	l.Comment("Look up one after the other.")
	for lane := range l.N {
		entry, at := l.GP64(), operand.Mem{Base: payload, Disp: 4 * lane}
		l.MOVL(at, entry.As32())
		l.MOVL(operand.Mem{Base: table, Index: entry, Scale: 4}, entry.As32())
		l.MOVL(entry.As32(), at)
	}
	l.ADDQ(operand.Imm(uint64(l.N)), i)
	l.JMP(operand.LabelRef("loop"))
	l.Label("done")
	l.Return()
}
