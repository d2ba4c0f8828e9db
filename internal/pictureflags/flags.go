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

// PopValue returns the value of a flag on the command line. The value may begin with a hyphen if the function negative
// returns true for it. The parser kong rejects such values, so that `--view -30,20` and `--up -x` would need an equals
// sign.
func PopValue(ctx *kong.DecodeContext, negative func(string) bool) (string, error) {
	t := ctx.Scan.Peek()
	s, isString := t.Value.(string)
	if t.IsEOL() || !isString || !t.IsValue() && !negative(s) {
		return "", errors.New("expected a value")
	}
	ctx.Scan.Pop()
	return s, nil
}

// textTypes registers the types of package recipe that have a method UnmarshalText. Flags of these types are parsed by
// that method.
var textTypes = []kong.Option{
	textType[recipe.Size](), textType[*recipe.View](), textType[recipe.Box](), textType[recipe.Rect](),
}

func textType[T any]() kong.Option { return kong.TypeMapper(reflect.TypeFor[T](), textMapper{}) }

// A textMapper parses the value of a flag by the method UnmarshalText of the flag's type.
type textMapper struct{}

// Decode implements kong.Mapper.
func (textMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	s, err := PopValue(ctx, SignedNumber)
	if err != nil {
		return err
	}
	if target.Kind() == reflect.Pointer { // a pointer is nil if the flag is not given
		target.Set(reflect.New(target.Type().Elem()))
		target = target.Elem()
	}
	return target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
}

// popColor returns the value of a flag, which is a colour or one of the given words.
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

// A bodyColorFlag is the colour of the mesh, or one of the words source and facing. With facing, front faces and back
// faces have different colours.
type bodyColorFlag recipe.Color

// Decode implements kong.MapperValue.
func (f *bodyColorFlag) Decode(ctx *kong.DecodeContext) error {
	c, err := popColor(ctx, "source", "facing")
	*f = bodyColorFlag(c)
	return err
}

// A backgroundFlag is a colour, or one of the words none, gradient and auto.
type backgroundFlag recipe.Color

// Decode implements kong.MapperValue.
func (f *backgroundFlag) Decode(ctx *kong.DecodeContext) error {
	c, err := popColor(ctx, "none", recipe.Gradient, "auto")
	*f = backgroundFlag(c)
	return err
}

// A cutColorFlag is the colour of cut surfaces, or the word open, which means that cuts are not closed.
type cutColorFlag recipe.Color

// Decode implements kong.MapperValue.
func (f *cutColorFlag) Decode(ctx *kong.DecodeContext) error {
	c, err := popColor(ctx, "open")
	*f = cutColorFlag(c)
	return err
}

// A lineColorFlag is the colour of lines, or the word auto.
type lineColorFlag recipe.Color

// Decode implements kong.MapperValue.
func (f *lineColorFlag) Decode(ctx *kong.DecodeContext) error {
	c, err := popColor(ctx, "auto")
	*f = lineColorFlag(c)
	return err
}

// A numberFlag is a finite number. The recipe checks its range.
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

// A degreesFlag is an angle. The recipe checks its range. The flag rejects 0, because 0 means the default in a recipe.
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

// SignedNumber reports whether s begins like a negative number.
func SignedNumber(s string) bool {
	return len(s) > 1 && s[0] == '-' && (s[1] == '.' || '0' <= s[1] && s[1] <= '9')
}

// A Path is the name of a file or folder. It may be "-".
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

// An upFlag is an up axis. A nil Axis means that the file or its format determines the axis.
type upFlag struct{ Axis *scenes.Axis }

// text returns the axis as text, or "" for nil.
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

// popCount returns a whole number from least to most.
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

// Workers is a number of worker threads. 0 means one for each core.
type Workers int

// Decode implements kong.MapperValue.
func (f *Workers) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 0, render.MaxWorkers)
	*f = Workers(n)
	return err
}

// A dpiFlag is a resolution in dots per inch, or 0 if the flag is not given.
type dpiFlag int

// Decode implements kong.MapperValue. The upper bound is higher than the resolution of any printer or film.
func (f *dpiFlag) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 1, 10_000)
	*f = dpiFlag(n)
	return err
}

// Frames is a number of frames, or 0 if the flag is not given.
type Frames int

// maxFrames limits the number of frames. It allows more than four hours at 60 pictures per second, but rejects most
// typing errors.
const maxFrames = 1_000_000

// Decode implements kong.MapperValue.
func (f *Frames) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 1, maxFrames)
	*f = Frames(n)
	return err
}

// A contoursFlag is a number of lines, or 0 if the flag is not given.
type contoursFlag int

// Decode implements kong.MapperValue.
func (f *contoursFlag) Decode(ctx *kong.DecodeContext) error {
	n, err := popCount(ctx, 1, recipe.MostContours)
	*f = contoursFlag(n)
	return err
}

// A statsFlag is the form in which statistics are printed: text or json. If it is empty, no statistics are printed.
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
