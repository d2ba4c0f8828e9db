package encode

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// lookAhead is the number of frames from which the first palette is computed. Most clips need no other palette.
const lookAhead = 8

// A GIF is an animated picture that is repeated for ever. Frame adds frames, and Close ends the animation. All frames
// share a palette of 255 colours. Frames are dithered with a pattern that is the same in every frame, because a
// moving pattern would flicker. A frame with colours far from the palette causes a new palette. The new palette is
// computed from this frame and all earlier frames.
type GIF struct {
	out           *bufio.Writer
	width, height int
	delay         float64 // duration of a frame, in hundredths of a second
	clock         float64 // start of the next frame, in hundredths of a second
	waiting       [][]byte
	palette       *palette
	local         bool // the palette differs from the one at the beginning of the file
	transparent   bool // an earlier frame has transparent pixels
	last, index   []uint8
	// pending is the last frame in encoded form. The next frame decides whether the pending frame must be removed
	// before the next frame is shown. So a frame is written only when the next frame is known.
	pending bytes.Buffer
}

// NewGIF starts an animation whose frames last `delay` hundredths of a second each. A delay below 2 becomes 2, because
// browsers show faster animations slowly. If delay is not a whole number, longer and shorter frames alternate, so that
// the animation has the right duration.
func NewGIF(w io.Writer, width, height int, delay float64) (*GIF, error) {
	if width < 1 || height < 1 || width > 65535 || height > 65535 {
		return nil, fmt.Errorf("a GIF of %dx%d pixels: expected at most 65535x65535", width, height)
	}
	if !(delay >= 0 && delay <= 65535) {
		return nil, fmt.Errorf("a GIF with %g hundredths of a second a frame: expected at most 65535", delay)
	}
	return &GIF{out: bufio.NewWriterSize(w, 1<<16), width: width, height: height, delay: max(delay, 2)}, nil
}

// Frame adds a frame of RGBA pixels with straight alpha. It copies them.
func (g *GIF) Frame(pix []byte) error {
	if len(pix) < 4*g.width*g.height {
		return errors.New("a frame is too short")
	}
	if g.palette != nil {
		return g.write(pix)
	}
	g.waiting = append(g.waiting, slices.Clone(pix[:4*g.width*g.height]))
	if len(g.waiting) == lookAhead {
		return g.begin()
	}
	return nil
}

// Close writes the rest of the file.
func (g *GIF) Close() error {
	if g.palette == nil {
		if err := g.begin(); err != nil {
			return err
		}
	}
	g.out.Write(g.pending.Bytes())
	g.out.WriteByte(0x3b)
	return g.out.Flush()
}

// begin computes the palette, and writes the first frames, which were stored until then.
func (g *GIF) begin() error {
	if len(g.waiting) == 0 {
		return errors.New("an animation without frames")
	}
	g.palette = newPalette(g.waiting)
	g.last, g.index = nil, make([]uint8, g.width*g.height)
	g.out.WriteString("GIF89a")
	g.out.Write(shorts(g.width, g.height))
	g.out.Write([]byte{0xf7, 0, 0}) // palette with 256 entries
	g.out.Write(g.palette.table())
	g.out.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
	waiting := g.waiting
	g.waiting = nil
	for _, pix := range waiting {
		if err := g.write(pix); err != nil {
			return err
		}
	}
	return nil
}

// shorts returns the numbers as 16-bit integers, little-endian.
func shorts(values ...int) (b []byte) {
	for _, v := range values {
		b = append(b, byte(v), byte(v>>8))
	}
	return b
}

// disposeKeep and disposeClear are values of the byte at index disposeAt of an encoded frame. With disposeKeep, the
// frame stays visible below the next frame. With disposeClear, it is removed before the next frame is shown. The lowest
// bit of both says that the frame has a transparent index.
const (
	disposeAt    = 3
	disposeKeep  = 1<<2 | 1
	disposeClear = 2<<2 | 1
)

// write encodes one frame. As long as no frame has transparent pixels, a pixel that does not change gets the
// transparent index.
func (g *GIF) write(pix []byte) error {
	if g.quantize(pix) && !g.transparent {
		// The previous frame must be removed, because its pixels would show through the first transparent pixels.
		g.transparent = true
		if g.pending.Len() > 0 {
			g.pending.Bytes()[disposeAt] = disposeClear
		}
	}
	dispose, index := byte(disposeKeep), g.index
	switch {
	case g.transparent:
		dispose = disposeClear
	case g.last == nil:
		g.last = slices.Clone(g.index)
	default:
		for i, v := range index {
			if g.last[i] == v {
				index[i] = transparentIndex
			} else {
				g.last[i] = v
			}
		}
	}
	if _, err := g.out.Write(g.pending.Bytes()); err != nil {
		return err
	}
	return g.encode(dispose)
}

// quantize computes the indices of a frame, with a new palette if the frame needs one. holes reports whether the frame
// has transparent pixels.
func (g *GIF) quantize(pix []byte) (holes bool) {
	far, holes := g.palette.quantize(g.index, pix, g.width)
	if most := len(g.index) / maxFarRatio; far <= max(most, 2*g.palette.farPixels) {
		return holes
	}
	g.palette.add(pix)
	g.palette.chooseColors()
	g.palette.farPixels, holes = g.palette.quantize(g.index, pix, g.width)
	g.local, g.last = true, nil
	return holes
}

// maxFarRatio limits how many pixels of a frame may be far from all colours of the palette: one pixel in maxFarRatio.
// A frame with more such pixels gets a new palette.
const maxFarRatio = 2000

// encode encodes the frame whose pixels are in index, and stores it in pending.
func (g *GIF) encode(dispose byte) error {
	now := math.Round(g.clock)
	g.clock += g.delay
	p := &g.pending
	p.Reset()
	p.Write([]byte{0x21, 0xf9, 4, disposeAt: dispose})
	p.Write(shorts(int(math.Round(g.clock) - now)))
	p.Write([]byte{transparentIndex, 0, 0x2c, 0, 0, 0, 0})
	p.Write(shorts(g.width, g.height))
	if g.local {
		p.WriteByte(0x87) // local palette with 256 entries
		p.Write(g.palette.table())
	} else {
		p.WriteByte(0)
	}
	p.WriteByte(8)
	blocks := &blockWriter{out: p}
	w := lzw.NewWriter(blocks, lzw.LSB, 8)
	if _, err := w.Write(g.index); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return blocks.close()
}

// A blockWriter cuts data into blocks of up to 255 bytes, and writes the length of each block before it.
type blockWriter struct {
	out *bytes.Buffer
	buf [256]byte
	n   int
}

func (b *blockWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := copy(b.buf[1+b.n:], rest)
		b.n, rest = b.n+n, rest[n:]
		if b.n == 255 {
			if err := b.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

func (b *blockWriter) flush() error {
	if b.n == 0 {
		return nil
	}
	b.buf[0] = byte(b.n)
	_, err := b.out.Write(b.buf[:1+b.n])
	b.n = 0
	return err
}

func (b *blockWriter) close() error {
	if err := b.flush(); err != nil {
		return err
	}
	return b.out.WriteByte(0)
}
