package tga

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// head returns a header.
func head(kind, tableFirst, table, tableDepth, width, height, depth, flags int, name string) []byte {
	b := []byte{byte(len(name)), 0, byte(kind)}
	if table > 0 {
		b[1] = 1
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(tableFirst))
	b = binary.LittleEndian.AppendUint16(b, uint16(table))
	b = append(b, byte(tableDepth), 7, 0, 9, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(width))
	b = binary.LittleEndian.AppendUint16(b, uint16(height))
	return append(append(b, byte(depth), byte(flags)), name...)
}

// stored returns a pixel in the form of a file.
func stored(c [4]uint8, bits int) []byte {
	if bits >= 24 {
		return []byte{c[2], c[1], c[0], c[3]}[:bits/8]
	}
	v := uint16(c[0]>>3)<<10 | uint16(c[1]>>3)<<5 | uint16(c[2]>>3)
	if c[3] >= 128 {
		v |= 0x8000
	}
	return []byte{byte(v), byte(v >> 8)}
}

// packed encodes pixels of n bytes in packets: runs of two or more pixels, and other pixels.
func packed(pixels []byte, n int) (b []byte) {
	at := func(i int) []byte { return pixels[i*n : (i+1)*n] }
	all := len(pixels) / n
	for i := 0; i < all; {
		run := 1
		for run < maxPacketPixels && i+run < all && bytes.Equal(at(i), at(i+run)) {
			run++
		}
		if run > 1 {
			b = append(append(b, byte(0x80|run-1)), at(i)...)
			i += run
			continue
		}
		k := 1
		for k < maxPacketPixels && i+k < all && !bytes.Equal(at(i+k-1), at(i+k)) {
			k++
		}
		b = append(append(b, byte(k-1)), pixels[i*n:(i+k)*n]...)
		i += k
	}
	return b
}

// pixelAt returns the pixel at (x, y).
func pixelAt(m *image.NRGBA, x, y int) [4]uint8 {
	c := m.NRGBAAt(x, y)
	return [4]uint8{c.R, c.G, c.B, c.A}
}

var (
	red, green, blue, faint = [4]uint8{255, 0, 0, 255}, [4]uint8{0, 255, 0, 255}, [4]uint8{0, 0, 255, 255}, [4]uint8{255, 255, 255, 0}
	quad                    = [][4]uint8{red, green, blue, faint} // in the order of a file, in rows of two
)

// TestDecode decodes four pixels for every kind of picture, every depth of pixels and every order of pixels.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ kind, depth, tableDepth int }{
		{2, 15, 0}, {2, 16, 0}, {2, 24, 0}, {2, 32, 0}, {1, 8, 15}, {1, 8, 16}, {1, 8, 24}, {1, 8, 32}, {1, 15, 24}, {1, 16, 24},
	} {
		for _, runs := range []bool{false, true} {
			for flags := range 4 {
				t.Run(fmt.Sprint(c, runs, flags), func(t *testing.T) {
					var table, body []byte
					depth, first := c.depth, 0
					if c.kind == kindTable {
						depth, first = c.tableDepth, 3
						for _, p := range quad {
							table = append(table, stored(p, c.tableDepth)...)
						}
					}
					for i, p := range quad {
						switch {
						case c.kind == kindColor:
							body = append(body, stored(p, c.depth)...)
						case c.depth == 8:
							body = append(body, byte(i+first))
						default:
							body = append(body, byte(i+first), 0)
						}
					}
					kind := c.kind
					if runs {
						kind, body = kind+runLengthFirst, packed(body, bytesOf(c.depth))
					}
					file := slices.Concat(head(kind, first, len(table)/max(1, bytesOf(c.tableDepth)), c.tableDepth, 2, 2, c.depth, 8|flags<<4, "a name"), table, body)
					m, err := Decode(file)
					if err != nil {
						t.Fatal(err)
					}
					checkQuad(t, m, flags, depth)
				})
			}
		}
	}
}

// checkQuad compares a picture with quad. In flags, bit 0 means that rows are stored from right to left, and bit 1
// means that columns are stored from top to bottom.
func checkQuad(t *testing.T, m *image.NRGBA, flags, depth int) {
	t.Helper()
	for i, want := range quad {
		if depth == 15 || depth == 24 {
			want[3] = 255
		}
		x, y := i%2, 1-i/2
		if flags&1 != 0 {
			x = 1 - x
		}
		if flags&2 != 0 {
			y = 1 - y
		}
		if got := pixelAt(m, x, y); got != want {
			t.Errorf("pixel %d: %v, want %v", i, got, want)
		}
	}
}

