package png

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// A Stream writes a picture whose rows arrive a few at a time; memory never holds the whole picture. The file has the
// same bytes as with EncodeRGBA, however many rows arrive at a time.
type Stream struct {
	enc       *Encoder
	opts      Options
	format    format
	rows      []byte // last encoded row, followed by received rows that are not encoded yet
	first     int    // row of the picture at rows[0]
	rowsTaken int    // number of rows received
	slabsDone int    // number of slabs written
	err       error
}

// Stream starts a picture of RGBA pixels (see EncodeRGBA), and writes the chunks before the pixels. The file is RGBA,
// or RGB if opts.Channels is ChannelsRGB. Stream cannot look at the pixels to decide this, because later rows are
// unknown. Until Close, the encoder can only be used for this picture. Stream returns an error if an argument is
// invalid or w fails.
func (e *Encoder) Stream(w io.Writer, width, height int, opts *Options) (*Stream, error) {
	s := &Stream{enc: e}
	if opts != nil {
		s.opts = *opts
	}
	if height < 1 || height > math.MaxInt32 {
		return nil, fmt.Errorf("png: a picture of %d rows: expected 1 to %d", height, math.MaxInt32)
	}
	if err := e.begin(&s.opts, 4*width, 4*width, width, 1, 4); err != nil {
		return nil, err
	}
	colour := byte(colourRGBA)
	if s.opts.Channels == ChannelsRGB {
		colour = colourRGB
	}
	s.format = newFormat(width, height, colour, 8, s.opts.Level)
	e.format = s.format
	e.head = appendAncillary(appendHeader(e.head[:0], &e.format), &e.format, &e.opts)
	if err := writeAll(w, e.head); err != nil {
		return nil, fmt.Errorf("png: write header: %w", err)
	}
	e.slabs.reset(w, s.format.slabs)
	return s, nil
}

// Rows adds the next n rows of pixels, whose starts are stride bytes apart. After a write has failed, Rows does nothing
// and returns the same error again.
func (s *Stream) Rows(pix []byte, stride, n int) error {
	if s.err != nil {
		return s.err
	}
	if n < 1 || n > s.format.height-s.rowsTaken {
		return fmt.Errorf("png: %d rows after %d of %d", n, s.rowsTaken, s.format.height)
	}
	if err := checkSize(len(pix), stride, s.format.width, n, 4); err != nil {
		return err
	}
	for y := range n {
		s.rows = append(s.rows, pix[y*stride:y*stride+4*s.format.width]...)
	}
	s.rowsTaken += n
	s.err = s.encode()
	return s.err
}

// encode encodes and writes the slabs whose rows have all arrived.
func (s *Stream) encode() error {
	f, e := &s.format, s.enc
	ready := s.rowsTaken / f.slabRows
	if s.rowsTaken == f.height {
		ready = f.slabs
	}
	n, at := ready-s.slabsDone, s.slabsDone
	if n == 0 {
		return nil
	}
	e.source = source{pix: s.rows, stride: 4 * f.width, first: s.first}
	e.opts.run(n, func(i int) { e.encodeSlab(at + i) })
	e.source = source{}
	if err := e.slabs.firstErr(ready); err != nil {
		return err
	}
	s.slabsDone = ready
	// Later slabs use the memory of the written chunks. The last encoded row stays, because the filter of the row
	// below needs it.
	e.slabs.recycle(at, ready)
	last := min(ready*f.slabRows, f.height) - 1
	s.rows = s.rows[:copy(s.rows, s.rows[4*f.width*(last-s.first):])]
	s.first = last
	return nil
}

// Close ends the file. It returns an error if rows are missing, or if a write fails or failed before.
func (s *Stream) Close() error {
	if s.err != nil {
		return s.err
	}
	w := s.enc.slabs.w
	defer s.enc.release()
	s.err = errors.New("png: picture is closed")
	if s.rowsTaken < s.format.height {
		return fmt.Errorf("png: picture ended after %d of %d rows", s.rowsTaken, s.format.height)
	}
	if err := s.enc.slabs.finish(); err != nil {
		return err
	}
	if err := writeAll(w, appendEnd(s.enc.head[:0])); err != nil {
		return fmt.Errorf("png: write end: %w", err)
	}
	return nil
}
