package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// unroll is the number of records in an iteration. The minimum of these records is computed as a tree, so that an
	// iteration adds only one step to the dependency chain through the minimum of the group.
	unroll = 4
	// group is the number of records after which the code checks whether all of them were finite. It is so large that
	// the check is cheap, and so small that one bad record causes plain Go to handle only few records. A group has 3200
	// bytes, so its records are still in the first-level cache when their attributes are read.
	group = 64
)

// unordered is the predicate of VCMPPS that is true if either operand is NaN.
const unordered = 3

// rows holds the minima and the maxima of the coordinates, each in one or two vectors.
type rows struct{ lo, hi []reg.VecVirtual }

// A summary is the state of the generator of one function.
type summary struct {
	bytes  int
	loads  []int // offsets in a record of the vectors that are loaded, in bytes
	lanes  reg.OpmaskVirtual
	group  rows
	total  rows
	nans   []reg.VecVirtual // AVX2: all bits of a lane are set if the lane had a NaN
	nan    reg.OpmaskVirtual
	record reg.GPVirtual // pointer to the next record
	bits   reg.GPVirtual // bitwise or of the attributes, which are in the upper half
}

// newSummary chooses how vectors hold the nine coordinates of a record. With AVX-512, one vector holds all nine
// coordinates, and a mask keeps loads within the record. With AVX2, two overlapping vectors hold the first eight and
// the last eight coordinates.
func newSummary(bytes int) *summary {
	s := &summary{bytes: bytes, loads: []int{vertices}}
	if bytes == avx2 {
		s.loads = append(s.loads, vertices+4)
	}
	for range s.loads {
		s.total.lo, s.total.hi = append(s.total.lo, vector(bytes)), append(s.total.hi, vector(bytes))
		s.group.lo, s.group.hi = append(s.group.lo, vector(bytes)), append(s.group.hi, vector(bytes))
		if bytes == avx2 {
			s.nans = append(s.nans, vector(bytes))
		}
	}
	if bytes == avx512 {
		mask := GP32()
		MOVL(U32(1<<coordinates-1), mask)
		s.lanes, s.nan = K(), K()
		KMOVW(mask, s.lanes)
	}
	return s
}

// clear sets the minima to infinity and the maxima to minus infinity.
func (r rows) clear() {
	for v := range r.lo {
		VBROADCASTSS(infinity, r.lo[v])
		VBROADCASTSS(minusInfinity, r.hi[v])
	}
}

// add updates the minima with the vectors lo and the maxima with the vectors hi.
func (r rows) add(lo, hi []reg.VecVirtual) {
	for v := range r.lo {
		VMINPS(lo[v], r.lo[v], r.lo[v])
		VMAXPS(hi[v], r.hi[v], r.hi[v])
	}
}

var infinity, minusInfinity Mem

func constants() {
	if infinity.Base == nil {
		infinity = ConstData("infinity", U32(math.Float32bits(float32(math.Inf(1)))))
		minusInfinity = ConstData("minusInfinity", U32(math.Float32bits(float32(math.Inf(-1)))))
	}
}

// load loads vector v of the record with index t in the iteration.
func (s *summary) load(t, v int) reg.VecVirtual {
	x := vector(s.bytes)
	m := Mem{Base: s.record, Disp: t*recordSize + s.loads[v]}
	if s.bytes == avx512 {
		VMOVUPS_Z(m, s.lanes, x)
	} else {
		VMOVUPS(m, x)
	}
	return x
}

// findNaN records whether vector a or b has a NaN. v is the index of both vectors in their records.
func (s *summary) findNaN(v int, a, b reg.VecVirtual) {
	if s.bytes == avx512 {
		k := K()
		VCMPPS(Imm(unordered), a, b, k)
		KORW(k, s.nan, s.nan)
		return
	}
	y := YMM()
	VCMPPS(Imm(unordered), a, b, y)
	VORPS(y, s.nans[v], s.nans[v])
}

// iteration emits code that adds records to the group. If a record has a NaN, the minima and maxima may be wrong, but
// then the group is not used.
func (s *summary) iteration() {
	for v := range s.loads {
		var x [unroll]reg.VecVirtual
		for t := range x {
			x[t] = s.load(t, v)
		}
		s.findNaN(v, x[0], x[1])
		s.findNaN(v, x[2], x[3])
		lo, hi := vector(s.bytes), vector(s.bytes)
		VMINPS(x[0], x[1], lo)
		VMAXPS(x[0], x[1], hi)
		VMINPS(x[2], x[3], x[0])
		VMAXPS(x[2], x[3], x[1])
		VMINPS(lo, x[0], lo)
		VMAXPS(hi, x[1], hi)
		VMINPS(lo, s.group.lo[v], s.group.lo[v])
		VMAXPS(hi, s.group.hi[v], s.group.hi[v])
	}
	for t := range unroll {
		ORL(Mem{Base: s.record, Disp: t*recordSize + attribute - 2}, s.bits.As32())
	}
	ADDQ(U32(unroll*recordSize), s.record)
}

