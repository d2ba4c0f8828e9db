// Package kernel selects the renderer's hot loops, a package each, for an instruction set.
//
// Every loop exists as a specification in plain Go, and its arithmetic is part of the
// specification: floating-point operations are rounded one by one, in the order written
// (explicit conversions keep compilers from fusing them), and whatever decides whether a
// pixel is covered is done in integers. A vector twin must give the same bits: the tests of
// this package compare them.
//
// The way of a block: package geometry fills the polygon array of package array, scanline
// turns it into the span array, and zbuffer merges the spans into a frame of keys. A key is
// the bits of a nearness e > 0 above the complement of a 32-bit payload, so that depth test,
// write and merge are one unsigned maximum, an untouched pixel is 0, and fresh zero pages
// need no clearing.
package kernel
