package png

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Delay is the time for which a frame is shown: Num/Den seconds. A Den of 0 means 100, as in APNG.
type Delay struct{ Num, Den uint16 }

// An Animation writes the frames of an animated PNG (APNG, part of PNG's third edition). Decoders without animation
// show the first frame.
type Animation struct {
	enc           *Encoder
	w             io.Writer
	opts          Options
	width, height int
	frames, done  int
	sequence      uint32
	err           error
}

// Animate starts an animation with the given number of frames, which plays the given number of times. If plays is 0,
// it plays for ever. Animate writes the chunks before the first frame.
//
// Frames are RGBA, or RGB if opts.Channels is ChannelsRGB. Animate cannot look at the pixels to decide this, because
// later frames are unknown. Until Close, the encoder can only be used for the animation. Animate returns an error if
// an argument is invalid or w fails.
func (e *Encoder) Animate(w io.Writer, width, height, frames, plays int, opts *Options) (*Animation, error) {
	if frames < 1 || frames > math.MaxInt32 || plays < 0 || plays > math.MaxInt32 {
		return nil, fmt.Errorf("png: animation of %d frames, played %d times", frames, plays)
	}
	a := &Animation{enc: e, w: w, width: width, height: height, frames: frames}
	if opts != nil {
		a.opts = *opts
	}
	defer e.release()
	if err := e.begin(&a.opts, math.MaxInt, 4*width, width, height, 4); err != nil {
		return nil, err
	}
	f := a.format()
	head := appendHeader(nil, &f)
	head, start := beginChunk(head, "acTL")
	head = binary.BigEndian.AppendUint32(head, uint32(frames))
	head = binary.BigEndian.AppendUint32(head, uint32(plays))
	head = endChunk(head, start)
	head = appendAncillary(head, &f, &a.opts)
	if err := writeAll(w, head); err != nil {
		return nil, fmt.Errorf("png: write header: %w", err)
	}
	return a, nil
}

func (a *Animation) format() format {
	colour := byte(colourRGBA)
	if a.opts.Channels == ChannelsRGB {
		colour = colourRGB
	}
	return newFormat(a.width, a.height, colour, 8, a.opts.Level)
}

// Frame writes the next frame. pix and stride are as in EncodeRGBA. After w has failed, Frame does nothing and returns
// the same error again.
func (a *Animation) Frame(pix []byte, stride int, delay Delay) error {
	if a.err != nil {
		return a.err
	}
	if a.done == a.frames {
		return fmt.Errorf("png: animation already has all its %d frames", a.frames)
	}
	e := a.enc
	defer e.release()
	if err := e.begin(&a.opts, len(pix), stride, a.width, a.height, 4); err != nil {
		return fmt.Errorf("png: frame %d: %w", a.done+1, err)
	}
	e.source = source{pix: pix, stride: stride}
	e.format = a.format()
	a.err = a.write(delay)
	if a.err != nil {
		a.err = fmt.Errorf("png: frame %d of %d: %w", a.done+1, a.frames, a.err)
		return a.err
	}
	a.done++
	return nil
}

// write writes the frame's control chunk and its data chunks. All these chunks are numbered in one sequence. Only the
// data chunks of the first frame have no numbers. They are the picture for decoders without animation.
func (a *Animation) write(delay Delay) error {
	e := a.enc
	var start int
	e.head, start = beginChunk(e.head[:0], "fcTL")
	// The frame covers the whole picture, so its offset is 0, 0.
	for _, v := range [...]uint32{a.sequence, uint32(a.width), uint32(a.height), 0, 0} {
		e.head = binary.BigEndian.AppendUint32(e.head, v)
	}
	e.head = binary.BigEndian.AppendUint16(e.head, delay.Num)
	e.head = binary.BigEndian.AppendUint16(e.head, delay.Den)
	e.head = append(e.head, 0, 0)
	e.head = endChunk(e.head, start)
	if err := writeAll(a.w, e.head); err != nil {
		return fmt.Errorf("write control: %w", err)
	}
	a.sequence++
	if a.done > 0 {
		e.numbered, e.sequence = true, a.sequence
		a.sequence += uint32(e.format.slabs)
	}
	return e.encodeSlabs(a.w)
}

// Close ends the file. It returns an error if frames are missing, or if a write fails or failed before.
func (a *Animation) Close() error {
	switch {
	case a.err != nil:
		return a.err
	case a.done < a.frames:
		a.err = fmt.Errorf("png: animation ended after %d of %d frames", a.done, a.frames)
		return a.err
	}
	err := writeAll(a.w, appendEnd(nil))
	a.err = errors.New("png: animation is closed")
	if err != nil {
		return fmt.Errorf("png: write end: %w", err)
	}
	return nil
}
