package pictureflags

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/internal/cli"
	"lockstep/internal/smallfile"
	"lockstep/render/recipe"
)

// A recipeFlag is a recipe of a JSON file or of a PNG that render made: values for flags, which those of the command
// line go before, and meshes where the command line has none.
type recipeFlag struct {
	name      string
	animation recipe.Animation // its picture alone, where the file has no more
	meshes    bool             // whether its meshes are drawn: the command line has none
}

// Decode implements kong.MapperValue.
func (f *recipeFlag) Decode(ctx *kong.DecodeContext) (err error) {
	if f.name, err = PopValue(ctx, func(string) bool { return false }); err != nil || f.name == "" {
		return errors.New("expected a file")
	}
	f.animation, err = readRecipe(f.name)
	return err
}

// BeforeResolve is kong's hook before values are looked for beyond the command line.
func (recipeFlag) BeforeResolve(_ *kong.Kong, ctx *kong.Context, trace *kong.Path) error {
	f, ok := ctx.FlagValue(trace.Flag).(recipeFlag)
	if !ok {
		return nil
	}
	values := flagValues(f.animation.Args())
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value, ok := values[flag.Name]; ok {
			return value, nil
		}
		return nil, nil
	}))
	return nil
}

// repeated are the flags that may be given several times, with what parts their values in one.
var repeated = map[string]string{"section": ";", "add": "\n", "part-color": "\n", "only": "\n", "hide": "\n"}

// flagValues returns the values of flags among the arguments of a recipe.
func flagValues(args []string) map[string]string {
	values := map[string]string{}
	for _, arg := range args {
		name, isFlag := strings.CutPrefix(arg, "--")
		if !isFlag || name == "" {
			continue
		}
		name, value, given := strings.Cut(name, "=")
		if !given {
			value = "true"
		}
		if old, again := values[name]; again {
			value = old + repeated[name] + value
		}
		values[name] = value
	}
	return values
}

// mostRecipe bounds the size of a file, and what is read of a picture.
const mostRecipe = 16 << 20

// readRecipe reads the recipe of a JSON file or of a picture.
func readRecipe(name string) (a recipe.Animation, err error) {
	text, err := recipeOf(name)
	if err != nil {
		return a, err
	}
	var kind struct {
		Picture json.RawMessage `json:"picture"`
	}
	if json.Unmarshal(text, &kind) == nil && kind.Picture != nil {
		err = readJSON(text, &a)
		if err == nil {
			err = recipeError(a.Validate())
		}
	} else {
		err = readJSON(text, &a.Picture)
		if err == nil {
			err = recipeError(a.Picture.Validate())
		}
	}
	if err != nil {
		return a, cli.Inputf("%s: %w", name, err)
	}
	return a, nil
}

// recipeOf returns the JSON of a recipe, in a file or in the text of a picture.
func recipeOf(name string) ([]byte, error) {
	text, err := smallfile.Start(name, mostRecipe+1)
	if err != nil {
		return nil, cli.Inputf("%s: %w", name, FileCause(err))
	}
	if !bytes.HasPrefix(text, []byte("\x89PNG\r\n\x1a\n")) {
		if len(text) > mostRecipe {
			return nil, cli.Inputf("%s: is larger than %d bytes", name, mostRecipe)
		}
		return text, nil
	}
	r := bytes.NewReader(text[8:])
	for {
		kind, data, err := ReadChunk(r)
		if err != nil || kind == "IDAT" {
			return nil, cli.Inputf("%s: a picture without a recipe", name)
		}
		if text, ok := bytes.CutPrefix(data, []byte(recipe.TextKey+"\x00")); kind == "tEXt" && ok {
			return text, nil
		}
	}
}

// PrintRecipes prints the recipes of pictures.
func PrintRecipes(names []string, out io.Writer) error {
	for _, name := range names {
		a, err := readRecipe(name)
		if err != nil {
			return err
		}
		var text fmt.Stringer = a.Picture
		if a.Frames != 0 || a.Motion != "" || len(a.More)+len(a.Keyframes) > 0 {
			text = a
		}
		fmt.Fprintln(out, text)
	}
	return nil
}

// recipeMeshes fills in the meshes of --recipe where the command line has none. It is called by the parser when all is
// read.
func (f *Draw) recipeMeshes(more *[]Path) error {
	meshes := f.Recipe.animation.Picture.Meshes
	switch {
	case f.Mesh != "":
		return nil
	case len(meshes) == 0:
		return errors.New(`expected "<mesh>"`)
	}
	f.Recipe.meshes, f.first = true, meshes[0]
	f.Mesh, f.first.File = Path(meshes[0].File), ""
	if more != nil {
		for _, m := range f.Recipe.animation.More {
			*more = append(*more, Path(m.File))
			if m.Up != "" {
				(*more)[len(*more)-1] += Path(":up=" + m.Up)
			}
		}
	}
	return nil
}

// RecipeMore reports whether --recipe has meshes that follow the first.
func (f *Draw) RecipeMore() bool { return len(f.Recipe.animation.More) > 0 }
