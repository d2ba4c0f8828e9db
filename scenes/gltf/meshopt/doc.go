// Package meshopt decodes what the extensions EXT_meshopt_compression and KHR_meshopt_compression of glTF pack:
// vertices, of which the second has a version 1, triangles, sequences of indices, and the filters behind the vertices.
//
// The formats are those of appendix A of the extension's specification (Khronos, 2021),
// which meshoptimizer by Arseny Kapoulkine writes. Every length is compared with the bytes
// that are there before memory is allocated, which is at most Expansion times what the data
// takes.
package meshopt

import "errors"

// Expansion bounds the bytes that a byte of compressed data stands for: a block of 256 vertices whose runs are all 0
// takes, in version 1, a byte for every four bytes of a vertex.
const Expansion = 4 * maxVertexBlock

var (
	errVersion = errors.New("another version of the compression")
	errSize    = errors.New("the number or the size of elements is not one of the format")
	errShort   = errors.New("the compressed data is too short")
	errLong    = errors.New("the compressed data is too long")
	errChannel = errors.New("differences of an unknown kind")
)
