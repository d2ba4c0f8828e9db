// Package kernel selects the renderer's hot loops, a package each, for an instruction set.
//
// Every loop exists as a specification in plain Go. Its arithmetic is part of the specification: floating-point
// operations are rounded one by one, in the order written (explicit conversions keep compilers from fusing them), and
// whether a pixel is covered is decided in integers. A vector twin must give the same bits; the tests of this package
// compare them.
//
// A block takes this way: package geometry fills the polygon array of package array, scanline turns it into the span
// array, and zbuffer merges the spans into a frame of keys. A key has the bits of a nearness e > 0 above the complement
// of a 32-bit payload. So depth test, write and merge are a single unsigned maximum, an untouched pixel is 0, and new
// zero pages need no clearing.
package kernel
