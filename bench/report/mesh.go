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
	Box   scenes.Box // bounding box of the finite vertices; empty if there are none
	Close func()
}

// OpenMesh opens the mesh that the user named.
func (o Output) OpenMesh(ctx context.Context, name string) (Mesh, error) {
	switch {
	case o.Open != nil:
		return o.Open(ctx, name)
	case procedural.IsScene(name):
		return openScene(ctx, name)
	}
	m, err := openFile(ctx, name)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return Mesh{}, &InputError{File: name, Err: path.Err}
	case err != nil:
		return Mesh{}, &InputError{Err: err} // the text of err names the file
	}
	return m, nil
}

// openFile opens a file whose triangles are read block by block. If its format does not allow that, it reads the whole
// file into memory. A damaged file is an error, because this function cannot print warnings.
func openFile(ctx context.Context, name string) (Mesh, error) {
	opts := scenes.ReadOptions{Strict: true}
	file, report, err := load.Stream(ctx, name, opts)
	if errors.Is(err, scenes.ErrNotSeekable) {
		mesh, report, err := load.File(ctx, name, opts)
		if err != nil {
			return Mesh{}, err
		}
		return Mesh{Source: mesh, Box: report.Bounds, Close: func() {}}, nil
	}
	if err != nil {
		return Mesh{}, err
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
