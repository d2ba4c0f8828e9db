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
	"math"
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

// The tags and types of TIFF that are used here. Source: TIFF Revision 6.0.
const (
	tagWidth, tagHeight, tagBits, tagCompression, tagPhotometric = 256, 257, 258, 259, 262
	tagStrips, tagSamples, tagRows, tagBytes, tagExtra, tagKind  = 273, 277, 278, 279, 338, 339
	typeShort, typeLong                                          = 3, 4
)

type field struct {
	tag, kind uint16
	values    []uint32
}

// TIFF writes straight-alpha RGBA pixels, without alpha if channels is 3.
func TIFF(w io.Writer, pix []byte, width, height, channels int) error {
	if err := check(len(pix), width, height, 4); err != nil {
		return err
	}
	bits, extra := []uint32{8, 8, 8, 8}[:channels], []field{}
	if channels == 4 {
		extra = append(extra, field{tagExtra, typeShort, []uint32{2}}) // straight alpha
	}
	return tiff(w, width, height, channels, bits, 2, extra, func(out *bufio.Writer) {
		for i := range width * height {
			out.Write(pix[4*i : 4*i+channels])
		}
	})
}

// FloatTIFF writes one float32 a pixel.
func FloatTIFF(w io.Writer, values []float32, width, height int) error {
	if err := check(len(values), width, height, 1); err != nil {
		return err
	}
	return tiff(w, width, height, 4, []uint32{32}, 1, []field{{tagKind, typeShort, []uint32{3}}}, func(out *bufio.Writer) {
		var b [4]byte
		for _, v := range values[:width*height] {
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
			out.Write(b[:])
		}
	})
}

// tiff writes a file of one strip: header, pixels, and the directory behind them.
func tiff(w io.Writer, width, height, bytesPerPixel int, bits []uint32, photometric uint32, more []field, pixels func(*bufio.Writer)) error {
	const head = 8
	size := int64(bytesPerPixel) * int64(width) * int64(height)
	if size > math.MaxUint32-4096 {
		return fmt.Errorf("a picture of %dx%d does not fit into a TIFF file", width, height)
	}
	fields := append([]field{
		{tagWidth, typeLong, []uint32{uint32(width)}}, {tagHeight, typeLong, []uint32{uint32(height)}}, {tagBits, typeShort, bits},
		{tagCompression, typeShort, []uint32{1}}, {tagPhotometric, typeShort, []uint32{photometric}}, {tagStrips, typeLong, []uint32{head}},
		{tagSamples, typeShort, []uint32{uint32(len(bits))}}, {tagRows, typeLong, []uint32{uint32(height)}}, {tagBytes, typeLong, []uint32{uint32(size)}},
	}, more...)
	le := binary.LittleEndian
	at := uint32(head + size + size&1)
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(le.AppendUint32([]byte("II*\x00"), at))
	pixels(out)
	out.Write(make([]byte, size&1))
	directory, behind := le.AppendUint16(nil, uint16(len(fields))), []byte{}
	after := at + 2 + 12*uint32(len(fields)) + 4
	for _, f := range fields {
		directory = le.AppendUint16(le.AppendUint16(directory, f.tag), f.kind)
		directory = le.AppendUint32(directory, uint32(len(f.values)))
		var data []byte
		for _, v := range f.values {
			if f.kind == typeShort {
				data = le.AppendUint16(data, uint16(v))
			} else {
				data = le.AppendUint32(data, v)
			}
		}
		if len(data) > 4 {
			directory = le.AppendUint32(directory, after+uint32(len(behind)))
			behind = append(behind, data...)
			continue
		}
		directory = append(directory, append(data, 0, 0, 0, 0)[:4]...)
	}
	out.Write(le.AppendUint32(directory, 0))
	out.Write(behind)
	return out.Flush()
}
