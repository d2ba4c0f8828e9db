package surface_test

import (
	"context"
	"encoding/binary"
	"image/color"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/internal/surface"
)

// Kinds of compression of BMP files.
const (
	bmpPlain = iota
	bmpRuns8
	bmpRuns4
	bmpMasks
)

// bmpFile returns a BMP file of 2x2 pixels with a header of 40 bytes. table holds masks or a colour table.
func bmpFile(bits uint16, compression uint32, table []uint32, rows []byte) []byte {
	le := binary.LittleEndian
	start := uint32(14 + 40 + 4*len(table))
	b := le.AppendUint32([]byte("BM"), start+uint32(len(rows)))
	b = le.AppendUint32(b, 0)
	for _, v := range []uint32{start, 40, 2, 2} {
		b = le.AppendUint32(b, v)
	}
	b = le.AppendUint16(le.AppendUint16(b, 1), bits)
	colors := uint32(len(table))
	if compression == bmpMasks {
		colors = 0
	}
	for _, v := range []uint32{compression, uint32(len(rows)), 0, 0, colors, 0} {
		b = le.AppendUint32(b, v)
	}
	for _, v := range table {
		b = le.AppendUint32(b, v)
	}
	return append(b, rows...)
}

// TestBMP decodes pictures of every depth and compression. The upper row is red and green, and the lower row is blue
// and white.
func TestBMP(t *testing.T) {
	table := []uint32{0xff0000, 0x00ff00, 0x0000ff, 0xffffff}
	wide := []byte{0, 0, 255, 0, 255, 255, 255, 0, 255, 0, 0, 0, 0, 255, 0, 0} // red, green, blue, unused; lower row first
	for name, file := range map[string][]byte{
		"2 bits":            bmpFile(2, bmpPlain, table, []byte{0b1011_0000, 0, 0, 0, 0b0001_0000, 0, 0, 0}),
		"4 bits in runs":    bmpFile(4, bmpRuns4, table, []byte{2, 0x23, 0, 0, 2, 0x01, 0, 1}),
		"8 bits in runs":    bmpFile(8, bmpRuns8, table, []byte{1, 2, 1, 3, 0, 0, 1, 0, 1, 1, 0, 1}),
		"16 bits":           bmpFile(16, bmpPlain, nil, []byte{0x1f, 0, 0xff, 0x7f, 0, 0x7c, 0xe0, 0x03}),
		"16 bits by masks":  bmpFile(16, bmpMasks, []uint32{0xf800, 0x07e0, 0x001f}, []byte{0x1f, 0, 0xff, 0xff, 0, 0xf8, 0xe0, 0x07}),
		"32 bits":           bmpFile(32, bmpPlain, nil, rotate(wide)),
		"32 bits, reversed": bmpFile(32, bmpMasks, []uint32{0xff, 0xff00, 0xff0000}, wide),
	} {
		in := meshtest.Input(context.Background(), scenes.ReadOptions{})
		m, err := surface.Decode(in, file, 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}
		for i, c := range want {
			if got := m.NRGBAAt(i%2, i/2); got != c {
				t.Errorf("%s: pixel %d is %v, expected %v", name, i, got, c)
			}
		}
		whole := len(file)
		if strings.Contains(name, "in runs") {
			whole -= 2 // without the mark of the end
		}
		for n := range whole {
			if _, err := surface.Decode(in, file[:n], 0); err == nil {
				t.Errorf("%s: cut after %d bytes it is read without an error", name, n)
			}
		}
	}
}

// TestBMPAlpha checks that the alpha of pictures with newer headers of 108 bytes is kept.
func TestBMPAlpha(t *testing.T) {
	file := bmpFile(32, bmpPlain, nil, []byte{30, 20, 10, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255})
	file = slices.Insert(file, 54, make([]byte, 68)...)
	file[10], file[14] = 14+108, 108
	got, err := surface.Decode(meshtest.Input(context.Background(), scenes.ReadOptions{}), file, 0)
	if err != nil || got.NRGBAAt(0, 1) != (color.NRGBA{10, 20, 30, 40}) || got.NRGBAAt(1, 1).A != 0 || got.NRGBAAt(1, 0).A != 255 {
		t.Errorf("%v, %v", got, err)
	}
}

// rotate swaps the first and the third of every four bytes.
func rotate(b []byte) []byte {
	b = append([]byte(nil), b...)
	for i := 0; i < len(b); i += 4 {
		b[i], b[i+2] = b[i+2], b[i]
	}
	return b
}
