package simulation

import (
	"slices"

	"lockstep/lb/circuit"
)

// A tiling orders the edges of a round. A worker stays in one part of the grid for many phases and finds its loads in
// the cache. In stencil codes this technique is called time skewing.
//
// Edges that are more than `reach` columns or rows apart do not conflict: they share no element, and neither reads or
// changes data that the other changes. So only near edges must keep their order. Tiles are squares that move up and
// left by `reach` elements from one phase to the next. Take an edge in tile T. All edges that must precede it are in T,
// or in tiles that are neither to the right of T nor below it. So T may start once the tiles to its left and above it
// are done (see tileQueue). Within a tile the edges keep the round's order.
type tiling struct {
	edges []circuit.Edge // edges of a round, in the round's order
	order []int32        // indices into edges, tile by tile
	// first holds, for each tile, the index of its first edge in order. Tiles are ordered row by row. The last entry is
	// len(order).
	first   []int32
	columns int // number of tiles per row
}

const (
	// ruleReach and freeReach are distances within which edges may conflict, with and without the rule of
	// circuit.Mobility. The position of an edge is the smaller column and the smaller row of its two ends. Its other
	// end is at most one column and row further. With the rule two edges conflict if two of their ends are at most two
	// edges apart, see circuit.Graph.Apart. Without it they conflict if they share an end.
	ruleReach = 3
	freeReach = 1
	// tileSide is the number of columns and rows of elements in a tile. 64 by 64 elements with 30 loads each take two
	// and a half megabytes, and an element stays in the same tile for 21 successive phases. On a quarter of a million
	// elements with eight neighbours each, a round takes a sixth longer with a side of 32 or 128.
	tileSide = 64
)

// newTiling orders the edges of the phases on a grid.
func newTiling(phases [][]circuit.Edge, width, height, reach int) *tiling {
	columns := (width-1+reach*len(phases))/tileSide + 1
	rows := (height-1+reach*len(phases))/tileSide + 1
	t := &tiling{columns: columns, first: make([]int32, columns*rows+1)}
	eachPlaced(phases, width, columns, reach, func(tile int, e circuit.Edge) {
		t.edges = append(t.edges, e)
		t.first[tile+1]++
	})
	for tile := range columns * rows {
		t.first[tile+1] += t.first[tile]
	}
	next := slices.Clone(t.first)
	t.order = make([]int32, len(t.edges))
	at := int32(0)
	eachPlaced(phases, width, columns, reach, func(tile int, _ circuit.Edge) {
		t.order[next[tile]] = at
		next[tile]++
		at++
	})
	return t
}

// eachPlaced calls do for every edge, in the round's order. tile is the number of the edge's tile. Tiles are numbered
// by rows.
func eachPlaced(phases [][]circuit.Edge, width, columns, reach int, do func(tile int, e circuit.Edge)) {
	for p, phase := range phases {
		for _, e := range phase {
			x, y := min(int(e.U)%width, int(e.V)%width)+reach*p, int(e.U)/width+reach*p
			do(y/tileSide*columns+x/tileSide, e)
		}
	}
}

// len returns the number of tiles.
func (t *tiling) len() int { return len(t.first) - 1 }

// tile returns the edges of a tile in their order, as indices into edges.
func (t *tiling) tile(k int) []int32 { return t.order[t.first[k]:t.first[k+1]] }

// dependents returns the tile to the right of tile k and the tile below it, or -1.
func (t *tiling) dependents(k int) [2]int {
	right, below := -1, -1
	if (k+1)%t.columns > 0 {
		right = k + 1
	}
	if k+t.columns < t.len() {
		below = k + t.columns
	}
	return [2]int{right, below}
}
