package meshopt

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

func words(v ...uint32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func shorts(v ...int16) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint16(b, uint16(x))
	}
	return b
}

// Known answers from the tests of meshoptimizer (tests.cpp).
var (
	triangles = []byte{
		0xe1, 0xf0, 0x10, 0xfe, 0x1f, 0x3d, 0x00, 0x0a, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
	}
	wantTriangles = []uint32{0, 1, 2, 2, 1, 3, 0, 1, 2, 2, 1, 5, 2, 1, 4}
	sequence      = []byte{0xd1, 0x00, 0x04, 0xcd, 0x01, 0x04, 0x07, 0x98, 0x1f, 0x00, 0x00, 0x00, 0x00}
	wantSequence  = []uint32{0, 1, 51, 2, 49, 1000}
)

func TestIndices(t *testing.T) {
	if got, err := DecodeTriangles(triangles, 15, 4); err != nil || !bytes.Equal(got, words(wantTriangles...)) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := DecodeSequence(sequence, 6, 4); err != nil || !bytes.Equal(got, words(wantSequence...)) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := DecodeSequence(sequence, 6, 2); err != nil || !bytes.Equal(got, shorts(0, 1, 51, 2, 49, 1000)) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFilters(t *testing.T) {
	for _, c := range []struct {
		name     string
		filter   func([]byte, int) error
		size     int
		in, want []byte
	}{
		{"octahedral", Octahedral, 4, []byte{0, 1, 127, 0, 0, 187, 127, 1, 255, 1, 127, 0, 14, 130, 127, 1}, []byte{0, 1, 127, 0, 0, 159, 82, 1, 255, 1, 127, 0, 1, 130, 241, 1}},
		{"quaternion", Quaternion, 8, shorts(0, 1, 0, 0x7fc, 0, 1870, 0, 0x7fd, 2017, 1, 0, 0x7fe, 14, 1300, 0, 0x7ff), shorts(32767, 0, 11, 0, 0, 25013, 0, 21166, 11, 0, 23504, 22830, 158, 14715, 0, 29277)},
		{"color", Color, 4, []byte{0x40, 0x7f, 0xc1, 0xff, 0x7f, 0x00, 0x7f, 0xc0, 0x40, 0x81, 0xc0, 0xa0, 0x66, 0x00, 0x00, 0xdf}, []byte{254, 1, 0, 255, 0, 254, 0, 128, 1, 0, 255, 64, 102, 102, 102, 191}},
		{"color of 12 bits", Color, 8, shorts(0x0666, 0, 0, 0x0dff), shorts(26214, 26214, 26214, -16389)},
		{"color of no bits", Color, 4, []byte{9, 9, 9, 0}, []byte{0, 0, 0, 0}},
		{"color beyond its range", Color, 4, []byte{255, 127, 129, 255, 0, 128, 127, 255}, []byte{255, 128, 255, 255, 0, 127, 1, 255}},
		{"exponential", Exponential, 4, words(0, 0xff000003, 0x02fffff7, 0xfe7fffff), words(0, 0x3fc00000, 0xc2100000, 0x49fffffe)},
	} {
		got := slices.Clone(c.in)
		if err := c.filter(got, c.size); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// TestVertices decodes runs with each number of bits, which are written by hand.
func TestVertices(t *testing.T) {
	// Four runs of one block of 17 vertices, with two groups each.
	data := []byte{vertexHeader}
	data = append(data, 0b0001)                                                 // 2 bits, then 0 bits
	data = append(data, 0b01_00_00_10, 0b11_00_00_00, 0, 0, 9)                  // -1, 0, 0, +1, and 9 for -5
	data = append(data, 0b0010, 0x1f, 0, 0, 0, 0, 0, 0, 0, 16)                  // 4 bits: -1, and 16 for +8
	data = append(data, 0b0011, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2) // 8 bits: +1 each
	data = append(data, 0b0100, 0b01_00_00_00, 0, 0, 0)                         // 0 bits for the first group, and then -1
	data = append(data, make([]byte, leastTail[0]-4)...)
	data = append(data, 10, 20, 30, 40) // the vertex before the first one
	got, err := DecodeVertices(data, 17, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		vertex int
		want   []byte
	}{{0, []byte{9, 19, 31, 40}}, {1, []byte{9, 27, 32, 40}}, {3, []byte{10, 27, 34, 40}}, {4, []byte{5, 27, 35, 40}}, {15, []byte{5, 27, 46, 40}}, {16, []byte{5, 27, 46, 39}}} {
		if v := got[4*c.vertex : 4*c.vertex+4]; !bytes.Equal(v, c.want) {
			t.Errorf("vertex %d: %v, want %v", c.vertex, v, c.want)
		}
	}
	for n := range data {
		if _, err := DecodeVertices(data[:n], 17, 4); err == nil {
			t.Errorf("%d bytes of %d are enough", n, len(data))
		}
	}
}

// TestRefused checks that data that is too short or too long is refused, and so are sizes that the format does not
// allow.
func TestRefused(t *testing.T) {
	for n := range triangles {
		if _, err := DecodeTriangles(triangles[:n], 15, 4); err == nil {
			t.Errorf("triangles: %d bytes are enough", n)
		}
	}
	for n := range sequence {
		if _, err := DecodeSequence(sequence[:n], 6, 4); err == nil {
			t.Errorf("sequence: %d bytes are enough", n)
		}
	}
	for name, err := range map[string]error{
		"count":       second(DecodeTriangles(triangles, 14, 4)),
		"size":        second(DecodeTriangles(triangles, 15, 3)),
		"long":        second(DecodeTriangles(triangles, 12, 4)),
		"many":        second(DecodeTriangles(triangles, 3*(math.MaxInt>>4), 4)),
		"version":     second(DecodeTriangles(append([]byte{0xe2}, triangles[1:]...), 15, 4)),
		"sequence":    second(DecodeSequence(sequence, 5, 4)),
		"vertices":    second(DecodeVertices(append([]byte{vertexHeader}, make([]byte, 100)...), math.MaxInt>>4, 4)),
		"vertex size": second(DecodeVertices(append([]byte{vertexHeader}, make([]byte, 100)...), 1, 6)),
		"octahedral":  Octahedral(nil, 12), "quaternion": Quaternion(nil, 4), "exponential": Exponential(nil, 6),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second(_ []byte, err error) error { return err }

// FuzzDecode decodes arbitrary data. The result must have the requested size.
func FuzzDecode(f *testing.F) {
	f.Add(triangles, 15, 4)
	f.Add(sequence, 6, 2)
	f.Add(usualVertices, 4, 12)
	f.Add(customVertices, 4, 12)
	f.Add(differences, 16, 8)
	f.Fuzz(func(t *testing.T, data []byte, count, size int) {
		for _, decode := range []func([]byte, int, int) ([]byte, error){DecodeTriangles, DecodeSequence, DecodeVertices} {
			out, err := decode(data, count, size)
			if err == nil && len(out) != count*size || len(out) > Expansion*len(data) {
				t.Fatalf("%d bytes of %d, want %d of %d", len(out), len(data), count, size)
			}
			for _, filter := range []func([]byte, int) error{Octahedral, Quaternion, Exponential, Color} {
				if err := filter(out, size); err == nil && size <= 0 {
					t.Fatal("elements without a size")
				}
			}
		}
	})
}
