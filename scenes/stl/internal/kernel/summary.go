package kernel

import (
	"encoding/binary"
	"math"
)

// A Summary is the result of one pass over records. Apart from FirstBad, it does not depend on the order of the
// records.
type Summary struct {
	// Lo and Hi are the ends of the box of all finite vertices. A vertex is finite if its three coordinates are. If no
	// vertex is finite, Lo is +Inf and Hi is -Inf. Zeros in Lo and Hi are +0, because otherwise they would depend on
	// the order of the records.
	Lo, Hi [3]float32

	Bad      int // number of triangles with a NaN or infinite coordinate
	FirstBad int // index of the first bad triangle; 0 if there is none

	Attributes
}

// Attributes summarises the attribute bits of records, to decide what they mean. An attribute with bit 15 set is called
// marked.
type Attributes struct {
	MarkedAnd uint16 // bits that all marked attributes have; 0xFFFF if none is marked
	MarkedOr  uint16 // bits that any marked attribute has; 0 if none is marked
	Plain     uint16 // bits that any unmarked attribute has
}

// emptySummary returns the summary of no records.
func emptySummary() Summary {
	inf := float32(math.Inf(1))
	return Summary{
		Lo:         [3]float32{inf, inf, inf},
		Hi:         [3]float32{-inf, -inf, -inf},
		Attributes: Attributes{MarkedAnd: 0xFFFF},
	}
}

// Summarize returns the summary of the complete records in raw.
func Summarize(raw []byte) Summary {
	s := emptySummary()
	s.addRecords(raw, 0)
	s.unsignZeros()
	return s
}

// addRecords adds the records in raw to the summary. first is the index of the first record.
//
// Nearly every vertex lies inside the box of the vertices before it. Therefore the processor predicts the comparisons
// well, and they are cheaper than minima. A NaN or an infinity fails the comparisons, too, and takes the slow path.
func (s *Summary) addRecords(raw []byte, first int) {
	// These are scalars, because the compiler does not keep arrays in registers.
	lox, loy, loz, hix, hiy, hiz := s.Lo[0], s.Lo[1], s.Lo[2], s.Hi[0], s.Hi[1], s.Hi[2]
	n := len(raw) / RecordSize
	for t := range n {
		r := (*record)(raw)
		raw = raw[RecordSize:]
		if r[Attribute]|r[Attribute+1] != 0 {
			s.addAttribute(binary.LittleEndian.Uint16(r[Attribute:]))
		}
		x0, y0, z0 := floatAt(r[12:]), floatAt(r[16:]), floatAt(r[20:])
		x1, y1, z1 := floatAt(r[24:]), floatAt(r[28:]), floatAt(r[32:])
		x2, y2, z2 := floatAt(r[36:]), floatAt(r[40:]), floatAt(r[44:])
		if x0 >= lox && x0 <= hix && y0 >= loy && y0 <= hiy && z0 >= loz && z0 <= hiz &&
			x1 >= lox && x1 <= hix && y1 >= loy && y1 <= hiy && z1 >= loz && z1 <= hiz &&
			x2 >= lox && x2 <= hix && y2 >= loy && y2 <= hiy && z2 >= loz && z2 <= hiz {
			continue
		}
		ok := s.addVertex(x0, y0, z0)
		ok = s.addVertex(x1, y1, z1) && ok
		ok = s.addVertex(x2, y2, z2) && ok
		if !ok {
			s.addBad(first + t)
		}
		lox, loy, loz, hix, hiy, hiz = s.Lo[0], s.Lo[1], s.Lo[2], s.Hi[0], s.Hi[1], s.Hi[2]
	}
}

// addVertex extends the box by a vertex. It returns false if the vertex is not finite.
func (s *Summary) addVertex(x, y, z float32) bool {
	if !finite(x) || !finite(y) || !finite(z) {
		return false
	}
	for c, v := range [3]float32{x, y, z} {
		s.Lo[c] = min(s.Lo[c], v)
		s.Hi[c] = max(s.Hi[c], v)
	}
	return true
}

func finite(v float32) bool { return v-v == 0 }

func (s *Summary) addBad(t int) {
	if s.Bad == 0 {
		s.FirstBad = t
	}
	s.Bad++
}

func (a *Attributes) addAttribute(bits uint16) {
	if bits&0x8000 == 0 {
		a.Plain |= bits
		return
	}
	a.MarkedAnd &= bits
	a.MarkedOr |= bits
}

// unsignZeros makes the zeros of the box positive.
func (s *Summary) unsignZeros() {
	for c := range 3 {
		s.Lo[c] += 0 // -0 + 0 is +0
		s.Hi[c] += 0
	}
}
