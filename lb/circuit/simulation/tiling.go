package simulation

import "lockstep/lb/circuit"

// A tiling orders the edges of a round so that a worker stays in one part of
// the grid for many phases and finds its loads in the cache, instead of going
// through the whole grid once a phase.
//
// Edges further apart than the reach in columns or rows neither share an element
// nor read or change what the other changes, so only near edges must keep their
// order. Tiles are squares that move up and left by the reach from one phase to
// the next: then an edge's predecessors lie in its own tile or in tiles not to
// the right of it and not below it. Hence the tiles of one wave, a diagonal
// from the lower left to the upper right, depend on earlier waves alone, and
// may be done at the same time; in a tile the edges keep the round's order.
// This is time skewing, known from stencil codes.
type tiling struct {
	edges []circuit.Edge // of a round, in its order
	order []int32        // indices into edges, tile by tile
	tiles []int32        // index into order of each tile's first edge, and the end
	waves []int32        // index into tiles of each wave's first tile, and the end
}

const (
	// An edge is placed by the first column and row of its ends, and the others are
	// at most the next ones. Edges conflict when two of their ends are
	// at most two edges apart, see circuit.Graph.Apart; without the rule of
	// mobility when they share one.
	ruleReach = 3
	freeReach = 1
	// A tile of 64 by 64 elements with 30 loads takes two and a half megabytes and
	// is met in 21 successive phases; with 32 and with 128 a round of a quarter of a million
	// elements with eight neighbours takes a sixth longer. Waves of a million elements have some 20 tiles.
	tileSide = 64
)

// newTiling orders the edges of the phases on a grid.
func newTiling(phases [][]circuit.Edge, width, height, reach int) *tiling {
	columns := (width-1+reach*len(phases))/tileSide + 1
	rows := (height-1+reach*len(phases))/tileSide + 1
	t := new(tiling)
	count := make([]int32, columns*rows)
	eachPlaced(phases, width, columns, reach, func(tile int, e circuit.Edge) {
		t.edges = append(t.edges, e)
		count[tile]++
	})
	next := t.number(count, columns, rows)
	t.order = make([]int32, len(t.edges))
	at := int32(0)
	eachPlaced(phases, width, columns, reach, func(tile int, _ circuit.Edge) {
		t.order[next[tile]] = at
		next[tile]++
		at++
	})
	return t
}

// eachPlaced calls do for every edge, in the round's order, with its tile's
// number by rows.
func eachPlaced(phases [][]circuit.Edge, width, columns, reach int, do func(tile int, e circuit.Edge)) {
	for p, phase := range phases {
		for _, e := range phase {
			x, y := min(int(e.U)%width, int(e.V)%width)+reach*p, int(e.U)/width+reach*p
			do(y/tileSide*columns+x/tileSide, e)
		}
	}
}

// number lays out tiles and waves, without empty tiles, and returns the first
// index into order of each tile by rows.
func (t *tiling) number(count []int32, columns, rows int) (first []int32) {
	first = make([]int32, len(count))
	at := int32(0)
	for wave := range columns + rows - 1 {
		t.waves = append(t.waves, int32(len(t.tiles)))
		for x := max(0, wave-rows+1); x <= min(wave, columns-1); x++ {
			tile := (wave-x)*columns + x
			if first[tile] = at; count[tile] > 0 {
				t.tiles = append(t.tiles, at)
				at += count[tile]
			}
		}
	}
	t.waves = append(t.waves, int32(len(t.tiles)))
	t.tiles = append(t.tiles, at)
	return first
}

// wave returns the tiles of one wave, each as indices into edges.
func (t *tiling) wave(i int) (n int, tile func(k int) []int32) {
	from := t.waves[i]
	return int(t.waves[i+1] - from), func(k int) []int32 {
		return t.order[t.tiles[int(from)+k]:t.tiles[int(from)+k+1]]
	}
}
