// Package load opens a mesh file of any supported format. It finds the format by the contents of the file, never by the
// name, see format.Read.
//
// To add a format, write a package with a format.Format beside scenes/stl, like the example of package format. Then add
// a line to Formats.
package load

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/amf"
	"lockstep/scenes/collada"
	"lockstep/scenes/draco"
	"lockstep/scenes/dxf"
	"lockstep/scenes/fbx"
	"lockstep/scenes/format"
	"lockstep/scenes/gltf"
	"lockstep/scenes/las"
	"lockstep/scenes/msh"
	"lockstep/scenes/obj"
	"lockstep/scenes/off"
	"lockstep/scenes/pcd"
	"lockstep/scenes/ply"
	"lockstep/scenes/prepared"
	"lockstep/scenes/stl"
	"lockstep/scenes/threeds"
	"lockstep/scenes/threemf"
	"lockstep/scenes/vtk"
	"lockstep/scenes/x3d"
	"lockstep/scenes/xyz"
)

// Formats returns all formats. If an input may have several formats and they are equally likely, the first of them is
// used.
func Formats() []format.Format {
	return []format.Format{
		stl.Format,
		ply.Format,
		off.Format,
		gltf.Format,
		threemf.Format,
		vtk.Format,
		msh.Format,
		collada.Format,
		fbx.Format,
		threeds.Format,
		draco.Format,
		prepared.Format,
		amf.Format,
		dxf.Format,
		x3d.Format,
		pcd.Format,
		las.Format,
		obj.Format,
		xyz.Format,
	}
}

// Names returns the allowed values of ReadOptions.Format, in the order of Formats.
func Names() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.Names()...)
	}
	slices.Sort(names)
	return names
}

// formats returns the formats to try: the format that opts names, or all formats if it names none.
func formats(opts scenes.ReadOptions) []format.Format {
	if opts.Format == "" {
		return Formats()
	}
	for _, f := range Formats() {
		if slices.Contains(f.Names(), opts.Format) {
			return []format.Format{f}
		}
	}
	return nil // without formats, any file is of unknown format
}

// File reads a mesh file into memory, see format.ReadFile.
func File(ctx context.Context, path string, opts scenes.ReadOptions) (*scenes.Mesh, *scenes.Report, error) {
	return format.ReadFile(ctx, path, opts, formats(opts)...)
}

// Reader reads r to its end and returns the mesh in it, see format.Read.
func Reader(ctx context.Context, r io.Reader, opts scenes.ReadOptions) (*scenes.Mesh, *scenes.Report, error) {
	return format.Read(ctx, r, opts, formats(opts)...)
}

// FS reads a mesh file of a file system into memory, see format.Read. Files with random access, such as those of
// os.DirFS and embed.FS, are read in parallel.
func FS(ctx context.Context, fsys fs.FS, name string, opts scenes.ReadOptions) (*scenes.Mesh, *scenes.Report, error) {
	if fsys == nil {
		return nil, nil, errors.New("expected a file system, not nil")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if opts.Name == "" {
		opts.Name = name
	}
	if opts.Beside == nil {
		if opts.Beside, err = fs.Sub(fsys, path.Dir(name)); err != nil {
			return nil, nil, err
		}
	}
	return format.Read(ctx, f, opts, formats(opts)...)
}

// Stream opens a mesh file whose triangles stay on disk and are read by blocks, see format.Open. The error is
// scenes.ErrNotSeekable if only File can read the file.
func Stream(ctx context.Context, path string, opts scenes.ReadOptions) (scenes.Stream, *scenes.Report, error) {
	return format.Open(ctx, path, opts, formats(opts)...)
}
