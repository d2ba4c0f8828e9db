package png

import (
	stdflate "compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
)

// method is a way to compress filtered rows. README.md has the measurements
// behind the choice.
type method int

const (
	// dense: klauspost's level 2. Level 1 saves a fifth of the time, but
	// exceeds image/png's BestSpeed by more than 20 % on facets.
	dense method = iota
	// careful: klauspost's level 4, a tenth slower and a tenth smaller.
	careful
	// sparse: the standard library's BestSpeed. On long runs of zeros
	// klauspost's levels below 7 refer to the row above, not to the byte before,
	// which makes pictures of large facets 1.4 times larger.
	sparse
	// small: klauspost's level 7, the first without that weakness.
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

// deflater is what the two libraries' writers have in common.
type deflater interface {
	io.WriteCloser
	Flush() error
	Reset(w io.Writer)
}

// carefulBytes is the size of a picture's rows below which dense comes near 1.2
// times BestSpeed (1.19 at 300x300), while careful takes less than 4 ms.
const carefulBytes = 2 << 20

// chooseMethod returns the method for the filtered rows of a strip.
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

// sparseShare is the least ratio of all words to words other than zero in a
// sparse strip. Medium facets have 7 to 12 and gain little, large ones 25 to 50.
const sparseShare = 16

// sampleStep is the distance of the bytes where words are looked at: a prime,
// so that it does not follow the columns of a picture.
const sampleStep = 251

// isSparse estimates whether few words of the rows differ from zero.
func isSparse(filtered []byte) bool {
	samples, busy := 0, 0
	for i := 0; i+8 <= len(filtered); i += sampleStep {
		samples++
		if binary.LittleEndian.Uint64(filtered[i:]) != 0 {
			busy++
		}
	}
	return busy*sparseShare < samples
}

// sink is an io.Writer that appends.
type sink struct{ buf []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.buf = append(s.buf, p...)
	return len(p), nil
}

// compressor appends deflate streams to byte slices, reusing its memory. The
// zero value is ready.
type compressor struct {
	out     sink
	writers [methods]deflater
}

// append appends data to dst, deflated. A part that is not final ends with an
// empty stored block, at a whole byte, so that parts made independently
// concatenate to one stream.
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

// must panics where an error is impossible: levels are constants and a sink
// does not fail.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("png: deflate: %v", err))
	}
}

// flatKey identifies a strip whose rows are all zeros behind a filter type.
type flatKey struct {
	rows, rowBytes int
	filter         byte
	final          bool
}

// flatCache keeps the deflated form of flat strips. Background is made of
// them, and there are few different ones. Each is deflated once, so the
// slowest method costs little.
type flatCache struct {
	mu    sync.Mutex
	parts map[flatKey][]byte
	comp  compressor
}

// maxFlat bounds the cache; a size of picture uses at most eight entries.
const maxFlat = 64

// append appends the strip to dst; filtered are its bytes.
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
