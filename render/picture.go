package render

import (
	"image"

	"lockstep/render/internal/scratch"
)

// A Picture is what a frame leaves behind: straight-alpha sRGB pixels and, on
// request, depths. It may be reused from frame to frame.
type Picture struct {
	Width, Height int
	Pix           []byte // R, G, B, A of pixel (x, y) at 4*(y*Width+x)
	// Depth holds, for pixel (x, y) at y*Width+x, the distance of the nearest
	// sample from the eye along the viewing direction, in mesh units; +Inf
	// where nothing was drawn. Nil unless Options.Depth is set.
	Depth []float32
	// Triangles holds the number in the mesh of the triangle that the nearest sample shows,
	// and Normals the unit normal, turned towards the eye, by which it is lit, in the axes of
	// the mesh; NoTriangle and zeros where nothing was drawn. Coverage is the part of the
	// samples that were drawn, 255 for all. Each is nil unless the option of its name is set.
	Triangles []uint32
	Normals   [][3]float32
	Coverage  []uint8
}

// NoTriangle stands in Picture.Triangles where nothing was drawn.
const NoTriangle = 1<<32 - 1

// Image returns the picture as a standard image that shares its pixels.
func (p *Picture) Image() *image.NRGBA {
	return &image.NRGBA{Pix: p.Pix, Stride: 4 * p.Width, Rect: image.Rect(0, 0, p.Width, p.Height)}
}

// wanted returns a slice of n elements, s where it is large enough; nil if it is not
// wanted.
func wanted[T any](s []T, want bool, n int) []T {
	if !want {
		return nil
	}
	return scratch.Resize(s, n)
}
