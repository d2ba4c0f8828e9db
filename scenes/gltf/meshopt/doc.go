// Package meshopt decodes data of the glTF extensions EXT_meshopt_compression and KHR_meshopt_compression: vertices,
// triangles, index sequences, and the filters for vertices. The second extension adds a version 1 of vertices.
//
// The formats are those of appendix A of the extension's specification (Khronos, 2021). The library meshoptimizer by
// Arseny Kapoulkine writes them. Every length is compared with the bytes that exist before memory is allocated. The
// memory is at most Expansion times the size of the data.
package meshopt

import "errors"

// Expansion is the greatest factor by which decoding enlarges data. It is reached in version 1 if all differences are
// 0. A block of 256 vertices then takes one byte for every four bytes of one vertex.
const Expansion = 4 * maxVertexBlock

var (
	errVersion = errors.New("another version of the compression")
	errSize    = errors.New("the number or the size of elements is not one of the format")
	errShort   = errors.New("the compressed data is too short")
	errLong    = errors.New("the compressed data is too long")
	errChannel = errors.New("differences of an unknown kind")
)
