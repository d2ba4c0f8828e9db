package circuit

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// An Edge joins two elements U and V, with U < V.
type Edge struct{ U, V int32 }

// A Graph is an undirected communication graph without loops or parallel edges. It is immutable.
type Graph struct {
	// start holds, for each element, the index of its first neighbour in next. The last entry is len(next).
	start []int64
	next  []int32 // neighbours of each element, in ascending order
}

// NewGraph returns the graph of n elements, numbered from 0, with these edges. The ends of an edge may come in either
// order, and an edge may be repeated. It returns an error if an element is out of range or an edge joins an element
// with itself. It costs O(n + e log e).
func NewGraph(n int, edges []Edge) (*Graph, error) {
	if n < 0 || n > 1<<31-1 {
		return nil, fmt.Errorf("circuit: %d elements; expected 0 to %d", n, 1<<31-1)
	}
	start := make([]int64, n+1)
	for i, e := range edges {
		if e.U < 0 || e.V < 0 || int(e.U) >= n || int(e.V) >= n {
			return nil, fmt.Errorf("circuit: edge %d joins %d and %d, but elements are 0 to %d", i, e.U, e.V, n-1)
		}
		if e.U == e.V {
			return nil, fmt.Errorf("circuit: edge %d joins element %d to itself", i, e.U)
		}
		start[e.U+1]++
		start[e.V+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	next := make([]int32, start[n])
	fill := slices.Clone(start[:n])
	for _, e := range edges {
		next[fill[e.U]], next[fill[e.V]] = e.V, e.U
		fill[e.U]++
		fill[e.V]++
	}
	g := &Graph{start: start, next: next}
	g.compact()
	return g, nil
}

// compact sorts each element's neighbours and removes duplicates.
func (g *Graph) compact() {
	out := g.next[:0]
	from := int64(0)
	for u := range g.Elements() {
		list := g.next[from:g.start[u+1]]
		from = g.start[u+1]
		slices.Sort(list)
		list = slices.Compact(list)
		out = append(out, list...)
		g.start[u+1] = int64(len(out))
	}
	g.next = out
}

// Elements returns the number of elements.
func (g *Graph) Elements() int { return len(g.start) - 1 }

// EdgeCount returns the number of edges.
func (g *Graph) EdgeCount() int { return len(g.next) / 2 }

// Neighbours returns the neighbours of u in ascending order. The slice belongs to the graph.
func (g *Graph) Neighbours(u int32) []int32 { return g.next[g.start[u]:g.start[u+1]] }

// Degree returns the number of neighbours of u.
func (g *Graph) Degree(u int32) int { return int(g.start[u+1] - g.start[u]) }

// MaxDegree returns the largest degree.
func (g *Graph) MaxDegree() int {
	d := 0
	for u := range g.Elements() {
		d = max(d, g.Degree(int32(u)))
	}
	return d
}

// Adjacent reports whether u and v are joined, in O(log degree).
func (g *Graph) Adjacent(u, v int32) bool {
	_, found := slices.BinarySearch(g.Neighbours(u), v)
	return found
}

// Edges returns all edges, in ascending order of U, then V.
func (g *Graph) Edges() []Edge {
	edges := make([]Edge, 0, g.EdgeCount())
	for u := range int32(g.Elements()) {
		for _, v := range g.Neighbours(u) {
			if u < v {
				edges = append(edges, Edge{u, v})
			}
		}
	}
	return edges
}

// A Circuit is a sequence of matchings, which are sets of edges without common ends. Together they contain every edge
// of a graph once.
type Circuit struct {
	Matchings [][]Edge
}

// Validate returns an error if an element occurs twice in a matching, or if the matchings together do not contain each
// edge of g exactly once.
func (c Circuit) Validate(g *Graph) error {
	visits := 0
	seen := make([]int32, g.Elements())
	for m, matching := range c.Matchings {
		for _, e := range matching {
			if !g.Adjacent(e.U, e.V) {
				return fmt.Errorf("circuit: matching %d visits %d-%d, which is no edge", m, e.U, e.V)
			}
			if seen[e.U] == int32(m+1) || seen[e.V] == int32(m+1) {
				return fmt.Errorf("circuit: matching %d visits an end of %d-%d twice", m, e.U, e.V)
			}
			seen[e.U], seen[e.V] = int32(m+1), int32(m+1)
		}
		visits += len(matching)
	}
	if visits != g.EdgeCount() {
		return fmt.Errorf("circuit: the matchings have %d edges, the graph has %d", visits, g.EdgeCount())
	}
	all := slices.Concat(c.Matchings...)
	slices.SortFunc(all, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V)) })
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			return fmt.Errorf("circuit: edge %d-%d is visited twice", all[i].U, all[i].V)
		}
	}
	return nil
}

// Apart splits a matching into phases whose edges may be balanced at the same time under the rule of [Mobility]. Within
// a phase no element is adjacent to ends of two edges, and no end of one edge is adjacent to an end of another edge. So
// no edge changes data that another edge reads, and a move over one edge never decides whether a load may move over
// another. The result does not depend on the order of the edges in a phase.
//
// Each edge goes into the first phase that has room for it, so edges keep their order within a phase. It costs O(edges
// in the matching times degree).
func (g *Graph) Apart(matching []Edge) [][]Edge {
	const shared = 64 // phases that several edges can share; later phases hold one edge each
	near := make([]uint64, g.Elements())
	var phases, single [][]Edge
	for _, e := range matching {
		used := uint64(0)
		for _, end := range [2]int32{e.U, e.V} {
			for _, w := range g.Neighbours(end) {
				used |= near[w] // this includes both ends of the edge, because each is a neighbour of the other
			}
		}
		k := bits.TrailingZeros64(^used)
		if k == shared {
			single = append(single, []Edge{e})
			continue
		}
		for _, end := range [2]int32{e.U, e.V} {
			for _, w := range g.Neighbours(end) {
				near[w] |= 1 << k
			}
		}
		if k == len(phases) {
			phases = append(phases, nil)
		}
		phases[k] = append(phases[k], e)
	}
	return append(phases, single...)
}
