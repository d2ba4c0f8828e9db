package tables

import (
	"context"
	"fmt"
	"slices"

	"lockstep/bench/report"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/lockstep"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/scenes/procedural/perforator"
)

// pictureSize is the width and height of the paper's pictures.
const pictureSize = 512

// RenderWorkloads returns the workloads of both loops of the renderer for a picture of a procedural scene.
func RenderWorkloads(ctx context.Context, scene string, view View) (LoopWorkloads, error) {
	return new(sceneCache).workloads(ctx, scene, view)
}

// A sceneCache keeps the scene that was used last. Making a scene takes longer than counting its workloads.
type sceneCache struct {
	name string
	mesh *scenes.Mesh
}

// load returns a procedural scene.
func (m *sceneCache) load(ctx context.Context, name string) (*scenes.Mesh, error) {
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

// workloads implements the function type Workloads.
func (m *sceneCache) workloads(ctx context.Context, scene string, view View) (LoopWorkloads, error) {
	p, err := m.problems(ctx, scene, view)
	if err != nil {
		return LoopWorkloads{}, err
	}
	for polygon, rows := range p.Rows() {
		for task := range int(rows) {
			p.ScanRow(polygon, task)
		}
	}
	return LoopWorkloads{Rows: slices.Concat(p.Rows(), make([]int32, p.Hidden)), Pixels: p.Runs(1)}, nil
}

// problems returns the polygons of a procedural scene as problems of scan conversion.
func (m *sceneCache) problems(ctx context.Context, scene string, view View) (*lockstep.Problems, error) {
	mesh, err := m.load(ctx, scene)
	if err != nil {
		return nil, err
	}
	cam, err := fitView(ctx, mesh, view)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", scene, err)
	}
	p, err := lockstep.Collect(ctx, mesh, cam, render.Options{Width: pictureSize, Height: pictureSize})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", scene, err)
	}
	return p, nil
}

// fitView returns the camera for a view of a mesh.
func fitView(ctx context.Context, mesh scenes.Source, view View) (render.Camera, error) {
	box, err := scenes.Bounds(ctx, mesh, 0)
	if err != nil {
		return render.Camera{}, err
	}
	from := camera.Options{Azimuth: view.Azimuth, Elevation: view.Elevation}
	if view.Magnified {
		from.Zoom = perforator.Zoom
	}
	return camera.Fit(box, pictureSize, pictureSize, from)
}
