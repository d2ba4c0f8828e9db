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
	s, err := scenes.ParseScene(scenes.ScenePrefix + scene)
	if err != nil {
		return LoopWorkloads{}, Usagef("%v", err)
	}
	cam, err := fitView(ctx, s, view)
	if err != nil {
		return LoopWorkloads{}, fmt.Errorf("%s: %w", scene, err)
	}
	w, err := render.CountWorkloads(ctx, s, cam, render.Options{Width: tableSize, Height: tableSize})
	if err != nil {
		return LoopWorkloads{}, fmt.Errorf("%s: %w", scene, err)
	}
	return LoopWorkloads{Rows: w.Rows, Pixels: w.Pixels}, nil
}

// fitView returns the camera of a view of a mesh.
func fitView(ctx context.Context, mesh scenes.Source, view TableView) (render.Camera, error) {
	box, err := scenes.Bounds(ctx, mesh, 0)
	if err != nil {
		return render.Camera{}, err
	}
	camera := render.CameraOptions{Azimuth: view.Azimuth, Elevation: view.Elevation}
	if view.Magnified {
		camera.Zoom = scenes.PerforatorZoom
	}
	return render.Fit(box, tableSize, tableSize, camera)
}
