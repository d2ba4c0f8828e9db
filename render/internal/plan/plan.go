// Package plan has a frame before it is drawn: everything that follows from the
// options and the camera alone. Package render makes it for the packages below it
// that draw by loops of their own.
package plan

import (
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/shade"
)

// A Frame is a frame to be drawn. Samples lie row by row, Stride apart.
type Frame struct {
	Width, Height int // pixels
	Grid          int // samples along a pixel's side
	Stride, Keys  int // samples from row to row, and in all
	View          geometry.View
	Shader        *shade.Shader
	OneColor      bool   // the mesh's own colours do not count
	Background    uint32 // the pixel where nothing is drawn
	// Distance turns a nearness into a depth; nil if no depths are wanted.
	Distance func(nearness float32) float32
}
