package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/render"
)

// lookFlags say what a picture looks like. Where a flag says auto, others decide: see
// resolve.
type lookFlags struct {
	Fast       bool           `help:"Flat, no occlusion, 1 sample, fit by box."`
	Shading    string         `group:"look" enum:"auto,flat,smooth" default:"auto" placeholder:"KIND" help:"flat or smooth (smooth)."`
	Light      string         `group:"look" enum:"studio,headlight" default:"studio" placeholder:"KIND" help:"studio, or headlight: one light at the eye (${default})."`
	Fit        string         `group:"look" enum:"auto,tight,vertices,box" default:"auto" placeholder:"KIND" help:"tight: fill the frame by the projected vertices; box: by the corners of the box (tight)."`
	Color      baseColorFlag  `default:"source" placeholder:"COLOR" help:"RRGGBB, white, ..., facing, or the mesh's (${default})."`
	Background backgroundFlag `default:"auto" placeholder:"COLOR" help:"RRGGBB, white, ... or none, transparent (light grey)."`
	Cull       string         `group:"look" enum:"none,back,front" default:"none" placeholder:"FACES" help:"Faces left out: none, back or front (${default})."`
	Field      string         `group:"look" placeholder:"NAME" help:"Colour by numbers of the mesh of this name."`
	Colormap   string         `group:"look" default:"viridis" placeholder:"MAP" help:"Their colours: viridis, plasma, magma, inferno, coolwarm or grey (${default})."`
	Range      rangeFlag      `group:"look" placeholder:"LO,HI" help:"Where the colours begin and end (the least and greatest number)."`
	Crease     creaseFlag     `group:"look" default:"35" placeholder:"DEG" help:"Sharpest edge that smooth shading rounds off, in degrees (${default})."`
	Occlusion  string         `group:"look" enum:"auto,on,off" default:"auto" placeholder:"WHEN" help:"Less light where the surface around hides the sky: on or off (on)."`
	Samples    samplesFlag    `default:"auto" placeholder:"N" help:"Samples per pixel: 1, 4 or 16 (4)."`
}

// resolve replaces auto for pictures of a size. It may be called again.
func (f *lookFlags) resolve(size sizeFlag) {
	pick := func(value *string, plain, fine string) {
		switch {
		case *value != "auto" && *value != "":
		case f.Fast:
			*value = plain
		default:
			*value = fine
		}
	}
	if f.Light == "headlight" {
		f.Shading, f.Occlusion = "flat", "off" // it has neither
	}
	pick(&f.Shading, "flat", "smooth")
	pick(&f.Occlusion, "off", "on")
	pick(&f.Fit, "box", "tight")
	if f.Fit == "vertices" {
		f.Fit = "tight"
	}
	switch {
	case f.Samples != 0:
	case f.Fast || max(size.Width, size.Height) > render.MaxPixels/2:
		f.Samples = 1
	default:
		f.Samples = 4
	}
	if f.Background.auto {
		f.Background = backgroundFlag{}
		if f.Light != "headlight" {
			rgb := render.StudioBackground
			f.Background.RGB = &rgb
		}
	}
}

// set sets the options that the flags stand for.
func (f *lookFlags) set(o *render.Options) {
	f.resolve(sizeFlag{o.Width, o.Height})
	o.Samples = int(f.Samples)
	o.Cull = map[string]render.Cull{"none": render.CullNone, "back": render.CullBack, "front": render.CullFront}[f.Cull]
	o.Color = f.Color.color()
	o.Background = f.Background.color()
	if f.Light == "studio" {
		o.Light = render.LightStudio
	}
	if f.Shading == "smooth" {
		o.Shading = render.ShadingSmooth
	}
	o.Crease = float64(f.Crease)
	o.Facing = f.Color.facing
	if f.Field != "" {
		o.Field = render.Field{Name: f.Field, Map: f.Colormap, Low: f.Range.Low, High: f.Range.High}
	}
	o.Occlusion = f.Occlusion == "on"
}

// check refuses what does not go together.
func (f *lookFlags) check() error {
	switch {
	case f.Light == "headlight" && (f.Field != "" || f.Color.facing):
		return usagef("--field and --color facing need --light studio")
	case f.Field != "" && f.Color.facing:
		return usagef("--field and --color facing colour the same surface: expected one of them")
	case !slices.Contains(render.ColorMaps(), f.Colormap):
		return usagef("--colormap %s: expected one of %s", f.Colormap, strings.Join(render.ColorMaps(), ", "))
	case f.Range != rangeFlag{} && f.Field == "":
		return usagef("--range is for --field")
	}
	return nil
}