func TestGrey(t *testing.T) {
	m, err := Decode(append(head(3, 0, 0, 0, 2, 1, 8, 0x20, ""), 10, 200))
	if err != nil || pixelAt(m, 0, 0) != [4]uint8{10, 10, 10, 255} || pixelAt(m, 1, 0) != [4]uint8{200, 200, 200, 255} {
		t.Error(m, err)
	}
	m, err = Decode(append(head(11, 0, 0, 0, 3, 1, 8, 0x20, ""), 0x81, 7, 0, 9))
	if err != nil || pixelAt(m, 1, 0)[0] != 7 || pixelAt(m, 2, 0)[0] != 9 {
		t.Error(m, err)
	}
	m, err = Decode(append(head(11, 0, 0, 0, 3, 1, 8, 0x20, ""), 0x80, 7, 0xff, 9))
	if err != nil || pixelAt(m, 0, 0)[0] != 7 || pixelAt(m, 2, 0)[0] != 9 {
		t.Error("a run beyond the end:", m, err)
	}
	m, err = Decode(append(head(3, 0, 0, 0, 1, 1, 16, 8, ""), 10, 77))
	if err != nil || pixelAt(m, 0, 0) != [4]uint8{10, 10, 10, 77} {
		t.Error(m, err)
	}
}

// TestAlpha decodes pictures whose alpha is 0 everywhere, and pictures with an alpha that the header does not announce.
func TestAlpha(t *testing.T) {
	for flags, want := range map[int]uint8{0: 255, 8: 90} {
		m, err := Decode(append(head(2, 0, 0, 0, 1, 1, 32, flags, ""), 1, 2, 3, 90))
		if err != nil || pixelAt(m, 0, 0) != [4]uint8{3, 2, 1, want} {
			t.Error(flags, m, err)
		}
	}
	m, err := Decode(append(head(2, 0, 0, 0, 2, 1, 32, 8, ""), 1, 2, 3, 0, 4, 5, 6, 0))
	if err != nil || pixelAt(m, 0, 0)[3] != 255 || pixelAt(m, 1, 0)[3] != 255 {
		t.Error(m, err)
	}
}

// TestTableBesideColors decodes a picture with a colour table that its pixels do not use, and indices that are not in
// the table.
func TestTableBesideColors(t *testing.T) {
	m, err := Decode(slices.Concat(head(2, 0, 2, 24, 1, 1, 24, 0, ""), make([]byte, 6), []byte{1, 2, 3}))
	if err != nil || pixelAt(m, 0, 0) != [4]uint8{3, 2, 1, 255} {
		t.Error(m, err)
	}
	m, err = Decode(slices.Concat(head(1, 5, 1, 24, 3, 1, 8, 0, ""), []byte{1, 2, 3}, []byte{4, 5, 6}))
	if err != nil || pixelAt(m, 0, 0) != [4]uint8{0, 0, 0, 255} || pixelAt(m, 1, 0) != [4]uint8{3, 2, 1, 255} || pixelAt(m, 2, 0) != [4]uint8{0, 0, 0, 255} {
		t.Error(m, err)
	}
}

// TestRefused decodes files that are not TGA pictures, or that end early.
func TestRefused(t *testing.T) {
	whole := append(head(2, 0, 0, 0, 2, 2, 24, 0, "n"), make([]byte, 12)...)
	change := func(at int, v byte) []byte {
		b := bytes.Clone(whole)
		b[at] = v
		return b
	}
	runs := append(head(10, 0, 0, 0, 200, 1, 24, 0, ""), 0xff, 1, 2, 3, 0x83, 1, 2)
	for name, file := range map[string][]byte{
		"empty": nil, "a header alone": whole[:headerSize], "cut": whole[:len(whole)-1], "kind 0": change(2, 0), "kind 32": change(2, 32),
		"text": []byte("<!DOCTYPE html><html><body>Not found</body></html>"), "no width": change(12, 0), "no height": change(14, 0), "8 bits of colours": change(16, 8),
		"interleaved": change(17, 0x40), "a table without depth": append(head(1, 0, 4, 8, 1, 1, 8, 0, ""), make([]byte, 9)...),
		"no table": append(head(1, 0, 0, 0, 1, 1, 8, 0, ""), make([]byte, 9)...), "table of kind 2": change(1, 2),
		"huge": append(head(10, 0, 0, 0, 65535, 65535, 24, 0, ""), make([]byte, 1000)...),
		"runs": runs, "a packet of pixels that is cut": append(head(10, 0, 0, 0, 130, 1, 8, 0, ""), 0xff, 1, 3, 1),
		"depth 24 of grey": change(2, 3),
	} {
		if m, err := Decode(file); err == nil {
			t.Errorf("%s: %v", name, m.Rect)
		}
	}
	if Likely(head(10, 0, 0, 0, 5, 1, 24, 0, "")) {
		t.Error("a header alone is likely")
	}
	if !Likely(whole) || Likely(whole[:len(whole)-1]) || Likely(change(2, 9)) {
		t.Error("Likely")
	}
	if c, err := DecodeConfig(whole); err != nil || c.Width != 2 || c.Height != 2 {
		t.Error(c, err)
	}
}

