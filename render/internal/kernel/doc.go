// Package kernel selects the renderer's hot loops for an instruction set. Each loop has a package of its own.
//
// Every loop has a specification in plain Go. Its arithmetic is part of the specification. Floating-point operations
// are rounded one by one, in the order written; explicit conversions keep compilers from fusing them. Whether a pixel
// is covered is decided in integers. A vector loop must give the same bits; the tests of this package compare them.
//
// A block of triangles is drawn in three steps. Package geometry fills the polygon array of package array, package
// scanline turns it into the span array, and package zbuffer merges the spans into a frame of keys.
//
// The upper half of a key has the bits of a nearness e > 0, and the lower half the complement of a 32-bit payload, for
// example a colour or the number of a triangle. So depth test, write and merge are a single unsigned maximum. The key
// of an untouched pixel is 0, so new memory, which is zero, need not be cleared.
package kernel