// clearGroup emits code that starts a group.
func (s *summary) clearGroup() {
	s.group.clear()
	XORL(s.bits.As32(), s.bits.As32())
	if s.bytes == avx512 {
		KXORW(s.nan, s.nan, s.nan)
	}
	for _, y := range s.nans {
		VXORPS(y, y, y)
	}
}

// jumpUnlessFinite emits a jump to label if the group is not finite. If a record has an infinity, so has the minimum or
// the maximum, and an infinity minus itself is a NaN.
func (s *summary) jumpUnlessFinite(label string) {
	for v := range s.loads {
		lo, hi := vector(s.bytes), vector(s.bytes)
		VSUBPS(s.group.lo[v], s.group.lo[v], lo)
		VSUBPS(s.group.hi[v], s.group.hi[v], hi)
		s.findNaN(v, lo, hi)
	}
	if s.bytes == avx512 {
		KORTESTW(s.nan, s.nan)
		JNE(LabelRef(label))
		return
	}
	any, bits := YMM(), GP32()
	VORPS(s.nans[0], s.nans[1], any)
	VMOVMSKPS(any, bits)
	TESTL(bits, bits)
	JNE(LabelRef(label))
}

// evidence holds the registers with the fields of kernel.Attributes.
type evidence struct{ markedAnd, markedOr, plain reg.GPVirtual }

func newEvidence() evidence {
	e := evidence{GP32(), GP32(), GP32()}
	MOVL(I32(-1), e.markedAnd)
	XORL(e.markedOr, e.markedOr)
	XORL(e.plain, e.plain)
	return e
}

// add emits a loop over the attributes of records. The register record points to the first record, and the loop
// advances it up to end.
func (e evidence) add(record, end reg.GPVirtual) {
	Label("attribute")
	bits, marked, t := GP32(), GP32(), GP32()
	MOVWLSX(Mem{Base: record, Disp: attribute}, bits)
	MOVL(bits, marked)
	SARL(Imm(31), marked) // all bits of marked are set if bit 15 of the attributes is set
	ANDNL(bits, marked, t)
	ORL(t, e.plain)
	MOVL(bits, t)
	ANDL(marked, t)
	ORL(t, e.markedOr)
	NOTL(marked)
	ORL(bits, marked)
	ANDL(marked, e.markedAnd)
	ADDQ(Imm(recordSize), record)
	CMPQ(record, end)
	JLT(LabelRef("attribute"))
}

// summarize emits the loop over groups. The loop stops before a group with a NaN or an infinity.
func summarize(bytes int) {
	constants()
	args := summaryArgs.function("summarizeRecords", "does what Summarize does, up to the first group with a value that is not finite.", bytes)
	s := newSummary(bytes)
	s.bits = GP64()
	s.record = summaryArgs.load(args, "raw")
	left := summaryArgs.load(args, "count")
	e := newEvidence()
	s.total.clear()

	Label("group")
	start, n := GP64(), GP64()
	MOVQ(s.record, start)
	MOVQ(U32(group), n)
	CMPQ(left, n)
	CMOVQLT(left, n)
	SUBQ(n, left)
	s.clearGroup()
	rest := GP64()
	MOVQ(n, rest)
	Label("iteration")
	s.iteration()
	SUBQ(Imm(unroll), rest)
	JNE(LabelRef("iteration"))

	s.jumpUnlessFinite("stop")
	s.total.add(s.group.lo, s.group.hi)
	ADDQ(n, summaryArgs.at(args, "done"))
	SHRL(Imm(16), s.bits.As32())
	JZ(LabelRef("next"))
	e.add(start, s.record)
	Label("next")
	TESTQ(left, left)
	JNE(LabelRef("group"))

	Label("stop")
	s.store(args, e)
	VZEROUPPER()
	RET()
}

// store emits code that writes the results. The second AVX2 vector starts at the second coordinate. Where it overlaps
// the first vector, both have the same values.
func (s *summary) store(args reg.Register, e evidence) {
	for v := range s.loads {
		VMOVUPS(s.total.lo[v], summaryArgs.at(args, "lo").Offset(4*v))
		VMOVUPS(s.total.hi[v], summaryArgs.at(args, "hi").Offset(4*v))
	}
	MOVL(e.markedAnd, summaryArgs.at(args, "markedAnd"))
	MOVL(e.markedOr, summaryArgs.at(args, "markedOr"))
	MOVL(e.plain, summaryArgs.at(args, "plain"))
}
