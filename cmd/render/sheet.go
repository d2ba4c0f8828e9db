package main

import (
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/render"
	"lockstep/render/recipe"
)

// A sheetFlag is the number of views of a contact sheet; 0 means none.
type sheetFlag int

// Decode implements kong.MapperValue.
func (f *sheetFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	if s != "4" && s != "7" {
		return fmt.Errorf("%q: expected 4 or 7 views", s)
	}
	*f = sheetFlag(s[0] - '0')
	return nil
}

// sheetViews are the views of sheets, by their number, the iso view last.
var sheetViews = map[sheetFlag][]string{
	4: {"top", "front", "right", "iso"},
	7: {"front", "left", "top", "back", "right", "bottom", "iso"},
}

// sheetCells returns the places of views on a sheet, which leave a line of a pixel between
// them: four quarters, with front below top, or the iso view beside three columns of two.
func sheetCells(views sheetFlag, width, height int) (cells []image.Rectangle) {
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

// leastSheet is the least width and height of a sheet.
const leastSheet = 32

// checkSheet refuses what a sheet does not have.
func (c *imageCommand) checkSheet() error {
	switch {
	case c.ContactSheet == 0:
		return nil
	case c.placed():
		return usagef("--contact-sheet has views of its own: --eye and --camera do not go with it")
	case c.Crop != (recipe.Rect{}) || len(c.dataFlags.names()) > 0 || c.Trace != "":
		return usagef("--contact-sheet is one picture: --crop, --trace and files of data do not go with it")
	case c.several():
		return usagef("--contact-sheet is of one mesh")
	case c.Size.Width < leastSheet || c.Size.Height < leastSheet:
		return usagef("--contact-sheet: expected a --size of at least %dx%d", leastSheet, leastSheet)
	}
	return nil
}

// drawSheet draws the views of the input into one picture, and returns the camera of the
// last.
func (c *imageCommand) drawSheet(ctx context.Context, w *pipeline, sheet *render.Picture) (render.Camera, error) {
	var cam render.Camera
	var pic render.Picture
	*sheet = render.Picture{Width: w.width, Height: w.height, Pix: make([]byte, 4*w.width*w.height)}
	for i := range w.width * w.height {
		copy(sheet.Pix[4*i:], []byte{0xc4, 0xc8, 0xce, 0xff}) // the lines between
	}
	fitted, err := c.together(ctx, w.app, w.in)
	if err != nil {
		return cam, err
	}
	whole, size, shown, title := w.renderer.Options(), c.Size, false, w.annotations.Label
	defer func() { c.Size = size }()
	for i, cell := range sheetCells(c.ContactSheet, w.width, w.height) {
		name := sheetViews[c.ContactSheet][i]
		c.View, c.Size = recipe.Views()[name], recipe.Size{Width: cell.Dx(), Height: cell.Dy()}
		options := whole
		options.Width, options.Height = cell.Dx(), cell.Dy()
		if err := w.renderer.SetOptions(options); err != nil {
			return cam, err
		}
		if cam, err = c.fit(ctx, fitted); err != nil {
			return cam, err
		}
		w.label = strings.TrimSpace(name + " " + title)
		stats, err := w.draw(ctx, w.in.src, cam, &pic)
		if err != nil {
			return cam, err
		}
		shown = shown || stats.Covered > 0
		for y := range cell.Dy() {
			copy(sheet.Pix[4*((cell.Min.Y+y)*sheet.Width+cell.Min.X):], pic.Pix[4*y*cell.Dx():4*(y+1)*cell.Dx()])
		}
	}
	if !shown {
		return cam, w.in.blank("nothing of it would be visible")
	}
	return cam, w.renderer.SetOptions(whole)
}
