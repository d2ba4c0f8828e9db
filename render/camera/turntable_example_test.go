package camera_test

import (
	"bytes"
	"context"
	"fmt"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/png"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// A turntable has one camera for each frame, all at one distance. The frames become an animated PNG.
func ExampleFitTurn() {
	const size, frames = 160, 12
	ctx := context.Background()
	mesh, _, err := load.File(ctx, "../../testdata/cube.stl", scenes.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	turns := make([]float64, frames)
	for i := range turns {
		turns[i] = 360 * float64(i) / frames
	}
	cams, err := camera.FitTurn(mesh.Bounds(), size, size, camera.Options{Elevation: 20}, turns)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := render.New(render.Options{Width: size, Height: size, Samples: 16})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	var film bytes.Buffer
	animation, err := new(png.Encoder).Animate(&film, size, size, frames, 0, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var pic render.Picture
	for _, cam := range cams {
		if _, err := r.Frame(ctx, mesh, cam, &pic); err != nil {
			fmt.Println(err)
			return
		}
		if err := animation.Frame(pic.Pix, 4*size, png.Delay{Num: 1, Den: 25}); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := animation.Close(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.Count(film.Bytes(), []byte("fcTL")), "frames")
	// Output: 12 frames
}
