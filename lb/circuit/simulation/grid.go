package simulation

import (
	"fmt"
	"math"

	"lockstep/lb/circuit"
)

// MaxLoads is the largest number of loads that an element may have at the start, see reciprocalBits.
const MaxLoads = 1 << 9

// GridOptions holds the size of a [Grid], its neighbours and its loads.
type GridOptions struct {
	Topology      circuit.Topology
	Width, Height int // size of the grid in elements, at least 4 by 2
	Loads         int // number of loads with which each element starts, 1 to MaxLoads
	// KeepGraph allows only moves that keep the communication graph as it is, see circuit.Mobility.
	KeepGraph bool
	Seed      uint64 // seed of the k-neighbour graph
}

// A Grid holds the data that several simulations of the same elements can share. It is immutable.
type Grid struct {
	blocks circuit.Blocks
	graph  *circuit.Graph
	// phases are the phases of one round. With KeepGraph the edges of a phase may be balanced in any order.
	phases [][]circuit.Edge
	tiling *tiling   // order of the edges of phases
	rule   *gridRule // nil if every load may move
}

// NewGrid returns a grid with its circuit, see circuit.Grid. It returns an error if the grid is too small or has too
// many loads.
func NewGrid(o GridOptions) (*Grid, error) {
	if o.Width < 4 || o.Height < 2 {
		return nil, fmt.Errorf("a grid of %d by %d elements is too small: expected at least 4 by 2", o.Width, o.Height)
	}
	if o.Loads < 1 || o.Loads > MaxLoads || o.Width*o.Height > math.MaxInt32/o.Loads {
		return nil, fmt.Errorf("%d loads on each of %d elements: expected 1 to %d, and fewer than 2^31 in all", o.Loads, o.Width*o.Height, MaxLoads)
	}
	graph, c, err := circuit.Grid(o.Topology, o.Width, o.Height, o.Seed)
	if err != nil {
		return nil, err
	}
	g := &Grid{blocks: circuit.BlocksFor(o.Width, o.Height, o.Loads), graph: graph, phases: c.Matchings}
	reach := freeReach
	if o.KeepGraph {
		reach = ruleReach
		g.rule = newGridRule(graph, g.blocks, o.Topology)
		g.phases = nil
		for _, m := range c.Matchings {
			g.phases = append(g.phases, graph.Apart(m)...)
		}
	}
	g.tiling = newTiling(g.phases, o.Width, o.Height, reach)
	g.phases = shareEdges(g.phases, g.tiling.edges)
	return g, nil
}

// Blocks returns the layout of the loads at the start.
func (g *Grid) Blocks() circuit.Blocks { return g.blocks }

// shareEdges returns the phases as parts of the slice all, which holds the edges of all phases in the same order.
func shareEdges(phases [][]circuit.Edge, all []circuit.Edge) (parts [][]circuit.Edge) {
	for _, phase := range phases {
		parts = append(parts, all[:len(phase):len(phase)])
		all = all[len(phase):]
	}
	return parts
}
