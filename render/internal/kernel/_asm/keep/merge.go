package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// lineKeys is the number of keys in a cache line.
const lineKeys = 8

// merger is the state of the generator while it emits the loop that merges records into a frame. An iteration merges
// a vector of records. The loop loads and stores only whole cache lines of the frame, and blends in the keys of the
// span. Narrower stores would be slow. Records of neighbouring polygons are adjacent, and a load that overlaps a
// store in progress must wait unless the store covers the load. The loop first merges the first lines of all records,
// without a branch. Then it merges the last lines of records with several lines, and then the lines between first and
// last lines.
type merger struct {
	*Lanes
	i, frame reg.GPVirtual
	places   Vec               // numbers of the keys in a line, as half a vector
	least    Vec               // MinNearness in every lane
	odd      reg.OpmaskVirtual // mask of the upper halves of keys
	halves   Vec               // lanes from which the upper halves of keys are copied
	column   map[string]operand.Mem
}

func merge(f *File) {
	m := &merger{Lanes: f.Function("merge", AVX512, "merges the spans of records into keys that lie in whole cache lines."), column: make(map[string]operand.Mem)}
	for _, name := range []string{"low", "e", "de", "first", "off", "firstMask", "last", "far", "lastMask"} {
		m.column[name] = m.AllocLocal(m.Bytes())
	}
	m.i, m.frame = m.Int("done"), m.Int("frame")
	m.places = m.Half().Load(m.placesTable())
	m.least = m.Broadcast(m.Constant("minNearness", operand.F32(m.GoFloat("MinNearness"))))
	m.halves = m.Load(m.halvesTable())
	m.odd = m.K()
	bits := m.GP32()
	m.MOVL(operand.U32(0xaaaa), bits)
	m.KMOVW(bits, m.odd)

	m.Label("batch")
	several, many := m.take()
	for s := range m.N {
		m.firstLine(s)
	}
	m.each("several", several, m.lastLine)
	m.each("many", many, m.between)
	m.ADDQ(operand.Imm(uint64(m.N)), m.i)
	m.CMPQ(m.i, m.Arg("spans"))
	m.JGE(operand.LabelRef("end"))
	m.CMPQ(m.Arg("most"), operand.Imm(0))
	m.JG(operand.LabelRef("batch"))
	m.Label("end")
	m.MOVQ(m.i, m.Arg("done"))
	m.Return()
	m.Label("outside")
	m.MOVQ(operand.I32(1), m.Arg("outside"))
	m.Return()
}

// take loads the next records and converts them to columns. It returns two integers with one bit for each record. The
// bit in several is set if the record has more than one line. The bit in many is set if it has more than two. Lanes
// after the last record may hold records of an earlier, larger frame. They are treated as records without keys in the
// first line of the frame, so they change nothing.
func (m *merger) take() (several, many reg.GPVirtual) {
	m.Comment("The next records: those of vector r lie in lanes r, 4 + r and so on.")
	at := m.GP64()
	m.MOVQ(m.i, at)
	m.SHLQ(operand.Imm(4), at)
	m.ADDQ(m.Int("records"), at)
	var p [4]Vec
	for r := range p {
		p[r] = loadRecords(m.Lanes, at, r)
	}
	p = turn(m.Lanes, p)
	left := m.Int("spans")
	m.SUBQ(m.i, left)
	there := m.K()
	m.VPCMPUD(operand.U8(6), m.Load(m.numbers()), m.BroadcastInt(left), there)

	number := func(name string, n int) Scalar { return m.Constant(name, operand.I32(n)) }
	m.put(m.Xor(p[1], number("minusOne", -1)), "low")
	m.put(p[2], "e")
	m.put(p[3], "de")
	start := m.And(p[0], number("start", m.Go("MaxRowKeys")-1))
	count := m.And(m.ShiftRight(p[0], m.Go("StartBits")), number("count", m.Go("MaxCount")-1))
	last := m.AddInt(start, count)
	beyond := m.K()
	m.VPCMPUD_BCST(operand.U8(5), m.Arg("size"), last, there, beyond)
	m.KORTESTW(beyond, beyond)
	m.JNZ(operand.LabelRef("outside"))

	m.Comment("Lines, and which of their keys are the spans'.")
	off, lastOff := m.And(start, number("seven", lineKeys-1)), m.And(last, number("seven", lineKeys-1))
	first, final := m.Xor(start, off), m.Xor(last, lastOff)
	m.put(m.only(there, m.ShiftLeft(first, 3)), "first")
	m.put(m.ShiftLeft(final, 3), "last")
	m.put(m.ToFloat(off), "off")
	far := m.SubInt(final, first)
	m.put(m.ToFloat(far), "far")
	lastMask, firstMask := m.Vec(), m.Vec()
	m.VPSLLVD(lastOff, m.Broadcast(number("two", 2)), lastMask)
	lastMask = m.AddInt(lastMask, number("minusOne", -1))
	m.put(lastMask, "lastMask")
	m.VPSLLVD(off, m.Broadcast(number("line", 1<<lineKeys-1)), firstMask)
	one, firstOnly := m.IsZero(far), m.Vec()
	m.Into(firstOnly).And(firstMask, lastMask)
	firstMask = m.Blend(one, firstOnly, firstMask)
	m.put(m.only(there, firstMask), "firstMask")
	severalMask, manyMask := m.K(), m.K()
	m.VPTESTMD(far, far, there, severalMask)
	m.VPCMPD_BCST(operand.U8(6), number("eight", lineKeys).Mem, far, there, manyMask)
	several, many = m.GP32(), m.GP32()
	m.KMOVW(severalMask, several)
	m.KMOVW(manyMask, many)
	return several, many
}

