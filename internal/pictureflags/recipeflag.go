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

// A recipeFlag is a recipe from a JSON file, or from a PNG file that render made. It gives values to the flags that are
// not on the command line. If no mesh is on the command line, the meshes of the recipe are drawn.
type recipeFlag struct {
	name       string
	animation  recipe.Animation // a single picture if the file has no motion
	usesMeshes bool             // whether the recipe's meshes are drawn
}

// Decode implements kong.MapperValue.
func (f *recipeFlag) Decode(ctx *kong.DecodeContext) (err error) {
	if f.name, err = PopValue(ctx, func(string) bool { return false }); err != nil || f.name == "" {
		return errors.New("expected a file")
	}
	if f.animation, err = readRecipe(f.name); err != nil {
		return cli.Inputf("--recipe %w", err)
	}
	return nil
}

// BeforeResolve is called by kong before it looks for values outside the command line.
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

// listSeparators maps each flag that may be given several times to the character that separates its values in a
// recipe's command line.
var listSeparators = map[string]string{"section": ";", "dimension": ";", "add": "\n", "part-color": "\n", "only": "\n", "hide": "\n"}

// flagValues returns the value of each flag in args. args is the result of recipe.Picture.Args.
func flagValues(args []string) map[string]string {
	values := map[string]string{}
	for _, arg := range args {
		name, isFlag := strings.CutPrefix(arg, "--")
		if !isFlag || name == "" {
			continue
		}
		name, value, given := strings.Cut(name, "=")
		if positive, no := strings.CutPrefix(name, "no-"); !given && no {
			name, value = positive, "false"
		} else if !given {
			value = "true"
		}
		if old, again := values[name]; again {
			value = old + listSeparators[name] + value
		}
		values[name] = value
	}
	return values
}

// maxRecipeBytes limits how many bytes of a recipe file are read.
const maxRecipeBytes = 16 << 20

// readRecipe reads a recipe from a JSON file or a picture.
func readRecipe(name string) (a recipe.Animation, err error) {
	text, err := readRecipeText(name)
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

// readRecipeText returns the JSON of a recipe. It reads a JSON file, or the text in a picture.
func readRecipeText(name string) ([]byte, error) {
	text, err := smallfile.ReadPrefix(name, maxRecipeBytes+1)
	if err != nil {
		return nil, cli.Inputf("%s: %w", name, FileCause(err))
	}
	if !bytes.HasPrefix(text, []byte("\x89PNG\r\n\x1a\n")) {
		if len(text) > maxRecipeBytes {
			return nil, cli.Inputf("%s: is larger than %d bytes", name, maxRecipeBytes)
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
		if a.Frames != 0 || a.Motion != "" || len(a.More)+len(a.Keyframes) > 0 || a.Clip != "" {
			text = a
		}
		fmt.Fprintln(out, text)
	}
	return nil
}

// useRecipeMeshes sets the meshes of --recipe as the meshes of f if the command line has no mesh. It is called after
// parsing.
func (f *Draw) useRecipeMeshes(more *[]Path) error {
	meshes := f.Recipe.animation.Picture.Meshes
	switch {
	case f.Mesh != "":
		return nil
	case len(meshes) == 0:
		return errors.New(`expected "<mesh>"`)
	}
	f.Recipe.usesMeshes, f.first = true, meshes[0]
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

// RecipeHasMore reports whether --recipe is an animation that shows several meshes, one after the other.
func (f *Draw) RecipeHasMore() bool { return len(f.Recipe.animation.More) > 0 }
