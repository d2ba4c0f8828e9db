package recipe

import (
	"fmt"
	"image/color"

	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/camera"
	"lockstep/render/recipe/internal/material"
	"lockstep/scenes"
)

// color returns the colour, or nil if c is a word.
func (c Color) color() color.Color {
	if rgb, ok := c.RGB(); ok {
		return rgb
	}
	return nil
}

// Full returns the recipe with all defaults of numbers and words filled in. Eye, Target and Upward stay nil if they
// are not given. View stays nil, too, because its default depends on the mesh. Samples is the default of animations,
// see Look.Samples.
func (p Picture) Full() Picture { return p.clone().full() }

// RenderOptions returns the options for drawing the whole picture, without those that are not part of a recipe:
// workers, instruction sets and balancing.
func (p Picture) RenderOptions() render.Options {
	f := p.full()
	l := &f.Look
	o := render.Options{
		Width: f.Size.Width, Height: f.Size.Height,
		Samples:   l.Samples,
		Cull:      culls[l.Cull],
		OneSided:  f.hidesBackFaces(),
		Color:     l.Color.color(),
		Crease:    l.Crease,
		Facing:    l.Color == "facing",
		Occlusion: l.Occlusion == "on",
		EyeDome:   l.EyeDome == "on",
	}
	if l.Light == "studio" {
		o.Light = render.LightStudio
	}
	if l.Shading == "smooth" {
		o.Shading = render.ShadingSmooth
	}
	if l.Field != "" {
		o.Field = render.Field{Name: l.Field, Map: l.Colormap}
		if l.Range[0] < l.Range[1] {
			o.Field.Low, o.Field.High = l.Range[0], l.Range[1]
		}
	}
	if l.showsFinish() {
		o.Finish = l.finish()
	}
	if p.Edited() {
		o.Color = nil // the mesh in memory holds the colours, because the faces of cuts have another colour
	}
	o.Depth = p.Annotations().NeedsDepth()
	o.Coverage = f.Crop != (Rect{})
	if !p.hasBackdrop() {
		o.Background = l.Background.color()
	}
	return o
}

// finish returns the finish of surfaces without a finish in the file. Nil means plaster.
func (l *Look) finish() *scenes.Finish {
	return material.Finish(l.Material, l.Metallic, l.Roughness)
}

// showsFinish reports whether the finish of surfaces is visible. All defaults of l must be filled in.
func (l *Look) showsFinish() bool { return l.Light == "studio" && l.Field == "" && l.Color != "facing" }

// CameraOptions returns the options for fitting a camera to a mesh with the given up axis and box.
func (p Picture) CameraOptions(up scenes.Axis, box scenes.Box) camera.Options {
	f, view := p.full(), p.ViewOf(up, box)
	return camera.Options{
		Up:      up,
		Azimuth: view.Azimuth, Elevation: view.Elevation,
		FieldOfView:  f.Camera.Fov,
		Orthographic: f.Camera.Projection == "orthographic",
		Zoom:         f.Camera.Zoom,
	}
}

// Annotations returns the lines and text over the picture, without units and legends, which depend on the mesh.
func (p Picture) Annotations() *annotate.Options {
	f := p.full()
	l := &f.Lines
	ink, ok := l.Color.RGB()
	if !ok {
		ink = p.ink()
	}
	var levels *annotate.Levels
	if l.Contours > 0 {
		levels = &annotate.Levels{Lines: l.Contours}
	}
	return &annotate.Options{
		Cull: culls[f.Look.Cull], OneSided: f.hidesBackFaces(),
		Levels: levels, Edges: l.Edges, Wireframe: l.Wireframe, Crease: f.Look.Crease, Axes: l.Axes, Bounds: l.Bounds, ScaleBar: l.ScaleBar,
		Label: phrase.Printable(l.Label), LineWidth: l.Width, LineColor: &ink,
	}
}

// flatBelow is the ratio of height to width below which a mesh counts as flat.
const flatBelow = 0.15

// ViewOf returns the view of a mesh with this up axis and box. If the recipe has a view, it returns that view.
// Otherwise it returns FlatView for a flat mesh with a tight fit, and DefaultView in all other cases.
func (p Picture) ViewOf(up scenes.Axis, box scenes.Box) View {
	if v := p.Camera.View; v != nil {
		return *v
	}
	if p.full().Camera.Fit == "tight" && !p.hasEye() && !box.Empty() {
		height, width := 0.0, 0.0
		for axis, size := range box.Size() {
			if up.Vector()[axis] != 0 {
				height = size
			} else {
				width = max(width, size)
			}
		}
		if height < float64(flatBelow*width) {
			return FlatView
		}
	}
	return DefaultView
}

