package main

import (
	"path/filepath"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/internal/smallfile"
	"lockstep/scenes/vtk"
)

// maxCollectionBytes limits the size of a collection of time steps. It allows a million steps of a hundred bytes.
const maxCollectionBytes = 100 << 20

// expandSteps replaces a VTK collection (.pvd) by the files of its time steps. The animation then shows one file after
// the other. A step with several files cannot be a mesh of a series. If there is such a step, the collection is not
// replaced, and only its first step is drawn.
func (c *animateCommand) expandSteps(a *app) error {
	name := string(c.Mesh)
	if len(c.More) > 0 || !strings.EqualFold(filepath.Ext(name), ".pvd") {
		return nil
	}
	data, err := smallfile.Read(name, maxCollectionBytes)
	if err != nil {
		return nil // reading the mesh reports the error
	}
	steps, err := vtk.Steps(data)
	if err != nil || len(steps) < 2 {
		return nil
	}
	var files []pictureflags.Path
	for _, step := range steps {
		if len(step.Files) != 1 {
			a.Warn("%s: time steps have several files: only the first one is drawn", name)
			return nil
		}
		file := filepath.FromSlash(step.Files[0])
		if !filepath.IsLocal(file) {
			return cli.Inputf("%s: file %q: is not in the folder of the collection or below it", name, step.Files[0])
		}
		files = append(files, pictureflags.Path(filepath.Join(filepath.Dir(name), file)))
	}
	c.Mesh, c.More = files[0], files[1:]
	return nil
}
