package encode

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// Tags and types of TIFF that this package uses. Source: TIFF Revision 6.0, with the deflate compression of Adobe's
// Technical Note of 2002. Files above 4 GiB are BigTIFF. BigTIFF has offsets of 8 bytes and a different header.
const (
	tagWidth, tagHeight, tagBits, tagCompression, tagPhotometric = 256, 257, 258, 259, 262
	tagStrips, tagSamples, tagRows, tagBytes                     = 273, 277, 278, 279
	tagXResolution, tagYResolution, tagUnit                      = 282, 283, 296
	tagPredictor, tagExtra, tagKind                              = 317, 338, 339
	typeShort, typeLong, typeRational, typeLong8                 = 3, 4, 5, 16
)

type field struct {
	tag, kind uint16
	values    []uint64
}

const (
	// tiffHeader is the length of a BigTIFF header. A classic header is shorter and is padded to this length. This is
	// necessary because the choice between the two headers depends on the length of the file.
	tiffHeader = 16
	// stripBytes is the size of a strip before compression. The rows of a strip are compressed together. A program that
	// reads a few rows must read whole strips, so strips are small. But they are larger than the window of deflate,
	// which is 32 KiB.
	stripBytes = 256 << 10
	// tiffLevel is the level of deflate. Package png has the measurements that led to this choice.
	tiffLevel = 4
	// maxClassicTIFF is the largest size of a file with offsets of 4 bytes, including its directory.
	maxClassicTIFF = math.MaxUint32
)

// A tiffFile is a TIFF file that is being written: a header, strips of compressed rows, and the directory.
type tiffFile struct {
	out      io.Writer
	seeker   io.Seeker // nil if strips are held in memory until the end
	buffered bytes.Buffer
	start    int64  // position of the start of the file in seeker
	at       uint64 // offset of the next strip

	fields         []field
	rowBytes, rows int // bytes of a row, and rows of a strip
	offsets, sizes []uint64

	rowsLeft int     // number of rows that have not arrived yet
	strips   []strip // strips that are compressed at the same time, one for each core
	filling  int     // index of the strip that gets the next row
}

// A strip holds rows until they are compressed.
type strip struct {
	raw    []byte // rows after the predictor, before compression
	packed bytes.Buffer
	writer *zlib.Writer
}

func newTIFFFile(w io.Writer, width, height int, bits []uint64, fields []field) (*tiffFile, error) {
	rowBytes := 0
	for _, b := range bits {
		rowBytes += width * int(b) / 8
	}
	const deflate = 8
	f := &tiffFile{out: w, at: tiffHeader, rowBytes: rowBytes, rows: min(max(stripBytes/rowBytes, 1), height), rowsLeft: height}
	f.fields = append([]field{
		{tagWidth, typeLong, []uint64{uint64(width)}}, {tagHeight, typeLong, []uint64{uint64(height)}}, {tagBits, typeShort, bits},
		{tagCompression, typeShort, []uint64{deflate}}, {tagSamples, typeShort, []uint64{uint64(len(bits))}}, {tagRows, typeLong, []uint64{uint64(f.rows)}},
	}, fields...)
	f.strips = make([]strip, min(runtime.GOMAXPROCS(0), (height+f.rows-1)/f.rows))
	if s, ok := w.(io.Seeker); ok {
		if at, err := s.Seek(0, io.SeekCurrent); err == nil { // an error means that s is a pipe
			f.seeker, f.start = s, at
			_, err := w.Write(make([]byte, tiffHeader))
			return f, err
		}
	}
	return f, nil
}

// write adds n rows. It calls the function fill to write each row.
func (f *tiffFile) write(n int, fill func(row []byte, y int)) error {
	for y := range n {
		s := &f.strips[f.filling]
		had := len(s.raw)
		s.raw = slices.Grow(s.raw, f.rowBytes)[:had+f.rowBytes]
		fill(s.raw[had:], y)
		f.rowsLeft--
		if len(s.raw) < f.rows*f.rowBytes && f.rowsLeft > 0 {
			continue
		}
		if f.filling++; f.filling == len(f.strips) || f.rowsLeft == 0 {
			if err := f.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush compresses all strips that have rows, concurrently, and writes them.
func (f *tiffFile) flush() error {
	var wg sync.WaitGroup
	failed := make([]error, f.filling)
	for i := range f.filling {
		wg.Go(func() { failed[i] = f.strips[i].pack() })
	}
	wg.Wait()
	for i := range f.filling {
		s := &f.strips[i]
		f.offsets, f.sizes = append(f.offsets, f.at), append(f.sizes, uint64(s.packed.Len()))
		f.at += uint64(s.packed.Len())
		to := f.out
		if f.seeker == nil {
			to = &f.buffered
		}
		_, err := s.packed.WriteTo(to)
		if err := cmp.Or(failed[i], err); err != nil {
			return err
		}
		s.raw = s.raw[:0]
	}
	f.filling = 0
	return nil
}

// pack compresses the strip's rows.
func (s *strip) pack() (err error) {
	s.packed.Reset()
	if s.writer == nil {
		if s.writer, err = zlib.NewWriterLevel(&s.packed, tiffLevel); err != nil {
			return err
		}
	} else {
		s.writer.Reset(&s.packed)
	}
	if _, err := s.writer.Write(s.raw); err != nil {
		return err
	}
	return s.writer.Close()
}

// close writes the directory and the header.
func (f *tiffFile) close() error {
	head, tail := f.headerAndDirectory()
	if f.seeker == nil {
		for _, part := range [][]byte{head, f.buffered.Bytes(), tail} {
			if _, err := f.out.Write(part); err != nil {
				return err
			}
		}
		return nil
	}
	if _, err := f.out.Write(tail); err != nil {
		return err
	}
	if _, err := f.seeker.Seek(f.start, io.SeekStart); err != nil {
		return err
	}
	if _, err := f.out.Write(head); err != nil {
		return err
	}
	_, err := f.seeker.Seek(f.start+int64(f.at)+int64(len(tail)), io.SeekStart)
	return err
}

// headerAndDirectory returns the header and the directory of the file. The directory follows the strips.
func (f *tiffFile) headerAndDirectory() (head, tail []byte) {
	pad := f.at & 1
	at := f.at + pad // directories start at even offsets
	head, wide, long := []byte{'I', 'I', 42, 0}, 4, uint16(typeLong)
	// An entry of the directory has at most 20 bytes. Its values follow the directory.
	if most := at + uint64(16*len(f.offsets)) + 4096; most > maxClassicTIFF {
		head, wide, long = []byte{'I', 'I', 43, 0, 8, 0, 0, 0}, 8, typeLong8
	}
	fields := append([]field{{tagStrips, long, f.offsets}, {tagBytes, long, f.sizes}}, f.fields...)
	slices.SortFunc(fields, func(a, b field) int { return cmp.Compare(a.tag, b.tag) })
	head = append(appendWide(head, at, wide), make([]byte, tiffHeader)...)[:tiffHeader]
	return head, append(make([]byte, pad), directory(fields, at, wide)...)
}

// directory returns a directory for the position `at` of the file, followed by the values to which its entries refer.
// The parameter wide is the size of an offset in bytes.
func directory(fields []field, at uint64, wide int) []byte {
	le := binary.LittleEndian
	count := 2 // bytes of the field that holds the number of entries
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

// appendWide appends the lowest n bytes of a number, little-endian.
func appendWide(b []byte, v uint64, n int) []byte {
	return append(b, binary.LittleEndian.AppendUint64(nil, v)[:n]...)
}
