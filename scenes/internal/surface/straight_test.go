package surface

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"
)

// TestStraight compares conversions of all kinds of pictures with conversions pixel by pixel in package draw.
func TestStraight(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	r := image.Rect(2, 3, 40, 30)
	ycc := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
	for _, plane := range [][]byte{ycc.Y, ycc.Cb, ycc.Cr} {
		for i := range plane {
			plane[i] = byte(random.Uint32())
		}
	}
	pictures := []draw.Image{image.NewRGBA(r), image.NewNRGBA(r), image.NewGray(r), image.NewGray16(r), image.NewNRGBA64(r), image.NewCMYK(r),
		image.NewPaletted(r, color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 100, 50, 255}})}
	all := []image.Image{ycc}
	for _, p := range pictures {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				p.Set(x, y, color.NRGBA{byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32())})
			}
		}
		all = append(all, p)
	}
	for _, m := range all {
		got := toNRGBA(m)
		want := image.NewNRGBA(got.Rect)
		draw.Draw(want, want.Rect, m, m.Bounds().Min, draw.Src)
		if string(got.Pix) != string(want.Pix) {
			t.Errorf("%T: other pixels", m)
		}
	}
}
