package tables

import (
	"context"
	"fmt"

	"lockstep/bench/report"
	"lockstep/render"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/scenes/procedural/perforator"
)

// tableSize is the width and height of the paper's pictures.
const tableSize = 512

// RenderWorkloads makes the workloads of a procedural scene with the renderer.
func RenderWorkloads(ctx context.Context, scene string, view View) (LoopWorkloads, error) {
	return new(sceneMemory).workloads(ctx, scene, view)
}

// sceneMemory keeps the scene that was last asked for, since making one takes
// longer than counting its workloads.
type sceneMemory struct {
	name string
	mesh *scenes.Mesh
}

// load returns a procedural scene.
func (m *sceneMemory) load(ctx context.Context, name string) (*scenes.Mesh, error) {
	if m.mesh != nil && m.name == name {
		return m.mesh, nil
	}
	s, err := procedural.Parse(procedural.Prefix + name)
	if err != nil {
		return nil, report.Usagef("%v", err)
	}
	mesh, err := scenes.Load(ctx, s, scenes.ReadOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m.name, m.mesh = name, mesh
	return mesh, nil
}

// workloads is a Workloads.
func (m *sceneMemory) workloads(ctx context.Context, scene string, view View) (LoopWorkloads, error) {
	mesh, err := m.load(ctx, scene)
	if err != nil {
		return LoopWorkloads{}, err
	}
	cam, err := fitView(ctx, mesh, view)
	if err != nil {
		return LoopWorkloads{}, fmt.Errorf("%s: %w", scene, err)
	}
	w, err := render.CountWorkloads(ctx, mesh, cam, render.Options{Width: tableSize, Height: tableSize})
	if err != nil {
		return LoopWorkloads{}, fmt.Errorf("%s: %w", scene, err)
	}
	return LoopWorkloads{Rows: w.Rows, Pixels: w.Pixels}, nil
}

// fitView returns the camera of a view of a mesh.
func fitView(ctx context.Context, mesh scenes.Source, view View) (render.Camera, error) {
	box, err := scenes.Bounds(ctx, mesh, 0)
	if err != nil {
		return render.Camera{}, err
	}
	camera := render.CameraOptions{Azimuth: view.Azimuth, Elevation: view.Elevation}
	if view.Magnified {
		camera.Zoom = perforator.Zoom
	}
	return render.Fit(box, tableSize, tableSize, camera)
}
