package encode

import (
	"fmt"
	"io"
	"math"
)

// TIFF writes RGBA pixels with straight alpha, or without alpha if channels is 3. The file states a resolution of dpi
// dots per inch, unless dpi is 0.
func TIFF(w io.Writer, pix []byte, width, height, channels, dpi int) error {
	t, err := NewTIFFRows(w, width, height, channels, dpi)
	if err != nil {
		return err
	}
	if err := t.Rows(pix, height); err != nil {
		return err
	}
	return t.Close()
}

// A TIFFRows writes a TIFF file from rows that arrive a few at a time. The function TIFF writes the same file.
type TIFFRows struct {
	file     *tiffFile
	width    int
	rows     int // number of rows that have not arrived yet
	channels int
}

// NewTIFFRows starts a file of RGBA pixels with straight alpha, or without alpha if channels is 3. The file states a
// resolution of dpi dots per inch, unless dpi is 0.
//
// The beginning of a TIFF file depends on the length of the file. If w is an io.Seeker that can seek, rows are
// written as they arrive, and Close writes the beginning. Otherwise the compressed file stays in memory until Close.
func NewTIFFRows(w io.Writer, width, height, channels, dpi int) (*TIFFRows, error) {
	if width < 1 || height < 1 || width > math.MaxInt32/4 || height > math.MaxInt32 || channels != 3 && channels != 4 {
		return nil, fmt.Errorf("a TIFF file of %dx%d with %d channels", width, height, channels)
	}
	if err := checkDPI(dpi); err != nil {
		return nil, err
	}
	// The photometric value 2 means RGB. The predictor value 2 means differences.
	fields := []field{{tagPhotometric, typeShort, []uint64{2}}, {tagPredictor, typeShort, []uint64{2}}}
	if dpi > 0 {
		// A resolution in the file is a fraction in 64 bits. The numerator is in the lower half, and the denominator
		// is in the upper half. So one|dpi is dpi/1.
		const one, inches = 1 << 32, 2
		perInch := []uint64{one | uint64(dpi)}
		fields = append(fields, field{tagXResolution, typeRational, perInch}, field{tagYResolution, typeRational, perInch}, field{tagUnit, typeShort, []uint64{inches}})
	}
	if channels == 4 {
		fields = append(fields, field{tagExtra, typeShort, []uint64{2}}) // straight alpha
	}
	file, err := newTIFFFile(w, width, height, []uint64{8, 8, 8, 8}[:channels], fields)
	if err != nil {
		return nil, err
	}
	return &TIFFRows{file: file, width: width, rows: height, channels: channels}, nil
}

// Rows writes the next n rows. pix holds them without gaps.
func (t *TIFFRows) Rows(pix []byte, n int) error {
	if n > t.rows {
		return fmt.Errorf("%d rows, but the TIFF file lacks only %d rows", n, t.rows)
	}
	if err := checkSize(len(pix), t.width, n, 4); err != nil {
		return err
	}
	t.rows -= n
	return t.file.write(n, func(row []byte, y int) {
		differences(row, pix[4*t.width*y:4*t.width*(y+1)], t.channels)
	})
}

// differences writes the first 3 or 4 channels of RGBA pixels as differences from the previous pixel. This is predictor
// 2 of TIFF.
func differences(row, pix []byte, channels int) {
	var before [4]byte
	for i, at := 0, 0; i < len(pix); i += 4 {
		for c := range channels {
			row[at] = pix[i+c] - before[c]
			before[c] = pix[i+c]
			at++
		}
	}
}

// Close ends the file. It returns an error if rows are missing.
func (t *TIFFRows) Close() error {
	if t.rows > 0 {
		return fmt.Errorf("a TIFF file lacks %d rows", t.rows)
	}
	return t.file.close()
}

// FloatTIFF writes one float32 per pixel.
func FloatTIFF(w io.Writer, values []float32, width, height int) error {
	if err := checkSize(len(values), width, height, 1); err != nil {
		return err
	}
	const black, numbers, floats = 1, 3, 3
	fields := []field{{tagPhotometric, typeShort, []uint64{black}}, {tagPredictor, typeShort, []uint64{floats}}, {tagKind, typeShort, []uint64{numbers}}}
	file, err := newTIFFFile(w, width, height, []uint64{32}, fields)
	if err != nil {
		return err
	}
	err = file.write(height, func(row []byte, y int) { bytePlanes(row, values[width*y:width*(y+1)]) })
	if err != nil {
		return err
	}
	return file.close()
}

// bytePlanes writes the highest bytes of all numbers, then the next lower bytes, and so on. It stores each byte as the
// difference from the byte before. This is predictor 3 of TIFF. Source: Adobe Photoshop TIFF Technical Note 3.
func bytePlanes(row []byte, values []float32) {
	n := len(values)
	for x, v := range values {
		bits := math.Float32bits(v)
		for plane := range 4 {
			row[plane*n+x] = byte(bits >> (24 - 8*plane))
		}
	}
	for i := len(row) - 1; i > 0; i-- {
		row[i] -= row[i-1]
	}
}
