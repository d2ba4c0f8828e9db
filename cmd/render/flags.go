package main

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"golang.org/x/image/colornames"

	"lockstep/render"
	"lockstep/scenes"
)

// popValue takes a flag's value from the command line. Unlike kong it accepts a
// leading hyphen where negative says that the value may be a negative one, so
// that `--view -30,20` and `--up -x` need no equals sign.
func popValue(ctx *kong.DecodeContext, negative func(string) bool) (string, error) {
	t := ctx.Scan.Peek()
	s, isString := t.Value.(string)
	if t.IsEOL() || !isString || !t.IsValue() && !negative(s) {
		return "", errors.New("expected a value")
	}
	ctx.Scan.Pop()
	return s, nil
}

// signedNumber reports whether s starts like a negative number.
func signedNumber(s string) bool {
	return len(s) > 1 && s[0] == '-' && (s[1] == '.' || '0' <= s[1] && s[1] <= '9')
}

// A pathFlag is the name of a file or folder; "-" is one.
type pathFlag string

// Decode implements kong.MapperValue.
func (f *pathFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, func(string) bool { return false })
	if err != nil || s == "" {
		return errors.New("expected a name")
	}
	*f = pathFlag(s)
	return nil
}

// A sizeFlag is the size of a picture in pixels: WxH, W,H or N for a square.
type sizeFlag struct{ Width, Height int }

// Decode implements kong.MapperValue.
func (f *sizeFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	w, h, two := strings.Cut(s, "x")
	if !two {
		w, h, two = strings.Cut(s, ",")
	}
	if !two {
		h = w
	}
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if errW != nil || errH != nil || width < 1 || height < 1 {
		return fmt.Errorf("%q: expected WxH in pixels, such as 1920x1080", s)
	}
	*f = sizeFlag{width, height}
	return nil
}

// A viewFlag is the direction of the eye in degrees.
type viewFlag struct {
	Azimuth, Elevation float64
	Name               string // of a named view
}

// views are the named directions. From the isometric one the three axes are
// seen equally long: its elevation is atan(1/sqrt(2)).
var views = map[string]viewFlag{
	"front":  {Azimuth: 0, Elevation: 0},
	"back":   {Azimuth: 180, Elevation: 0},
	"right":  {Azimuth: 90, Elevation: 0},
	"left":   {Azimuth: -90, Elevation: 0},
	"top":    {Azimuth: 0, Elevation: 90},
	"bottom": {Azimuth: 0, Elevation: -90},
	"iso":    {Azimuth: 45, Elevation: 35.264389682754654},
}

// Decode implements kong.MapperValue.
func (f *viewFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	if v, ok := views[s]; ok {
		v.Name = s
		*f = v
		return nil
	}
	az, el, ok := strings.Cut(s, ",")
	azimuth, errA := strconv.ParseFloat(az, 64)
	elevation, errE := strconv.ParseFloat(el, 64)
	if !ok || errA != nil || errE != nil || !finite(azimuth) || !finite(elevation) {
		return fmt.Errorf("%q: expected AZ,EL in degrees, front, back, left, right, top, bottom or iso", s)
	}
	if math.Abs(elevation) > 90 {
		return fmt.Errorf("%q: elevation must lie between -90 and 90 degrees", s)
	}
	*f = viewFlag{Azimuth: azimuth, Elevation: elevation}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// A colorFlag is an sRGB colour, or nil where the flag's word for none is
// given.
type colorFlag struct{ RGB *render.RGB }

// color returns the colour, or nil.
func (f *colorFlag) color() color.Color {
	if f.RGB == nil {
		return nil
	}
	return *f.RGB
}

// decode reads a colour or the word none.
func (f *colorFlag) decode(ctx *kong.DecodeContext, none string) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	if s == none {
		f.RGB = nil
		return nil
	}
	rgb, ok := parseColor(s)
	if !ok {
		return fmt.Errorf("%q: expected RRGGBB in hexadecimal, #RGB, a name such as white, or %s", s, none)
	}
	f.RGB = &rgb
	return nil
}

