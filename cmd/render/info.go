package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"lockstep/render"
	"lockstep/scenes/procedural"
)

// An infoCommand describes a mesh.
type infoCommand struct {
	Mesh    pathFlag `arg:"" name:"mesh" help:"Mesh file, - for standard input, or a scene."`
	JSON    bool     `name:"json" help:"Print one JSON object."`
	Strict  bool     `xor:"damage" help:"Refuse a damaged file."`
	Lenient bool     `xor:"damage" help:"Take what is whole of one, and warn (the default)."`
}

// meshInfo is what info prints. Positions are in the coordinates of the file.
type meshInfo struct {
	Path      string     `json:"path"`
	Format    string     `json:"format"`
	Bytes     int64      `json:"bytes"`
	Triangles int        `json:"triangles"`
	Dropped   int        `json:"dropped"` // with a NaN or infinite coordinate
	Up        string     `json:"up"`
	Colors    bool       `json:"colors"`
	Origin    [3]float64 `json:"origin"` // of the coordinates in memory
	Bounds    *boxInfo   `json:"bounds"` // null without a finite vertex
	Parts     []partInfo `json:"parts"`
	Warnings  []string   `json:"warnings"`
}

type boxInfo struct {
	Min  [3]float64 `json:"min"`
	Max  [3]float64 `json:"max"`
	Size [3]float64 `json:"size"`
}

type partInfo struct {
	Name      string `json:"name"`
	First     int    `json:"first"` // index of its first triangle
	Triangles int    `json:"triangles"`
}

// run prints the description.
func (c *infoCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if listScenes(c.Mesh, out) {
		return nil
	}
	if err := a.checkPrinted(string(c.Mesh)); err != nil {
		return err
	}
	a.measure()
	in, err := a.read(ctx, string(c.Mesh), c.Strict, true, render.Options{Width: 1, Height: 1})
	if err != nil {
		return err
	}
	defer in.close()
	info := newMeshInfo(in)
	if c.JSON {
		return json.NewEncoder(out).Encode(info)
	}
	return info.print(out)
}

func newMeshInfo(in *input) *meshInfo {
	source := in.src.Info()
	info := &meshInfo{
		Path: in.path, Format: in.format, Bytes: in.bytes,
		Triangles: in.src.Len(), Dropped: in.bad,
		Up: source.Up.String(), Colors: source.Colors, Origin: source.Origin,
		Parts: []partInfo{}, Warnings: append([]string{}, in.warned...),
	}
	if !in.box.Empty() {
		info.Bounds = &boxInfo{Min: in.box.Min, Max: in.box.Max, Size: in.box.Size()}
		for axis, o := range source.Origin {
			info.Bounds.Min[axis] += o
			info.Bounds.Max[axis] += o
		}
	}
	for _, p := range in.parts {
		info.Parts = append(info.Parts, partInfo{Name: p.Name, First: p.First, Triangles: p.Count})
	}
	return info
}

// maxPartRows is how many parts the table for people names.
const maxPartRows = 20

// print writes a table for people; warnings have been printed already.
func (m *meshInfo) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, oneLine(fmt.Sprintf(format, args...)))
	}
	row("mesh", "%s", meshName(m.Path))
	row("format", "%s", m.Format)
	if m.Format != procedural.Format {
		row("bytes", "%d", m.Bytes)
	}
	row("triangles", "%d", m.Triangles)
	if m.Dropped > 0 {
		row("dropped", "%d with a NaN or infinite coordinate", m.Dropped)
	}
	if b := m.Bounds; b != nil {
		row("bounds", "%.9g %.9g %.9g to %.9g %.9g %.9g", b.Min[0], b.Min[1], b.Min[2], b.Max[0], b.Max[1], b.Max[2])
		row("size", "%.9g x %.9g x %.9g", b.Size[0], b.Size[1], b.Size[2])
	} else {
		row("bounds", "none: no vertex with finite coordinates")
	}
	row("origin", "%.9g %.9g %.9g", m.Origin[0], m.Origin[1], m.Origin[2])
	row("up", "%s", m.Up)
	row("colours", "%t", m.Colors)
	row("parts", "%d", len(m.Parts))
	for i, p := range m.Parts {
		if i == maxPartRows {
			row("", "and %d more (see --json)", len(m.Parts)-i)
			break
		}
		row("", "%q, %s", p.Name, plural(int64(p.Triangles), "triangle"))
	}
	return t.Flush()
}
