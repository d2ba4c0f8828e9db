package recipe

import (
	"context"
	"image"
	"strings"

	"lockstep/render"
)

// sheetViews are the views of sheets, by their number, the iso view last.
var sheetViews = map[int][]string{
	4: {"top", "front", "right", "iso"},
	7: {"front", "left", "top", "back", "right", "bottom", "iso"},
}

// sheetCells returns the places of views on a sheet, which leave a line of a pixel between
// them: four quarters, with front below top, or the iso view beside three columns of two.
func sheetCells(views int, width, height int) (cells []image.Rectangle) {
	if views == 4 {
		x, y := width/2, height/2
		return []image.Rectangle{
			image.Rect(0, 0, x, y), image.Rect(0, y+1, x, height), image.Rect(x+1, y+1, width, height), image.Rect(x+1, 0, width, y),
		}
	}
	large := 2 * width / 5
	for i := range 6 {
		x, y := i%3, i/3
		left, right := large+1+x*(width-large-1)/3, large+(x+1)*(width-large-1)/3
		cells = append(cells, image.Rect(left, y*(height/2+1), right, height/2+y*(height-height/2)))
	}
	return append(cells, image.Rect(0, 0, large, height))
}

// Sheet draws a contact sheet, whose views draw draws one after the other, and returns the camera of the last.
func (g *Drawing) Sheet(ctx context.Context, sheet *render.Picture, draw func(cam render.Camera, view *render.Picture) (render.Stats, error)) (cam render.Camera, err error) {
	var pic render.Picture
	p := g.Picture
	*sheet = render.Picture{Width: g.Width, Height: g.Height, Pix: make([]byte, 4*g.Width*g.Height)}
	for i := range g.Width * g.Height {
		copy(sheet.Pix[4*i:], []byte{0xc4, 0xc8, 0xce, 0xff}) // the lines between
	}
	fitted, err := g.by.Together(ctx, p, g.Input)
	if err != nil {
		return cam, err
	}
	whole, shown, title := g.Renderer.Options(), false, g.annotations.Label
	defer func() { g.label = "" }()
	for i, cell := range sheetCells(p.Sheet, g.Width, g.Height) {
		name := sheetViews[p.Sheet][i]
		view := Views()[name]
		p.Camera.View, p.Size = &view, Size{Width: cell.Dx(), Height: cell.Dy()}
		options := whole
		options.Width, options.Height = cell.Dx(), cell.Dy()
		if err := g.Renderer.SetOptions(options); err != nil {
			return cam, err
		}
		if cam, err = p.Fit(ctx, fitted); err != nil {
			return cam, err
		}
		g.label = strings.TrimSpace(name + " " + title)
		stats, err := draw(cam, &pic)
		if err != nil {
			return cam, err
		}
		shown = shown || stats.Covered > 0
		for y := range cell.Dy() {
			copy(sheet.Pix[4*((cell.Min.Y+y)*sheet.Width+cell.Min.X):], pic.Pix[4*y*cell.Dx():4*(y+1)*cell.Dx()])
		}
	}
	if !shown {
		return cam, g.Input.Blank("nothing of it would be visible")
	}
	return cam, g.Renderer.SetOptions(whole)
}
