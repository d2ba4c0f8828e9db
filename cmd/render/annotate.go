package main

import (
	"context"
	"image"
	"math"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/ground"
	"lockstep/render/recipe"
	"lockstep/scenes"
)

// annotateFlags say what is drawn over pictures.
type annotateFlags struct {
	Edges     bool          `group:"lines" help:"Draw silhouettes and the edges that smooth shading keeps sharp, see --crease."`
	Wireframe bool          `group:"lines" help:"Draw the edges of all triangles."`
	Ground    bool          `group:"lines" help:"Draw a soft shadow on the ground that the mesh stands on."`
	Axes      bool          `group:"lines" help:"Draw the directions of x, y and z in the lower left corner."`
	Bounds    bool          `group:"lines" help:"Draw the bounding box with its lengths. Without --fit it is the box that fits the picture."`
	ScaleBar  bool          `group:"lines" help:"Draw a round length in the lower right corner; in perspective it holds at the camera's target."`
	Legend    bool          `group:"lines" help:"Draw the colours of --field and their numbers on the right, beside the mesh."`
	Label     string        `group:"lines" placeholder:"TEXT" help:"Write TEXT into the upper left corner."`
	LineWidth numberFlag    `group:"lines" default:"0" placeholder:"PX" help:"Width of lines in pixels (0: a six-hundredth of the height)."`
	LineColor lineColorFlag `group:"lines" default:"auto" placeholder:"COLOR" help:"Colour of lines and text (dark, or light on a dark background)."`
}

// annotateRows draws over rows of a picture of a height, of which pic holds those from top on.
func (w *pipeline) annotateRows(ctx context.Context, cam *render.Camera, pic *render.Picture, height, top int) error {
	if err := w.drawGround(ctx, cam, pic, height, top); err != nil {
		return err
	}
	o := w.annotations
	if w.label != "" {
		o.Label = w.label
	}
	if o.Empty() && !w.legend {
		return nil
	}
	if w.annotated != w.in {
		if err := w.prepareAnnotations(ctx, o); err != nil {
			return err
		}
	}
	w.annotator.SetLabel(o.Label)
	return w.annotator.DrawPart(ctx, pic, cam, pic.Width, height, image.Pt(0, top))
}

// drawGround draws the shadow of the input under rows of a picture of it.
func (w *pipeline) drawGround(ctx context.Context, cam *render.Camera, pic *render.Picture, height, top int) error {
	if !w.grounded {
		return nil
	}
	if w.shadowed != w.in {
		var err error
		w.ground, err = ground.New(ctx, w.in.src, w.in.box, w.up.of(w.in))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return usagef("%s: --ground: %w", w.in.name, err)
		}
		w.shadowed = w.in
	}
	return w.ground.DrawRows(ctx, pic, cam, w.renderer.Options().Background, height, top)
}

// prepareAnnotations prepares for pictures of the input.
func (w *pipeline) prepareAnnotations(ctx context.Context, o annotate.Options) error {
	mesh := w.in.mesh()
	if o.NeedsMesh() && mesh == nil {
		return usagef("%s: --edges and --wireframe need all of the mesh in memory, and there is none for it", w.in.name)
	}
	if unit := w.in.unit; unit > 0 {
		o.Unit = unitSymbols[math.Round(unit*1e9)/1e9]
	}
	if field := w.renderer.Options().Field; w.legend && field.Name != "" && mesh != nil {
		o.Legend = legendOf(mesh, field)
	}
	var err error
	w.annotator, err = annotate.New(ctx, mesh, w.in.box, o)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return usagef("%s: %w", w.in.name, err)
	}
	w.annotated = w.in
	return nil
}

// besideLegend returns the size of the part of pictures of an input that their legend leaves
// free, at least half of them: the mesh is fitted to it.
func (f *drawFlags) besideLegend(in *input) (recipe.Size, error) {
	size, mesh := f.Size, in.mesh()
	if !f.Legend || mesh == nil {
		return size, nil
	}
	legend := legendOf(mesh, f.picture().RenderOptions().Field)
	if legend == nil || !(legend.Low < legend.High) {
		return size, nil
	}
	width, err := legend.Width(size.Width, size.Height)
	if err != nil {
		return size, err
	}
	size.Width -= min(width, size.Width/2)
	return size, nil
}

// widen returns the camera of whole pictures whose left part, of a size, another one sees.
func (f *drawFlags) widen(cam render.Camera, left recipe.Size) render.Camera {
	if left == f.Size {
		return cam
	}
	return cam.Window(left.Width, left.Height, image.Rect(0, 0, f.Size.Width, f.Size.Height))
}

// unitSymbols are short names of units, by their length in metres.
var unitSymbols = map[float64]string{1e-6: "µm", 0.001: "mm", 0.01: "cm", 1: "m", 0.0254: "in", 0.3048: "ft"}

// legendOf returns the legend of a field of a mesh; nil if it has none.
func legendOf(mesh *scenes.Mesh, field render.Field) *annotate.Legend {
	found := render.FieldOf(mesh, field.Name)
	if found == nil {
		return nil
	}
	l := &annotate.Legend{Title: printable(field.Name), Map: field.Map, Low: field.Low, High: field.High}
	if l.Low == l.High {
		l.Low, l.High = render.FieldRange(found)
	}
	if l.Low == l.High { // one number alone: a legend of its neighbourhood
		l.High = math.Nextafter(float64(float32(l.Low)), math.Inf(1)) + max(1, math.Abs(l.Low))*1e-3
	}
	for _, v := range found.Values {
		l.None = l.None || v != v && !scenes.IsNoField(v)
	}
	return l
}

// mesh returns the mesh of the input, nil if it is not in memory.
func (in *input) mesh() *scenes.Mesh {
	switch m := in.src.(type) {
	case *scenes.Mesh:
		return m
	case *render.Surface:
		return m.Mesh
	}
	return nil
}
