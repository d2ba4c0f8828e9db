package recipe

import (
	"context"
	"image"
	"math"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/camera"
	"lockstep/render/recipe/internal/sheet"
	"lockstep/render/recipe/internal/units"
)

// namePad, boundsPad and dimensionPad are margins around the views of a sheet, in heights of letters. A margin of
// namePad has space for the name of the view. A margin of boundsPad also has space for the lengths of the box. A
// margin of dimensionPad has space for dimension lines, too.
const (
	namePad      = 2
	boundsPad    = 3
	dimensionPad = 7
)

// sheetPad returns the least margin around views in heights of letters.
func (l *Lines) sheetPad() float64 {
	switch {
	case len(l.Dimensions) > 0:
		return dimensionPad
	case l.Bounds:
		return boundsPad
	}
	return namePad
}

// sheetLetters returns the height of the letters of a sheet whose columns have the given width. usual is the height of
// letters in pictures of the sheet's size. Lengths of the box are written in the margins at the sides of views. If a
// length would be wider than the largest margin, letters are smaller than usual. The result beside is the width of the
// margin that the lengths need, in pixels. It is 0 if no lengths are written.
func (p *Picture) sheetLetters(in *Input, usual, column float64) (letters, beside float64, err error) {
	letters = usual
	if !p.Lines.Bounds {
		return letters, 0, nil
	}
	unit := ""
	if in.Unit > 0 {
		unit = units.Symbol(in.Unit)
	}
	for _, length := range in.Box.Size() {
		room, err := annotate.LengthRoom(length, unit, letters)
		if err != nil {
			return 0, 0, err
		}
		beside = max(beside, room)
	}
	const smallest = 0.6
	if most := sheet.MostPad * column; beside > most {
		smaller := max(most/beside, smallest)
		letters, beside = letters*smaller, beside*smaller
	}
	return letters, beside, nil
}

// Sheet draws a contact sheet into the picture `whole` and returns the camera of the last view. It calls draw for each
// view in turn. All views are orthographic and have the same scale.
func (g *Drawing) Sheet(ctx context.Context, whole *render.Picture, draw func(cam render.Camera, view *render.Picture) (render.Stats, error)) (cam render.Camera, err error) {
	p := g.Picture
	fitted, err := g.drawer.Together(ctx, p, g.Input)
	if err != nil {
		return cam, err
	}
	size, err := p.BesideLegend(g.Input)
	if err != nil {
		return cam, FitError(ctx, err)
	}
	views := sheet.Views(p.Sheet, p.FirstAngle)
	for i := range views {
		if err := p.addViewSize(fitted, &views[i]); err != nil {
			return cam, FitError(ctx, err)
		}
	}
	letters, beside, err := p.sheetLetters(fitted, annotate.LetterSize(g.Width, g.Height), float64(size.Width)/float64(sheet.Columns(views)))
	if err != nil {
		return cam, err
	}
	pad := p.Lines.sheetPad() * letters
	cells, scale := sheet.Cells(views, size.Width, size.Height, max(pad, beside), pad)
	g.clearSheet(whole)
	done := g.beginSheet(letters)
	shown := false
	for i, cell := range cells {
		stats, err := g.drawSheetView(ctx, whole, cell, func(size Size) (render.Camera, error) {
			g.label = views[i].Name
			cam, err = p.sheetCamera(fitted, g.label, size, scale)
			return cam, FitError(ctx, err)
		}, draw)
		if err != nil {
			done()
			return cam, err
		}
		shown = shown || stats.Covered > 0
	}
	if err := done(); err != nil {
		return cam, err
	}
	if !shown {
		return cam, g.Input.Blank("nothing of it would be visible")
	}
	return cam, g.finishSheet(ctx, whole, cam, float64(scale*p.full().Camera.Zoom), letters)
}

// addViewSize adds to v.Across and v.High, which start at 0, the width and the height of an input's box as seen in the
// view v.
func (p *Picture) addViewSize(in *Input, v *sheet.View) error {
	cam, err := p.sheetCamera(in, v.Name, Size{1, 1}, 0)
	for axis, length := range in.Box.Size() {
		v.Across += float64(length * math.Abs(cam.Right[axis]))
		v.High += float64(length * math.Abs(cam.Up[axis]))
	}
	return err
}

