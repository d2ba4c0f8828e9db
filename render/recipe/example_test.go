package recipe_test

import (
	"context"
	"fmt"

	"lockstep/render/recipe"
)

// This example draws a picture as the command render does.
func ExampleDraw() {
	pic, err := recipe.Draw(context.Background(), recipe.Picture{
		Meshes: []recipe.Mesh{{File: "scene:cube"}},
		Size:   recipe.Size{Width: 64, Height: 48},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(pic.Image().Bounds().Dx(), pic.Image().Bounds().Dy())
	// Output: 64 48
}

// This example converts a recipe to a command line and back.
func ExamplePicture_Args() {
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: "part.stl"}}, Lines: recipe.Lines{Edges: true}}
	p.Look.Color = "steelblue"
	fmt.Println(p.Args())
	again, err := recipe.Parse(p.Args())
	fmt.Println(again.Look.Color, err)
	// Output:
	// [--color=4682b4 --edges part.stl]
	// 4682b4 <nil>
}

// This example lists all faults of a recipe at once.
func ExamplePicture_Validate() {
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: "part.stl"}}, Camera: recipe.Camera{Fov: 200}, Look: recipe.Look{Samples: 3}}
	fmt.Println(p.Validate())
	// Output:
	// recipe: camera.fov 200: expected 0.001 to 179 degrees
	// recipe: look.samples 3: expected 1, 4 or 16
}
