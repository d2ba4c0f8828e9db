package encode

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// ramp returns a picture in which all pixels differ, and the last one is transparent.
func ramp(width, height int) (pix []byte) {
	for i := range width * height {
		pix = append(pix, byte(i*3), byte(i*5), byte(i*7), 255)
	}
	pix[len(pix)-1] = 0
	return pix
}

func TestBMP(t *testing.T) {
	var b bytes.Buffer
	pix := ramp(5, 3)
	if err := BMP(&b, pix, 5, 3, 0); err != nil {
		t.Fatal(err)
	}
	d, le := b.Bytes(), binary.LittleEndian
	if string(d[:2]) != "BM" || int(le.Uint32(d[2:])) != len(d) || le.Uint32(d[18:]) != 5 || le.Uint32(d[22:]) != 3 || le.Uint16(d[28:]) != 24 {
		t.Fatalf("header % x", d[:54])
	}
	const stride = 16
	for y := range 3 {
		for x := range 5 {
			got, want := d[54+stride*(2-y)+3*x:][:3], pix[4*(5*y+x):][:4]
			if want[3] == 0 {
				want = []byte{255, 255, 255}
			}
			if got[0] != want[2] || got[1] != want[1] || got[2] != want[0] {
				t.Errorf("pixel %d,%d: % x, want % x", x, y, got, want)
			}
		}
	}
}

// tags reads the directory of a little-endian TIFF file.
func tags(t *testing.T, d []byte) map[uint16]uint32 {
	t.Helper()
	le := binary.LittleEndian
	at, found, last := le.Uint32(d[4:]), map[uint16]uint32{}, uint16(0)
	for i := range uint32(le.Uint16(d[at:])) {
		e := d[at+2+12*i:]
		if le.Uint16(e) <= last {
			t.Errorf("tag %d is out of order", le.Uint16(e))
		}
		last = le.Uint16(e)
		found[last] = le.Uint32(e[8:])
	}
	return found
}

// TestMissingPixels checks that too few pixels are an error.
func TestMissingPixels(t *testing.T) {
	var b bytes.Buffer
	pix := ramp(4, 4)
	for _, err := range []error{BMP(&b, pix, 0, 5, 0), BMP(&b, pix, 5, 4, 0), TIFF(&b, nil, 1, 1, 3, 0), FloatTIFF(&b, nil, 1, 1)} {
		if err == nil {
			t.Error("no error for pixels that are missing")
		}
	}
}
