// Package png writes PNG pictures as fast as a renderer makes them.
//
// It encodes only what a renderer produces: 8-bit colour with straight alpha, 16-bit grey for depth, and animations
// (APNG). Colour is stored as RGB if every pixel is opaque, and otherwise as RGBA. The output is standard PNG.
//
// # Method
//
// The picture is cut into slabs of whole rows. The height of a slab depends only on the size of the picture, the
// channels and the level. So the written bytes are the same for any number of workers. Each slab is a separate task.
// The task filters the slab, compresses it with deflate, computes checksums (Adler-32, CRC-32) and makes one chunk of
// it. Chunks are written in order as they become ready.
//
// Background takes very little time. Rows of zeros, and rows that equal the row above, are found by comparing memory.
// The checksum of such a row takes constant time. A slab that consists only of such rows is compressed once and then
// copied. README.md has measurements and the alternatives that were rejected.
package png
