// Package reading reads the meshes of recipes: from files, standard input and procedural scenes, into memory or block
// by block.
package reading

import (
	"fmt"
	"io"

	"lockstep/scenes"
)

// A Mesh is a mesh after reading, with the report of its reader.
type Mesh struct {
	Source   scenes.Source // a mesh, or a cloud of points, see scenes.ReadOptions
	Points   int           // number of points of a cloud; 0 for others
	Box      scenes.Box    // box of the finite vertices, relative to the origin of the source
	Format   string
	Packed   string // name of the compression; empty means none
	Bytes    int64  // number of bytes that were read; 0 for procedural scenes
	Held     int64  // upper bound of the memory in bytes for a mesh in a prepared file; 0 for others
	Bad      int    // number of triangles with a NaN or infinite coordinate
	Parts    []scenes.Part
	Clips    []scenes.Clip
	Label    string // name without folders; "" for standard input
	Contents string // hash of the contents of the files if Reader.NoteContents is set; otherwise empty
	Warnings []string
	Damage   string    // first warning of the reader of the format; empty means that the file is whole
	Closer   io.Closer // closes a file that stays open; nil if there is none
}

// Loaded returns a mesh in memory with the report of its reader.
func Loaded(mesh *scenes.Mesh, report *scenes.Report) *Mesh {
	var source scenes.Source = mesh
	if mesh.Points != nil {
		source = mesh.Points
	}
	return &Mesh{
		Source:   source,
		Points:   report.Points,
		Box:      report.Bounds,
		Format:   report.Format,
		Packed:   report.Packing,
		Bytes:    report.Bytes,
		Bad:      report.BadTriangles,
		Parts:    mesh.Parts,
		Clips:    report.Clips,
		Warnings: report.Warnings, Damage: firstLine(report.Warnings),
	}
}

// firstLine returns the first line, or "" if there are no lines.
func firstLine(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

// Whole returns the mesh if it is in memory, or else nil.
func (m *Mesh) Whole() *scenes.Mesh {
	mesh, _ := m.Source.(*scenes.Mesh)
	return mesh
}

// Close closes the file if it was left open.
func (m *Mesh) Close() {
	if m.Closer != nil {
		m.Closer.Close()
	}
}

// Name returns the name of a mesh in messages: its own name, or "standard input" for "-".
func Name(mesh string) string {
	if mesh == "-" {
		return "standard input"
	}
	return mesh
}

// Folder returns the name that stands for the folder of the i-th mesh in the list of files on which a picture depends.
func Folder(i int) string {
	if i == 0 {
		return "mesh"
	}
	return fmt.Sprintf("add-%d", i-1)
}
