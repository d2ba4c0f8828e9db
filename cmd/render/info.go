package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"lockstep/internal/cli"
	"lockstep/internal/phrase"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/scenes/quality"
)

// An infoCommand describes a mesh.
type infoCommand struct {
	Mesh   pictureflags.Path   `arg:"" name:"mesh" help:"Mesh file, a folder of meshes, - for standard input, or a scene."`
	More   []pictureflags.Path `arg:"" optional:"" name:"meshes" help:"More of them."`
	JSON   bool                `name:"json" help:"Print one JSON object, a line for each mesh."`
	Recipe bool                `help:"Print the recipes of pictures, as JSON."`

	pictureflags.UpFlags
	folderFlags
	pictureflags.ReadFlags
	Format pictureflags.MeshFormat `placeholder:"KIND" help:"Read MESH as stl, ply, obj, ... (by its contents)."`
}

// meshInfo is the output of the command info about a mesh. Positions are in coordinates of the file.
type meshInfo struct {
	Path      string       `json:"path"`
	Format    string       `json:"format"`
	Packing   string       `json:"packing,omitempty"` // gzip, zstd or zip
	Bytes     int64        `json:"bytes"`
	Triangles int          `json:"triangles"`
	Dropped   int          `json:"dropped"` // triangles with a NaN or infinite coordinate
	Up        string       `json:"up"`
	LikelyUp  string       `json:"likely_up,omitempty"` // axis along which the mesh seems to stand; "" if usual for the format
	Unit      float64      `json:"unit,omitempty"`      // length of the unit in metres; 0 if the file does not state it
	Colors    bool         `json:"colors"`
	Origin    [3]float64   `json:"origin"`  // position in the file that becomes 0,0,0 in memory
	Bounds    *boxInfo     `json:"bounds"`  // null without a finite vertex
	Surface   *surfaceInfo `json:"surface"` // null if memory is too small to examine it
	Parts     []partInfo   `json:"parts"`
	Fields    []fieldInfo  `json:"fields"`
	Clips     []clipInfo   `json:"clips,omitempty"`
	Warnings  []string     `json:"warnings"`
}

type boxInfo struct {
	Min  [3]float64 `json:"min"`
	Max  [3]float64 `json:"max"`
	Size [3]float64 `json:"size"`
}

// surfaceInfo holds the values of a quality.Report.
type surfaceInfo struct {
	Vertices    int      `json:"vertices"`
	Degenerate  int      `json:"degenerate"`
	Duplicates  int      `json:"duplicates"`
	Edges       int      `json:"edges"`
	Open        int      `json:"open_edges"`
	NonManifold int      `json:"non_manifold_edges"`
	Turned      int      `json:"turned_edges"`
	Closed      bool     `json:"closed"`
	Area        float64  `json:"area"`
	Volume      *float64 `json:"volume"` // null unless the surface is closed
}

type partInfo struct {
	Name      string `json:"name"`
	First     int    `json:"first"` // index of the part's first triangle
	Triangles int    `json:"triangles"`
}

// clipInfo describes an animation of the file.
type clipInfo struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds,omitempty"` // time of the last key; 0 if the file does not state it
}

// text describes a clip for people.
func (c clipInfo) text() string {
	if c.Seconds == 0 {
		return fmt.Sprintf("%q", c.Name)
	}
	return fmt.Sprintf("%q, %.4g seconds", c.Name, c.Seconds)
}

// run prints the description of every mesh. If one of several meshes cannot be read, its error is printed in one line,
// and the other meshes are still described.
func (c *infoCommand) run(ctx context.Context, a *app, out io.Writer) error {
	if pictureflags.ListScenes(c.Mesh, out) {
		return nil
	}
	named := []string{string(c.Mesh)}
	for _, mesh := range c.More {
		named = append(named, string(mesh))
	}
	if c.Recipe {
		return pictureflags.PrintRecipes(named, out)
	}
	meshes, folder, err := c.expand(ctx, a, named, c.Ups)
	if err != nil {
		return err
	}
	for _, m := range meshes {
		if err := a.CheckPrinted(m.mesh); err != nil {
			return err
		}
	}
	a.measureMemory()
	if len(meshes) == 1 && folder == "" {
		return c.describe(ctx, a, string(c.Mesh), out)
	}
	return c.describeAll(ctx, a, meshes, out)
}

// describeAll prints the descriptions of several meshes. If any mesh cannot be read, it returns an error of partial
// success.
func (c *infoCommand) describeAll(ctx context.Context, a *app, meshes []meshArg, out io.Writer) error {
	failed := false
	for i, m := range meshes {
		if i > 0 && !c.JSON {
			io.WriteString(out, "\n")
		}
		before := a.memory
		err := c.describe(ctx, a, m.mesh, out)
		a.memory = before
		switch code := cli.CodeOf(err); {
		case code == cli.Done:
		case ctx.Err() != nil:
			return ctx.Err()
		case code == cli.Input || code == cli.Usage:
			failed = true
			a.printFailure(err)
		default:
			return err
		}
	}
	if failed {
		return &cli.Error{Code: cli.Partial, Err: cli.ErrReported}
	}
	return nil
}

