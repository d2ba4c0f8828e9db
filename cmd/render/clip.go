package main

import (
	"context"

	"lockstep/internal/cli"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/encode"
	"lockstep/render/png"
)

// A clip is an animation in one file that plays in a loop. It is an animated PNG, a GIF, a WebP, or a video that ffmpeg
// makes from the frames. The methods of a nil clip do nothing.
type clip struct {
	out    outFile
	kind   string
	fps    fpsFlag
	writer clipWriter
}

// A parallelEncoder is a clipWriter that can encode several frames at the same time. The encoded frames are then added
// in order.
type parallelEncoder interface {
	Encode(pix []byte) ([]byte, error)
	Add(frame []byte) error
}

// webp is a clipWriter of an animated WebP file.
type webp struct{ *encode.WebPAnimation }

// Frame encodes and adds a frame.
func (a webp) Frame(pix []byte) error {
	frame, err := a.Encode(pix)
	if err != nil {
		return err
	}
	return a.Add(frame)
}

// A clipWriter writes the frames of a clip in their order.
type clipWriter interface {
	Frame(pix []byte) error
	Close() error
}

// apng is a clipWriter of an animated PNG file.
type apng struct {
	*png.Animation
	stride int
	delay  png.Delay
}

// Frame adds a frame.
func (a *apng) Frame(pix []byte) error { return a.Animation.Frame(pix, a.stride, a.delay) }

// maxGIFRate is the largest number of frames per second in a GIF. Browsers slow down GIFs with a higher rate.
const maxGIFRate = 50

func (f *clip) isVideo() bool { return f.kind == ".mp4" || f.kind == ".webm" }

// begin writes the part of the file before the first frame. frames is the number of frames.
func (f *clip) begin(ctx context.Context, w *pipeline, frames int, text []png.Text) error {
	if f == nil {
		return nil
	}
	var err error
	switch {
	case f.kind == ".gif":
		f.writer, err = encode.NewGIF(f.out, w.Width, w.Height, f.fps.frameDuration(100))
		if err != nil {
			return cli.Usagef("%w", err)
		}
	case f.kind == ".webp":
		var animation *encode.WebPAnimation
		animation, err = encode.NewWebPAnimation(f.out, w.Width, w.Height, f.fps.frameDuration(1000), w.small)
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

// addFrame adds a frame. It first calls the function turn, which waits until all earlier frames are added. Frames that
// show nothing are added, too. Without them the clip would jump.
func (f *clip) addFrame(w *pipeline, pic *render.Picture, turn func() error) error {
	stills, ok := f.writer.(parallelEncoder)
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

// commit finishes the clip and renames its file to the final name.
func (f *clip) commit() error {
	if f == nil {
		return nil
	}
	if err := f.writer.Close(); err != nil {
		return atomicfile.Failure(err)
	}
	return f.out.Commit()
}

// abort removes the file of the clip unless the clip was committed.
func (f *clip) abort() {
	if f != nil {
		f.out.Abort()
	}
}
