package encode_test

import (
	"bytes"
	"context"
	"fmt"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/encode"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// Distances and triangle numbers are written to one EXR file, for a compositor.
func ExampleEXR() {
	const width, height = 160, 120
	scene, err := procedural.Parse("scene:torus?triangles=2000")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	mesh, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	options := render.Options{Width: width, Height: height, Depth: true, Triangles: true}.Studio()
	r, err := render.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	cam, err := camera.FitTight(ctx, mesh, mesh.Bounds(), width, height, camera.Options{Azimuth: 30, Elevation: 40})
	if err != nil {
		fmt.Println(err)
		return
	}
	var pic render.Picture
	if _, err := r.Frame(ctx, mesh, cam, &pic); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	err = encode.EXR(&file, []encode.Channel{{Name: "Z", Float: pic.Depth}, {Name: "id", Uint: pic.Triangles}}, width, height)
	fmt.Printf("% x %v\n", file.Bytes()[:4], err)
	// Output: 76 2f 31 01 <nil>
}