// clearSheet fills the sheet with its background.
func (g *Drawing) clearSheet(whole *render.Picture) {
	*whole = render.Picture{Width: g.Width, Height: g.Height, Pix: make([]byte, 4*g.Width*g.Height)}
	behind := g.Picture.background(g.Input)
	if behind.Top == nil {
		return
	}
	for y := range g.Height {
		c := behind.Color(y, g.Height)
		for x := range g.Width {
			copy(whole.Pix[4*(y*g.Width+x):], []byte{uint8(c >> 16), uint8(c >> 8), uint8(c), 255})
		}
	}
}

// beginSheet changes the annotations for drawing views. Letters and lines get sizes that suit the whole sheet.
// Annotations that a sheet shows only once are removed. The function done restores the former settings.
func (g *Drawing) beginSheet(letters float64) (done func() error) {
	options, annotations, legend := g.Renderer.Options(), g.annotations, g.Picture.Lines.Legend
	o := &g.annotations
	o.ScaleBar, o.LetterSize, g.Picture.Lines.Legend, g.annotated = false, letters, false, nil
	if o.Label == "" {
		o.Label = "view" // Drawing.label replaces this text
	}
	if o.LineWidth == 0 {
		o.LineWidth = max(1, float64(g.Height)/600)
	}
	return func() error {
		g.annotations, g.Picture.Lines.Legend, g.annotated, g.label = annotations, legend, nil, ""
		return g.Renderer.SetOptions(options)
	}
}

// drawSheetView draws a view into its cell of a sheet.
func (g *Drawing) drawSheetView(ctx context.Context, whole *render.Picture, cell image.Rectangle, camera func(size Size) (render.Camera, error), draw func(cam render.Camera, view *render.Picture) (render.Stats, error)) (stats render.Stats, err error) {
	size := Size{Width: cell.Dx(), Height: cell.Dy()}
	options := g.Renderer.Options()
	options.Width, options.Height = size.Width, size.Height
	if err := g.Renderer.SetOptions(options); err != nil {
		return stats, err
	}
	cam, err := camera(size)
	if err != nil {
		return stats, err
	}
	var pic render.Picture
	if stats, err = draw(cam, &pic); err != nil {
		return stats, err
	}
	for y := range size.Height {
		copy(whole.Pix[4*((cell.Min.Y+y)*whole.Width+cell.Min.X):], pic.Pix[4*y*size.Width:4*(y+1)*size.Width])
	}
	return stats, nil
}

// finishSheet draws the annotations that the sheet shows only once: the name of its projection, the scale bar and the
// legend. scale is the number of pixels per unit of the mesh.
func (g *Drawing) finishSheet(ctx context.Context, whole *render.Picture, cam render.Camera, scale, letters float64) error {
	o := g.annotations
	o.Edges, o.Wireframe, o.Axes, o.Bounds, o.Label, o.LetterSize = false, false, false, false, "", letters
	o.Levels = nil
	o.Caption = "third-angle projection"
	if g.Picture.FirstAngle {
		o.Caption = "first-angle projection"
	}
	if title := g.annotations.Label; title != "" {
		o.Caption = title + ", " + o.Caption
	}
	annotator, err := g.newAnnotator(ctx, g.Input.Mesh(), o)
	if err != nil {
		return err
	}
	cam.Magnification = scale / float64(whole.Height)
	return annotator.Draw(ctx, whole, &cam)
}

// sheetCamera returns the camera of a view of a sheet for a picture of the given size. scale is the number of pixels
// per unit of the mesh. If scale is 0, the camera sees the whole box.
func (p *Picture) sheetCamera(in *Input, name string, size Size, scale float64) (render.Camera, error) {
	view := Views()[name]
	p.Camera.View = &view
	o := p.CameraOptions(p.UpOf(in), in.Box)
	cam, err := camera.Fit(in.Box, size.Width, size.Height, o)
	if scale > 0 && !math.IsInf(scale, 0) {
		cam.Magnification = float64(scale*o.Zoom) / float64(size.Height)
	}
	return cam, err
}
