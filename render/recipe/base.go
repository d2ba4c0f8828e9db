package recipe

import (
	"context"
	"io"
	"slices"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/png"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// A Base is the first mesh of a recipe as it was read, in memory. Inputs of other recipes for the same file are made of
// it without reading it again: for viewers, where a recipe changes with every movement. It is not changed by that:
// several goroutines may use one.
type Base struct {
	mesh Mesh
	pose *scenes.Pose
	size PointSize
	in   Input
}

// ReadBase reads the first mesh of a recipe. The error is that of Open.
func (d *Drawer) ReadBase(ctx context.Context, p Picture) (*Base, error) {
	d = d.reading(ctx, &p)
	o := d.options(&p)
	opts := d.Read
	opts.Format, opts.Workers = p.Meshes[0].Format, o.Workers
	var short *Shortage
	if d.Memory != nil {
		short = d.Memory.LimitMesh(&opts, o)
	}
	in, err := d.first(ctx, p.Meshes[0].File, false, true, opts)
	if err != nil {
		return nil, ReadError(ctx, p.Meshes[0].File, short, err)
	}
	mesh, ok := in.Source.(*scenes.Mesh)
	if !ok {
		in.Close()
		return nil, errorf(Unfit, "%s: needs all of the mesh in memory, and there is none for it", Name(p.Meshes[0].File))
	}
	in.Held = budget.Mesh(mesh.Len())
	in.Path, in.Name = p.Meshes[0].File, Name(p.Meshes[0].File)
	if err := p.checkPose(in); err != nil {
		in.Close()
		return nil, err
	}
	return &Base{p.Meshes[0], opts.Pose, p.Look.PointSize, *in}, nil
}

// ReadBaseFrom is ReadBase for a mesh whose file comes from r, and is called as the recipe calls its first mesh. Nothing is
// opened by that name, and no files beside it: its pictures are drawn by OpenBase and InputPNG.
func (d *Drawer) ReadBaseFrom(ctx context.Context, p Picture, r io.Reader) (*Base, error) {
	opts := d.reading(ctx, &p).Read
	opts.Format, opts.Name, opts.Workers = p.Meshes[0].Format, p.Meshes[0].File, d.Workers
	mesh, report, err := load.Reader(ctx, r, opts)
	if err != nil {
		return nil, ReadError(ctx, p.Meshes[0].File, nil, err)
	}
	in := ofMesh(mesh, report)
	in.Held, in.Path, in.Name, in.Label = budget.Mesh(mesh.Len()), p.Meshes[0].File, p.Meshes[0].File, p.Meshes[0].File
	return &Base{p.Meshes[0], opts.Pose, p.Look.PointSize, *in}, nil
}

// BaseOf returns the base of a mesh that a program has made, for recipes that call their first mesh as p does. Pictures of
// it are drawn by OpenBase and InputPNG.
func BaseOf(p Picture, mesh *scenes.Mesh) *Base {
	name := p.Meshes[0].File
	in := Input{Path: name, Name: name, Label: name, Source: mesh, Box: mesh.Bounds(), Parts: mesh.Parts, Held: budget.Mesh(mesh.Len())}
	return &Base{p.Meshes[0], nil, p.Look.PointSize, in}
}

// Mesh returns the mesh, which must not be changed.
func (b *Base) Mesh() *scenes.Mesh { return b.in.Source.(*scenes.Mesh) }

// Fits reports whether inputs of a recipe can be made of b: it has the same first mesh
// at the same time, and points of the same size: one in pixels is another in each picture.
func (b *Base) Fits(p Picture) bool {
	return b.size == p.Look.PointSize && !b.size.Pixels && samePose(b.pose, p.pose(nil)) && len(p.Meshes) > 0 && p.Meshes[0].File == b.mesh.File && p.Meshes[0].Format == b.mesh.Format
}

// OpenBase is Open for a mesh that was read before.
func (d *Drawer) OpenBase(ctx context.Context, b *Base, p Picture, o render.Options) (*Input, error) {
	in := b.in
	mesh := *b.Mesh() // its unit may be set
	in.Source, in.Warnings, in.shadowed = &mesh, slices.Clone(in.Warnings), new(shadowCache)
	if err := d.reading(ctx, &p).prepare(ctx, &p, &in, d.Read.MaxMemory, o); err != nil {
		return nil, err
	}
	return &in, nil
}

// BasePNG is PNG for a mesh that was read before: the same bytes. Recipes that stream their mesh read it again.
func (d *Drawer) BasePNG(ctx context.Context, w io.Writer, b *Base, p Picture, o Output) error {
	if p.Streams() || !b.Fits(p) {
		return d.PNG(ctx, w, p, o)
	}
	var pic render.Picture
	g, cam, err := d.drawOf(ctx, p, &pic, func(p Picture, o render.Options) (*Input, error) { return d.OpenBase(ctx, b, p, o) })
	if err != nil {
		return err
	}
	defer g.Close()
	return g.writePNG(ctx, w, &pic, cam, p, o)
}

// InputPNG is PNG for an input that OpenBase has made of the recipe, or of one that has another camera, another size,
// or another number of samples: the same bytes. The input stays open, so the next picture finds its normals and its shadow
// again.
func (d *Drawer) InputPNG(ctx context.Context, w io.Writer, in *Input, p Picture, o Output) error {
	// What is found out about triangles far away holds for this picture alone.
	drawn := *in
	drawn.Warnings, drawn.closer, drawn.shadowed = slices.Clone(in.Warnings), nil, in.shadowed.fork()
	var pic render.Picture
	g, cam, err := d.drawOf(ctx, p, &pic, func(Picture, render.Options) (*Input, error) { return &drawn, nil })
	if err != nil {
		return err
	}
	defer g.Close()
	in.shadowed.join(drawn.shadowed)
	return g.writePNG(ctx, w, &pic, cam, p, o)
}

// writePNG writes the file of a picture that was drawn of p.
func (g *Drawing) writePNG(ctx context.Context, w io.Writer, pic *render.Picture, cam render.Camera, p Picture, o Output) error {
	options := PNGOptions(g.Picture, o)
	options.Text, options.Run = g.Picture.Text(g.Input, cam, g.Picture.OwnView(g.Input)), g.RunTasks(ctx)
	var encoder png.Encoder
	return encoder.EncodeRGBA(w, pic.Pix, 4*pic.Width, pic.Width, pic.Height, options)
}
