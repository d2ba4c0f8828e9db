package stl

import (
	"encoding/binary"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/stl/internal/kernel"
)

// A binary STL file is a header of 80 bytes without a fixed meaning, the number of triangles as a uint32, and a record
// for each triangle: normal, three vertices (float32 each) and 16 bits of attributes, all little-endian.
const (
	commentSize = 80
	headerSize  = 84
	recordSize  = kernel.RecordSize
	verticesAt  = kernel.Vertices
	attributeAt = kernel.Attribute
)

func floatAt(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// decodeRecords writes the vertices of the records in raw to the triangles of dst, starting with triangle lo.
func decodeRecords(k *kernel.Set, dst *scenes.Block, lo int, raw []byte) {
	hi := lo + len(raw)/recordSize
	k.Decode(kernel.Columns{
		dst.X[0][lo:hi], dst.Y[0][lo:hi], dst.Z[0][lo:hi],
		dst.X[1][lo:hi], dst.Y[1][lo:hi], dst.Z[1][lo:hi],
		dst.X[2][lo:hi], dst.Y[2][lo:hi], dst.Z[2][lo:hi],
	}, raw)
}
