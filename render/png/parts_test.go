package png

import (
	"bytes"
	"hash/adler32"
	"testing"

	"pgregory.net/rapid"
)

func TestAdler(t *testing.T) {
	data := noise("", 100, 80).pix
	for i := range 3000 {
		data[i] = 0xFF
	}
	for n := range 4000 {
		a := newAdler()
		a.update(data[:n])
		if got, want := a.sum(), adler32.Checksum(data[:n]); got != want {
			t.Fatalf("%d bytes: %08x, want %08x", n, got, want)
		}
	}
	// Bytes of 0xFF give the largest possible sums.
	long := bytes.Repeat([]byte{0xFF}, 3*adlerBlock+77)
	a := newAdler()
	a.update(long)
	if got, want := a.sum(), adler32.Checksum(long); got != want {
		t.Errorf("%d bytes of 255: %08x, want %08x", len(long), got, want)
	}
}

func TestAdlerParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var whole []byte
		total := newAdler()
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			part := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "part")
			zeros := rapid.IntRange(0, 200000).Draw(t, "zeros")
			a := newAdler()
			a.update(part)
			a.updateZeros(zeros)
			part = append(part, make([]byte, zeros)...)
			total = total.combine(a, len(part))
			whole = append(whole, part...)
		}
		if got, want := total.sum(), adler32.Checksum(whole); got != want {
			t.Fatalf("%08x, want %08x", got, want)
		}
	})
}

// unfilter restores a filtered row as PNG section 9.2 defines it.
func unfilter(filter byte, row, above []byte, bpp int) []byte {
	out := make([]byte, len(row))
	for i, x := range row {
		var a, b, c int
		b = int(above[i])
		if i >= bpp {
			a, c = int(out[i-bpp]), int(above[i-bpp])
		}
		switch filter {
		case 0:
			out[i] = x
		case 1:
			out[i] = x + byte(a)
		case 2:
			out[i] = x + byte(b)
		case 4:
			out[i] = x + paethOfSpec(a, b, c)
		}
	}
	return out
}

func paethOfSpec(a, b, c int) byte {
	dist := func(x int) int { return max(a+b-c-x, x-a-b+c) }
	switch {
	case dist(a) <= dist(b) && dist(a) <= dist(c):
		return byte(a)
	case dist(b) <= dist(c):
		return byte(b)
	}
	return byte(c)
}

func TestFilters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bpp := rapid.IntRange(1, 4).Draw(t, "bpp")
		n := bpp * rapid.IntRange(1, 70).Draw(t, "pixels")
		// With few values neighbours are often equal, and with all values differences wrap around.
		value := rapid.SampledFrom([]*rapid.Generator[byte]{rapid.Byte(), rapid.ByteRange(0, 1), rapid.SampledFrom([]byte{0, 1, 127, 128, 255})}).Draw(t, "values")
		cur := rapid.SliceOfN(value, n, n).Draw(t, "cur")
		above := rapid.SliceOfN(value, n, n).Draw(t, "above")
		for _, filter := range []byte{filterNone, filterSub, filterUp, filterPaeth} {
			dst := bytes.Repeat([]byte{0xA5}, n+16)
			filterRow(filter, dst[:n], cur, above, bpp)
			if got := unfilter(filter, dst[:n], above, bpp); !bytes.Equal(got, cur) {
				t.Fatalf("filter %d: restored %v, want %v", filter, got, cur)
			}
			if !bytes.Equal(dst[n:], bytes.Repeat([]byte{0xA5}, 16)) {
				t.Fatalf("filter %d writes beyond the row", filter)
			}
		}
	})
}

func TestPredict(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			for c := 0; c < 256; c += 3 {
				if got, want := predict(a, b, c), paethOfSpec(a, b, c); got != want {
					t.Fatalf("predict(%d, %d, %d) = %d, want %d", a, b, c, got, want)
				}
			}
		}
	}
}

// TestPacking compares the packing functions with packing one pixel at a time.
func TestPacking(t *testing.T) {
	for n := 1; n <= 70; n++ {
		src := noise("", n, 1).pix
		for _, colour := range []byte{colourGrey, colourGreyAlpha, colourRGB} {
			f := newFormat(n, 1, colour, 8, Fast)
			var want []byte
			for o := 0; o < len(src); o += 4 {
				switch colour {
				case colourGrey:
					want = append(want, src[o])
				case colourGreyAlpha:
					want = append(want, src[o+2], src[o+3])
				case colourRGB:
					want = append(want, src[o:o+3]...)
				}
			}
			s := source{pix: src}
			buf := bytes.Repeat([]byte{0xA5}, f.rowBytes+16)
			if got := s.row(&f, 0, buf); !bytes.Equal(got, want) {
				t.Fatalf("colour type %d, %d pixels: %v, want %v", colour, n, got, want)
			}
			if !bytes.Equal(buf[f.rowBytes:], bytes.Repeat([]byte{0xA5}, 16)) {
				t.Fatalf("colour type %d, %d pixels: writes beyond the row", colour, n)
			}
		}
	}
}

// TestRowTraits changes single bytes of a grey, opaque row.
func TestRowTraits(t *testing.T) {
	for n := 1; n <= 20; n++ {
		row := bytes.Repeat([]byte{7, 7, 7, 255}, n)
		if got := rowTraits(row); got != (traits{true, true}) {
			t.Fatalf("%d pixels: %v", n, got)
		}
		for i := range row {
			row[i] ^= 1
			want := traits{opaque: i%4 != 3, grey: i%4 == 3}
			if got := rowTraits(row); got != want {
				t.Fatalf("%d pixels, byte %d changed: %v, want %v", n, i, got, want)
			}
			row[i] ^= 1
		}
	}
}
