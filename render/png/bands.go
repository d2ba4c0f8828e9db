package png

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync/atomic"
)

// Bands describes the bands of a picture's file, for pictures that several processes encode together. A slab is some
// rows of the picture. A band is the encoded form of a slab, which processes send to each other. AppendBands makes
// bands from pixels. Check tests whether bytes from another process have the form of bands. Assemble writes the file
// from all bands.
//
// The file has the same bytes as with EncodeRGBA, whichever process made which bands.
//
// A band consists of the Adler-32 sum of its filtered rows, 4 bytes, followed by its IDAT chunk. The data of the
// first band begin with the header of the zlib stream. A zlib stream ends with the Adler-32 sum of all its data.
// Assemble adds this sum to the last band.
type Bands struct{ format format }

// NewBands returns the bands of pictures of the given size. It uses only Level and Channels of opts. Channels must be
// ChannelsRGB or ChannelsRGBA, because a process that encodes a band does not know whether other bands are opaque.
func NewBands(width, height int, opts *Options) (*Bands, error) {
	if opts == nil {
		opts = new(Options)
	}
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	if width < 1 || height < 1 || width > maxWidth {
		return nil, fmt.Errorf("png: bands of %dx%d pixels", width, height)
	}
	switch opts.Channels {
	case ChannelsRGB:
		return &Bands{newFormat(width, height, colourRGB, 8, opts.Level)}, nil
	case ChannelsRGBA:
		return &Bands{newFormat(width, height, colourRGBA, 8, opts.Level)}, nil
	}
	return nil, errors.New("png: bands: expected ChannelsRGB or ChannelsRGBA")
}

// Rows returns the number of rows of pixels in a band. The last band may have fewer rows.
func (b *Bands) Rows() int { return b.format.slabRows }

// Len returns the number of bands.
func (b *Bands) Len() int { return b.format.slabs }

// rows returns the number of rows in bands lo to hi (exclusive).
func (b *Bands) rows(lo, hi int) int {
	f := &b.format
	return min(hi*f.slabRows, f.height) - lo*f.slabRows
}

// AppendBands appends bands lo to hi (exclusive) of a picture to dst. pix holds the rows of these bands as RGBA
// without gaps. If lo is not 0, pix begins with the row above the rows of band lo, because the filters need it. run
// is like Options.Run.
func (e *Encoder) AppendBands(dst []byte, b *Bands, lo, hi int, pix []byte, run func(n int, do func(i int))) ([]byte, error) {
	f := &b.format
	if lo < 0 || lo > hi || hi > f.slabs {
		return dst, fmt.Errorf("png: bands %d to %d of %d", lo, hi, f.slabs)
	}
	if lo == hi {
		return dst, nil
	}
	first := max(lo*f.slabRows-1, 0)
	if want := 4 * f.width * (b.rows(lo, hi) + lo*f.slabRows - first); len(pix) != want {
		return dst, fmt.Errorf("png: %d bytes of pixels for bands %d to %d, expected %d", len(pix), lo, hi, want)
	}
	defer e.release()
	e.opts, e.format = Options{Run: run}, *f
	e.source = source{pix: pix, stride: 4 * f.width, first: first}
	e.slabs.reset(nil, hi-lo)
	var done atomic.Int64
	e.opts.run(hi-lo, func(i int) {
		s := e.slabs.take()
		s.encode(e, &e.slabs.slabs[i], lo+i)
		e.slabs.give(s)
		done.Add(1)
	})
	if n := int(done.Load()); n < hi-lo {
		return dst, fmt.Errorf("png: Options.Run did %d of %d bands", n, hi-lo)
	}
	for i := range e.slabs.slabs {
		t := &e.slabs.slabs[i]
		if lo+i == f.slabs-1 {
			t.chunk = endChunk(t.chunk, 0)
		}
		dst = binary.BigEndian.AppendUint32(dst, t.sum.sum())
		dst = append(dst, t.chunk...)
	}
	return dst, nil
}

// A band is a band in the form in which processes send it.
type band struct {
	sum   adler
	chunk []byte // chunk with its length, type and CRC
}

// data returns the part of the zlib stream in the band.
func (t *band) data() []byte { return t.chunk[chunkHeader : len(t.chunk)-crc32.Size] }

// Sizes in bytes.
const (
	bandHeader = 4 // size of the checksum before a band's chunk
	zlibHeader = 2 // size of the header at the start of the first band's data
)

// The data of bands begin and end with these bytes.
const (
	zlibHead  = "\x78\x01"
	flateSync = "\x00\x00\xff\xff" // the end of an empty stored block
	flateEnd  = "\x01" + flateSync // the last block of a stream, here an empty stored block
)

