// Package meshopt decodes what the extension EXT_meshopt_compression of glTF packs, now also called
// KHR_meshopt_compression:
// vertices, triangles, sequences of indices, and the filters behind the vertices.
//
// The formats are those of appendix A of the extension's specification (Khronos, 2021),
// which meshoptimizer by Arseny Kapoulkine writes. Every length is compared with the bytes
// that are there before memory is allocated, which is at most 64 times what the data
// takes.
package meshopt

import "errors"

var (
	errVersion = errors.New("another version of the compression")
	errSize    = errors.New("the number or the size of elements is not one of the format")
	errShort   = errors.New("the compressed data is too short")
	errLong    = errors.New("the compressed data is too long")
)