// describe prints the description of one mesh.
func (c *infoCommand) describe(ctx context.Context, a *app, mesh string, out io.Writer) error {
	opts, picture := c.ReadFlags.Options(), render.Options{Width: 1, Height: 1}
	d, p := a.newReadingDrawer(&c.ReadFlags, &a.memory), c.Picture(mesh, c.Format, &c.UpFlags)
	d.Resident = true
	in, err := a.readInput(ctx, d, p, true, picture)
	if err != nil {
		return err
	}
	defer in.Close()
	d.SayDamage(in)
	info := newMeshInfo(in, p.UpOf(in))
	whole, err := a.readSurfaceMesh(ctx, in, opts, picture)
	if err != nil {
		return err
	}
	if whole != nil {
		info.Surface = a.examineSurface(in, whole)
		if c.Up.Axis == nil && in.Axis == nil {
			info.LikelyUp = likelyUp(in, whole)
		}
	}
	if c.JSON {
		return json.NewEncoder(out).Encode(info)
	}
	return info.print(out)
}

// likelyUp returns the axis along which a mesh seems to stand. It returns "" if the mesh seems to stand along the
// usual up axis of its format. It also returns "" if the format prescribes the up axis.
func likelyUp(in *input, mesh *scenes.Mesh) string {
	if strings.HasPrefix(in.Format, "gl") || in.Format == "3mf" || in.Format == procedural.Format {
		return ""
	}
	if usual := in.Source.Info().Up; quality.Stands(mesh, usual) != usual {
		return quality.Stands(mesh, usual).String()
	}
	return ""
}

// readSurfaceMesh returns a mesh in memory with all triangles of an input, so that its surface can be examined. If
// there is too little memory, it warns and returns nil.
func (a *app) readSurfaceMesh(ctx context.Context, in *input, opts scenes.ReadOptions, picture render.Options) (*scenes.Mesh, error) {
	a.memory.LimitMesh(&opts, picture)
	n := in.Source.Len()
	need := quality.Memory(n) + int64(n)*(scenes.TriangleBytes+scenes.ColorBytes)
	mesh, loaded := in.Source.(*scenes.Mesh)
	if loaded { // the attributes are not needed
		mesh = &scenes.Mesh{Block: mesh.Block, Up: mesh.Up}
		in.Source = mesh
	}
	if opts.MaxMemory > 0 && need > opts.MaxMemory {
		a.Warn("%s: too little memory to examine all %d triangles: no area, volume or edges", in.Name, n)
		return nil, nil
	}
	if loaded {
		return mesh, nil
	}
	return scenes.Load(ctx, in.Source, opts)
}

// examineSurface examines the surface of a mesh. If the mesh has too many triangles, it warns and returns nil.
func (a *app) examineSurface(in *input, mesh *scenes.Mesh) *surfaceInfo {
	r, ok := quality.Of(mesh)
	if !ok {
		a.Warn("%s: %d triangles are too many to examine: no area, volume or edges", in.Name, mesh.Len())
		return nil
	}
	s := &surfaceInfo{
		Vertices: r.Vertices, Degenerate: r.Degenerate, Duplicates: r.Duplicates,
		Edges: r.Edges, Open: r.Open, NonManifold: r.NonManifold, Turned: r.Turned, Closed: r.Closed, Area: r.Area,
	}
	if r.Closed {
		s.Volume = &r.Volume
	}
	return s
}

func newMeshInfo(in *input, up scenes.Axis) *meshInfo {
	source := in.Source.Info()
	info := &meshInfo{
		Path: in.Path, Format: in.Format, Packing: in.Packed, Bytes: in.Bytes,
		Triangles: in.Source.Len(), Dropped: in.Bad,
		Up: up.String(), Unit: in.Unit, Colors: source.Colors, Origin: source.Origin,
		Parts: []partInfo{}, Fields: fieldsOf(in.Mesh()), Warnings: append([]string{}, in.Warnings...),
	}
	if !in.Box.Empty() {
		info.Bounds = &boxInfo{Min: in.Box.Min, Max: in.Box.Max, Size: in.Box.Size()}
		for axis, o := range source.Origin {
			info.Bounds.Min[axis] += o
			info.Bounds.Max[axis] += o
		}
	}
	for _, p := range in.Parts {
		info.Parts = append(info.Parts, partInfo{Name: p.Name, First: p.First, Triangles: p.Count})
	}
	for _, c := range in.Clips {
		info.Clips = append(info.Clips, clipInfo{c.Name, c.Seconds})
	}
	return info
}

// maxRows is the largest number of parts, fields or clips in the table for people.
const maxRows = 20

