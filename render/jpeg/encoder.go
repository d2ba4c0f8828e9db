package jpeg

import (
	"fmt"
	"io"
	"sync"
)

// An Encoder writes pictures, one at a time, and keeps its memory for the next picture. The zero value is ready to
// use.
type Encoder struct {
	pix           []byte
	stride        int
	width, height int
	side          int // width and height in pixels of the square of an MCU (minimum coded unit)
	perFile       int // number of strips in each file
	div           [kinds][64]divisor
	strips        []strip
	out           []byte // encoded bytes that are not written yet

	mu   sync.Mutex
	free []*stripEncoder // encoders that no task is using
}

// A strip is the encoded form of a row of MCUs.
type strip struct {
	data []byte // includes the marker that ends the strip
	done bool
}

// A stripEncoder is the working memory of a task that encodes a strip.
type stripEncoder struct {
	mcu    mcu
	bits   bitWriter
	coefs  [64]int32
	edge   [16 * 16 * 4]byte // pixels of an MCU that extends beyond the picture
	prevDC [3]int32          // first coefficient, after quantization, of the last block of each component
}

// maxSide is the largest width or height that the file format permits.
const maxSide = 1<<16 - 1

// EncodeRGBA writes a picture of 8-bit sRGB colour with straight alpha to w. Transparent pixels are blended with
// white.
//
// pix holds R, G, B, A of the pixels, row by row from the top. The starts of two rows are stride bytes apart, at least
// 4*width. If opts is nil, the default options apply. The written bytes depend on the pixels, the size and the
// options, but not on opts.Run.
//
// EncodeRGBA returns an error if the options or sizes are invalid, or if opts.Run has not run all tasks. If w fails,
// the error wraps w's error, and part of the file may have been written.
func (e *Encoder) EncodeRGBA(w io.Writer, pix []byte, stride, width, height int, opts *Options) error {
	if opts == nil {
		opts = new(Options)
	}
	if err := opts.Validate(); err != nil {
		return err
	}
	switch {
	case width < 1 || height < 1 || width > maxSide || height > maxSide:
		return fmt.Errorf("jpeg: a picture of %dx%d: expected 1x1 to %dx%d", width, height, maxSide, maxSide)
	case stride < 4*width || (len(pix)-4*width)/stride < height-1 || len(pix) < 4*width:
		return fmt.Errorf("jpeg: %d bytes with %d a row are no picture of %dx%d", len(pix), stride, width, height)
	}
	e.pix, e.stride, e.width, e.height = pix, stride, width, height
	defer func() { e.pix = nil }()
	e.side = opts.side()
	for kind := range e.div {
		e.div[kind] = divisors(kind, opts.quality())
	}
	e.reset((height + e.side - 1) / e.side)
	if e.perFile = opts.Rows / e.side; opts.Rows == 0 {
		e.perFile = len(e.strips)
	}
	opts.run(len(e.strips), e.encode)
	return e.write(w, opts)
}

// reset prepares n strips for encoding. The strips reuse the memory of earlier strips.
func (e *Encoder) reset(n int) {
	e.strips = e.strips[:cap(e.strips)]
	for len(e.strips) < n {
		e.strips = append(e.strips, strip{})
	}
	e.strips = e.strips[:n]
	for i := range e.strips {
		e.strips[i].done = false
	}
}

// write writes the files. It returns an error if a strip has not been encoded.
func (e *Encoder) write(w io.Writer, opts *Options) error {
	for i := range e.strips {
		if !e.strips[i].done {
			return fmt.Errorf("jpeg: Options.Run left strip %d of %d undone", i+1, len(e.strips))
		}
	}
	// Several strips are written at once, because the data of a strip may be only about a kilobyte.
	for i := range e.strips {
		if i%e.perFile == 0 {
			e.out = e.appendHeader(e.out[:0], min(e.perFile*e.side, e.height-i*e.side), opts)
		}
		e.out = append(e.out, e.strips[i].data...)
		if !e.isLast(i) && (len(e.out) < writeBytes || opts.Rows > 0) {
			continue
		}
		if _, err := w.Write(e.out); err != nil {
			return fmt.Errorf("jpeg: write strip %d of %d: %w", i+1, len(e.strips), err)
		}
		e.out = e.out[:0]
	}
	return nil
}

// isLast reports whether strip i is the last one of its file.
func (e *Encoder) isLast(i int) bool { return (i+1)%e.perFile == 0 || i == len(e.strips)-1 }

// writeBytes is the least number of bytes that a call of w.Write gets if Options.Rows is 0. Only the last call may get
// fewer bytes.
const writeBytes = 64 << 10

// encode is the task that encodes strip i.
func (e *Encoder) encode(i int) {
	s := e.take()
	defer e.give(s)
	s.bits = bitWriter{data: e.strips[i].data[:0]}
	s.prevDC = [3]int32{}
	for x := 0; x < e.width; x += e.side {
		s.encode(e, e.window(s, x, i*e.side))
	}
	s.bits.pad()
	marker := byte(restart + i%restarts)
	if e.isLast(i) {
		marker = endOfImage
	}
	e.strips[i] = strip{append(s.bits.data, 0xff, marker), true}
}

// window returns the pixels of the MCU whose upper left pixel is (x, y). If the MCU extends beyond the picture, the
// window is in s.edge, and the missing pixels repeat the last row and column of the picture.
func (e *Encoder) window(s *stripEncoder, x, y int) window {
	if x+e.side <= e.width && y+e.side <= e.height {
		return window{e.pix[y*e.stride+4*x:], e.stride}
	}
	n := min(e.side, e.width-x)
	for row := range e.side {
		from := e.pix[min(y+row, e.height-1)*e.stride+4*x:][:4*n]
		to := s.edge[4*e.side*row:][:4*e.side]
		for at := copy(to, from); at < len(to); at += 4 {
			copy(to[at:], from[4*n-4:])
		}
	}
	return window{s.edge[:], 4 * e.side}
}

// encode appends the MCU with the pixels of w to the strip.
func (s *stripEncoder) encode(e *Encoder, w window) {
	m := &s.mcu
	brightnesses := 4
	if e.side == 8 {
		brightnesses = 1
		m.fill444(w)
	} else {
		m.fill420(w)
	}
	for k := range brightnesses {
		s.appendBlock(e, &m.y[k], m.flat[k], luma, 0)
	}
	s.appendBlock(e, &m.cb, m.flatColour, chroma, 1)
	s.appendBlock(e, &m.cr, m.flatColour, chroma, 2)
}

// appendBlock appends the block b of a component. The parameter kind selects the tables for brightness or for colour.
// Bit y of flat is set if all samples in row y of b are equal.
func (s *stripEncoder) appendBlock(e *Encoder, b *block, flat uint8, kind, component int) {
	columns := b.transform(flat, &s.coefs)
	s.prevDC[component] = s.bits.putBlock(&s.coefs, columns, &e.div[kind], &codeTables[kind], s.prevDC[component])
}

// take returns working memory for a task. The method give returns it to the encoder.
func (e *Encoder) take() *stripEncoder {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(e.free)
	if n == 0 {
		return new(stripEncoder)
	}
	s := e.free[n-1]
	e.free = e.free[:n-1]
	return s
}

func (e *Encoder) give(s *stripEncoder) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.free = append(e.free, s)
}
