package annotate_test

import (
	"bytes"
	"context"
	"fmt"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// A picture of a gear gets edges, axes and a label.
func ExampleAnnotator_Draw() {
	ctx := context.Background()
	scene, err := procedural.Parse("scene:gear?triangles=2000")
	if err != nil {
		fmt.Println(err)
		return
	}
	gear, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	o := annotate.Options{Edges: true, Axes: true, Label: "Gear"}
	options := render.Options{Width: 320, Height: 240}.Studio()
	options.Depth = o.NeedsDepth() // depths decide which lines are hidden
	r, err := render.New(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	cam, err := camera.Fit(gear.Bounds(), 320, 240, camera.Options{Azimuth: 30, Elevation: 30})
	if err != nil {
		fmt.Println(err)
		return
	}
	var pic render.Picture
	if _, err := r.Frame(ctx, gear, cam, &pic); err != nil {
		fmt.Println(err)
		return
	}
	a, err := annotate.New(ctx, gear, gear.Bounds(), o) // a can draw over any number of pictures
	if err != nil {
		fmt.Println(err)
		return
	}
	plain := bytes.Clone(pic.Pix)
	if err := a.Draw(ctx, &pic, &cam); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.Equal(pic.Pix, plain))
	// Output: false
}