// splitBand splits `part` into its first band and the rest. The first band must be band i. splitBand checks the form of
// the band.
func (b *Bands) splitBand(part []byte, i int) (t band, rest []byte, err error) {
	if i >= b.Len() {
		return t, nil, fmt.Errorf("png: %d bytes follow the last of %d bands", len(part), b.Len())
	}
	if len(part) < bandHeader+chunkHeader+crc32.Size {
		return t, nil, fmt.Errorf("png: band %d of %d ends after %d bytes", i, b.Len(), len(part))
	}
	sum, n := binary.BigEndian.Uint32(part), binary.BigEndian.Uint32(part[bandHeader:])
	rows := b.rows(i, i+1) * (b.format.rowBytes + 1)
	// Data that cannot be compressed are stored as they are. Storing adds a few bytes per 64 KiB.
	if most := min(rows+rows/8+256, len(part)-bandHeader-chunkHeader-crc32.Size); int64(n) > int64(most) {
		return t, nil, fmt.Errorf("png: band %d of %d is said to have %d bytes, expected at most %d", i, b.Len(), n, most)
	}
	end := bandHeader + chunkHeader + int(n) + crc32.Size
	t = band{sum: adler{sum & 0xffff, sum >> 16}, chunk: part[bandHeader:end]}
	data := t.data()
	last := i == b.Len()-1
	switch {
	case string(t.chunk[4:chunkHeader]) != "IDAT",
		i == 0 && !bytes.HasPrefix(data, []byte(zlibHead)),
		!last && !bytes.HasSuffix(data, []byte(flateSync)),
		t.sum.s1 >= adlerMod || t.sum.s2 >= adlerMod:
		return t, nil, fmt.Errorf("png: band %d of %d is malformed", i, b.Len())
	case crc32.ChecksumIEEE(t.chunk[4:len(t.chunk)-crc32.Size]) != binary.BigEndian.Uint32(t.chunk[len(t.chunk)-crc32.Size:]):
		return t, nil, fmt.Errorf("png: band %d of %d: wrong checksum", i, b.Len())
	}
	return t, part[end:], nil
}

// The method eachBand calls f for bands lo to hi (exclusive). `part` must hold exactly these bands.
func (b *Bands) eachBand(part []byte, lo, hi int, f func(i int, t *band) error) error {
	if lo < 0 || lo > hi || hi > b.Len() {
		return fmt.Errorf("png: bands %d to %d of %d", lo, hi, b.Len())
	}
	for i := lo; i < hi; i++ {
		t, rest, err := b.splitBand(part, i)
		if err != nil {
			return err
		}
		if err := f(i, &t); err != nil {
			return fmt.Errorf("png: band %d of %d: %w", i, b.Len(), err)
		}
		part = rest
	}
	if len(part) > 0 {
		return fmt.Errorf("png: %d bytes follow band %d of %d", len(part), hi-1, b.Len())
	}
	return nil
}

// Check returns an error unless part has the form of bands lo to hi (exclusive). It checks the lengths and checksums of
// the chunks, and the first and last bytes of each piece of the zlib stream. This takes a thousandth of the time of
// decoding. Verify checks more.
func (b *Bands) Check(part []byte, lo, hi int) error {
	return b.eachBand(part, lo, hi, func(int, *band) error { return nil })
}

// Verify does the same checks as Check, and also decodes the bands. Each band must have the right number of rows of the
// right length, known filter types, and the Adler-32 sum that was sent with it. Verify takes half as long as encoding.
func (b *Bands) Verify(part []byte, lo, hi int) error {
	row := make([]byte, b.format.rowBytes+1)
	return b.eachBand(part, lo, hi, func(i int, t *band) error { return b.decode(i, t, row) })
}

// decode decodes band i and checks its rows. The slice row is memory for a filtered row.
func (b *Bands) decode(i int, t *band, row []byte) error {
	data := t.data()
	if i == 0 {
		data = data[zlibHeader:]
	}
	if i < b.Len()-1 {
		// Only the last band ends the deflate stream. For others, append an empty last block.
		data = append(slices.Clip(data), flateEnd...)
	}
	in := bytes.NewReader(data)
	out := flate.NewReader(in)
	sum := newAdler()
	for y := range b.rows(i, i+1) {
		if _, err := io.ReadFull(out, row); err != nil {
			return fmt.Errorf("row %d: %w", y, err)
		}
		if row[0] > filterPaeth {
			return fmt.Errorf("row %d: filter type %d", y, row[0])
		}
		sum.update(row)
	}
	if n, err := out.Read(row[:1]); n > 0 || err != io.EOF || in.Len() > 0 {
		return errors.New("expected the data to end after the last row")
	}
	if sum != t.sum {
		return errors.New("the rows have another checksum than the band states")
	}
	return nil
}

// Assemble writes the file from parts that together hold all bands in order. The caller must have checked each part
// with Check, where lo is the number of bands in all earlier parts. Assemble also writes Text and PixelsPerMetre of
// opts.
func (b *Bands) Assemble(w io.Writer, parts [][]byte, opts *Options) error {
	if opts == nil {
		opts = new(Options)
	}
	if err := opts.Validate(); err != nil {
		return err
	}
	if err := writeAll(w, appendAncillary(appendHeader(nil, &b.format), &b.format, opts)); err != nil {
		return fmt.Errorf("png: write header: %w", err)
	}
	sum, i := newAdler(), 0
	for _, part := range parts {
		for len(part) > 0 {
			t, rest, err := b.splitBand(part, i)
			if err != nil {
				return err
			}
			sum = sum.combine(t.sum, b.rows(i, i+1)*(b.format.rowBytes+1))
			if i == b.Len()-1 {
				t.chunk = closeStream(t.chunk, sum)
			}
			if err := writeAll(w, t.chunk); err != nil {
				return fmt.Errorf("png: write band %d of %d: %w", i, b.Len(), err)
			}
			part = rest
			i++
		}
	}
	if i < b.Len() {
		return fmt.Errorf("png: %d bands of %d", i, b.Len())
	}
	if err := writeAll(w, appendEnd(nil)); err != nil {
		return fmt.Errorf("png: write end: %w", err)
	}
	return nil
}

// closeStream appends sum to the data of the last chunk, and returns the chunk. The sum is the end of the zlib stream.
func closeStream(chunk []byte, sum adler) []byte {
	data := len(chunk) - crc32.Size
	closed := append(make([]byte, 0, len(chunk)+crc32.Size), chunk[:data]...)
	closed = binary.BigEndian.AppendUint32(closed, sum.sum())
	return endChunk(closed, 0)
}
