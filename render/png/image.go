package png

import (
	"image"
	"image/draw"
	"io"
)

// Encode writes any image to w. Options and errors are those of Encoder.EncodeRGBA and EncodeGray16. It writes an
// *image.NRGBA without conversion, and an *image.Gray16 as 16-bit samples. It converts other images to 8 bits per
// channel with straight alpha.
func Encode(w io.Writer, m image.Image, opts *Options) error {
	return new(Encoder).Encode(w, m, opts)
}

// Encode is like the function Encode, but uses the memory of the encoder.
func (e *Encoder) Encode(w io.Writer, m image.Image, opts *Options) error {
	b := m.Bounds()
	switch m := m.(type) {
	case *image.NRGBA:
		if b.Empty() {
			break
		}
		return e.EncodeRGBA(w, m.Pix[m.PixOffset(b.Min.X, b.Min.Y):], m.Stride, b.Dx(), b.Dy(), opts)
	case *image.Gray16:
		samples := make([]uint16, 0, b.Dx()*b.Dy())
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				samples = append(samples, m.Gray16At(x, y).Y)
			}
		}
		return e.EncodeGray16(w, samples, b.Dx(), b.Dx(), b.Dy(), opts)
	}
	straight := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(straight, straight.Rect, m, b.Min, draw.Src)
	return e.EncodeRGBA(w, straight.Pix, straight.Stride, b.Dx(), b.Dy(), opts)
}
