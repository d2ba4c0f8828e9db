// Package save writes meshes to files in several formats. It is the counterpart of package load.
//
// To add a format, write a function beside its reader and add a line to Formats.
package save

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/gltf"
	"lockstep/scenes/internal/weld"
	"lockstep/scenes/obj"
	"lockstep/scenes/off"
	"lockstep/scenes/ply"
	"lockstep/scenes/prepared"
	"lockstep/scenes/stl"
	"lockstep/scenes/threemf"
)

// A Format is a format that can be written.
type Format struct {
	Name      string // name of the format, as in scenes.Report.Format
	Extension string // extension of its files, such as ".stl"
	holds     Detail
	write     func(w io.Writer, src scenes.Source) error
}

// A Detail is a set of properties of a mesh that a format may not be able to store.
type Detail uint16

// Properties of meshes.
const (
	Parts      Detail = 1 << iota // names of parts
	Normals                       // normals of vertices
	FaceColors                    // colours of triangles
	Colors                        // colours of vertices
	Alpha                         // alpha of vertices
	TexCoords
	Materials
	Textures
	Fields
	Unit
	FullColors // colours with more than five bits per channel
	NotFinite  // triangles with a coordinate that is not finite
	UpAxis     // an up axis other than that of the format
	Finishes   // properties of reflection that OBJ cannot express
)

var detailNames = []string{
	"names of parts", "normals of vertices", "colours of triangles", "colours of vertices", "alpha of vertices", "texture coordinates",
	"materials", "textures", "fields", "the unit of length", "colours beyond five bits a channel", "triangles that are not finite",
	"the up axis", "textures of roughness and occlusion, glass, sheen and clear coats",
}

