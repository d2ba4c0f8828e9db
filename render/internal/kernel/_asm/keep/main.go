// Command keep generates the loops that store spans as records of tile rows, and turn records into columns.
package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

func main() {
	f := NewFile("keep", "keepArgs", "holds the arguments and results of a call of a loop.", []Field{
		{Name: "records", Type: "*Record"},
		{Name: "before", Type: "*uint32"},
		{Name: "next", Type: "*uint32"},
		{Name: "used", Type: "int64"},
		{Name: "tileRows", Type: "int64"},
		{Name: "keys", Type: "int64"},
		{Name: "perKeys", Type: "float64"},
		{Name: "spans", Type: "int64"}, // number of spans, above 0; the loops work on whole vectors
		{Name: "start", Type: "*uint32"},
		{Name: "count", Type: "*int32"},
		{Name: "payload", Type: "*uint32"},
		{Name: "e", Type: "*float32"},
		{Name: "de", Type: "*float32"},
		{Name: "tested", Type: "int64"},
		{Name: "runs", Type: "int64"},
		{Name: "outside", Type: "int64"}, // not 0 if a span lies outside the tile rows or the frame
		{Name: "frame", Type: "*uint64"},
		{Name: "size", Type: "int64"}, // number of keys of the frame
		{Name: "done", Type: "int64"}, // number of records that have been merged
		{Name: "most", Type: "int64"}, // the loop returns after long spans with this number of bytes of keys
	})
	merge(f)
	for _, lanes := range []int{AVX512, AVX2} {
		keep(f, lanes)
		unpack(f, lanes)
	}
	f.Write()
}

// writeAhead and readAhead are distances of prefetched cache lines in bytes. When records are stored, a cache line
// writeAhead bytes after a tile row's next record is prefetched. When records are read, a cache line readAhead bytes
// ahead is prefetched. The processor's prefetcher does not detect the streams of records in many tile rows. The
// memory of the records was last used in the previous frame, so it is no longer in the caches. Without writeAhead, a
// warm frame of the bunny took 1.07 times as long on two cores; without readAhead, 1.02 times. 192 and 256 bytes are
// as good as 128.
const (
	writeAhead = 128
	readAhead  = 1024
)

// keeper is the state of the generator while it emits the loop that stores spans.
type keeper struct {
	*Lanes
	i, records, next, used reg.GPVirtual
	row                    operand.Mem // memory for the numbers of the tile rows of a vector's spans
	record                 [4]Vec      // records of a vector's spans; vector r has the records of spans r, 4 + r, ...
}

// keep emits the loop of Rows.Keep for one instruction set.
func keep(f *File, lanes int) {
	k := &keeper{Lanes: f.Function("keep", lanes, "appends records of spans to the tile rows of the spans.")}
	k.row = k.AllocLocal(k.Bytes())
	k.i, k.records, k.next, k.used = k.GP64(), k.Int("records"), k.Int("next"), k.Int("used")
	k.XORQ(k.i, k.i)
	tested, runs := k.Zero(), k.Zero()
	k.Label("loop")
	k.Comment("The rows of tiles: start/keys, rounded down. With half a key more it is far from rounding up.")
	start := k.Load(k.At("start", k.i))
	var halves Halves
	for h := range halves {
		sum := k.AddWide(k.WideInt(start, h), k.WideConstant("half", 0.5))
		halves[h] = k.FloorWide(k.MulWide(sum, WideScalar{Mem: k.Arg("perKeys")}))
		k.StoreWideInt(halves[h], k.row.Offset(h*k.Bytes()/2)) // half a vector at a time, because a load must wait if its data come from a store that is not complete
	}
	row := k.NarrowWideInt(halves)
	beyond := k.Bits(k.AtLeastUnsigned(row, k.Broadcast(k.Scalar("tileRows"))))
	k.TESTL(beyond, beyond)
	k.JNZ(operand.LabelRef("outside"))

	k.Comment("Counters.")
	count := k.Load(k.At("count", k.i))
	k.Into(tested).AddInt(tested, count)
	k.Into(runs).AddInt(runs, k.ShiftRight(k.AddInt(count, k.Constant("fifteen", operand.I32(15))), 4))

	k.Comment("Records.")
	place := k.SubInt(start, k.MulInt(row, k.Scalar("keys")))
	length := k.AddInt(count, k.Constant("minusOne", operand.I32(-1)))
	place = k.AddInt(place, k.ShiftLeft(length, k.Go("StartBits")))
	k.record = turn(k.Lanes, [4]Vec{place, k.Load(k.At("payload", k.i)), k.Load(k.At("e", k.i)), k.Load(k.At("de", k.i))})
	k.Comment("Each to its row of tiles.")
	for s := range k.N {
		k.put(s)
	}
	k.ADDQ(operand.Imm(uint64(k.N)), k.i)
	k.CMPQ(k.i, k.Arg("spans"))
	k.JLT(operand.LabelRef("loop"))

	k.MOVQ(k.used, k.Arg("used"))
	k.MOVQ(k.Fold((*Lanes).AddInt, tested), k.Arg("tested"))
	k.MOVQ(k.Fold((*Lanes).AddInt, runs), k.Arg("runs"))
	k.Return()
	k.Label("outside")
	k.MOVQ(operand.I32(1), k.Arg("outside"))
	k.Return()
}

