// Package encode writes pictures in formats beside PNG, for which package png is: JPEG,
// BMP, lossless WebP, also animated, and TIFF, the last also with one float32 a pixel.
package encode

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"io"
)

// check reports pixels that do not hold a picture.
func check(n, width, height, perPixel int) error {
	if width < 1 || height < 1 || n < perPixel*width*height {
		return fmt.Errorf("%d values are no picture of %dx%d", n, width, height)
	}
	return nil
}

// JPEG writes straight-alpha RGBA pixels, on white where they are transparent. quality
// goes from 1 to 100.
func JPEG(w io.Writer, pix []byte, width, height, quality int) error {
	if err := check(len(pix), width, height, 4); err != nil {
		return err
	}
	// The encoder is fast for image.RGBA alone, and opaque pixels are the same in both.
	opaque := make([]byte, 4*width*height)
	for i := 0; i < len(opaque); i += 4 {
		a := uint32(pix[i+3])
		for c := range 3 {
			opaque[i+c] = uint8((uint32(pix[i+c])*a + 255*(255-a) + 127) / 255)
		}
		opaque[i+3] = 255
	}
	img := &image.RGBA{Pix: opaque, Stride: 4 * width, Rect: image.Rect(0, 0, width, height)}
	return jpeg.Encode(w, img, &jpeg.Options{Quality: quality})
}

// BMP writes straight-alpha RGBA pixels with 24 bits each, on white where they are
// transparent.
func BMP(w io.Writer, pix []byte, width, height int) error {
	if err := check(len(pix), width, height, 4); err != nil {
		return err
	}
	const head = 14 + 40
	stride := (3*width + 3) &^ 3
	le := binary.LittleEndian
	h := append(make([]byte, 0, head), "BM"...)
	for _, v := range []uint32{uint32(head + stride*height), 0, head, 40, uint32(width), uint32(height), 1 | 24<<16, 0, uint32(stride * height), 2835, 2835, 0, 0} {
		h = le.AppendUint32(h, v)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(h)
	row := make([]byte, stride)
	for y := height - 1; y >= 0; y-- {
		for x := range width {
			p := pix[4*(y*width+x):]
			a := uint32(p[3])
			for c := range 3 {
				row[3*x+2-c] = uint8((uint32(p[c])*a + 255*(255-a) + 127) / 255)
			}
		}
		out.Write(row)
	}
	return out.Flush()
}
