package encode

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// The tags and types of TIFF that are used here. Source: TIFF Revision 6.0; BigTIFF, of which
// files above 4 GiB are, has offsets of 8 bytes and another header.
const (
	tagWidth, tagHeight, tagBits, tagCompression, tagPhotometric = 256, 257, 258, 259, 262
	tagStrips, tagSamples, tagRows, tagBytes, tagExtra, tagKind  = 273, 277, 278, 279, 338, 339
	tagXResolution, tagYResolution, tagUnit                      = 282, 283, 296
	typeShort, typeLong, typeRational, typeLong8                 = 3, 4, 5, 16
)

type field struct {
	tag, kind uint16
	values    []uint64
}

// mostPlainTIFF bounds the bytes of pixels whose file needs no offsets of 8 bytes.
const mostPlainTIFF = math.MaxUint32 - 4096

// TIFF writes straight-alpha RGBA pixels, without alpha if channels is 3. The file states a
// resolution of dpi dots per inch, unless that is 0.
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

// A TIFFRows writes a TIFF file whose rows come a few at a time: the file is that of TIFF.
type TIFFRows struct {
	out      *bufio.Writer
	width    int
	rows     int // that are to come
	channels int
	row      []byte
	tail     []byte // what stands behind the pixels
}

// NewTIFFRows begins a file of straight-alpha RGBA pixels, without alpha if channels is 3. It
// states a resolution of dpi dots per inch, unless that is 0.
func NewTIFFRows(w io.Writer, width, height, channels, dpi int) (*TIFFRows, error) {
	if width < 1 || height < 1 || width > math.MaxInt32/4 || height > math.MaxInt32 || channels != 3 && channels != 4 {
		return nil, fmt.Errorf("a TIFF file of %dx%d with %d channels", width, height, channels)
	}
	if err := checkDPI(dpi); err != nil {
		return nil, err
	}
	bits, extra := []uint64{8, 8, 8, 8}[:channels], []field{}
	if dpi > 0 {
		// The two halves of a rational, denominator 1, as one number.
		const one, inches = 1 << 32, 2
		perInch := []uint64{one | uint64(dpi)}
		extra = append(extra, field{tagXResolution, typeRational, perInch}, field{tagYResolution, typeRational, perInch}, field{tagUnit, typeShort, []uint64{inches}})
	}
	if channels == 4 {
		extra = append(extra, field{tagExtra, typeShort, []uint64{2}}) // straight alpha
	}
	t := &TIFFRows{out: bufio.NewWriterSize(w, 1<<16), width: width, rows: height, channels: channels}
	var head []byte
	head, t.tail = tiffFrame(width, height, channels, bits, 2, extra)
	_, err := t.out.Write(head)
	return t, err
}

// Rows writes the next n rows, which lie one after the other in pix.
func (t *TIFFRows) Rows(pix []byte, n int) error {
	if n > t.rows {
		return fmt.Errorf("%d rows, and a TIFF file wants %d more", n, t.rows)
	}
	if err := check(len(pix), t.width, n, 4); err != nil {
		return err
	}
	for ; n > 0; n-- {
		row := pix[:4*t.width]
		if t.channels == 3 {
			t.row = t.row[:0]
			for i := 0; i < len(row); i += 4 {
				t.row = append(t.row, row[i], row[i+1], row[i+2])
			}
			row = t.row
		}
		if _, err := t.out.Write(row); err != nil {
			return err
		}
		pix = pix[4*t.width:]
		t.rows--
	}
	return nil
}

// Close ends the file. Missing rows are an error.
func (t *TIFFRows) Close() error {
	if t.rows > 0 {
		return fmt.Errorf("a TIFF file lacks %d rows", t.rows)
	}
	t.out.Write(t.tail)
	return t.out.Flush()
}

// FloatTIFF writes one float32 a pixel.
func FloatTIFF(w io.Writer, values []float32, width, height int) error {
	if err := check(len(values), width, height, 1); err != nil {
		return err
	}
	head, tail := tiffFrame(width, height, 4, []uint64{32}, 1, []field{{tagKind, typeShort, []uint64{3}}})
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(head)
	var b [4]byte
	for _, v := range values[:width*height] {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(v))
		out.Write(b[:])
	}
	out.Write(tail)
	return out.Flush()
}

// tiffFrame returns what stands before and behind the pixels of a file of one strip.
func tiffFrame(width, height, bytesPerPixel int, bits []uint64, photometric uint64, more []field) (head, tail []byte) {
	size := uint64(bytesPerPixel) * uint64(width) * uint64(height)
	wide := 4 // bytes of an offset
	head = []byte{'I', 'I', 42, 0}
	long := uint16(typeLong)
	if size > mostPlainTIFF {
		wide, head, long = 8, []byte{'I', 'I', 43, 0, 8, 0, 0, 0}, typeLong8
	}
	first := uint64(len(head) + wide)
	at := first + size + size&1
	fields := append([]field{
		{tagWidth, typeLong, []uint64{uint64(width)}}, {tagHeight, typeLong, []uint64{uint64(height)}}, {tagBits, typeShort, bits},
		{tagCompression, typeShort, []uint64{1}}, {tagPhotometric, typeShort, []uint64{photometric}}, {tagStrips, long, []uint64{first}},
		{tagSamples, typeShort, []uint64{uint64(len(bits))}}, {tagRows, typeLong, []uint64{uint64(height)}}, {tagBytes, long, []uint64{size}},
	}, more...)
	return appendWide(head, at, wide), append(make([]byte, size&1), directory(fields, at, wide)...)
}

// directory returns the directory of a file at a place, with what its entries point to.
func directory(fields []field, at uint64, wide int) []byte {
	le := binary.LittleEndian
	count := 2 // bytes of the number of entries
	if wide == 8 {
		count = 8
	}
	d, behind := appendWide(nil, uint64(len(fields)), count), []byte{}
	after := at + uint64(count+(4+2*wide)*len(fields)+wide)
	for _, f := range fields {
		d = appendWide(le.AppendUint16(le.AppendUint16(d, f.tag), f.kind), uint64(len(f.values)), wide)
		var data []byte
		for _, v := range f.values {
			data = appendWide(data, v, map[uint16]int{typeShort: 2, typeLong: 4, typeRational: 8, typeLong8: 8}[f.kind])
		}
		if len(data) > wide {
			d = appendWide(d, after+uint64(len(behind)), wide)
			behind = append(behind, data...)
			continue
		}
		d = append(d, append(data, make([]byte, wide)...)[:wide]...)
	}
	return append(appendWide(d, 0, wide), behind...)
}

// appendWide appends the lowest n bytes of a number, the lowest first.
func appendWide(b []byte, v uint64, n int) []byte {
	return append(b, binary.LittleEndian.AppendUint64(nil, v)[:n]...)
}