// put emits the code that stores the record of span s of the vector.
func (k *keeper) put(s int) {
	row, at, to := k.GP64(), k.GP64(), k.GP64()
	next := operand.Mem{Base: k.next, Index: row, Scale: 4}
	k.MOVL(k.row.Offset(4*s), row.As32())
	k.MOVL(next, at.As32())
	k.TESTL(operand.I32(k.Go("ChunkSpans")-1), at.As32())
	k.JNZ(operand.LabelRef(fmt.Sprint("has", s)))
	k.MOVL(at.As32(), operand.Mem{Base: k.Int("before"), Index: k.used, Scale: 4})
	k.MOVQ(k.used, at)
	k.SHLQ(operand.Imm(uint64(bits.TrailingZeros(uint(k.Go("ChunkSpans"))))), at)
	k.INCQ(k.used)
	k.Label(fmt.Sprint("has", s))
	k.MOVQ(at, to)
	k.SHLQ(operand.Imm(4), to)
	k.StoreFour(k.record[s%4], s/4, operand.Mem{Base: k.records, Index: to, Scale: 1})
	k.PREFETCHT0(operand.Mem{Base: k.records, Index: to, Scale: 1, Disp: writeAhead})
	k.INCL(at.As32())
	k.MOVL(at.As32(), next)
}

// loadRecords loads vector r of the records that begin at the address `at`, and prefetches later records.
func loadRecords(l *Lanes, at reg.GPVirtual, r int) Vec {
	const line = 64
	from := operand.Mem{Base: at, Disp: r * l.Bytes()}
	if from.Disp%line == 0 {
		l.PREFETCHT0(from.Offset(readAhead))
	}
	return l.Load(from)
}

// turn transposes the 4 x 4 elements in each 128 bits of four vectors.
func turn(l *Lanes, p [4]Vec) [4]Vec {
	low01, low23 := l.UnpackLow(p[0], p[1]), l.UnpackLow(p[2], p[3])
	high01, high23 := l.UnpackHigh(p[0], p[1]), l.UnpackHigh(p[2], p[3])
	return [4]Vec{l.UnpackLowPairs(low01, low23), l.UnpackHighPairs(low01, low23), l.UnpackLowPairs(high01, high23), l.UnpackHighPairs(high01, high23)}
}

// unpack emits the loop of Unpack for one instruction set. It transposes the 4 x 4 elements in each 128 bits of four
// vectors of records. Afterwards, record p of vector r is in lane 4p + r of the columns.
func unpack(f *File, lanes int) {
	l := f.Function("unpack", lanes, "converts records of spans into columns.")
	i, at := l.GP64(), l.Int("records")
	l.XORQ(i, i)
	l.Label("loop")
	var p [4]Vec
	for r := range p {
		p[r] = loadRecords(l, at, r)
	}
	p = turn(l, p)
	place := l.Permute(p[0], order(l))
	l.Store(l.And(place, l.Constant("start", operand.U32(1<<l.Go("StartBits")-1))), l.At("start", i))
	count := l.And(l.ShiftRight(place, l.Go("StartBits")), l.Constant("count", operand.U32(1<<(32-l.Go("StartBits"))-1)))
	l.Store(l.AddInt(count, l.Constant("one", operand.I32(1))), l.At("count", i))
	l.Store(l.Permute(p[1], order(l)), l.At("payload", i))
	l.Store(l.Permute(p[2], order(l)), l.At("e", i))
	l.Store(l.Permute(p[3], order(l)), l.At("de", i))
	l.ADDQ(operand.I32(4*l.Bytes()), at)
	l.ADDQ(operand.Imm(uint64(l.N)), i)
	l.CMPQ(i, l.Arg("spans"))
	l.JLT(operand.LabelRef("loop"))
	l.Return()
}

// order returns a table with the lane of each span.
func order(l *Lanes) operand.Mem {
	var numbers [AVX512]operand.Constant
	for r := range 4 {
		for p := range l.N / 4 {
			numbers[l.N/4*r+p] = operand.U32(4*p + r)
		}
	}
	return l.Table(map[int]string{AVX512: "order16", AVX2: "order8"}[l.N], numbers[:l.N]...)
}
