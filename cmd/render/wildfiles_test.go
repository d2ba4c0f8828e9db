package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
	"path/filepath"
	"testing"

	"golang.org/x/image/bmp"

	"lockstep/internal/clitest"
)

// wildSTL returns a binary STL file with the facets of a square on the ground. Each facet has an attribute, and
// `payload` more bytes after it.
func wildSTL(header string, attributes []uint16, payload int) string {
	b := append([]byte(header), bytes.Repeat([]byte{' '}, 80-len(header))...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(attributes)))
	square := [2][9]float32{{0, 0, 0, 1, 0, 0, 1, 1, 0}, {0, 0, 0, 1, 1, 0, 0, 1, 0}}
	for i, attribute := range attributes {
		b = append(b, make([]byte, 12)...)
		for _, v := range square[i%2] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		b = binary.LittleEndian.AppendUint16(b, attribute)
		b = append(b, bytes.Repeat([]byte{0xa5}, payload)...)
	}
	return string(b)
}

// wildTGA returns a TGA picture with 24 bits per pixel, whose left and right half have different colours.
func wildTGA(left, right color.NRGBA, runs bool) string {
	const n = 8
	b := make([]byte, 18)
	b[2], b[12], b[14], b[16], b[17] = 2, n, n, 24, 0x20
	if runs {
		b[2] = 10
	}
	for range n {
		for _, c := range []color.NRGBA{left, right} {
			if runs {
				b = append(b, 0x80|(n/2-1), c.B, c.G, c.R)
				continue
			}
			for range n / 2 {
				b = append(b, c.B, c.G, c.R)
			}
		}
	}
	return string(b)
}

// wildPicture returns an encoded picture whose left and right half have different colours.
func wildPicture(kind string, left, right color.NRGBA) string {
	m := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		c := left
		if i%8 >= 4 {
			c = right
		}
		m.SetNRGBA(i%8, i/8, c)
	}
	var b bytes.Buffer
	err := png.Encode(&b, m)
	if kind == "bmp" {
		b.Reset()
		err = bmp.Encode(&b, m)
	}
	if err != nil {
		panic(err)
	}
	return b.String()
}

// The colours of textures.
var (
	wildRed, wildBlue   = color.NRGBA{200, 20, 20, 255}, color.NRGBA{20, 20, 200, 255}
	wildWhite, wildHole = color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}
)

// looksLike returns a check of the colours of the left and the right half of a picture. The letters 'r', 'g' and 'b'
// stand for a colour in which this channel is by far the largest, '.' for grey, and 'o' for the nearly white
// background.
func looksLike(left, right byte) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		m := picture(t, clitest.Read(t, filepath.Join(dir, "picture.png")))
		for i, want := range []byte{left, right} {
			x := m.Bounds().Dx() * (1 + 2*i) / 4
			r, g, b, _ := m.At(x, m.Bounds().Dy()/2).RGBA()
			if got := hueOf(r>>8, g>>8, b>>8); got != want {
				t.Errorf("at column %d: %c, want %c: %d %d %d", x, got, want, r>>8, g>>8, b>>8)
			}
		}
	}
}

func hueOf(r, g, b uint32) byte {
	switch most := max(r, g, b); {
	case min(r, g, b) > 225:
		return 'o'
	case most-min(r, g, b) < 48: // a mesh without colours is bluish grey
		return '.'
	case most == r && 2*g < r && 2*b < r:
		return 'r'
	case most == g && 2*r < g && 2*b < g:
		return 'g'
	case most == b && 2*r < b && 2*g < b:
		return 'b'
	}
	return '?'
}
