// Package png writes PNG pictures as fast as a renderer makes them.
//
// It encodes what a renderer produces and nothing else: 8-bit colour with
// straight alpha, stored as RGB when every pixel is opaque and as RGBA
// otherwise, 16-bit grey for depth, and animations (APNG). The output is
// standard PNG.
//
// # Method
//
// The picture is cut into strips of whole rows. The height of a strip follows
// from the size of the picture alone, so the bytes written are the same for
// any number of workers. Every strip is filtered, deflated, summed (Adler-32,
// CRC-32) and becomes one chunk; strips are independent tasks and are written
// in order as they finish.
//
// Background costs next to nothing: rows of zeros and rows that repeat the row
// above are found by comparing memory, enter the checksum in closed form, and
// strips made of them alone are deflated once and then copied. README.md has
// measurements and the alternatives that were rejected.
package png
