package scenes

import (
	"encoding/binary"
	"math"
)

// A binary STL file is a header of 80 free bytes, the number of triangles as
// a uint32, and one record a triangle: normal, three vertices (float32 each)
// and 16 bits of attributes, all little-endian.
const (
	stlCommentSize = 80
	stlHeaderSize  = 84
	stlRecordSize  = 50
	stlVertices    = 12 // offset in bytes of the first vertex in a record
	stlAttribute   = 48 // offset in bytes of the attributes in a record
)

// stlRecord is one triangle as it stands in the file.
type stlRecord = [stlRecordSize]byte

func floatAt(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// decodeRecords writes the vertices of the records in raw over the triangles
// of dst from lo on.
func decodeRecords(dst *Block, lo int, raw []byte) {
	n := len(raw) / stlRecordSize
	x0, y0, z0 := dst.X[0][lo:lo+n], dst.Y[0][lo:lo+n], dst.Z[0][lo:lo+n]
	x1, y1, z1 := dst.X[1][lo:lo+n], dst.Y[1][lo:lo+n], dst.Z[1][lo:lo+n]
	x2, y2, z2 := dst.X[2][lo:lo+n], dst.Y[2][lo:lo+n], dst.Z[2][lo:lo+n]
	// Equal lengths that the compiler can see: no bounds checks in the loop.
	y0, z0 = y0[:len(x0)], z0[:len(x0)]
	x1, y1, z1 = x1[:len(x0)], y1[:len(x0)], z1[:len(x0)]
	x2, y2, z2 = x2[:len(x0)], y2[:len(x0)], z2[:len(x0)]
	for t := range x0 {
		r := (*stlRecord)(raw)
		raw = raw[stlRecordSize:]
		x0[t], y0[t], z0[t] = floatAt(r[12:]), floatAt(r[16:]), floatAt(r[20:])
		x1[t], y1[t], z1[t] = floatAt(r[24:]), floatAt(r[28:]), floatAt(r[32:])
		x2[t], y2[t], z2[t] = floatAt(r[36:]), floatAt(r[40:]), floatAt(r[44:])
	}
}

// stlTally is what one pass over records finds out. Tallies of parts of a
// file join in any order.
type stlTally struct {
	extent
	colors   colorTally
	bad      int // triangles with a NaN or infinite coordinate
	firstBad int // lowest index of such a triangle; meaningless if bad is 0
}

func newTally() stlTally { return stlTally{extent: emptyExtent()} }

// scan adds the records in raw, whose first is triangle first of the file.
func (a *stlTally) scan(raw []byte, first int) {
	// Scalars, because the compiler keeps no arrays in registers.
	lox, loy, loz, hix, hiy, hiz := a.lo[0], a.lo[1], a.lo[2], a.hi[0], a.hi[1], a.hi[2]
	n := len(raw) / stlRecordSize
	for t := range n {
		r := (*stlRecord)(raw)
		raw = raw[stlRecordSize:]
		if r[stlAttribute]|r[stlAttribute+1] != 0 {
			a.colors.add(binary.LittleEndian.Uint16(r[stlAttribute:]))
		}
		x0, y0, z0 := floatAt(r[12:]), floatAt(r[16:]), floatAt(r[20:])
		x1, y1, z1 := floatAt(r[24:]), floatAt(r[28:]), floatAt(r[32:])
		x2, y2, z2 := floatAt(r[36:]), floatAt(r[40:]), floatAt(r[44:])
		// All inside the box so far, the common case; see extent.addSoA.
		if x0 >= lox && x0 <= hix && y0 >= loy && y0 <= hiy && z0 >= loz && z0 <= hiz &&
			x1 >= lox && x1 <= hix && y1 >= loy && y1 <= hiy && z1 >= loz && z1 <= hiz &&
			x2 >= lox && x2 <= hix && y2 >= loy && y2 <= hiy && z2 >= loz && z2 <= hiz {
			continue
		}
		ok := a.addVertex(x0, y0, z0)
		ok = a.addVertex(x1, y1, z1) && ok
		ok = a.addVertex(x2, y2, z2) && ok
		if !ok {
			a.addBad(first + t)
		}
		lox, loy, loz, hix, hiy, hiz = a.lo[0], a.lo[1], a.lo[2], a.hi[0], a.hi[1], a.hi[2]
	}
}

func (a *stlTally) addBad(t int) {
	if a.bad == 0 || t < a.firstBad {
		a.firstBad = t
	}
	a.bad++
}

// join adds what o found.
func (a *stlTally) join(o *stlTally) {
	for c := range 3 {
		a.lo[c] = min(a.lo[c], o.lo[c])
		a.hi[c] = max(a.hi[c], o.hi[c])
	}
	a.colors.join(o.colors)
	if o.bad > 0 && (a.bad == 0 || o.firstBad < a.firstBad) {
		a.firstBad = o.firstBad
	}
	a.bad += o.bad
}

// plausibleRecords reports whether at least half of the whole records in raw
// look like triangles that somebody made, and not all of them are zero: their
// vertices are zero or between 2^-66 and 2^66 in magnitude. Nine random
// floats pass with probability 0.003, so a handful of records decides.
func plausibleRecords(raw []byte) bool {
	n, good, nonzero := len(raw)/stlRecordSize, 0, 0
	for t := range n {
		r := raw[t*stlRecordSize:][:stlRecordSize]
		ok, zero := true, true
		for at := stlVertices; at < stlAttribute; at += 4 {
			v := math.Abs(float64(floatAt(r[at:])))
			ok = ok && (v == 0 || v > 0x1p-66 && v < 0x1p66)
			zero = zero && v == 0
		}
		if ok {
			good++
		}
		if !zero {
			nonzero++
		}
	}
	return 2*good >= n && nonzero > 0
}
