package annotate

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"

	"lockstep/render"
	"lockstep/render/internal/edges"
	"lockstep/render/internal/kernel/srgb"
	"lockstep/scenes"
)

// Options select the lines and labels of a picture. The zero value draws nothing.
type Options struct {
	// Edges draws silhouettes, and edges at which the surface ends or branches. It also draws sharp edges, which
	// smooth shading with the angle Crease does not round off.
	Edges     bool
	Wireframe bool // all edges of triangles, with WireOpacity
	// Cull and OneSided are the options of the picture. Edges of triangles that the picture leaves out are not drawn
	// either.
	Cull     render.Cull
	OneSided bool
	Crease   float64 // crease angle in degrees; 0 means render.DefaultCrease
	Axes     bool    // directions of x, y and z, in the lower left corner
	Bounds   bool    // the bounding box with its three lengths
	ScaleBar bool    // bar of a round length, measured at the camera's target
	Legend   *Legend // legend of a field, on the right
	Levels   *Levels // lines on the surface where a field has round numbers
	// Dimensions are distances between points. They are drawn over the mesh, so the mesh never hides them.
	Dimensions []Dimension
	Label      string // text in the upper left corner
	Caption    string // text in the lower left corner

	// LineWidth is the width of lines in pixels. 0 means 1/600 of the picture's height, but at least 1.
	LineWidth float64
	// LineColor is the colour of lines and text. Nil means InkColor. The function Ink returns a colour that suits a
	// background.
	LineColor *render.RGB
	Unit      string // unit of lengths, written after their numbers
	// LetterSize is the size of letters in pixels. 0 means the result of the function LetterSize for the whole picture.
	LetterSize float64
}

const (
	// InkColor is the dark colour of lines and text on light backgrounds.
	InkColor render.RGB = 0x1d2126
	// LightInkColor is the colour of lines and text on dark backgrounds.
	LightInkColor render.RGB = 0xe4e7eb
	// WireOpacity is the opacity of wire frames. It is low enough that the surface under dense wire frames stays
	// visible.
	WireOpacity = 0.55
)

// Ink returns the one of InkColor and LightInkColor that has more contrast with background. If background is nil or
// more than half transparent, Ink returns InkColor.
func Ink(background color.Color) render.RGB {
	if background == nil {
		return InkColor
	}
	c := color.NRGBAModel.Convert(background).(color.NRGBA)
	// Relative luminance and contrast are defined by WCAG 2.1.
	luminance := func(rgb render.RGB) float64 {
		linear := func(shift int) float64 { return srgb.Decode(float64(rgb>>shift&255) / 255) }
		return float64(0.2126*linear(16)) + float64(0.7152*linear(8)) + float64(0.0722*linear(0))
	}
	behind := luminance(render.RGB(c.R)<<16|render.RGB(c.G)<<8|render.RGB(c.B)) + 0.05
	if c.A >= 128 && (luminance(LightInkColor)+0.05)/behind > behind/(luminance(InkColor)+0.05) {
		return LightInkColor
	}
	return InkColor
}

// Empty reports whether the options draw nothing.
func (o *Options) Empty() bool {
	return !o.Edges && !o.Wireframe && !o.Axes && !o.Bounds && !o.ScaleBar && o.Legend == nil && o.Label == "" && o.Caption == "" && len(o.Dimensions) == 0 && o.Levels == nil
}

// NeedsDepth reports whether the pictures must have depths, see render.Options.Depth.
func (o *Options) NeedsDepth() bool { return o.Edges || o.Wireframe || o.Bounds || o.Levels != nil }

// NeedsMesh reports whether the mesh must be in memory.
func (o *Options) NeedsMesh() bool { return o.Edges || o.Wireframe }

// An Annotator draws over pictures of one mesh. Only one goroutine may use it at a time.
type Annotator struct {
	options Options
	edges   *edges.Set // nil if no edges are drawn
	box     scenes.Box
	text    *typeface // nil if no text is drawn
	lines   []segment
	cover   []uint8
}

