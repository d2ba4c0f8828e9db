// Package array holds the data that the hot loops pass on: the polygon array, the span array and the keys of a frame,
// in structure-of-arrays form. Every entry is a unit of work of its own, called a virtual processor.
//
// Screen coordinates are fixed point with SubBits fractional bits, from the top left of the picture; y points down. In
// the loops, a pixel is a sample of the frame.
//
// Nearness is the inverse of depth: it grows towards the eye.
package array

// The fixed-point format of screen coordinates.
const (
	SubBits = 8
	Sub     = 1 << SubBits // number of subpixels along one side of a pixel
	Half    = Sub / 2

	// Guard is the largest distance of a vertex from the picture's centre, in subpixels: 2^14 pixels. Triangles that
	// reach farther are clipped. Within this guard band, rounding by adding a large float32 is exact (below 2^22), and
	// the denominator Sub*dy of an edge fits 32 bits.
	Guard = 1 << 22
)

// Lanes is the number of polygons that scan conversion steps together. It is the number of 32-bit elements in the
// widest vector register.
const Lanes = 16

// FirstCenter returns the first pixel whose centre is not before c, a coordinate in subpixels: ceil((c - Half) / Sub).
func FirstCenter(c int32) int32 { return (c + Half - 1) >> SubBits }

// A Vertex is a corner of a polygon, rounded (snapped) to subpixels.
type Vertex struct {
	X, Y int32   // position in subpixels from the picture's top left corner
	E    float32 // nearness
}
