// Package kernel reads the records of binary STL files at the speed of the
// cache that they lie in: Summarize finds their box and what else one pass over
// them tells, Decode spreads their vertices over columns. Each is a
// specification in plain Go and twins in assembly that agree with it to the
// last bit.
package kernel

import (
	"encoding/binary"
	"math"
)

// A record is a normal and three vertices (float32 each) and 16 bits of
// attributes, little-endian, without padding.
const (
	RecordSize = 50
	Vertices   = 12 // offset in bytes of the first vertex in a record
	Attribute  = 48 // offset in bytes of the attributes in a record
)

// coordinates is the number of coordinates in a record: three vertices of x, y
// and z, in this order.
const coordinates = 9

// record is one triangle as it stands in the file.
type record = [RecordSize]byte

func floatAt(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