// unheeded returns a warning for each flag that was given but is ignored beside another. It
// is asked before resolve, which forgets what was given.
func (f *lookFlags) unheeded() (warnings []string) {
	if f.Light == "headlight" {
		if f.Shading == "smooth" {
			warnings = append(warnings, "--shading smooth is ignored: under --light headlight it is flat")
		}
		if f.Occlusion == "on" {
			warnings = append(warnings, "--occlusion on is ignored: under --light headlight it is off")
		}
	}
	if f.Field != "" && f.Color.RGB != nil {
		warnings = append(warnings, "--color "+f.Color.text()+" is ignored: --field colours the mesh")
	}
	return warnings
}

// text describes, for the picture's text, the flags that change pixels.
func (f *lookFlags) text() string {
	field := ""
	if f.Field != "" {
		field = fmt.Sprintf(" field=%q colormap=%s range=%g,%g", f.Field, f.Colormap, f.Range.Low, f.Range.High)
	}
	return strings.Join([]string{
		"shading=" + f.Shading,
		"color=" + f.Color.text(),
		"background=" + f.Background.text("none"),
		"cull=" + f.Cull,
		fmt.Sprintf("samples=%d", f.Samples),
		"light=" + f.Light,
		"fit=" + f.Fit,
		fmt.Sprintf("crease=%g", float64(f.Crease)),
		"occlusion=" + f.Occlusion,
	}, " ") + field
}

// streams reports whether a mesh that is drawn once need not be in memory: what fits the
// camera or lights the surface reads it more often.
func (f *lookFlags) streams() bool {
	return f.Fit == "box" && f.Shading == "flat" && f.Occlusion == "off" && f.Field == "" && !f.Color.facing
}

// fit returns the camera of a picture.
func (f *drawFlags) fit(ctx context.Context, in *input) (cam render.Camera, err error) {
	beside, err := f.besideLegend(in)
	if err != nil {
		return cam, err
	}
	o := f.camera(in)
	switch {
	case f.placed():
		cam, err = f.look(in)
	case f.Fit == "tight" && !in.parted:
		cam, err = render.FitTight(ctx, in.src, in.box, beside.Width, beside.Height, o)
	default:
		cam, err = render.Fit(in.box, beside.Width, beside.Height, o)
	}
	return f.widen(cam, beside), fitError(ctx, err)
}

// fitError gives the error of fitting a camera its exit code.
func fitError(ctx context.Context, err error) error {
	var coded *codedError
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, render.ErrBlank):
		return blankf("%w", err)
	}
	return usagef("%w", err)
}

// fitTurn returns the cameras of a turntable.
func (f *drawFlags) fitTurn(ctx context.Context, in *input, turns []float64) ([]render.Camera, error) {
	o := f.camera(in)
	if f.Fit == "tight" && !in.parted {
		return render.FitTightTurn(ctx, in.src, in.box, f.Size.Width, f.Size.Height, o, turns)
	}
	return render.FitTurn(in.box, f.Size.Width, f.Size.Height, o, turns)
}

// A rangeFlag is two different numbers; both 0 where none were given.
type rangeFlag struct{ Low, High float64 }

// Decode implements kong.MapperValue.
func (f *rangeFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	low, high, ok := strings.Cut(s, ",")
	var errLow, errHigh error
	f.Low, errLow = strconv.ParseFloat(low, 64)
	f.High, errHigh = strconv.ParseFloat(high, 64)
	if !ok || errLow != nil || errHigh != nil || !finite(f.Low) || !finite(f.High) || !(f.Low < f.High) {
		return fmt.Errorf("%q: expected LOW,HIGH, the lower number first", s)
	}
	return nil
}

// A creaseFlag is an angle in degrees, above 0.
type creaseFlag float64

// Decode implements kong.MapperValue.
func (f *creaseFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0 && v <= 180) {
		return fmt.Errorf("%q: expected more than 0 and at most 180 degrees", s)
	}
	*f = creaseFlag(v)
	return nil
}

// A samplesFlag is a number of samples a pixel; 0 is auto.
type samplesFlag int

// most returns the largest width or height of a picture that one renderer draws.
func (f samplesFlag) most() int {
	return render.MaxPixels / map[samplesFlag]int{1: 1, 4: 2, 16: 4}[f]
}

// Decode implements kong.MapperValue.
func (f *samplesFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(s)
	switch {
	case s == "auto":
		*f = 0
	case err == nil && (n == 1 || n == 4 || n == 16):
		*f = samplesFlag(n)
	default:
		return fmt.Errorf("%q: expected 1, 4 or 16", s)
	}
	return nil
}

// A backgroundFlag is a colour or "none".
type backgroundFlag struct {
	colorFlag
	auto bool
}

// Decode implements kong.MapperValue.
func (f *backgroundFlag) Decode(ctx *kong.DecodeContext) error {
	if t := ctx.Scan.Peek(); t.Value == "auto" {
		ctx.Scan.Pop()
		*f = backgroundFlag{auto: true}
		return nil
	}
	f.auto = false
	return f.decode(ctx, "none")
}
