// Command unpack generates the loop that turns records of spans to columns.
package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func main() {
	f := NewFile("unpack", "unpackArgs", "is what the loop works on.", []Field{
		{Name: "records", Type: "*Record"},
		{Name: "spans", Type: "int64"}, // above 0; whole vectors are worked on
		{Name: "start", Type: "*uint32"},
		{Name: "count", Type: "*int32"},
		{Name: "payload", Type: "*uint32"},
		{Name: "e", Type: "*float32"},
		{Name: "de", Type: "*float32"},
	})
	for _, lanes := range []int{AVX512, AVX2} {
		unpack(f, lanes)
	}
	f.Write()
}

// unpack writes the loop for one instruction set. Four vectors of records are turned in each 128
// bits: of span (r, p), the p-th of vector r, the columns have lane 4p + r.
func unpack(f *File, lanes int) {
	l := f.Function("unpack", lanes, "turns records of spans to columns.")
	i, at := l.GP64(), l.Int("records")
	l.XORQ(i, i)
	l.Label("loop")
	var p [4]Vec
	for r := range p {
		p[r] = l.Load(operand.Mem{Base: at, Disp: r * l.Bytes()})
	}
	low01, low23 := l.UnpackLow(p[0], p[1]), l.UnpackLow(p[2], p[3])
	high01, high23 := l.UnpackHigh(p[0], p[1]), l.UnpackHigh(p[2], p[3])
	place := l.Permute(l.UnpackLowPairs(low01, low23), order(l))
	l.Store(l.And(place, l.Constant("start", operand.U32(1<<l.Go("StartBits")-1))), l.At("start", i))
	count := l.And(l.ShiftRight(place, l.Go("StartBits")), l.Constant("count", operand.U32(1<<(32-l.Go("StartBits"))-1)))
	l.Store(l.AddInt(count, l.Constant("one", operand.I32(1))), l.At("count", i))
	l.Store(l.Permute(l.UnpackHighPairs(low01, low23), order(l)), l.At("payload", i))
	l.Store(l.Permute(l.UnpackLowPairs(high01, high23), order(l)), l.At("e", i))
	l.Store(l.Permute(l.UnpackHighPairs(high01, high23), order(l)), l.At("de", i))
	l.ADDQ(operand.I32(4*l.Bytes()), at)
	l.ADDQ(operand.Imm(uint64(l.N)), i)
	l.CMPQ(i, l.Arg("spans"))
	l.JLT(operand.LabelRef("loop"))
	l.Return()
}

// order is the numbers of the lanes of spans.
func order(l *Lanes) operand.Mem {
	var numbers [AVX512]operand.Constant
	for r := range 4 {
		for p := range l.N / 4 {
			numbers[l.N/4*r+p] = operand.U32(4*p + r)
		}
	}
	return l.Table(map[int]string{AVX512: "order16", AVX2: "order8"}[l.N], numbers[:l.N]...)
}
