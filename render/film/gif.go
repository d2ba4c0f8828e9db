// Package film writes frames as films, while they are drawn.
package film

import (
	"bufio"
	"compress/lzw"
	"errors"
	"fmt"
	"io"
	"slices"
)

// lookAhead is how many frames are looked at for the colours of a clip. The frames of
// one are much alike.
const lookAhead = 8

// A GIF is an animated picture that plays for ever, with one palette of 255 colours
// for the clip, dithered in a pattern that stays in place, so that nothing flickers.
// Frame adds frames, Close ends it.
type GIF struct {
	out           *bufio.Writer
	width, height int
	delay         int // hundredths of a second
	waiting       [][]byte
	palette       *palette
	transparent   bool // frames have holes
	last, index   []uint8
}

// NewGIF begins a film whose frames last delay hundredths of a second each, at least 2: browsers
// show faster ones slowly.
func NewGIF(w io.Writer, width, height, delay int) (*GIF, error) {
	if width < 1 || height < 1 || width > 65535 || height > 65535 {
		return nil, fmt.Errorf("a GIF of %dx%d pixels: want at most 65535x65535", width, height)
	}
	return &GIF{out: bufio.NewWriterSize(w, 1<<16), width: width, height: height, delay: max(delay, 2)}, nil
}

// Frame adds a frame of straight-alpha RGBA pixels, which it copies.
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

// Close writes what is left.
func (g *GIF) Close() error {
	if g.palette == nil {
		if err := g.begin(); err != nil {
			return err
		}
	}
	g.out.WriteByte(0x3b)
	return g.out.Flush()
}

// begin finds the palette and writes what has waited for it.
func (g *GIF) begin() error {
	if len(g.waiting) == 0 {
		return errors.New("a film has no frames")
	}
	for _, pix := range g.waiting {
		for i := 3; i < len(pix) && !g.transparent; i += 4 {
			g.transparent = pix[i] < 128
		}
	}
	g.palette = newPalette(g.waiting)
	g.last, g.index = nil, make([]uint8, g.width*g.height)
	g.out.WriteString("GIF89a")
	g.short(g.width)
	g.short(g.height)
	g.out.Write([]byte{0xf7, 0, 0}) // a palette of 256
	for _, c := range g.palette.colors {
		g.out.Write(c[:])
	}
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

func (g *GIF) short(v int) { g.out.Write([]byte{byte(v), byte(v >> 8)}) }

// write writes one frame. Where nothing is transparent, pixels that stay are.
func (g *GIF) write(pix []byte) error {
	g.palette.quantize(g.index, pix, g.width)
	dispose, index := byte(1<<2|1), g.index
	switch {
	case g.transparent:
		dispose = 2<<2 | 1
	case g.last == nil:
		g.last = slices.Clone(g.index)
	default:
		for i, v := range index {
			if g.last[i] == v {
				index[i] = none
			} else {
				g.last[i] = v
			}
		}
	}
	g.out.Write([]byte{0x21, 0xf9, 4, dispose, byte(g.delay), byte(g.delay >> 8), none, 0, 0x2c, 0, 0, 0, 0})
	g.short(g.width)
	g.short(g.height)
	g.out.Write([]byte{0, 8})
	blocks := &blockWriter{out: g.out}
	w := lzw.NewWriter(blocks, lzw.LSB, 8)
	if _, err := w.Write(index); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return blocks.close()
}

// A blockWriter cuts data into blocks of up to 255 bytes, each behind its length.
type blockWriter struct {
	out *bufio.Writer
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
