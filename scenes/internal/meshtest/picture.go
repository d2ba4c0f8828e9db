package meshtest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// PNG returns a PNG file with a picture of width x height pixels, each given as 0x00RRGGBB.
func PNG(tb testing.TB, width, height int, pixels ...uint32) []byte {
	tb.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, rgb := range pixels {
		m.SetNRGBA(i%width, i/width, color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}
