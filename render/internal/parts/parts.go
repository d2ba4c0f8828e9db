// Package parts has what package render/part asks a renderer for: some rows of a picture, some blocks of a mesh, or
// the light of rows whose keys others have drawn.
package parts

import "lockstep/render/internal/tile"

// A Part is a part of a frame, and what becomes of it: Rows into a picture, Blocks into Layer, or Strip into a picture.
// The zero value is a whole frame.
type Part struct {
	Rows   *[2]int // of pixels, hi exclusive
	Blocks []int   // of the source
	Layer  *Layer
	Strip  *Strip
}

// A Layer has the keys of rows of tiles, see package keycode, and how many samples show something.
type Layer struct {
	Rows    [][]byte
	Samples []int // by row
}

// A Strip is rows of tiles that are lit, and the rows of all layers, for every row of tiles that they depend on.
type Strip struct {
	Own    tile.Rows
	Layers func(ty int) [][]byte
}

// Name says what is done with the part, for errors.
func (p *Part) Name() string {
	switch {
	case p.Strip != nil:
		return "light rows"
	case p.Layer != nil:
		return "draw layer"
	}
	return "draw rows"
}
