package report

import (
	"context"
	"errors"
	"io/fs"

	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
)

// A Mesh is an open mesh.
type Mesh struct {
	scenes.Source
	Box   scenes.Box // of the finite vertices; empty if there are none
	Close func()
}

// OpenMesh opens a mesh as the user named it.
func (o Output) OpenMesh(ctx context.Context, name string) (Mesh, error) {
	switch {
	case o.Open != nil:
		return o.Open(ctx, name)
	case procedural.IsScene(name):
		return openScene(ctx, name)
	}
	// Nobody would hear of warnings.
	file, report, err := load.Stream(ctx, name, scenes.ReadOptions{Strict: true})
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return Mesh{}, &InputError{File: name, Err: path.Err}
	case err != nil:
		return Mesh{}, &InputError{Err: err} // which names the file
	}
	return Mesh{Source: file, Box: report.Bounds, Close: func() { file.Close() }}, nil
}

func openScene(ctx context.Context, name string) (Mesh, error) {
	scene, err := procedural.Parse(name)
	if err != nil {
		return Mesh{}, Usagef("%v", err)
	}
	box, err := scenes.Bounds(ctx, scene, 0)
	return Mesh{Source: scene, Box: box, Close: func() {}}, err
}
