package png

import (
	stdflate "compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// A method is a library and level for compressing filtered rows. README.md compares the methods.
type method int

const (
	// dense is level 2 of the klauspost library. Level 1 would save a fifth of the time. But for pictures with
	// facets, files of level 1 are more than 20 % larger than those of image/png's BestSpeed.
	dense method = iota
	// careful is klauspost's level 4. It takes a tenth longer than dense, and its files are a tenth smaller.
	careful
	// sparse is the standard library's BestSpeed. It is for long runs of zeros. In such runs, klauspost's levels
	// below 7 refer to the row above instead of the previous byte. For pictures of large facets, files of these
	// levels are 1.4 times as large.
	sparse
	// small is klauspost's level 7, the lowest level that refers to the previous byte in runs of zeros.
	small
	methods
)

// newWriter returns a deflate writer for the method.
func (m method) newWriter(w io.Writer) (deflater, error) {
	switch m {
	case dense:
		return flate.NewWriter(w, 2)
	case careful:
		return flate.NewWriter(w, 4)
	case sparse:
		return stdflate.NewWriter(w, stdflate.BestSpeed)
	default:
		return flate.NewWriter(w, 7)
	}
}

// A deflater has the common methods of the writers of both libraries.
type deflater interface {
	io.WriteCloser
	Flush() error
	Reset(w io.Writer)
}

// carefulBytes is the largest number of bytes of filtered rows for which careful is used instead of dense. For so few
// bytes, careful takes less than 4 ms. With dense, files would have up to 1.19 times the size of those of image/png's
// BestSpeed (at 300x300 pixels).
const carefulBytes = 2 << 20

// chooseMethod returns the method for the filtered rows of a slab.
func chooseMethod(f *format, filtered []byte) method {
	switch {
	case f.level == Small:
		return small
	case isSparse(filtered):
		return sparse
	case f.height <= carefulBytes/(f.rowBytes+1):
		return careful
	default:
		return dense
	}
}

// sparseShare determines which slabs are compressed with sparse. These are the slabs in which fewer than one word in
// sparseShare is not zero. In pictures of large facets, one word in 25 to 50 is not zero. In pictures of medium
// facets, one word in 7 to 12 is not zero, and sparse is hardly better than dense.
const sparseShare = 16

// sampleStep is the distance in bytes between the words that isSparse samples. It is a prime, so the samples do not
// all lie in the same columns of the picture.
const sampleStep = 251

// isSparse reports whether few 8-byte words of the rows differ from zero. It estimates this from samples.
func isSparse(filtered []byte) bool {
	samples, nonZero := 0, 0
	for i := 0; i+8 <= len(filtered); i += sampleStep {
		samples++
		if binary.LittleEndian.Uint64(filtered[i:]) != 0 {
			nonZero++
		}
	}
	return nonZero*sparseShare < samples
}

// sink is an io.Writer that appends to buf.
type sink struct{ buf []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.buf = append(s.buf, p...)
	return len(p), nil
}

// A compressor appends deflate streams to byte slices and keeps its memory for later streams. The zero value is ready
// to use.
type compressor struct {
	out     sink
	writers [methods]deflater
}

// append compresses data with deflate and appends the result to dst. If final is false, the result ends with an empty
// stored block at a byte boundary. Such results can be concatenated to one stream.
func (c *compressor) append(dst, data []byte, m method, final bool) []byte {
	c.out.buf = dst
	w := c.writers[m]
	if w == nil {
		var err error
		w, err = m.newWriter(&c.out)
		must(err)
		c.writers[m] = w
	} else {
		w.Reset(&c.out)
	}
	_, err := w.Write(data)
	must(err)
	if final {
		must(w.Close())
	} else {
		must(w.Flush())
	}
	dst, c.out.buf = c.out.buf, nil
	return dst
}

// must panics if err is not nil. This cannot happen: levels are valid constants, and a sink does not fail.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("png: deflate: %v", err))
	}
}

// A flatKey identifies the content of a flat slab. In a flat slab, all rows have the same filter type, and all bytes
// after the filter type are zero.
type flatKey struct {
	rows, rowBytes int
	filter         byte
	final          bool
}

// A flatCache holds the compressed form of flat slabs, such as those of the background. There are few different flat
// slabs, and each is compressed only once. So the slowest method, which gives the smallest result, is used.
type flatCache struct {
	mu    sync.Mutex
	parts map[flatKey][]byte
	comp  compressor
}

// maxFlat is the largest number of entries of the cache. Pictures of one size need at most eight.
const maxFlat = 64

// append appends the compressed form of the flat slab with the given key to dst. filtered holds the bytes of the
// slab.
func (c *flatCache) append(dst []byte, key flatKey, filtered []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	part, ok := c.parts[key]
	if !ok {
		if c.parts == nil || len(c.parts) >= maxFlat {
			c.parts = make(map[flatKey][]byte)
		}
		part = c.comp.append(nil, filtered, small, key.final)
		c.parts[key] = part
	}
	return append(dst, part...)
}
