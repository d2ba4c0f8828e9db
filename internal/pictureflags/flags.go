package pictureflags

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// PopValue takes a flag's value from the command line. Unlike kong it accepts a
// leading hyphen where negative says that the value may be a negative one, so
// that `--view -30,20` and `--up -x` need no equals sign.
func PopValue(ctx *kong.DecodeContext, negative func(string) bool) (string, error) {
	t := ctx.Scan.Peek()
	s, isString := t.Value.(string)
	if t.IsEOL() || !isString || !t.IsValue() && !negative(s) {
		return "", errors.New("expected a value")
	}
	ctx.Scan.Pop()
	return s, nil
}

// textTypes are types of recipes that read the texts of flags themselves.
var textTypes = []kong.Option{
	textType[recipe.Size](), textType[recipe.View](), textType[recipe.Box](), textType[recipe.Rect](),
}

func textType[T any]() kong.Option { return kong.TypeMapper(reflect.TypeFor[T](), textMapper{}) }

// A textMapper has a type's own UnmarshalText read a flag.
type textMapper struct{}

// Decode implements kong.Mapper.
func (textMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	return target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
}

// popColor takes a colour, or one of the words.
func popColor(ctx *kong.DecodeContext, words ...string) (recipe.Color, error) {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return "", err
	}
	if _, ok := recipe.ParseColor(s); !ok && !slices.Contains(words, s) {
		return "", fmt.Errorf("%q: expected RRGGBB in hexadecimal, #RGB, a name such as white, or %s", s, words[0])
	}
	return recipe.Color(s), nil
}

// A bodyColorFlag is the colour of the mesh, source, or facing: fronts and backs.
type bodyColorFlag recipe.Color

// Decode implements kong.MapperValue.
func (f *bodyColorFlag) Decode(ctx *kong.DecodeContext) error {
	c, err := popColor(ctx, "source", "facing")
	*f = bodyColorFlag(c)
	return err
}

// A backgroundFlag is a colour, none, or auto.
type backgroundFlag recipe.Color

// Decode implements kong.MapperValue.
func (f *backgroundFlag) Decode(ctx *kong.DecodeContext) error {
	c, err := popColor(ctx, "none", "auto")
	*f = backgroundFlag(c)
	return err
}

// A cutColorFlag is the colour of cuts, or open.
type cutColorFlag recipe.Color

// Decode implements kong.MapperValue.
func (f *cutColorFlag) Decode(ctx *kong.DecodeContext) error {
	c, err := popColor(ctx, "open")
	*f = cutColorFlag(c)
	return err
}

// A lineColorFlag is the colour of lines, or auto.
type lineColorFlag recipe.Color

// Decode implements kong.MapperValue.
func (f *lineColorFlag) Decode(ctx *kong.DecodeContext) error {
	c, err := popColor(ctx, "auto")
	*f = lineColorFlag(c)
	return err
}

// A numberFlag is a finite number, whose bounds the recipe checks.
type numberFlag float64

// Decode implements kong.MapperValue.
func (f *numberFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	v, ok := recipe.Numbers(s, 1)
	if !ok {
		return fmt.Errorf("%q: expected a number", s)
	}
	*f = numberFlag(v[0])
	return nil
}

// A degreesFlag is an angle, whose bounds the recipe checks. There 0 stands for the default, so that the flag refuses it.
type degreesFlag float64

// Decode implements kong.MapperValue.
func (f *degreesFlag) Decode(ctx *kong.DecodeContext) error {
	var v numberFlag
	if err := v.Decode(ctx); err != nil {
		return err
	}
	if v == 0 {
		return errors.New("0: expected an angle above 0 degrees")
	}
	*f = degreesFlag(v)
	return nil
}

// SignedNumber reports whether s starts like a negative number.
func SignedNumber(s string) bool {
	return len(s) > 1 && s[0] == '-' && (s[1] == '.' || '0' <= s[1] && s[1] <= '9')
}

// A Path is the name of a file or folder; "-" is one.
type Path string

// Decode implements kong.MapperValue.
func (f *Path) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, func(string) bool { return false })
	if err != nil || s == "" {
		return errors.New("expected a name")
	}
	*f = Path(s)
	return nil
}

// An upFlag is an up axis; nil leaves it to the format of the mesh.
type upFlag struct{ Axis *scenes.Axis }

// text returns the axis; empty for none.
func (f *upFlag) text() string {
	if f.Axis == nil {
		return ""
	}
	return f.Axis.String()
}

// Decode implements kong.MapperValue.
func (f *upFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, func(s string) bool { return len(s) == 2 && s[0] == '-' })
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

// popCount takes a whole number of at most most.
func popCount(ctx *kong.DecodeContext, least, most int) (int, error) {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q: expected %d to %d", s, least, most)
	}
	return n, nil
}

// A Workers is a number of workers; 0 means one a core.
type Workers int

// Decode implements kong.MapperValue.
func (f *Workers) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 0, render.MaxWorkers)
	*f = Workers(n)
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

// A Frames is a number of frames; 0 means that none was given.
type Frames int

// mostFrames bounds it: an hour at 60 pictures a second is below, and a slip of the finger above.
const mostFrames = 1_000_000

// Decode implements kong.MapperValue.
func (f *Frames) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 1, mostFrames)
	*f = Frames(n)
	return err
}

// A statsFlag is how statistics are printed: text or json; "" is not at all.
type statsFlag string

// Decode implements kong.MapperValue.
func (f *statsFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := PopValue(ctx, SignedNumber)
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
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(s, 64)
	if !(err == nil && v > 0 && v <= math.MaxFloat64) {
		return fmt.Errorf("%q: expected a number above 0", s)
	}
	*f = positiveFlag(v)
	return nil
}
