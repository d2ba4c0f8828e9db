package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/pictureflags"
	"lockstep/render/recipe"
)

// cropFlags determine which part of the picture is written.
type cropFlags struct {
	Crop recipe.Rect `group:"data" placeholder:"X,Y,WxH" help:"Draw and write only this part of a picture of --size, in pixels from its upper left corner."`
	Trim bool        `group:"data" help:"Leave out rows and columns at the borders that show only the background."`
}

// A sheetFlag is the number of views of a contact sheet; 0 means none.
type sheetFlag int

// Decode implements kong.MapperValue.
func (f *sheetFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := pictureflags.PopValue(ctx, pictureflags.SignedNumber)
	if err != nil {
		return err
	}
	if s != "4" && s != "7" {
		return fmt.Errorf("%q: expected 4 or 7 views", s)
	}
	*f = sheetFlag(s[0] - '0')
	return nil
}

// An fpsFlag is a number of frames per second as a fraction. The zero value means that the flag is not given.
type fpsFlag struct{ num, den int }

// Decode implements kong.MapperValue. It accepts 1 to 1000 frames per second, although browsers show at most a hundred.
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
	// Animated PNG stores the duration of a frame as a fraction of two 16-bit numbers.
	ok = ok && f.num > 0 && f.den > 0 && f.num <= math.MaxUint16 && f.den <= math.MaxUint16
	if !ok || f.perSecond() < least || f.perSecond() > most {
		return fmt.Errorf("%q: expected %d to %d, such as 25, 29.97 or 24000/1001", s, least, most)
	}
	return nil
}

func (f fpsFlag) perSecond() float64 { return float64(f.num) / float64(f.den) }

// frameDuration returns the duration of a frame in units of 1/parts second. If `parts` is 1000, the unit is a
// millisecond.
func (f fpsFlag) frameDuration(parts float64) float64 { return parts * float64(f.den) / float64(f.num) }

// rateOf returns v, a number of frames per second, as a fraction. A number such as 23.976 is a rounded rate of
// television. The exact rate is a whole number times 1000/1001.
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

// fpsDefault is the default number of frames per second of a clip.
var fpsDefault = fpsFlag{25, 1}
