package bench

import (
	"context"
	"fmt"

	"lockstep/render"
	"lockstep/scenes"
)

// tableSize is the width and height of the paper's pictures.
const tableSize = 512

// RenderWorkloads makes the workloads of a procedural scene with the renderer:
// the Workloads that a command line wants.
func RenderWorkloads(ctx context.Context, scene string, view TableView) (LoopWorkloads, error) {
	s, cam, err := fitScene(ctx, scene, view)
	if err != nil {
		return LoopWorkloads{}, err
	}
	w, err := render.CountWorkloads(ctx, s, cam, render.Options{Width: tableSize, Height: tableSize})
	if err != nil {
		return LoopWorkloads{}, fmt.Errorf("%s: %w", scene, err)
	}
	return LoopWorkloads{Rows: w.Rows, Pixels: w.Pixels}, nil
}

// fitScene returns a procedural scene and the camera of a view.
func fitScene(ctx context.Context, scene string, view TableView) (*scenes.Scene, render.Camera, error) {
	s, err := scenes.ParseScene("scene:" + scene)
	if err != nil {
		return nil, render.Camera{}, Usagef("%v", err)
	}
	box, err := scenes.Bounds(ctx, s, 0)
	if err != nil {
		return nil, render.Camera{}, fmt.Errorf("%s: %w", scene, err)
	}
	camera := render.CameraOptions{Azimuth: view.Azimuth, Elevation: view.Elevation}
	if view.Magnified {
		camera.Zoom = scenes.PerforatorZoom
	}
	cam, err := render.Fit(box, tableSize, tableSize, camera)
	if err != nil {
		return nil, cam, fmt.Errorf("%s: %w", scene, err)
	}
	return s, cam, nil
}
