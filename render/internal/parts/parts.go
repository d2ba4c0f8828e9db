// Package parts defines what package render/part asks a renderer for: some rows of a picture, some blocks of a mesh,
// or the light of rows whose keys other processes have drawn.
package parts

import "lockstep/render/internal/tile"

// A Part says which part of a frame is drawn, and into what. Rows and a Strip become pixels of a picture. Blocks
// become keys in Layer. The zero value is a whole frame.
type Part struct {
	Rows   *[2]int // range of pixel rows, the second number exclusive
	Blocks []int   // numbers of the source's blocks
	Layer  *Layer
	Strip  *Strip
}

// A Layer holds what some blocks of a mesh contribute to a frame, before lighting: the keys (depth and payload) of
// each row of tiles, encoded by package keycode, and the number of samples there that show something.
type Layer struct {
	Rows    [][]byte
	Samples []int // number of samples in each tile row that show something
}

// A Strip is a range of tile rows (rows of tiles) that are lit. Layers returns the encoded keys of tile row ty of
// every layer. It is called for every tile row that the light depends on.
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
