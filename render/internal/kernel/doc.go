// Package kernel holds the renderer's hot loops.
//
// Every loop exists as a specification in plain Go, and its arithmetic is part
// of the specification: floating-point operations are rounded one by one, in the
// order written (explicit conversions keep compilers from fusing them), and
// whatever decides whether a pixel is covered is done in integers. A vector
// twin must give the same bits.
//
// The way of a block: Geometry fills Polygons, Scan turns them into Spans, and
// ZBuffer merges the spans into a frame of keys. A key is the bits of a
// nearness e > 0 above the complement of a 32-bit payload, so that depth test,
// write and merge are one unsigned maximum, an untouched pixel is 0, and fresh
// zero pages need no clearing.
//
// Screen coordinates are fixed point with SubBits fractional bits, from the
// top left of the picture; y points down.
package kernel

// Fixed point of screen coordinates.
const (
	SubBits = 8
	Sub     = 1 << SubBits // subpixels in a pixel
	Half    = Sub / 2

	// Guard is the largest distance of a vertex from the picture's centre, in
	// subpixels: 2^14 pixels. Within it, rounding by adding a large float32 is
	// exact (below 2^22) and an edge's denominator Sub*dy fits 32 bits.
	Guard = 1 << 22
)

// Lanes is the number of polygons that scan conversion steps together, that of
// the widest vector registers with 32-bit elements.
const Lanes = 16

// MinNearness replaces a nearness that is not above it, so that a key is never
// the 0 of an untouched pixel. It is the smallest normal float32.
const MinNearness = 0x1p-126