// TestRoundTrip decodes random pictures with runs of all lengths.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 300).Draw(t, "width"), rapid.IntRange(1, 3).Draw(t, "height")
		want := image.NewNRGBA(image.Rect(0, 0, w, h))
		var body []byte
		few := rapid.IntRange(1, 4).Draw(t, "colours")
		for y := range h {
			for x := range w {
				v := uint8(rapid.IntRange(0, few).Draw(t, "value"))
				c := color.NRGBA{v, 7, 255 - v, 255 - v}
				want.SetNRGBA(x, y, c)
				body = append(body, c.B, c.G, c.R, c.A)
			}
		}
		kind := 2
		if rapid.Bool().Draw(t, "runs") {
			kind, body = 10, packed(body, 4)
		}
		got, err := Decode(append(head(kind, 0, 0, 0, w, h, 32, 0x28, ""), body...))
		if err != nil || !bytes.Equal(got.Pix, want.Pix) {
			t.Fatal(err)
		}
	})
}

// FuzzDecode decodes arbitrary data. A picture must have at most 128 pixels per byte.
func FuzzDecode(f *testing.F) {
	f.Add(append(head(2, 0, 0, 0, 2, 2, 24, 0, "n"), make([]byte, 12)...))
	f.Add(append(head(10, 0, 0, 0, 3, 1, 32, 0x28, ""), 0x81, 1, 2, 3, 4, 0, 5, 6, 7, 8))
	f.Add(slices.Concat(head(9, 0, 2, 16, 2, 1, 8, 0x10, ""), []byte{1, 2, 3, 4}, []byte{1, 0, 1}))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, configErr := DecodeConfig(file)
		m, err := Decode(file)
		if err == nil && (configErr != nil || m.Rect.Dx() != c.Width || m.Rect.Dy() != c.Height || len(m.Pix) > 4*maxPacketPixels*len(file)) {
			t.Fatalf("%v of %d bytes; %v, %v", m.Rect, len(file), c, configErr)
		}
		if Likely(file) != (configErr == nil) {
			t.Fatal(configErr)
		}
	})
}

// TestBitsOfAlpha checks that alpha is used only if the header says that alpha has bits.
func TestBitsOfAlpha(t *testing.T) {
	for _, c := range []struct {
		file  []byte
		alpha uint8
	}{
		{append(head(2, 0, 0, 0, 2, 1, 16, 1, ""), 0, 0, 0, 0x80), 0},
		{append(head(2, 0, 0, 0, 2, 1, 16, 0, ""), 0, 0, 0, 0x80), 255},
		{append(head(3, 0, 0, 0, 2, 1, 16, 8, ""), 9, 7, 9, 9), 7},
		{append(head(3, 0, 0, 0, 2, 1, 16, 0, ""), 9, 7, 9, 9), 255},
	} {
		m, err := Decode(c.file)
		if err != nil || pixelAt(m, 0, 0)[3] != c.alpha {
			t.Errorf("% x: %v, %v", c.file, m, err)
		}
	}
}

// TestNoTable checks that the size of a colour table is ignored if the header says that there is none.
func TestNoTable(t *testing.T) {
	file := head(2, 0, 0, 24, 1, 1, 24, 0, "")
	file[5] = 200
	if m, err := Decode(append(file, stored(red, 24)...)); err != nil || pixelAt(m, 0, 0) != red {
		t.Errorf("%v, %v", m, err)
	}
}

// TestLastPacket decodes packets that continue after the last pixel, and checks that a packet with missing pixels is
// refused.
func TestLastPacket(t *testing.T) {
	header := head(10, 0, 0, 0, 2, 1, 24, 0, "")
	pixels := append(stored(red, 24), stored(blue, 24)...)
	run := append(append(bytes.Clone(header), 0xff), pixels...)
	if m, err := Decode(run); err != nil || pixelAt(m, 0, 0) != red || pixelAt(m, 1, 0) != red {
		t.Errorf("run: %v, %v", m, err)
	}
	others := append(append(bytes.Clone(header), 0x7f), pixels...)
	if m, err := Decode(others); err != nil || pixelAt(m, 1, 0) != blue {
		t.Errorf("others: %v, %v", m, err)
	}
	for n := range len(pixels) {
		if _, err := Decode(others[:len(others)-1-n]); err == nil {
			t.Errorf("%d bytes are missing", 1+n)
		}
	}
}
