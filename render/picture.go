package render

import (
	"image"

	"lockstep/render/internal/scratch"
)

// A Picture is the result of a frame: pixels in sRGB with straight alpha. Depths, triangles, normals and coverage are
// optional. A later frame may be drawn into the same Picture.
type Picture struct {
	Width, Height int
	Pix           []byte // R, G, B, A of pixel (x, y) at 4*(y*Width+x)
	// Depth holds the depth of pixel (x, y) at y*Width+x: the distance from the eye to the pixel's nearest sample,
	// along the viewing direction, in mesh units. It is +Inf if nothing was drawn there. Depth is nil unless
	// Options.Depth is set.
	Depth []float32
	// Each of these is nil unless the option of the same name is set:
	//
	//   - Triangles holds the number of the triangle that the nearest sample of a pixel shows, or NoTriangle.
	//   - Normals holds the unit normal with which that sample is lit, in the axes of the mesh and on the eye's side.
	//     It is zero if nothing was drawn.
	//   - Coverage is the share of a pixel's samples that were drawn; 255 means all.
	Triangles []uint32
	Normals   [][3]float32
	Coverage  []uint8
}

// NoTriangle is the value of Picture.Triangles for pixels where nothing was drawn.
const NoTriangle = 1<<32 - 1

// Image returns the picture as a standard image that shares its pixels.
func (p *Picture) Image() *image.NRGBA {
	return &image.NRGBA{Pix: p.Pix, Stride: 4 * p.Width, Rect: image.Rect(0, 0, p.Width, p.Height)}
}

// resizeIf returns a slice of n elements, or nil if want is false. The result uses the memory of s if s is large
// enough.
func resizeIf[T any](s []T, want bool, n int) []T {
	if !want {
		return nil
	}
	return scratch.Resize(s, n)
}