// BodyColor returns the colour of surfaces that do not have their own colour.
func (p Picture) BodyColor() render.RGB {
	if p.Look.Light == "headlight" {
		return render.DefaultColor
	}
	if f := p.Look.finish(); f != nil && f.Transmission > 0 && p.Look.Field == "" && p.Look.Color != "facing" {
		return render.GlassColor
	}
	return render.StudioColor
}

// culls maps words of Look.Cull to the faces that are left out. The words none and material are not in the map.
var culls = map[string]render.Cull{"back": render.CullBack, "front": render.CullFront}

// hidesBackFaces reports whether back faces of one-sided materials are left out. All defaults must be filled in. Plain
// looks draw both sides, because they do not light pixels one by one. Cuts need both sides, because they show the
// insides of surfaces.
func (p *Picture) hidesBackFaces() bool {
	l := &p.Look
	return !p.Cut() && l.Cull == "material" && l.Light == "studio" && l.Color != "facing" && (l.Shading == "smooth" || l.Occlusion == "on")
}

// Cut reports whether the recipe cuts away parts of the mesh.
func (p Picture) Cut() bool { return len(p.Cuts.Sections) > 0 || p.Cuts.Box != (Box{}) }

// Edited reports whether meshes are changed before they are drawn: cut, placed, joined with others, or with parts
// hidden or coloured.
func (p Picture) Edited() bool {
	return p.Cut() || p.Parts.isSet() || p.joinsMeshes()
}

// Streams reports whether a mesh that is drawn once may stay in its file. A tight fit and light on the surface read
// the mesh more than once. Cuts and lines need the whole mesh at once. With any of these, the result is false.
func (p Picture) Streams() bool {
	f := p.full()
	l := &f.Look
	return f.Camera.Fit == "box" && l.Shading == "flat" && l.Occlusion == "off" && l.Field == "" && l.Color != "facing" && f.Look.finish() == nil && !*f.Lines.Ground &&
		!p.Edited() && !p.Annotations().NeedsMesh()
}

const (
	// fineSamples is the number of samples per pixel of single pictures that are cheap to draw. Such pictures have at
	// most finePixels pixels and fineTriangles triangles.
	//
	// With fineSamples, the command render takes about a third longer than with 4 samples. This was measured for 15
	// meshes of 20 thousand to a million triangles, on two cores of a Zen 5. The ratio of processor times, including
	// reading, lighting and writing, was 0.98 to 1.55, with a median of 1.29.
	fineSamples   = 16
	finePixels    = 2_100_000
	fineTriangles = 1_000_000
)

// autoSamples returns the default number of samples per pixel if the mesh is not known.
func autoSamples(size Size) int {
	if max(size.Width, size.Height) > render.MaxPixels/2 {
		return 1
	}
	return 4
}

// hasFineSamples reports whether fineSamples is the default of a single picture of a mesh with this number of
// triangles. It is false for a headlight.
func (p *Picture) hasFineSamples(triangles int) bool {
	f := p.full()
	size := f.Size
	// The renderer limits the width and height in samples. A pixel of sixteen samples is four samples wide and high.
	// So the limit in pixels is a quarter of the limit in samples.
	few := size.Width*size.Height <= finePixels && max(size.Width, size.Height) <= render.MaxPixels/4
	return p.Look.Samples == 0 && f.Look.Light == "studio" && few && triangles <= fineTriangles
}

// Single returns the options for a single picture of an input, which may get more samples than a frame of an
// animation. In two cases d warns and the options are unchanged:
//
//   - Memory does not suffice for more samples.
//   - `whole` is false: the picture is drawn in strips because memory is short.
func (d *Drawer) Single(p Picture, in *Input, o render.Options, whole bool) render.Options {
	if !p.hasFineSamples(in.Source.Len()) {
		return o
	}
	finer := o
	finer.Samples = fineSamples
	if whole && (d.Memory == nil || d.Memory.Lacks(finer, in.Held) == nil) {
		return finer
	}
	d.warn(fmt.Sprintf("%s: drawn with %d samples a pixel: there is no memory for %d (--samples %[2]d does the same without a warning)", in.Name, o.Samples, fineSamples))
	return o
}
