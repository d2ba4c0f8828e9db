package ply

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"lockstep/scenes/internal/meshtest"
)

// A bulkFile is a binary file with more rows than are decoded at once.
type bulkFile struct {
	order  binary.ByteOrder
	vertex []string // properties, such as "float x"
	count  string   // type of the number before each list of corners
	odd    map[int][]uint32
}

const bulkRows = 3*pieceRows + 77

// bytes returns the file: vertices with increasing numbers, and triangles. The map `odd` replaces the corners of some
// faces.
func (f *bulkFile) bytes() []byte {
	var b bytes.Buffer
	name := "binary_little_endian"
	if f.order == binary.BigEndian {
		name = "binary_big_endian"
	}
	fmt.Fprintf(&b, "ply\nformat %s 1.0\nelement vertex %d\n", name, bulkRows)
	for _, p := range f.vertex {
		fmt.Fprintf(&b, "property %s\n", p)
	}
	fmt.Fprintf(&b, "element face %d\nproperty list %s int vertex_indices\nend_header\n", bulkRows, f.count)
	put := func(v any) {
		if err := binary.Write(&b, f.order, v); err != nil {
			panic(err)
		}
	}
	for i := range bulkRows {
		for k, p := range f.vertex {
			switch v := i*7 + k*k*11; p[:3] {
			case "flo":
				put(float32(v%1013) / 8)
			case "dou":
				put(float64(v%1013) / 8)
			case "sho":
				put(int16(v))
			default:
				put(uint8(v))
			}
		}
	}
	for i := range bulkRows {
		corners, odd := f.odd[i]
		if !odd {
			corners = []uint32{uint32(i), uint32(i*5) % bulkRows, uint32(i*3+1) % bulkRows}
		}
		switch f.count {
		case "uchar":
			put(uint8(len(corners)))
		case "ushort":
			put(uint16(len(corners)))
		default:
			put(int32(len(corners)))
		}
		put(corners)
	}
	return b.Bytes()
}

// TestBulkAfterOthers reads files with two elements of vertices. The vertices of the second element have colours,
// normals, texture coordinates or fields, and those of the first element do not.
func TestBulkAfterOthers(t *testing.T) {
	for _, more := range [][]string{{"uchar red", "uchar green", "uchar blue"}, {"float nx", "float ny", "float nz"}, {"float s", "float t"}, {"float heat"}} {
		f := bulkFile{order: binary.LittleEndian, vertex: append([]string{"float x", "float y", "float z"}, more...), count: "uchar"}
		first := fmt.Sprintf("element vertex 2\nproperty float x\nproperty float y\nproperty float z\nelement vertex %d\n", bulkRows)
		file := bytes.Replace(f.bytes(), fmt.Appendf(nil, "element vertex %d\n", bulkRows), []byte(first), 1)
		head, rows, _ := bytes.Cut(file, []byte("end_header\n"))
		file = slices.Concat(head, []byte("end_header\n"), []byte(packed(f.order, []float32{1, 2, 3, 4, 5, 6})), rows)
		meshtest.CompareReaders(t, fileFormat{}, fileFormat{sequential: true}, file)
	}
}

// TestBulk compares rows that several goroutines decode with rows that are read one by one. The files have all
// properties of vertices and both byte orders. Some faces at the ends of pieces and inside them are not triangles, or
// refer to missing vertices.
func TestBulk(t *testing.T) {
	place := []string{"float x", "float y", "float z"}
	all := []string{"uchar red", "uchar green", "uchar blue", "float nx", "double z", "float y", "float ny", "short quality", "float x", "float nz", "float s", "float t"}
	odd := map[int][]uint32{
		pieceRows - 1: {0, 1, bulkRows}, pieceRows: {0, 1, 2, 3}, 2*pieceRows + 5: {0, 1, 1 << 31}, 2*pieceRows + 90: {0, 1, 2, 3}, bulkRows - 1: {bulkRows, 1, 2},
	}
	for name, f := range map[string]*bulkFile{
		"triangles":       {vertex: place, count: "uchar"},
		"last vertex":     {vertex: place, count: "uchar", odd: map[int][]uint32{9: {bulkRows - 1, 0, 1}}},
		"odd faces":       {vertex: place, count: "uchar", odd: odd},
		"short lengths":   {vertex: place, count: "ushort", odd: odd},
		"int lengths":     {vertex: append([]string{"uchar flags"}, place...), count: "int", odd: odd},
		"all of a vertex": {vertex: all, count: "uchar", odd: odd},
	} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			t.Run(fmt.Sprintf("%s/%v", name, order), func(t *testing.T) {
				t.Parallel()
				f := *f
				f.order = order
				file := f.bytes()
				meshtest.CompareReaders(t, fileFormat{}, fileFormat{sequential: true}, file)
				meshtest.CompareReaders(t, fileFormat{}, fileFormat{sequential: true}, file[:len(file)-3000])
				meshtest.CompareReaders(t, fileFormat{}, fileFormat{sequential: true}, file[:len(file)/5])
			})
		}
	}
}
