package encode

import (
	"bytes"
	"encoding/binary"
	"image/jpeg"
	"testing"
)

// ramp is a picture of different pixels, the last one transparent.
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

func TestJPEG(t *testing.T) {
	pix := bytes.Repeat([]byte{200, 100, 50, 255}, 16*16)
	var b bytes.Buffer
	if err := JPEG(&b, pix, 16, 16, 92, 0); err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if r, g, bl, _ := img.At(8, 8).RGBA(); r>>8 < 197 || r>>8 > 203 || g>>8 < 97 || g>>8 > 103 || bl>>8 < 47 || bl>>8 > 53 {
		t.Errorf("%d %d %d", r>>8, g>>8, bl>>8)
	}
	for _, err := range []error{JPEG(&b, pix, 17, 16, 92, 0), BMP(&b, pix, 0, 5, 0), TIFF(&b, nil, 1, 1, 3, 0), FloatTIFF(&b, nil, 1, 1)} {
		if err == nil {
			t.Error("no error for pixels that are missing")
		}
	}
}
