package pictureflags

import (
	"fmt"
	"strconv"

	"github.com/alecthomas/kong"

	"lockstep/render"
	"lockstep/render/recipe"
)

// Look holds the flags for the appearance of a picture. With auto, the recipe chooses the value.
type Look struct {
	Fast       bool           `help:"Flat, 1 sample, no occlusion, no ground, fit by box."`
	Shading    string         `group:"look" enum:"auto,flat,smooth" default:"auto" placeholder:"KIND" help:"flat or smooth (smooth)."`
	Light      string         `group:"look" enum:"studio,headlight" default:"studio" placeholder:"KIND" help:"studio, or headlight: one light at the eye (${default})."`
	Fit        string         `group:"look" enum:"auto,tight,vertices,box" default:"auto" placeholder:"KIND" help:"tight: fill the frame by the projected vertices; box: by the corners of the box (tight)."`
	Color      bodyColorFlag  `default:"source" placeholder:"COLOR" help:"RRGGBB, white, ..., facing, or the mesh's (${default})."`
	Background backgroundFlag `default:"auto" placeholder:"COLOR" help:"RRGGBB, white, ..., gradient, or none (gradient)."`
	Cull       string         `group:"look" enum:"none,back,front,material" default:"none" placeholder:"FACES" help:"Faces left out: none, back, front, or material: backs of one-sided materials, except in plain looks, in cuts, with --color facing (${default})."`
	Material   string         `group:"look" enum:"plaster,metal,plastic,glass,clay" default:"plaster" placeholder:"KIND" help:"Material of surfaces without one in the file: plaster, metal, plastic, glass or clay (${default})."`
	Metallic   *fractionFlag  `group:"look" placeholder:"F" help:"How metallic the --material is, 0 to 1 (its own value)."`
	Roughness  *fractionFlag  `group:"look" placeholder:"F" help:"How rough the --material is, 0 to 1 (its own value)."`
	Field      string         `group:"colors" placeholder:"NAME" help:"Colour by numbers of the mesh of this name."`
	Colormap   string         `group:"colors" placeholder:"MAP" help:"Colours of --field: viridis, plasma, magma, inferno, coolwarm or grey (viridis; with --against coolwarm)."`
	Range      Range          `group:"colors" placeholder:"LO,HI" help:"Numbers of --field where the colours begin and end (the least and the greatest)."`
	PointSize  pointSizeFlag  `group:"look" placeholder:"N" help:"Diameter of points of clouds: in units of the file, such as 0.01, or 3px (as far as neighbours are)."`
	Crease     degreesFlag    `group:"look" default:"35" placeholder:"DEG" help:"Sharpest edge that smooth shading rounds off, in degrees (${default})."`
	Occlusion  string         `group:"look" enum:"auto,on,off" default:"auto" placeholder:"WHEN" help:"Less light where the surface around hides the sky: on or off (on)."`
	EyeDome    string         `group:"look" enum:"auto,on,off" default:"auto" placeholder:"WHEN" help:"Darker points of large clouds that lie behind those around them: on or off (on)."`
	Samples    samplesFlag    `default:"auto" placeholder:"N" help:"Samples per pixel: 1, 4 or 16 (16; large, films: 4)."`
}

// Ignored returns a warning for each given flag that has no effect because of another flag.
func (f *Look) Ignored() (warnings []string) {
	if f.Light == "headlight" {
		if f.Shading == "smooth" {
			warnings = append(warnings, "--shading smooth is ignored: under --light headlight it is flat")
		}
		if f.Occlusion == "on" {
			warnings = append(warnings, "--occlusion on is ignored: under --light headlight it is off")
		}
		if f.EyeDome == "on" {
			warnings = append(warnings, "--eye-dome on is ignored: under --light headlight it is off")
		}
	}
	warnings = append(warnings, f.ignoredMaterial()...)
	if rgb, ok := recipe.Color(f.Color).RGB(); ok && f.Field != "" {
		warnings = append(warnings, "--color "+string(recipe.ColorOf(rgb))+" is ignored: --field colours the mesh")
	}
	return warnings
}

// A pairFlag is two numbers.
type pairFlag [2]float64

// Decode implements kong.MapperValue.
func (f *pairFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	v, ok := recipe.Numbers(s, len(f))
	if !ok {
		return fmt.Errorf("%q: expected two numbers, X,Y", s)
	}
	copy(f[:], v)
	return nil
}

// A Range is a lower and an upper bound. Equal bounds mean that the flag is not given.
type Range [2]float64

// Decode implements kong.MapperValue.
func (f *Range) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	v, ok := recipe.Numbers(s, len(f))
	if !ok || !(v[0] < v[1]) {
		return fmt.Errorf("%q: expected LOW,HIGH, the lower number first", s)
	}
	copy(f[:], v)
	return nil
}

// A samplesFlag is a number of samples per pixel. 0 means auto.
type samplesFlag int

// MaxSide returns the largest width or height in pixels that one renderer can draw with this number of samples per
// pixel.
func MaxSide(samples int) int {
	return render.MaxPixels / map[int]int{1: 1, 4: 2, 16: 4}[samples]
}

// Decode implements kong.MapperValue.
func (f *samplesFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
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

// ignoredMaterial returns a warning for each given flag of the material that has no effect because of another flag.
func (f *Look) ignoredMaterial() (warnings []string) {
	why := ""
	switch {
	case f.Light == "headlight":
		why = "--light headlight shows none"
	case f.Field != "":
		why = "--field colours the mesh"
	case f.Color == "facing":
		why = "--color facing shows none"
	default:
		return nil
	}
	if f.Material != "plaster" {
		warnings = append(warnings, "--material "+f.Material+" is ignored: "+why)
	}
	if f.Metallic != nil {
		warnings = append(warnings, "--metallic is ignored: "+why)
	}
	if f.Roughness != nil {
		warnings = append(warnings, "--roughness is ignored: "+why)
	}
	return warnings
}

// A pointSizeFlag is the diameter of points.
type pointSizeFlag recipe.PointSize

// Decode implements kong.MapperValue.
func (f *pointSizeFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	return (*recipe.PointSize)(f).UnmarshalText([]byte(s))
}

// A fractionFlag is a number from 0 to 1.
type fractionFlag float64

// Decode implements kong.MapperValue.
func (f *fractionFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	v, ok := recipe.Numbers(s, 1)
	if !ok || !(v[0] >= 0 && v[0] <= 1) {
		return fmt.Errorf("%q: expected 0 to 1", s)
	}
	*f = fractionFlag(v[0])
	return nil
}
