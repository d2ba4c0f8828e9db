package encode

import (
	"bytes"
	"encoding/binary"
	"testing"

	"golang.org/x/image/tiff"
)

// TestTIFFRows writes a picture some rows at a time and reads it by another decoder.
func TestTIFFRows(t *testing.T) {
	const width, height = 31, 17
	pix := ramp(width, height)
	for _, channels := range []int{3, 4} {
		var want, got bytes.Buffer
		if err := TIFF(&want, pix, width, height, channels, 0); err != nil {
			t.Fatal(err)
		}
		rows, err := NewTIFFRows(&got, width, height, channels, 0)
		if err != nil {
			t.Fatal(err)
		}
		for y, n := 0, 1; y < height; y, n = y+n, min(n+2, height-y-n) {
			if err := rows.Rows(pix[4*width*y:], n); err != nil {
				t.Fatal(err)
			}
		}
		if rows.Rows(pix, 1) == nil {
			t.Error("no error for a row too many")
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%d channels: another file", channels)
		}
		img, err := tiff.Decode(&got)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range straight(t, img).Pix {
			want := pix[i]
			if i%4 == 3 && channels == 3 {
				want = 255
			}
			if v != want {
				t.Fatalf("%d channels: byte %d is %d, want %d", channels, i, v, want)
			}
		}
	}
}

func TestTIFFRowsErrors(t *testing.T) {
	for _, c := range [][3]int{{0, 1, 3}, {1, 0, 3}, {1, 1, 2}, {1 << 30, 1, 3}} {
		if _, err := NewTIFFRows(&bytes.Buffer{}, c[0], c[1], c[2], 0); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
	rows, err := NewTIFFRows(&bytes.Buffer{}, 4, 4, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	if rows.Rows(make([]byte, 15), 1) == nil || rows.Rows(nil, 0) == nil {
		t.Error("no error for too few bytes")
	}
	if err := rows.Rows(make([]byte, 64), 3); err != nil {
		t.Fatal(err)
	}
	if rows.Close() == nil {
		t.Error("no error for a missing row")
	}
}

// Files above 4 GiB are BigTIFF: offsets of 8 bytes, entries of 20.
func TestBigTIFF(t *testing.T) {
	const width, height, channels = 65536, 65536, 4
	head, tail := tiffFrame(width, height, channels, []uint64{8, 8, 8, 8}, 2, []field{{tagExtra, typeShort, []uint64{2}}})
	le := binary.LittleEndian
	const size = uint64(channels) * width * height
	if !bytes.Equal(head[:8], []byte{'I', 'I', 43, 0, 8, 0, 0, 0}) || le.Uint64(head[8:]) != 16+size || len(head) != 16 {
		t.Fatalf("header % x", head)
	}
	n := int(le.Uint64(tail))
	if want := 8 + 20*n + 8; n != 10 || len(tail) != want {
		t.Fatalf("%d entries in %d bytes, want %d", n, len(tail), want)
	}
	last := uint16(0)
	for i := range n {
		e := tail[8+20*i:][:20]
		tag, count, value := le.Uint16(e), le.Uint64(e[4:]), le.Uint64(e[12:])
		if tag <= last || count < 1 {
			t.Errorf("tag %d with %d values after %d", tag, count, last)
		}
		last = tag
		want := map[uint16]uint64{tagWidth: width, tagHeight: height, tagBits: 0x0008000800080008, tagStrips: 16, tagBytes: size, tagRows: height}[tag]
		if want != 0 && value != want {
			t.Errorf("tag %d is %d, want %d", tag, value, want)
		}
	}
}
