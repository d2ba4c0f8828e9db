package encode

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestResolution checks that files state the resolution in the fields of their formats. Otherwise the files must not
// differ.
func TestResolution(t *testing.T) {
	const width, height, dpi = 5, 3, 300
	pix := ramp(width, height)
	var plain, b bytes.Buffer
	le := binary.LittleEndian
	if BMP(&plain, pix, width, height, 0) != nil || BMP(&b, pix, width, height, dpi) != nil {
		t.Fatal("BMP")
	}
	d := b.Bytes()
	if x, y := le.Uint32(d[38:]), le.Uint32(d[42:]); x != 11811 || y != 11811 { // 300 / 0.0254
		t.Errorf("BMP: %d and %d a metre", x, y)
	}
	if x := le.Uint32(plain.Bytes()[38:]); x != 2835 || !bytes.Equal(d[54:], plain.Bytes()[54:]) {
		t.Errorf("BMP: %d a metre without a resolution", x)
	}
	b.Reset()
	if err := TIFF(&b, pix, width, height, 4, dpi); err != nil {
		t.Fatal(err)
	}
	found := tags(t, b.Bytes())
	for _, tag := range []uint16{tagXResolution, tagYResolution} {
		at := found[tag]
		if num, den := le.Uint32(b.Bytes()[at:]), le.Uint32(b.Bytes()[at+4:]); num != dpi || den != 1 {
			t.Errorf("TIFF: tag %d is %d/%d", tag, num, den)
		}
	}
	if found[tagUnit] != 2 {
		t.Errorf("TIFF: unit %d", found[tagUnit])
	}
	for _, dpi := range []int{-1, 65536} {
		if BMP(&b, pix, width, height, dpi) == nil || TIFF(&b, pix, width, height, 3, dpi) == nil {
			t.Errorf("%d dots per inch: no error", dpi)
		}
	}
}
