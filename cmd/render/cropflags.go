package main

import (
	"lockstep/render/recipe"
)

// cropFlags say which part of the picture is written.
type cropFlags struct {
	Crop recipe.Rect `group:"data" placeholder:"X,Y,WxH" help:"Draw and write only this part of a picture of --size, in pixels from its upper left corner."`
	Trim bool        `group:"data" help:"Leave out rows and columns at the borders that show only the background."`
}

// drawnSize returns the size of what is drawn, before it is trimmed.
func (c *imageCommand) drawnSize() recipe.Size {
	if c.Crop != (recipe.Rect{}) {
		return recipe.Size{Width: c.Crop.Width, Height: c.Crop.Height}
	}
	return c.Size
}
