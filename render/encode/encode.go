// Package encode writes pictures as BMP, WebP, TIFF (also with a float32 for each pixel) and EXR, and animations as GIF
// and WebP, frame by frame while they are drawn. Package png writes PNG and APNG, and package jpeg writes JPEG.
package encode

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// checkSize returns an error if the width or the height is not above 0, or if n values are too few for the picture. A
// pixel has perPixel values.
func checkSize(n, width, height, perPixel int) error {
	if width < 1 || height < 1 || n < perPixel*width*height {
		return fmt.Errorf("%d values are no picture of %dx%d", n, width, height)
	}
	return nil
}

// checkDPI returns an error for a resolution that the files cannot contain.
func checkDPI(dpi int) error {
	if dpi < 0 || dpi > math.MaxUint16 {
		return fmt.Errorf("a resolution of %d dots per inch: expected 0, none, to %d", dpi, math.MaxUint16)
	}
	return nil
}

// BMP writes RGBA pixels with straight alpha as BMP with 24 bits per pixel. It blends transparent pixels with white.
// The file states a resolution of dpi dots per inch. 0 means 72.
func BMP(w io.Writer, pix []byte, width, height, dpi int) error {
	if err := errors.Join(checkSize(len(pix), width, height, 4), checkDPI(dpi)); err != nil {
		return err
	}
	const inch = 0.0254 // an inch in metres
	perMetre := uint32(math.Round(float64(cmp.Or(dpi, 72)) / inch))
	const head = 14 + 40
	stride := (3*width + 3) &^ 3
	le := binary.LittleEndian
	h := append(make([]byte, 0, head), "BM"...)
	for _, v := range []uint32{uint32(head + stride*height), 0, head, 40, uint32(width), uint32(height), 1 | 24<<16, 0, uint32(stride * height), perMetre, perMetre, 0, 0} {
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