// New returns an Annotator for pictures of a mesh. box is the bounding box of the mesh. mesh may be nil if
// o.NeedsMesh() is false. Finding the edges takes about 0.3 microseconds and 60 bytes per triangle. If ctx ends, New
// stops with an error.
func New(ctx context.Context, mesh *scenes.Mesh, box scenes.Box, o Options) (*Annotator, error) {
	if o.Crease == 0 {
		o.Crease = render.DefaultCrease
	}
	switch {
	case ctx == nil:
		return nil, errors.New("annotate: expected a context, not nil")
	case !(o.Crease > 0 && o.Crease <= 180):
		return nil, fmt.Errorf("crease %g: expected more than 0 and at most 180 degrees", o.Crease)
	case !(o.LineWidth >= 0 && o.LineWidth <= mostWidth):
		return nil, fmt.Errorf("line width %g: expected 0 to %d pixels", o.LineWidth, mostWidth)
	case o.NeedsMesh() && mesh == nil:
		return nil, errors.New("edges need a mesh in memory")
	case o.Legend != nil && !(o.Legend.Low < o.Legend.High):
		return nil, fmt.Errorf("legend from %g to %g: expected the lower number first", o.Legend.Low, o.Legend.High)
	}
	a := &Annotator{options: o, box: box}
	if o.Axes || o.Bounds || o.ScaleBar || o.Legend != nil || o.Label != "" || o.Caption != "" || len(o.Dimensions) > 0 {
		var err error
		if a.text, err = newTypeface(); err != nil {
			return nil, err
		}
	}
	if o.NeedsMesh() {
		var err error
		if !o.Edges { // wire frames need no normals
			a.edges, err = edges.Find(ctx, mesh, 1)
		} else {
			a.edges, err = edges.Sharp(ctx, mesh, o.Crease)
		}
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// SetLabel changes the label. It has no effect on an Annotator that draws no text.
func (a *Annotator) SetLabel(label string) {
	if a.text != nil {
		a.options.Label = label
	}
}

// mostWidth limits the width of lines, in pixels.
const mostWidth = 100

// Draw draws over pic. pic shows the mesh in the view of cam.
func (a *Annotator) Draw(ctx context.Context, pic *render.Picture, cam *render.Camera) error {
	width, height := 0, 0
	if pic != nil {
		width, height = pic.Width, pic.Height
	}
	return a.DrawPart(ctx, pic, cam, width, height, image.Point{})
}

// DrawPart draws over pic, a part of a picture of width by height pixels. The parameter `at` is the position of pic's
// first pixel in the whole picture. The parameter cam is the camera of the whole picture.
//
// The result equals the same part of a whole picture after Draw, except in the first and last rows and columns of
// pic. In these rows and columns, pixels outside the part decide whether the surface hides a line.
func (a *Annotator) DrawPart(ctx context.Context, pic *render.Picture, cam *render.Camera, width, height int, at image.Point) error {
	if ctx == nil || pic == nil || cam == nil {
		return errors.New("annotate: expected a context, a picture and a camera, not nil")
	}
	o := &a.options
	if o.NeedsDepth() && len(pic.Depth) != pic.Width*pic.Height {
		return errors.New("annotate: expected a picture with depths")
	}
	p := newPage(a, pic, cam, width, height, at)
	ink := InkColor
	if o.LineColor != nil {
		ink = *o.LineColor
	}
	p.haloColor = haloColorFor(ink)
	if o.Wireframe {
		p.stroke(ctx, p.wires(a.edges), p.width*wireWidth, ink, WireOpacity)
	}
	if o.Levels != nil {
		p.drawLevels(ctx, o.Levels, ink)
	}
	if o.Edges {
		p.drawsSilhouette = true
		p.stroke(ctx, p.silhouettes(a.edges), p.width, ink, 1)
		p.drawsSilhouette = false
		p.stroke(ctx, p.features(a.edges), p.width, ink, 1)
	}
	if o.Bounds {
		p.drawBounds(ctx, a.box, ink)
	}
	p.drawDimensions(ctx, o.Dimensions, ink)
	if o.Axes {
		p.drawAxes(ctx, ink)
	}
	if o.ScaleBar {
		p.drawScaleBar(ctx, ink)
	}
	if o.Legend != nil {
		p.drawLegend(ctx, o.Legend, ink)
	}
	if o.Label != "" {
		p.drawLabel(o.Label, ink)
	}
	if o.Caption != "" {
		p.drawCaption(o.Caption, ink)
	}
	return ctx.Err()
}

// wireWidth is the width of the lines of wire frames, relative to other lines.
const wireWidth = 0.6
