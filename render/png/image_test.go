package png

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	stdpng "image/png"
	"math/rand/v2"
	"testing"
)

// TestEncodeImages writes images of several types, including parts of larger images, and decodes them with the standard
// library.
func TestEncodeImages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bounds := image.Rect(-3, 5, 34, 47)
	images := map[string]draw.Image{
		"NRGBA": image.NewNRGBA(bounds), "RGBA": image.NewRGBA(bounds), "Gray": image.NewGray(bounds),
		"Gray16": image.NewGray16(bounds), "Paletted": image.NewPaletted(bounds, color.Palette{color.Black, color.White, color.Transparent}),
	}
	for name, m := range images {
		for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
			for x := bounds.Min.X; x < bounds.Max.X; x++ {
				m.Set(x, y, color.NRGBA64{uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32()), 0xffff * uint16(r.IntN(2))})
			}
		}
		for _, part := range []image.Rectangle{bounds, image.Rect(0, 10, 20, 21), image.Rect(33, 46, 34, 47)} {
			sub := m.(interface {
				SubImage(image.Rectangle) image.Image
			}).SubImage(part)
			var file bytes.Buffer
			if err := Encode(&file, sub, nil); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := stdpng.Decode(&file)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got.Bounds().Size() != part.Size() {
				t.Fatalf("%s: size %v, want %v", name, got.Bounds().Size(), part.Size())
			}
			for y := range part.Dy() {
				for x := range part.Dx() {
					model := color.NRGBAModel
					if name == "Gray16" {
						model = color.Gray16Model
					}
					want := model.Convert(sub.At(part.Min.X+x, part.Min.Y+y))
					if have := model.Convert(got.At(x, y)); have != want {
						t.Fatalf("%s: pixel (%d, %d) is %v, want %v", name, x, y, have, want)
					}
				}
			}
		}
	}
}

func TestEncodeEmptyImages(t *testing.T) {
	for _, m := range []image.Image{image.NewNRGBA(image.Rectangle{}), image.NewGray16(image.Rect(3, 3, 3, 9)), image.NewRGBA(image.Rectangle{})} {
		if err := Encode(new(bytes.Buffer), m, nil); err == nil {
			t.Errorf("%T without pixels: no error", m)
		}
	}
}