// Names returns a word for each detail in d.
func (d Detail) Names() (names []string) {
	for i, name := range detailNames {
		if d>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Formats returns the formats that can be written. If several formats have the same extension, the first of them is
// used for files with that extension.
func Formats() []Format {
	shared := Normals | FaceColors | Colors | Alpha | TexCoords | FullColors | NotFinite
	return []Format{
		{stl.FormatBinary, ".stl", FaceColors | NotFinite, func(w io.Writer, src scenes.Source) error {
			return stl.Write(w, src, stl.WriteOptions{})
		}},
		{stl.FormatASCII, ".stl", Parts | NotFinite, func(w io.Writer, src scenes.Source) error {
			return stl.Write(w, src, stl.WriteOptions{ASCII: true})
		}},
		{ply.FormatBinary, ".ply", shared | Fields, ofMesh(func(w io.Writer, m *scenes.Mesh) error {
			return ply.Write(w, m, ply.WriteOptions{})
		})},
		{ply.FormatASCII, ".ply", shared | Fields, ofMesh(func(w io.Writer, m *scenes.Mesh) error {
			return ply.Write(w, m, ply.WriteOptions{ASCII: true})
		})},
		{obj.FormatOBJ, ".obj", shared&^Alpha | Parts, ofMesh(func(w io.Writer, m *scenes.Mesh) error { return obj.Write(w, m, nil) })},
		{off.FormatText, ".off", shared, ofMesh(func(w io.Writer, m *scenes.Mesh) error {
			return off.Write(w, m, off.WriteOptions{})
		})},
		{off.FormatBinary, ".off", shared, ofMesh(func(w io.Writer, m *scenes.Mesh) error {
			return off.Write(w, m, off.WriteOptions{Binary: true})
		})},
		{"glb", ".glb", shared&^NotFinite | Parts | Materials | Textures | Finishes | Unit, ofMesh(gltf.Write)},
		{"3mf", ".3mf", FaceColors | FullColors | Colors | Alpha | Parts | Unit, ofMesh(threemf.Write)},
	}
}

// ofMesh converts a function that writes a mesh to one that writes a source, which must be a *scenes.Mesh.
func ofMesh(write func(io.Writer, *scenes.Mesh) error) func(io.Writer, scenes.Source) error {
	return func(w io.Writer, src scenes.Source) error { return write(w, src.(*scenes.Mesh)) }
}

// Find returns the format with the given name or extension. The bool is false if there is none.
func Find(name string) (Format, bool) {
	name = strings.ToLower(name)
	formats := Formats()
	i := slices.IndexFunc(formats, func(f Format) bool {
		return f.Name == name || f.Extension == name || f.Extension == "."+name
	})
	if i < 0 {
		return Format{}, false
	}
	return formats[i], true
}

// Beside returns the format with a folder in which Write may create files beside the mesh. OBJ stores materials and
// textures there. For other formats, f is returned unchanged.
func (f Format) Beside(folder *obj.Folder) Format {
	if f.Name == obj.FormatOBJ {
		f.holds |= Materials | Textures
		f.write = ofMesh(func(w io.Writer, m *scenes.Mesh) error { return obj.Write(w, m, folder) })
	}
	return f
}

// Streams reports whether Write can write a source that does not fit into memory.
func (f *Format) Streams() bool { return f.Extension == ".stl" }

// Write writes src. If the format cannot stream and src is not a *scenes.Mesh, Write loads src into memory first,
// within the limits of opts. The error comes from w, src or ctx, is a *scenes.LimitError, or reports that the format
// cannot store the mesh.
func (f *Format) Write(ctx context.Context, w io.Writer, src scenes.Source, opts scenes.ReadOptions) error {
	if m, ok := src.(*scenes.Mesh); ctx == nil || w == nil || src == nil || ok && m == nil {
		return errors.New("expected a context, a writer and a mesh, not nil")
	}
	if _, ok := src.(*scenes.Mesh); !ok && !f.Streams() {
		m, err := scenes.Load(ctx, src, opts)
		if err != nil {
			return err
		}
		src = m
	}
	if err := f.checkMemory(src, opts); err != nil {
		return err
	}
	return f.write(&writer{ctx, w}, src)
}

// checkMemory returns a *scenes.LimitError if the mesh and the tables for its shared vertices exceed the limit for
// memory.
func (f *Format) checkMemory(src scenes.Source, opts scenes.ReadOptions) error {
	m, ok := src.(*scenes.Mesh)
	if !ok || f.Streams() || opts.MaxMemory <= 0 {
		return nil
	}
	vertices := 0
	memory := int64(m.Len()) * scenes.TriangleBytes
	if m.Attributes != nil {
		vertices = m.Attributes.Vertices
		memory += int64(m.Len()) * 3 * 4
	}
	if memory += weld.Memory(m.Len(), vertices); memory <= opts.MaxMemory {
		return nil
	}
	name := opts.Name
	if name == "" {
		name = "mesh"
	}
	return &scenes.LimitError{File: name, Unit: scenes.UnitBytes, Want: memory, Limit: opts.MaxMemory}
}

// A writer passes data to w until its context ends. After that, writing fails.
type writer struct {
	ctx context.Context
	w   io.Writer
}

func (w *writer) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}

// Dropped returns the properties of src that the format cannot store. `bad` is the number of triangles of src that are
// not finite.
func (f *Format) Dropped(src scenes.Source, bad int) Detail {
	d := detailsOf(src, bad) &^ f.holds
	if m, ok := src.(*scenes.Mesh); ok && f.Name == obj.FormatOBJ && !obj.Library(m) {
		d |= detailsOf(src, bad) & (Materials | Textures)
	}
	if up, loses := f.up(); loses && src.Info().Up != up {
		d |= UpAxis
	}
	if f.holds&FaceColors == 0 {
		d &^= FullColors
	}
	if d&Materials != 0 {
		d &^= Finishes
	}
	return d
}

// Up returns the up axis of the format.
func (f *Format) Up() scenes.Axis {
	axis, _ := f.up()
	return axis
}

// up returns the up axis that readers of the format assume. If loses is false, Write turns meshes so that their up axis
// becomes this axis. Otherwise Write does not turn meshes, so a mesh with another up axis loses it.
func (f *Format) up() (axis scenes.Axis, loses bool) {
	switch f.Extension {
	case ".glb":
		return scenes.PlusY, false
	case ".3mf":
		return scenes.PlusZ, false
	case ".obj":
		return scenes.PlusY, true
	}
	return scenes.PlusZ, true
}

// detailsOf returns the properties of src.
func detailsOf(src scenes.Source, bad int) (d Detail) {
	set := func(has bool, detail Detail) {
		if has {
			d |= detail
		}
	}
	info := src.Info()
	set(info.Unit != 0, Unit)
	set(bad > 0, NotFinite)
	m, ok := src.(*scenes.Mesh)
	if !ok {
		set(info.Colors, FaceColors)
		set(info.Colors && hasFullColors(src), FullColors)
		return d | Unread(src)
	}
	set(len(m.Parts) > 0, Parts)
	set(hasFullColors(m), FullColors)
	a := m.Attributes
	if a == nil {
		a = new(scenes.Attributes)
	}
	set(m.Colors != nil && !a.Colors.Has(), FaceColors)
	set(a.Normals.Has(), Normals)
	set(a.Colors.Has(), Colors)
	set(a.TexCoords.Has(), TexCoords)
	set(a.MaterialOf != nil, Materials)
	set(len(a.Fields) > 0, Fields)
	for _, c := range a.Colors.Values {
		set(c[3] != 255, Alpha)
	}
	for i := range a.Materials {
		set(a.Materials[i].Texture != nil, Textures)
		if f := a.Materials[i].Finish; f != nil {
			set(f.Transmission > 0 || f.Coat > 0 || f.Sheen != [3]float32{}, Finishes)
			for _, x := range f.Textures() {
				set(*x != nil && (*x != f.Normals || (*x).Second || (*x).Placement != nil), Finishes)
			}
		}
		if x := a.Materials[i].Glow; x != nil {
			set(x.Second || x.Placement != nil, Finishes)
		}
	}
	return d
}

// Unread returns the properties of src that are lost if src is read block by block. A mesh in memory loses none.
func Unread(src scenes.Source) (d Detail) {
	f, ok := src.(*prepared.File)
	if !ok {
		return 0
	}
	b := f.Beside()
	for _, has := range []struct {
		has    bool
		detail Detail
	}{
		{b.Parts, Parts}, {b.Normals, Normals}, {b.Colors, Colors}, {b.TexCoords, TexCoords}, {b.Materials, Materials},
		{b.Textures, Textures}, {b.Finishes, Finishes}, {b.Fields, Fields},
	} {
		if has.has {
			d |= has.detail
		}
	}
	return d
}

// hasFullColors reports whether src has colours that STL files cannot store exactly. STL has five bits per channel or,
// if all triangles have the same colour, eight bits in the header.
func hasFullColors(src scenes.Source) bool {
	var b scenes.Block
	var first uint32
	several, full := false, false
	for i := range scenes.NumBlocks(src) {
		if err := src.ReadBlock(i, &b); err != nil || len(b.Colors) == 0 {
			break // the writer will return the same error
		}
		if i == 0 {
			first = b.Colors[0]
		}
		for _, rgb := range b.Colors {
			several = several || rgb != first
			full = full || !fitsFiveBits(rgb)
		}
		if several && full {
			return true
		}
	}
	return false
}

// fitsFiveBits reports whether a colour can be stored exactly with five bits per channel.
func fitsFiveBits(rgb uint32) bool {
	for shift := 0; shift < 24; shift += 8 {
		v := rgb >> shift & 255
		five := (v*31 + 127) / 255
		if (five*255+15)/31 != v {
			return false
		}
	}
	return true
}
