// Package meshopt decodes data of the glTF extensions EXT_meshopt_compression and KHR_meshopt_compression: vertices
// (for which the second extension adds a version 1), triangles, index sequences, and the filters for vertices.
//
// The formats are those of appendix A of the extension's specification (Khronos, 2021), which meshoptimizer by Arseny
// Kapoulkine writes. Every length is compared with the bytes that exist before memory is allocated. The memory is at
// most Expansion times the size of the data.
package meshopt

import "errors"

// Expansion is the greatest factor by which decoding enlarges data. In version 1, if all differences are 0, a block of
// 256 vertices takes only one byte for every four bytes of a vertex.
const Expansion = 4 * maxVertexBlock

var (
	errVersion = errors.New("another version of the compression")
	errSize    = errors.New("the number or the size of elements is not one of the format")
	errShort   = errors.New("the compressed data is too short")
	errLong    = errors.New("the compressed data is too long")
	errChannel = errors.New("differences of an unknown kind")
)
