// Package encode writes pictures as JPEG, BMP, WebP, TIFF (also with a float32 for each pixel) and EXR, and
// animations as GIF and WebP, frame by frame while they are drawn; package png writes PNG and APNG.
package encode

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"math"
)

// check reports pixels that do not hold a picture.
func check(n, width, height, perPixel int) error {
	if width < 1 || height < 1 || n < perPixel*width*height {
		return fmt.Errorf("%d values are no picture of %dx%d", n, width, height)
	}
	return nil
}

// checkDPI reports a resolution in dots per inch that files cannot state.
func checkDPI(dpi int) error {
	if dpi < 0 || dpi > math.MaxUint16 {
		return fmt.Errorf("a resolution of %d dots per inch: expected 0, none, to %d", dpi, math.MaxUint16)
	}
	return nil
}

// JPEG writes straight-alpha RGBA pixels, on white where they are transparent. quality
// goes from 1 to 100. The file states a resolution of dpi dots per inch, unless that is 0.
func JPEG(w io.Writer, pix []byte, width, height, quality, dpi int) error {
	if err := errors.Join(check(len(pix), width, height, 4), checkDPI(dpi)); err != nil {
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
	if dpi > 0 {
		w = &jfif{w: w, dpi: dpi}
	}
	return jpeg.Encode(w, img, &jpeg.Options{Quality: quality})
}

// A jfif is a writer between the JPEG encoder and w. Behind the first marker it puts a JFIF
// header that states the resolution. Source: JPEG File Interchange Format 1.02.
type jfif struct {
	w     io.Writer
	dpi   int
	begun bool
}

// Write implements io.Writer.
func (j *jfif) Write(p []byte) (int, error) {
	const marker = 2 // bytes of the start of an image
	if j.begun || len(p) < marker {
		return j.w.Write(p)
	}
	j.begun = true
	head := append(append([]byte{}, p[:marker]...), "\xff\xe0\x00\x10JFIF\x00\x01\x01\x01"...) // version 1.1, dots per inch
	for range 2 {
		head = binary.BigEndian.AppendUint16(head, uint16(j.dpi))
	}
	head = append(head, 0, 0) // no thumbnail
	if _, err := j.w.Write(append(head, p[marker:]...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// BMP writes straight-alpha RGBA pixels with 24 bits each, on white where they are
// transparent. The file states a resolution of dpi dots per inch; 0 stands for 72.
func BMP(w io.Writer, pix []byte, width, height, dpi int) error {
	if err := errors.Join(check(len(pix), width, height, 4), checkDPI(dpi)); err != nil {
		return err
	}
	const inch = 0.0254 // metres
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
