package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/atomicfile"
	"lockstep/render/encode"
	filmpkg "lockstep/render/film"
	"lockstep/render/png"
)

// A film is an animation in one file that plays for ever: an animated PNG, a GIF or a WebP, or
// what ffmpeg makes of its frames. A nil one does nothing.
type film struct {
	out    outFile
	kind   string
	fps    fpsFlag
	writer filmWriter
}

// A stillEncoder is a filmWriter whose frames are encoded by themselves, several at once, and
// then taken in their order.
type stillEncoder interface {
	Encode(pix []byte) ([]byte, error)
	Add(frame []byte) error
}

// webp is a filmWriter of animated WebP.
type webp struct{ *encode.WebPAnimation }

// Frame adds a frame.
func (a webp) Frame(pix []byte) error {
	frame, err := a.Encode(pix)
	if err != nil {
		return err
	}
	return a.Add(frame)
}

// A filmWriter takes the frames of a film.
type filmWriter interface {
	Frame(pix []byte) error
	Close() error
}

// apng is a filmWriter of animated PNG.
type apng struct {
	*png.Animation
	stride int
	delay  png.Delay
}

// Frame adds a frame.
func (a *apng) Frame(pix []byte) error { return a.Animation.Frame(pix, a.stride, a.delay) }

// newFilm opens the file for the film, if one is wanted.
func (c *animateCommand) newFilm(a *app) (*film, error) {
	if !framename.IsAnimation(string(c.Output)) {
		return nil, nil
	}
	f := &film{kind: strings.ToLower(filepath.Ext(string(c.Output))), fps: cmp.Or(c.FPS, fpsDefault)}
	if f.isVideo() {
		if err := findFFmpeg(string(c.Output)); err != nil {
			return nil, err
		}
	}
	if f.kind == ".gif" && f.fps.perSecond() > mostGIF {
		a.Warn("%s: GIF shows at most %d frames a second: the film takes longer", c.Output, mostGIF)
	}
	if f.kind != ".png" && f.kind != ".apng" {
		a.noDPI(string(c.Output), int(c.DPI))
	}
	if f.kind == ".webp" {
		if err := checkWebP(string(c.Output), c.Size); err != nil {
			return nil, err
		}
	}
	var err error
	f.out, err = a.create(string(c.Output))
	return f, err
}

// mostGIF is the largest number of frames a second of GIF: browsers show faster ones slowly.
const mostGIF = 50

func (f *film) isVideo() bool { return f.kind == ".mp4" || f.kind == ".webm" }

// begin writes the film up to its first frame.
func (f *film) begin(ctx context.Context, w *pipeline, frames int, text []png.Text) error {
	if f == nil {
		return nil
	}
	var err error
	switch {
	case f.kind == ".gif":
		f.writer, err = filmpkg.NewGIF(f.out, w.Width, w.Height, f.fps.seconds(100))
		if err != nil {
			return cli.Usagef("%w", err)
		}
	case f.kind == ".webp":
		var animation *encode.WebPAnimation
		animation, err = encode.NewWebPAnimation(f.out, w.Width, w.Height, f.fps.seconds(1000), w.small)
		f.writer = webp{animation}
	case f.isVideo():
		f.writer, err = startFFmpeg(ctx, f.out, f.kind, w.Width, w.Height, f.fps, w.channels == png.ChannelsRGBA)
	default:
		var animation *png.Animation
		animation, err = w.encoder.Animate(f.out, w.Width, w.Height, frames, 0, w.pngOptions(ctx, text))
		f.writer = &apng{animation, 4 * w.Width, png.Delay{Num: uint16(f.fps.den), Den: uint16(f.fps.num)}}
	}
	return atomicfile.Failure(err)
}

// frame adds a frame when it is its turn. A blank one, too: without it the film would jump.
func (f *film) frame(w *pipeline, pic *render.Picture, turn func() error) error {
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

// commit ends the film and gives it its name.
func (f *film) commit() error {
	if f == nil {
		return nil
	}
	if err := f.writer.Close(); err != nil {
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

// An fpsFlag is a number of frames per second as a fraction; the zero value means that none
// was given.
type fpsFlag struct{ num, den int }

// fpsDefault is the pace of a film.
var fpsDefault = fpsFlag{25, 1}

// Decode implements kong.MapperValue. Browsers show none faster than a hundred.
func (f *fpsFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := pictureflags.PopValue(ctx, pictureflags.SignedNumber)
	if err != nil {
		return err
	}
	const least, most = 1, 1000
	ok := false
	if num, den, fraction := strings.Cut(s, "/"); fraction {
		f.num, err = strconv.Atoi(num)
		var err2 error
		f.den, err2 = strconv.Atoi(den)
		ok = err == nil && err2 == nil
	} else {
		v, err := strconv.ParseFloat(s, 64)
		ok = err == nil && v >= least && v <= most
		*f = rateOf(v)
	}
	// Animated PNG has 16 bits for each.
	ok = ok && f.num > 0 && f.den > 0 && f.num <= math.MaxUint16 && f.den <= math.MaxUint16
	if !ok || f.perSecond() < least || f.perSecond() > most {
		return fmt.Errorf("%q: expected %d to %d, such as 25, 29.97 or 24000/1001", s, least, most)
	}
	return nil
}

// rateOf returns the fraction that is meant by a number of frames per second. 23.976 and the
// like are the rates of television, which are a thousandth below whole ones.
func rateOf(v float64) fpsFlag {
	const slower, rounded = 1001, 0.005
	if n := math.Ceil(v); n != v && math.Abs(float64(n*1000)/slower-v) < rounded {
		return fpsFlag{int(n) * 1000, slower}
	}
	f := fpsFlag{int(math.Round(v * 1000)), 1000}
	for _, prime := range [...]int{2, 2, 2, 5, 5, 5} {
		if f.num%prime == 0 {
			f.num, f.den = f.num/prime, f.den/prime
		}
	}
	return f
}

func (f fpsFlag) perSecond() float64 { return float64(f.num) / float64(f.den) }

// seconds returns how long a frame lasts, in parts of which a second has so many.
func (f fpsFlag) seconds(parts float64) float64 { return parts * float64(f.den) / float64(f.num) }