// parseColor reads one of the names of CSS (Color Module Level 3, section 4.3), RRGGBB, #RRGGBB or #RGB.
func parseColor(s string) (render.RGB, bool) {
	if c, ok := colornames.Map[strings.ToLower(s)]; ok {
		return render.RGB(c.R)<<16 | render.RGB(c.G)<<8 | render.RGB(c.B), true
	}
	hex, marked := strings.CutPrefix(s, "#")
	if marked && len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	return render.RGB(v), err == nil && len(hex) == 6
}

// text returns the colour as RRGGBB, or none.
func (f *colorFlag) text(none string) string {
	if f.RGB == nil {
		return none
	}
	return fmt.Sprintf("%06x", uint32(*f.RGB))
}

// A baseColorFlag is a colour, "source", or "facing": fronts and backs.
type baseColorFlag struct {
	colorFlag
	facing bool
}

// Decode implements kong.MapperValue.
func (f *baseColorFlag) Decode(ctx *kong.DecodeContext) error {
	if f.facing = ctx.Scan.Peek().Value == "facing"; f.facing {
		ctx.Scan.Pop()
		f.RGB = nil
		return nil
	}
	return f.decode(ctx, "source")
}

// text returns the colour as RRGGBB, source or facing.
func (f *baseColorFlag) text() string {
	if f.facing {
		return "facing"
	}
	return f.colorFlag.text("source")
}

// An upFlag is an up axis; nil leaves it to the format of the mesh.
type upFlag struct{ Axis *scenes.Axis }

// of returns the up axis of a mesh; that which its name was given goes before that of all.
func (f *upFlag) of(in *input) scenes.Axis {
	switch {
	case in.axis != nil:
		return *in.axis
	case f.Axis != nil:
		return *f.Axis
	}
	return in.up()
}

// Decode implements kong.MapperValue.
func (f *upFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, func(s string) bool { return len(s) == 2 && s[0] == '-' })
	if err != nil {
		return err
	}
	if s == "auto" {
		f.Axis = nil
		return nil
	}
	axis, err := scenes.ParseAxis(s)
	if err != nil {
		return fmt.Errorf("%q: expected x, y, z, -x, -y or -z", s)
	}
	f.Axis = &axis
	return nil
}

// The bounds of --fov in degrees. Below them the picture is that of an orthographic
// projection, to a tenth of a pixel; above, the mesh is a dot in its middle.
const minFov, maxFov = 0.001, 179

// A fovFlag is a field of view in degrees.
type fovFlag float64

// Decode implements kong.MapperValue.
func (f *fovFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(minFov <= v && v <= maxFov) {
		return fmt.Errorf("%q: expected %v to %v degrees", s, minFov, maxFov)
	}
	*f = fovFlag(v)
	return nil
}

// popCount takes a whole number of at most most.
func popCount(ctx *kong.DecodeContext, least, most int) (int, error) {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q: expected %d to %d", s, least, most)
	}
	return n, nil
}

// A workersFlag is a number of workers; 0 means one a core.
type workersFlag int

// Decode implements kong.MapperValue.
func (f *workersFlag) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 0, render.MaxWorkers)
	*f = workersFlag(n)
	return err
}

// A dpiFlag is a resolution in dots per inch; 0 means none.
type dpiFlag int

// Decode implements kong.MapperValue. Ten thousand is above what prints and films have.
func (f *dpiFlag) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 1, 10_000)
	*f = dpiFlag(n)
	return err
}

// A framesFlag is a number of frames; 0 means that none was given.
type framesFlag int

// mostFrames bounds it: an hour at 60 pictures a second is below, and a slip of the finger above.
const mostFrames = 1_000_000

// Decode implements kong.MapperValue.
func (f *framesFlag) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 1, mostFrames)
	*f = framesFlag(n)
	return err
}

// A statsFlag is how statistics are printed: text or json; "" is not at all.
type statsFlag string

// Decode implements kong.MapperValue.
func (f *statsFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	if s != "text" && s != "json" {
		return fmt.Errorf("%q: expected text or json", s)
	}
	*f = statsFlag(s)
	return nil
}

// A positiveFlag is a finite number above zero.
type positiveFlag float64

// Decode implements kong.MapperValue.
func (f *positiveFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !finite(v) || v <= 0 {
		return fmt.Errorf("%q: expected a number above 0", s)
	}
	*f = positiveFlag(v)
	return nil
}
