// Package kernel reads the records of binary STL files as fast as the cache delivers them. Summarize finds their
// bounding box and other facts in one pass. Decode copies their vertices into columns. Each function is written in
// plain Go, which is its specification, and again in assembly. Both have exactly the same results.
package kernel

import (
	"encoding/binary"
	"math"
)

// A record is a normal and three vertices (float32 each) and 16 bits of
// attributes, little-endian, without padding.
const (
	RecordSize = 50
	Vertices   = 12 // offset of the first vertex in a record
	Attribute  = 48 // offset of the attributes in a record
)

// coordinates is the number of coordinates in a record: three vertices of x, y
// and z, in this order.
const coordinates = 9

// A record is a triangle in the form in which the file stores it.
type record = [RecordSize]byte

func floatAt(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
