package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/internal/cli"
	"lockstep/internal/framename"
	"lockstep/internal/pictureflags"
	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/load"
)

// folderFlags determine which meshes of a folder are drawn.
type folderFlags struct {
	Recursive bool `short:"r" help:"Also the meshes in subfolders of a folder."`
}

// A meshArg is a mesh on the command line, or a mesh found in a folder on the command line.
type meshArg struct {
	mesh      string // path of the mesh
	subfolder string // subfolder of the folder on the command line; empty if the mesh is in no subfolder
}

// expand replaces each folder among the meshes by the meshes in it, sorted by name. It also returns the first folder,
// or "" if there is none. If a folder has an up axis on the command line, expand records that axis in ups for each mesh
// of the folder.
func (f *folderFlags) expand(ctx context.Context, a *app, meshes []string, ups map[string]scenes.Axis) (all []meshArg, folder string, err error) {
	for _, mesh := range meshes {
		if mesh == "-" || strings.HasPrefix(mesh, sceneScheme) || !framename.IsFolder(mesh) {
			all = append(all, meshArg{mesh: mesh})
			continue
		}
		if folder == "" {
			folder = mesh
		}
		found, err := f.meshesIn(ctx, a, mesh)
		if err != nil {
			return nil, "", err
		}
		if axis, ok := ups[mesh]; ok {
			for _, m := range found {
				ups[m.mesh] = axis
			}
		}
		all = append(all, found...)
	}
	if f.Recursive && folder == "" {
		a.Warn("--recursive is ignored: there is no folder among the meshes")
	}
	return withoutDuplicates(all), folder, nil
}

// meshesIn returns the meshes of a folder. With --recursive, it also returns the meshes of subfolders. It returns an
// error if there are no meshes.
func (f *folderFlags) meshesIn(ctx context.Context, a *app, folder string) (found []meshArg, err error) {
	// Only the named folder itself may be a link. Links to folders below it are not followed, because they could form a
	// cycle.
	root, err := filepath.EvalSymlinks(folder)
	if err == nil {
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && path == root:
				return err
			case err != nil:
				a.Warn("%s: %v: left out", path, pictureflags.FileCause(err))
				return nil
			case path == root:
				return nil
			case strings.HasPrefix(d.Name(), "."):
				return skipEntry(d)
			case d.IsDir() && !f.Recursive:
				return fs.SkipDir
			case d.IsDir() || !isMesh(ctx, path):
				return nil
			}
			rel, err := filepath.Rel(root, path)
			if err == nil {
				found = append(found, meshArg{filepath.Join(folder, rel), strings.TrimPrefix(filepath.Dir(rel), ".")})
			}
			return err
		})
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, cli.Inputf("%s: %w", folder, pictureflags.FileCause(err))
	case len(found) == 0 && f.Recursive:
		return nil, cli.Inputf("%s: there is no mesh in this folder and those below it", folder)
	case len(found) == 0:
		return nil, cli.Inputf("%s: there is no mesh in this folder (--recursive looks into those below it, too)", folder)
	}
	return found, nil
}

// skipEntry makes the walk skip a file, or a folder with all its contents.
func skipEntry(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// isMesh reports whether a file of a folder is a mesh, according to its name or its contents. Links to files are
// followed. Pipes and links to folders are not meshes.
func isMesh(ctx context.Context, path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	formats := load.Formats()
	return format.Named(path, formats...) || format.Recognise(ctx, path, formats...)
}

// withoutDuplicates removes meshes that occur a second time.
func withoutDuplicates(meshes []meshArg) []meshArg {
	seen := map[string]bool{}
	return slices.DeleteFunc(meshes, func(m meshArg) bool {
		key := m.mesh
		if key != "-" && !strings.HasPrefix(key, sceneScheme) {
			key = filepath.Clean(key)
		}
		again := seen[key]
		seen[key] = true
		return again
	})
}
