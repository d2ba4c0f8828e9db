package png

import (
	"fmt"
	"io"
	"sync"
)

// An Encoder writes pictures, one at a time, and keeps its memory for the next picture. After the first picture of a
// size, it makes no allocations that grow with the picture. The zero value is ready to use.
type Encoder struct {
	format format
	source source
	opts   Options
	slabs  slabSet
	flat   flatCache
	head   []byte

	// If `numbered` is set, data chunks are fdAT chunks instead of IDAT chunks. The first fdAT chunk gets the number in
	// `sequence`.
	numbered bool
	sequence uint32

	examined struct {
		sync.Mutex
		traits traits // traits that all slabs examined so far have
		slabs  int    // number of slabs examined so far
	}

	// encodeTask and traitsTask are the methods encodeSlab and examineSlab as function values. Creating them once
	// saves allocations.
	encodeTask, traitsTask func(i int)
}

// EncodeRGBA writes a picture of 8-bit sRGB colour with straight alpha to w.
//
// pix holds R, G, B, A of the pixels, row by row from the top. The starts of two rows are stride bytes apart, at least
// 4*width. A decoder returns exactly these bytes, except for alpha that opts.Channels leaves out. If opts is nil, the
// default options apply. The written bytes depend on the pixels, the size and the options, but not on opts.Run.
//
// EncodeRGBA returns an error if the options or sizes are invalid, or if opts.Run has not run all tasks. If w fails,
// the error wraps w's error, and part of the file may have been written.
func (e *Encoder) EncodeRGBA(w io.Writer, pix []byte, stride, width, height int, opts *Options) error {
	defer e.release()
	if err := e.begin(opts, len(pix), stride, width, height, 4); err != nil {
		return err
	}
	e.source = source{pix: pix, stride: stride}
	e.format = newFormat(width, height, colourRGBA, 8, e.opts.Level)
	colour, err := e.chooseColour()
	if err != nil {
		return err
	}
	e.format = newFormat(width, height, colour, 8, e.opts.Level)
	return e.encode(w)
}

// EncodeGray16 writes a picture of 16-bit samples, such as depths, to w. The file states no colour space and no gamma,
// because the samples are data.
//
// pix holds the samples row by row from the top. The starts of two rows are stride samples apart, at least width.
// Otherwise EncodeGray16 is like EncodeRGBA.
func (e *Encoder) EncodeGray16(w io.Writer, pix []uint16, stride, width, height int, opts *Options) error {
	defer e.release()
	if err := e.begin(opts, len(pix), stride, width, height, 1); err != nil {
		return err
	}
	e.source = source{grey: pix, stride: stride}
	e.format = newFormat(width, height, colourGrey, 16, e.opts.Level)
	return e.encode(w)
}

// begin checks and stores the options. It also checks that n elements, perPixel for each pixel, are enough for the
// picture.
func (e *Encoder) begin(opts *Options, n, stride, width, height, perPixel int) error {
	if opts != nil {
		if err := opts.Validate(); err != nil {
			return err
		}
		e.opts = *opts
	}
	if e.encodeTask == nil {
		e.encodeTask, e.traitsTask = e.encodeSlab, e.examineSlab
	}
	return checkSize(n, stride, width, height, perPixel)
}

// encode writes the file that e.format and e.source describe.
func (e *Encoder) encode(w io.Writer) error {
	e.head = appendHeader(e.head[:0], &e.format)
	e.head = appendAncillary(e.head, &e.format, &e.opts)
	if err := writeAll(w, e.head); err != nil {
		return fmt.Errorf("png: write header: %w", err)
	}
	if err := e.encodeSlabs(w); err != nil {
		return err
	}
	e.head = appendEnd(e.head[:0])
	if err := writeAll(w, e.head); err != nil {
		return fmt.Errorf("png: write end: %w", err)
	}
	return nil
}

// encodeSlabs writes the pixels of e.source as data chunks.
func (e *Encoder) encodeSlabs(w io.Writer) error {
	e.slabs.reset(w, e.format.slabs)
	e.opts.run(e.format.slabs, e.encodeTask)
	return e.slabs.finish()
}

// encodeSlab is the task that encodes slab i. It does nothing if writing has failed.
func (e *Encoder) encodeSlab(i int) {
	if e.slabs.failed() {
		return
	}
	s := e.slabs.take()
	s.encode(e, &e.slabs.slabs[i], i)
	e.slabs.give(s)
	e.slabs.setReady(i)
}

// chooseColour returns the colour type for the options, and examines the pixels if the options require that.
func (e *Encoder) chooseColour() (byte, error) {
	switch e.opts.Channels {
	case ChannelsRGB:
		return colourRGB, nil
	case ChannelsRGBA:
		return colourRGBA, nil
	}
	e.examined.traits = traits{opaque: true, grey: e.opts.Channels == ChannelsLeast}
	e.examined.slabs = 0
	e.opts.run(e.format.slabs, e.traitsTask)
	e.examined.Lock()
	defer e.examined.Unlock()
	if n := e.examined.slabs; n != e.format.slabs {
		return 0, fmt.Errorf("png: Options.Run did %d of %d tasks", n, e.format.slabs)
	}
	switch e.examined.traits {
	case traits{opaque: true, grey: true}:
		return colourGrey, nil
	case traits{grey: true}:
		return colourGreyAlpha, nil
	case traits{opaque: true}:
		return colourRGB, nil
	}
	return colourRGBA, nil
}

// examineSlab is the task of chooseColour for slab i. It returns at once if earlier slabs have no trait in common.
func (e *Encoder) examineSlab(i int) {
	e.examined.Lock()
	found := e.examined.traits
	e.examined.Unlock()
	y0 := i * e.format.slabRows
	y1 := min(y0+e.format.slabRows, e.format.height)
	found = e.source.traits(e.format.width, y0, y1, found)
	e.examined.Lock()
	e.examined.traits = e.examined.traits.and(found)
	e.examined.slabs++
	e.examined.Unlock()
}

// release clears references to the caller's data, so that the data can be freed.
func (e *Encoder) release() {
	e.source, e.opts = source{}, Options{}
	e.numbered = false
	e.slabs.w = nil
}

// writeAll writes p to w. It returns an error if w writes less.
func writeAll(w io.Writer, p []byte) error {
	n, err := w.Write(p)
	if err == nil && n < len(p) {
		return io.ErrShortWrite
	}
	return err
}
