package encode_test

import (
	"bytes"
	"context"
	"fmt"
	"image/gif"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/encode"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// A turntable is written as a GIF, in the look of the command's pictures.
func ExampleGIF() {
	file := new(bytes.Buffer)
	if err := turntable(context.Background(), "../../testdata/knot.stl", file); err != nil {
		fmt.Println(err)
		return
	}
	clip, err := gif.DecodeAll(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(clip.Image), "frames of", clip.Config.Width, "x", clip.Config.Height)
	// Output: 12 frames of 160 x 120
}

func turntable(ctx context.Context, name string, file *bytes.Buffer) error {
	const width, height, frames, second = 160, 120, 12, 100
	mesh, _, err := load.File(ctx, name, scenes.ReadOptions{})
	if err != nil {
		return err
	}
	// The normals are found once, and not in every frame.
	smooth, err := render.NewSurface(ctx, mesh, render.SurfaceOptions{})
	if err != nil {
		return err
	}
	turns := make([]float64, frames)
	for k := range turns {
		turns[k] = 360 * float64(k) / frames
	}
	cams, err := camera.FitTightTurn(ctx, mesh, mesh.Bounds(), width, height, camera.Options{Elevation: 20}, turns)
	if err != nil {
		return err
	}
	r, err := render.New(render.Options{Width: width, Height: height}.Studio())
	if err != nil {
		return err
	}
	defer r.Close()
	clip, err := encode.NewGIF(file, width, height, second/29.97)
	if err != nil {
		return err
	}
	var pic render.Picture
	for _, cam := range cams {
		if _, err := r.Frame(ctx, smooth, cam, &pic); err != nil {
			return err
		}
		if err := clip.Frame(pic.Pix); err != nil {
			return err
		}
	}
	return clip.Close()
}
