package pictureflags

import (
	"fmt"
	"os"

	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// UpFlags holds the flags for the up axis of meshes.
type UpFlags struct {
	Up upFlag `default:"auto" placeholder:"AXIS" help:"x, y, z, -x ... (by format); MESH:up=y for one."`

	Ups map[string]scenes.Axis `kong:"-"` // up axes of single meshes, by path
}

// splitUpAxis separates the up axis from the name of a mesh, for example a.stl:up=y. axis is nil if the name contains
// no axis, or if a file with the whole name exists.
func splitUpAxis(mesh string) (path string, axis *scenes.Axis, err error) {
	if mesh == "" || mesh == "-" || mesh == procedural.Prefix || exists(mesh) {
		return mesh, nil, nil
	}
	m, err := recipe.ParseMesh(mesh)
	if err != nil {
		return "", nil, err
	}
	if m != (recipe.Mesh{File: m.File, Up: m.Up}) {
		return "", nil, fmt.Errorf("%s: expected :up= alone behind the name: others are for a mesh that is drawn alone, and for --add", mesh)
	}
	if a, err := scenes.ParseAxis(m.Up); err == nil {
		axis = &a
	}
	return m.File, axis, nil
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// SplitNames separates the up axes from the names of meshes. If there is only one mesh, its axis replaces --up.
func (f *UpFlags) SplitNames(mesh *Path, more []Path) error {
	for i := -1; i < len(more); i++ {
		m := mesh
		if i >= 0 {
			m = &more[i]
		}
		path, axis, err := splitUpAxis(string(*m))
		if err != nil {
			return err
		}
		if *m = Path(path); axis == nil {
			continue
		}
		if len(more) == 0 {
			f.Up.Axis = axis
			return nil
		}
		if old, ok := f.Ups[path]; ok && old != *axis {
			return fmt.Errorf("%s: is named with :up=%v and :up=%v", path, old, *axis)
		}
		if f.Ups == nil {
			f.Ups = map[string]scenes.Axis{}
		}
		f.Ups[path] = *axis
	}
	return nil
}

// SplitMeshes separates up axes from the names of meshes. If there is a single mesh, it also separates placement and
// colour from its name. If the command line has no mesh, SplitMeshes uses the meshes of --recipe.
func (f *Draw) SplitMeshes(recipes *[]Path, more []Path) error {
	if f.namesSplit {
		return nil
	}
	f.namesSplit = true
	if err := f.useRecipeMeshes(recipes); err != nil {
		return err
	}
	if recipes != nil {
		more = *recipes
	}
	if name := string(f.Mesh); len(more) == 0 && f.Recipe.usesMeshes || name == "-" || name == procedural.Prefix {
		return nil
	} else if len(more) == 0 && !exists(name) {
		m, err := recipe.ParseMesh(name)
		if err != nil {
			return err
		}
		if axis, err := scenes.ParseAxis(m.Up); err == nil {
			f.Up.Axis = &axis
		}
		f.Mesh, m.File, m.Up = Path(m.File), "", ""
		f.first = m
		return nil
	}
	return f.SplitNames(&f.Mesh, more)
}

// upOf returns the up axis in the name of a mesh, or "".
func (f *UpFlags) upOf(mesh string) string {
	if axis, ok := f.Ups[mesh]; ok {
		return axis.String()
	}
	return ""
}
