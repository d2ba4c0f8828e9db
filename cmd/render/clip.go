package main

import (
	"context"

	"lockstep/internal/cli"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/encode"
	"lockstep/render/png"
)

// A clip is an animation in one file that plays for ever: an animated PNG, a GIF or a WebP, or
// what ffmpeg makes of its frames. A nil one does nothing.
type clip struct {
	out    outFile
	kind   string
	fps    fpsFlag
	writer clipWriter
}

// A stillEncoder is a clipWriter whose frames are encoded by themselves, several at once, and
// then taken in their order.
type stillEncoder interface {
	Encode(pix []byte) ([]byte, error)
	Add(frame []byte) error
}

// webp is a clipWriter of animated WebP.
type webp struct{ *encode.WebPAnimation }

// Frame adds a frame.
func (a webp) Frame(pix []byte) error {
	frame, err := a.Encode(pix)
	if err != nil {
		return err
	}
	return a.Add(frame)
}

// A clipWriter takes the frames of a clip.
type clipWriter interface {
	Frame(pix []byte) error
	Close() error
}

// apng is a clipWriter of animated PNG.
type apng struct {
	*png.Animation
	stride int
	delay  png.Delay
}

// Frame adds a frame.
func (a *apng) Frame(pix []byte) error { return a.Animation.Frame(pix, a.stride, a.delay) }

// mostGIF is the largest number of frames a second of GIF: browsers show faster ones slowly.
const mostGIF = 50

func (f *clip) isVideo() bool { return f.kind == ".mp4" || f.kind == ".webm" }

// begin writes the clip up to its first frame.
func (f *clip) begin(ctx context.Context, w *pipeline, frames int, text []png.Text) error {
	if f == nil {
		return nil
	}
	var err error
	switch {
	case f.kind == ".gif":
		f.writer, err = encode.NewGIF(f.out, w.Width, w.Height, f.fps.seconds(100))
		if err != nil {
			return cli.Usagef("%w", err)
		}
	case f.kind == ".webp":
		var animation *encode.WebPAnimation
		animation, err = encode.NewWebPAnimation(f.out, w.Width, w.Height, f.fps.seconds(1000), w.small)
		f.writer = webp{animation}
	case f.isVideo():
		f.writer, err = startFFmpeg(ctx, f.out, video{f.kind, w.Width, w.Height, f.fps, w.channels == png.ChannelsRGBA})
	default:
		var animation *png.Animation
		animation, err = w.encoder.Animate(f.out, w.Width, w.Height, frames, 0, w.pngOptions(ctx, text))
		f.writer = &apng{animation, 4 * w.Width, png.Delay{Num: uint16(f.fps.den), Den: uint16(f.fps.num)}}
	}
	return atomicfile.Failure(err)
}

// frame adds a frame when it is its turn. A blank one, too: without it the clip would jump.
func (f *clip) frame(w *pipeline, pic *render.Picture, turn func() error) error {
	stills, ok := f.writer.(stillEncoder)
	if !ok {
		if err := turn(); err != nil {
			return err
		}
		defer w.timeEncoding()()
		return atomicfile.Failure(f.writer.Frame(pic.Pix))
	}
	done := w.timeEncoding()
	frame, err := stills.Encode(pic.Pix)
	done()
	if err != nil {
		return atomicfile.Failure(err)
	}
	if err := turn(); err != nil {
		return err
	}
	return atomicfile.Failure(stills.Add(frame))
}

// commit ends the clip and gives it its name.
func (f *clip) commit() error {
	if f == nil {
		return nil
	}
	if err := f.writer.Close(); err != nil {
		return atomicfile.Failure(err)
	}
	return f.out.Commit()
}

// abort removes the clip unless it was committed.
func (f *clip) abort() {
	if f != nil {
		f.out.Abort()
	}
}
