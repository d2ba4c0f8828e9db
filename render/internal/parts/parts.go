// Package parts defines what package render/part asks a renderer for: some rows of a picture, some blocks of a mesh, or
// the light of rows whose keys other processes have drawn.
package parts

import "lockstep/render/internal/tile"

// A Part is a part of a frame, and what it is drawn into: Rows are drawn into a picture, Blocks into Layer, and Strip
// into a picture. The zero value is a whole frame.
type Part struct {
	Rows   *[2]int // pixel rows, lo inclusive and hi exclusive
	Blocks []int   // numbers of the source's blocks
	Layer  *Layer
	Strip  *Strip
}

// A Layer holds the keys of tile rows, see package keycode, and the number of samples of each tile row that show
// something.
type Layer struct {
	Rows    [][]byte
	Samples []int // for each tile row, the number of samples that show something
}

// A Strip is a range of tile rows that are lit. Layers returns the encoded keys of tile row ty of all layers. It is
// called for every tile row on which the light depends.
type Strip struct {
	Own    tile.Rows
	Layers func(ty int) [][]byte
}

// Name returns the name of the operation on the part for error messages, for example "draw layer".
func (p *Part) Name() string {
	switch {
	case p.Strip != nil:
		return "light rows"
	case p.Layer != nil:
		return "draw layer"
	}
	return "draw rows"
}
