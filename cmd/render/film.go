package main

import (
	"cmp"
	"context"

	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/png"
)

// fpsDefault is the pace of a film in frames per second.
const fpsDefault = 25

// A film is an animation in one file, an animated PNG that plays for ever. A nil one
// does nothing.
type film struct {
	out       outFile
	animation *png.Animation
	delay     png.Delay
}

// newFilm opens the file for the film, if one is wanted.
func (c *animateCommand) newFilm(a *app) (*film, error) {
	if !filmName(string(c.Output)) {
		return nil, nil
	}
	out, err := a.create(string(c.Output))
	if err != nil {
		return nil, err
	}
	return &film{out: out, delay: png.Delay{Num: 1, Den: cmp.Or(uint16(c.FPS), fpsDefault)}}, nil
}

// begin writes the film up to its first frame.
func (f *film) begin(ctx context.Context, w *pipeline, frames int, text []png.Text) (err error) {
	if f == nil {
		return nil
	}
	options := w.pngOptions(ctx, text)
	f.animation, err = w.encoder.Animate(f.out, w.width, w.height, frames, 0, options)
	return atomicfile.Failure(err)
}

// frame adds a frame. A blank one, too: without it the film would jump.
func (f *film) frame(w *pipeline, pic *render.Picture) error {
	defer w.timeEncoding()()
	return atomicfile.Failure(f.animation.Frame(pic.Pix, 4*pic.Width, f.delay))
}

// commit ends the film and gives it its name.
func (f *film) commit() error {
	if f == nil {
		return nil
	}
	if err := f.animation.Close(); err != nil {
		return atomicfile.Failure(err)
	}
	return f.out.Commit()
}

// abort removes the film unless it was committed.
func (f *film) abort() {
	if f != nil {
		f.out.Abort()
	}
}
