package circuit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Network is a graph of elements with their loads, balanced one edge after the other. It is the specification of
// package simulation, which must find the same owners and moves.
//
// Each element stores its loads from the heaviest to the lightest, and equal loads by number. The [Pair] of a matching
// is the merged list of both elements. With InArrivalOrder an element stores its loads in the order in which they
// arrived, initially by number. The Pair of a matching is then the list of U followed by the list of V. Greedy depends
// on this order.
type Network struct {
	Graph    *Graph
	Circuit  Circuit
	Load     []float64 // cost of each load
	Owner    []int32   // element of each load; Round changes it
	Pinned   []bool    // whether each load is pinned and never moves; nil if none is
	Mobility Mobility
	// InArrivalOrder stores loads in the order in which they arrived, not by weight.
	InArrivalOrder bool

	held [][]int32 // loads of each element in storage order
}

// Start checks the network and stores the loads. It must be called once, before the first round.
func (n *Network) Start() error {
	if len(n.Load) != len(n.Owner) || n.Pinned != nil && len(n.Pinned) != len(n.Load) {
		return fmt.Errorf("circuit: %d loads, %d owners and %d elements of Pinned; expected one of each for every load", len(n.Load), len(n.Owner), len(n.Pinned))
	}
	for i, w := range n.Load {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("circuit: load %d is %v; expected a finite number of at least 0", i, w)
		}
	}
	if s := n.Mobility.Stencil; s != nil && s.Elements() != len(n.Load) {
		return fmt.Errorf("circuit: a stencil of %d subdomains for %d loads", s.Elements(), len(n.Load))
	}
	n.held = make([][]int32, n.Graph.Elements())
	for i, u := range n.Owner {
		if u < 0 || int(u) >= len(n.held) {
			return fmt.Errorf("circuit: load %d lies on element %d of %d", i, u, len(n.held))
		}
		n.held[u] = append(n.held[u], int32(i))
	}
	if !n.InArrivalOrder {
		for _, list := range n.held {
			slices.SortFunc(list, n.heavierFirst)
		}
	}
	return n.Circuit.Validate(n.Graph)
}

func (n *Network) heavierFirst(a, b int32) int {
	return cmp.Or(cmp.Compare(n.Load[b], n.Load[a]), cmp.Compare(a, b))
}

// Round visits every edge once and returns the number of moves. It visits the matchings in the circuit's order, and
// each matching phase by phase (see [Graph.Apart]). It costs O(loads times colours times log loads) to merge the lists
// of loads, plus the cost of m.
func (n *Network) Round(m Method, ws *Workspace) (moves int) {
	ws = orNew(ws)
	return n.RoundOf(func(_ int, _ Edge, p Pair) { m.Balance(p, ws) })
}

// RoundOf is like Round, but calls plan for each matching. The argument e of plan is the matched edge, and at is the
// edge's index in the result of Edges.
func (n *Network) RoundOf(plan func(at int, e Edge, p Pair)) (moves int) {
	return n.Visit(n.Edges(), plan)
}

// Visit is like RoundOf, but visits the given edges of the graph in the given order.
func (n *Network) Visit(edges []Edge, plan func(at int, e Edge, p Pair)) (moves int) {
	for at, e := range edges {
		moves += n.balance(at, e, plan)
	}
	return moves
}

// Edges returns the edges in the order in which a round visits them.
func (n *Network) Edges() (edges []Edge) {
	for _, matching := range n.Circuit.Matchings {
		for _, phase := range n.Graph.Apart(matching) {
			edges = append(edges, phase...)
		}
	}
	return edges
}

// balance balances one edge.
func (n *Network) balance(at int, e Edge, plan func(int, Edge, Pair)) (moves int) {
	all := slices.Concat(n.held[e.U], n.held[e.V])
	if !n.InArrivalOrder {
		slices.SortFunc(all, n.heavierFirst)
	}
	var p Pair
	var movable []int32
	for _, i := range all {
		u, v, side := e.U, e.V, uint8(0)
		if n.Owner[i] == e.V {
			u, v, side = v, u, 1
		}
		if n.Pinned != nil && n.Pinned[i] || !n.Mobility.May(i, u, v, n.Owner) {
			p.Fixed[side] += n.Load[i]
			continue
		}
		p.Load, p.Side = append(p.Load, n.Load[i]), append(p.Side, side)
		movable = append(movable, i)
	}
	plan(at, e, p)
	ends := [2]int32{e.U, e.V}
	for k, i := range movable {
		if to := ends[p.Side[k]]; n.Owner[i] != to {
			n.Owner[i] = to
			moves++
		}
	}
	n.held[e.U], n.held[e.V] = n.held[e.U][:0], n.held[e.V][:0]
	for _, i := range all {
		n.held[n.Owner[i]] = append(n.held[n.Owner[i]], i)
	}
	return moves
}

// A Hop moves a load from its present element to a neighbour, To.
type Hop struct{ Load, To int32 }

// Carry makes hops in order. At the first hop that is not allowed, it stops and returns an error that names this hop.
func (n *Network) Carry(hops []Hop) error {
	for _, h := range hops {
		if h.Load < 0 || int(h.Load) >= len(n.Load) {
			return fmt.Errorf("circuit: load %d of %d", h.Load, len(n.Load))
		}
		from := n.Owner[h.Load]
		if h.To < 0 || int(h.To) >= len(n.held) || !n.Graph.Adjacent(from, h.To) {
			return fmt.Errorf("circuit: load %d cannot go from element %d to %d, which is no neighbour", h.Load, from, h.To)
		}
		if n.Pinned != nil && n.Pinned[h.Load] || !n.Mobility.May(h.Load, from, h.To, n.Owner) {
			return fmt.Errorf("circuit: load %d may not move from element %d to %d", h.Load, from, h.To)
		}
		k := slices.Index(n.held[from], h.Load)
		n.held[from] = slices.Delete(n.held[from], k, k+1)
		at := len(n.held[h.To])
		if !n.InArrivalOrder {
			at, _ = slices.BinarySearchFunc(n.held[h.To], h.Load, n.heavierFirst)
		}
		n.held[h.To] = slices.Insert(n.held[h.To], at, h.Load)
		n.Owner[h.Load] = h.To
	}
	return nil
}

// Heaviest returns the heaviest single load of each element, or 0 for an element without loads.
func (n *Network) Heaviest() []float64 {
	h := make([]float64, n.Graph.Elements())
	for i, u := range n.Owner {
		h[u] = max(h[u], n.Load[i])
	}
	return h
}

// Totals returns the sum of the loads of each element.
func (n *Network) Totals() []float64 {
	t := make([]float64, n.Graph.Elements())
	for i, u := range n.Owner {
		t[u] += n.Load[i]
	}
	return t
}
