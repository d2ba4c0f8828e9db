package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/join"
)

// additionsFlag are further meshes.
type additionsFlag []recipe.Mesh

// Decode implements kong.MapperValue. Every call adds a mesh.
func (f *additionsFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, func(string) bool { return false })
	if err != nil {
		return err
	}
	a, err := recipe.ParseMesh(s)
	if err != nil {
		return err
	}
	if a.File == "-" {
		return fmt.Errorf("%q: expected a file or a scene", s)
	}
	*f = append(*f, a)
	return nil
}

// join puts the further meshes beside that of an input.
func (f *drawFlags) join(ctx context.Context, a *app, in *input) error {
	mesh := in.mesh()
	if mesh == nil {
		return usagef("%s: --add wants all of the mesh in memory, and there is none for it", in.name)
	}
	items := []join.Item{{Mesh: mesh, Name: in.name}}
	items[0].Color = itemColor(recipe.Color(f.Color))
	if f.Field != "" {
		items[0].Color = nil
	}
	contents := []string{in.contents}
	for i, add := range f.Add {
		more, has, err := f.readAddition(ctx, a, i)
		if err != nil {
			return err
		}
		if axis, err := scenes.ParseAxis(add.Up); err == nil {
			more.Stand(axis, f.Up.of(in))
		}
		contents = append(contents, has)
		items = append(items, join.Item{Mesh: more, Name: add.File, Transform: add.Placement(), Color: itemColor(add.Color)})
	}
	if a.noteContents {
		in.contents = joinContents(contents...)
	}
	joined, err := join.Meshes(items, uint32(f.picture().BodyColor()))
	if err != nil {
		return usagef("--add: %w", err)
	}
	in.src, in.parts, in.box = joined, joined.Parts, joined.Bounds()
	in.held = int64(joined.Len()) * (scenes.TriangleBytes + scenes.ColorBytes)
	return nil
}

// itemColor returns a colour as meshes are joined with it; nil for none.
func itemColor(c recipe.Color) *uint32 {
	rgb, ok := c.RGB()
	if !ok {
		return nil
	}
	color := uint32(rgb)
	return &color
}

// readAddition reads the i-th of the further meshes, and returns with it the contents of its files, if they
// are wanted.
func (f *drawFlags) readAddition(ctx context.Context, a *app, i int) (*scenes.Mesh, string, error) {
	add, opts := f.Add[i], f.readFlags.options("")
	var in *input
	var err error
	if strings.HasPrefix(add.File, sceneScheme) {
		in, err = readScene(ctx, add.File, true, opts)
	} else {
		opened, done := a.recordBeside(addFolder(i), add.File, &opts)
		defer done()
		if in, err = readFile(ctx, add.File, false, true, opts); err == nil {
			in.beside = slices.Sorted(maps.Keys(opened))
			err = a.hashInput(ctx, in, add.File)
		}
	}
	if err != nil {
		return nil, "", inputError(ctx, add.File, nil, err)
	}
	if mesh := in.mesh(); mesh != nil {
		return mesh, in.contents, nil
	}
	in.close()
	return nil, "", usagef("%s: --add wants all of the mesh in memory, and there is none for it", add.File)
}

// added reports whether there are further meshes, whose colours the mesh itself holds.
func (f *drawFlags) added() bool { return len(f.Add) > 0 }