// only returns v in the lanes that the mask selects, and 0 in the other lanes.
func (m *merger) only(mask reg.OpmaskVirtual, v Vec) Vec {
	result := m.Vec()
	m.VMOVDQA32_Z(v, mask, result)
	return result
}

// put stores a column in two halves, because loads of single entries would have to wait for a wider store.
func (m *merger) put(v Vec, name string) {
	upper := m.YMM()
	m.VEXTRACTI64X4(operand.Imm(1), v, upper)
	m.VMOVUPS(v.AsY(), m.column[name])
	m.VMOVUPS(upper, m.column[name].Offset(32))
}

// each emits a loop over the records whose bit is set. The function do emits the loop's body.
func (m *merger) each(name string, bits reg.GPVirtual, do func(s reg.GPVirtual)) {
	m.TESTL(bits, bits)
	m.JZ(operand.LabelRef(name + "Done"))
	m.Label(name)
	s := m.GP64()
	m.TZCNTL(bits, s.As32())
	m.BLSRL(bits, bits)
	do(s)
	m.TESTL(bits, bits)
	m.JNZ(operand.LabelRef(name))
	m.Label(name + "Done")
}

// keys returns the keys of a line. k holds the numbers of the keys in the span. e and de are the span's nearness and
// its growth from key to key. low holds the lower halves of the keys; the result overwrites low.
func (m *merger) keys(k, e, de Operand, low Vec) Vec {
	y := m.Half()
	near := y.Add(y.Mul(k.(Vec), de), e)
	near = y.Max(near, m.least.AsY().(Vec))
	m.VPERMD(near.AsZ(), m.halves, m.odd, low)
	return low
}

// raise merges the keys that the mask selects into the line whose offset in the frame is `at`.
func (m *merger) raise(keys Vec, mask operand.Mem, at reg.GPVirtual) {
	of, line := m.K(), m.Load(operand.Mem{Base: m.frame, Index: at, Scale: 1})
	m.KMOVB(mask, of)
	m.VMAXPD(line, keys, of, line)
	m.Store(line, operand.Mem{Base: m.frame, Index: at, Scale: 1})
}

// firstLine merges the first line of a record.
func (m *merger) firstLine(s int) {
	at := m.GP64()
	m.MOVL(m.column["first"].Offset(4*s), at.As32())
	k := m.Half().Sub(m.places, Scalar{Mem: m.column["off"].Offset(4 * s)})
	low := m.Broadcast(Scalar{Mem: m.column["low"].Offset(4 * s)})
	keys := m.keys(k, Scalar{Mem: m.column["e"].Offset(4 * s)}, Scalar{Mem: m.column["de"].Offset(4 * s)}, low)
	m.raise(keys, m.column["firstMask"].Offset(4*s), at)
}

// of returns the entry of record s in a column.
func (m *merger) of(name string, s reg.GPVirtual) Scalar {
	return Scalar{Mem: m.column[name].Idx(s, 4)}
}

// lastLine merges the last line of a record.
func (m *merger) lastLine(s reg.GPVirtual) {
	at := m.GP64()
	m.MOVL(m.of("last", s).Mem, at.As32())
	k := m.Half().Add(m.firstPlaces(s), m.of("far", s))
	m.raise(m.keys(k, m.of("e", s), m.of("de", s), m.Broadcast(m.of("low", s))), m.of("lastMask", s).Mem, at)
}

// firstPlaces returns a number for each key in the first line of record s: the key's number in its span.
func (m *merger) firstPlaces(s reg.GPVirtual) Vec {
	return m.Half().Sub(m.places, m.of("off", s))
}

// between merges the lines between the first and the last line of a record.
func (m *merger) between(s reg.GPVirtual) {
	y := m.Half()
	at, end := m.GP64(), m.GP64()
	m.MOVL(m.of("first", s).Mem, at.As32())
	m.MOVL(m.of("last", s).Mem, end.As32())
	m.ADDQ(m.frame, at)
	m.ADDQ(m.frame, end)
	m.ADDQ(at, m.Arg("most"))
	m.SUBQ(end, m.Arg("most"))
	k, e, de, low := m.firstPlaces(s), y.Broadcast(m.of("e", s)), y.Broadcast(m.of("de", s)), m.Broadcast(m.of("low", s))
	m.ADDQ(operand.Imm(m.lineBytes()), at)
	m.Label("lines")
	y.Into(k).Add(k, m.Constant("eightPlaces", operand.F32(lineKeys)))
	copied := m.Vec()
	m.Move(low, copied)
	keys := m.keys(k, e, de, copied)
	m.Store(m.MaxWide(keys, operand.Mem{Base: at}), operand.Mem{Base: at})
	m.ADDQ(operand.Imm(m.lineBytes()), at)
	m.CMPQ(at, end)
	m.JLT(operand.LabelRef("lines"))
}

func (m *merger) lineBytes() uint64 { return 8 * lineKeys }

// placesTable returns a table with the numbers of the keys in a line.
func (m *merger) placesTable() operand.Mem {
	var numbers []operand.Constant
	for k := range lineKeys {
		numbers = append(numbers, operand.F32(k))
	}
	return m.Table("places", numbers...)
}

// halvesTable returns a table with the lane from which the upper half of each key is taken.
func (m *merger) halvesTable() operand.Mem {
	var from []operand.Constant
	for k := range lineKeys {
		from = append(from, operand.U32(k), operand.U32(k))
	}
	return m.Table("halves", from...)
}

// numbers returns a table with the number of each lane's record.
func (m *merger) numbers() operand.Mem {
	var numbers []operand.Constant
	for lane := range AVX512 {
		numbers = append(numbers, operand.U32(4*(lane%4)+lane/4))
	}
	return m.Table(fmt.Sprint("numbers", m.N), numbers...)
}