// print prints a table for people. The warnings were printed before.
func (m *meshInfo) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, phrase.OneLine(fmt.Sprintf(format, args...)))
	}
	row("mesh", "%s", meshName(m.Path))
	row("format", "%s", strings.Join(slices.DeleteFunc([]string{m.Format, m.Packing}, func(s string) bool { return s == "" }), ", packed by "))
	if m.Format != procedural.Format {
		row("bytes", "%d", m.Bytes)
	}
	row("triangles", "%d", m.Triangles)
	if m.Dropped > 0 {
		row("dropped", "%d with a NaN or infinite coordinate", m.Dropped)
	}
	if b := m.Bounds; b != nil {
		r := coordinateFormat(b)
		row("bounds", "%s %s %s to %s %s %s", r(b.Min[0]), r(b.Min[1]), r(b.Min[2]), r(b.Max[0]), r(b.Max[1]), r(b.Max[2]))
		row("size", "%s x %s x %s", r(b.Size[0]), r(b.Size[1]), r(b.Size[2]))
	} else {
		row("bounds", "none: no vertex with finite coordinates")
	}
	if m.Origin != [3]float64{} {
		row("origin", "%.9g %.9g %.9g", m.Origin[0], m.Origin[1], m.Origin[2])
	}
	if m.Unit > 0 {
		row("unit", "%s", recipe.UnitName(m.Unit))
	}
	m.Surface.print(row)
	if m.LikelyUp == "" {
		row("up", "%s", m.Up)
	} else {
		row("up", "%s, but it has a flat base along %s alone: it may stand on its side (--up %s)", m.Up, m.LikelyUp, m.LikelyUp)
	}
	row("colours", "%s", map[bool]string{true: "yes", false: "none"}[m.Colors])
	list := func(name string, n int, text func(i int) string) {
		row(name, "%d", n)
		for i := range min(n, maxRows) {
			row("", "%s", text(i))
		}
		if n > maxRows {
			row("", "and %d more (see --json)", n-maxRows)
		}
	}
	list("parts", len(m.Parts), func(i int) string {
		return fmt.Sprintf("%q, %s", m.Parts[i].Name, phrase.Plural(int64(m.Parts[i].Triangles), "triangle"))
	})
	list("fields", len(m.Fields), func(i int) string { return m.Fields[i].text() })
	if len(m.Clips) > 0 {
		list("clips", len(m.Clips), func(i int) string { return m.Clips[i].text() })
	}
	if n, more := m.countFaults(); n > 0 {
		row("damage", "%s%s, see the warnings", phrase.Plural(int64(n), "fault"), more)
	}
	return t.Flush()
}

// print prints the rows about the surface.
func (s *surfaceInfo) print(row func(name, format string, args ...any)) {
	if s == nil {
		return
	}
	row("vertices", "%d", s.Vertices)
	if s.Degenerate+s.Duplicates > 0 {
		row("faults", "%s without area, %s of the vertices of another", phrase.Plural(int64(s.Degenerate), "triangle"), phrase.Plural(int64(s.Duplicates), "triangle"))
	}
	row("edges", "%d: %d open, %d of more than two triangles, %d between triangles that face opposite ways", s.Edges, s.Open, s.NonManifold, s.Turned)
	row("area", "%.7g", s.Area)
	if s.Volume != nil {
		row("volume", "%.7g", *s.Volume)
	} else {
		row("volume", "none: the surface is not closed")
	}
}

// coordinateFormat returns a function that formats coordinates of a mesh with the bounds b. The function rounds them to
// 7 digits of the largest extent of b, because further digits are rounding errors of single precision. It leaves out
// zeros at the end.
func coordinateFormat(b *boxInfo) func(x float64) string {
	largest := max(b.Size[0], b.Size[1], b.Size[2])
	decimals := 6 - int(math.Floor(math.Log10(largest)))
	return func(x float64) string {
		if !(largest > 0) || decimals > 15 || decimals < 0 {
			return strconv.FormatFloat(x, 'g', 9, 64)
		}
		s := strconv.FormatFloat(x, 'f', decimals, 64)
		if decimals > 0 {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		if s == "-0" {
			s = "0"
		}
		return s
	}
}

// countFaults returns the number of faults that the warnings list. If a warning says that further faults are not
// listed, the result `more` is " and more". Otherwise `more` is empty.
func (m *meshInfo) countFaults() (n int, more string) {
	for _, line := range m.Warnings {
		if strings.HasSuffix(line, " more like this one") || strings.HasSuffix(line, " are not listed") {
			more = " and more"
		} else {
			n++
		}
	}
	return n, more
}

// SeparateAxesFromNames separates the up axes from the names of meshes. The parser calls it after reading all flags,
// possibly several times.
func (c *infoCommand) SeparateAxesFromNames() error { return c.SplitNames(&c.Mesh, c.More) }
