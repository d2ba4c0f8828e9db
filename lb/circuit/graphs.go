package circuit

import (
	"fmt"
	"math/bits"
)

// Complete returns the graph of n elements that are all joined with each other.
func Complete(n int) (*Graph, error) {
	var edges []Edge
	for v := range int32(n) {
		for u := range v {
			edges = append(edges, Edge{u, v})
		}
	}
	return NewGraph(n, edges)
}

// Star returns the graph of n elements in which element 0 is joined to all others.
func Star(n int) (*Graph, error) {
	var edges []Edge
	for v := int32(1); v < int32(n); v++ {
		edges = append(edges, Edge{0, v})
	}
	return NewGraph(n, edges)
}

// Path returns the graph of n elements in a row.
func Path(n int) (*Graph, error) {
	var edges []Edge
	for v := int32(1); v < int32(n); v++ {
		edges = append(edges, Edge{v - 1, v})
	}
	return NewGraph(n, edges)
}

// Hypercube returns the graph of n elements that joins elements whose numbers differ in one bit. n must be a power of
// two.
func Hypercube(n int) (*Graph, error) {
	if n < 1 || bits.OnesCount(uint(n)) != 1 {
		return nil, fmt.Errorf("circuit: a hypercube of %d elements; expected a power of two", n)
	}
	var edges []Edge
	for u := range int32(n) {
		for bit := int32(1); bit < int32(n); bit <<= 1 {
			if u&bit == 0 {
				edges = append(edges, Edge{u, u | bit})
			}
		}
	}
	return NewGraph(n, edges)
}

// Torus returns the four-neighbour grid whose opposite borders are joined. Both sides must be at least 2.
func Torus(width, height int) (*Graph, error) {
	if width < 2 || height < 2 || width > (1<<31-1)/height {
		return nil, fmt.Errorf("circuit: a torus of %d by %d elements; expected at least 2 by 2, and fewer than 2^31 elements", width, height)
	}
	var edges []Edge
	for y := range height {
		for x := range width {
			u := int32(y*width + x)
			edges = append(edges, Edge{u, int32(y*width + (x+1)%width)}, Edge{u, int32((y+1)%height*width + x)})
		}
	}
	return NewGraph(width*height, edges)
}

// regularTries limits the attempts of RandomRegular. Since pairs swap ends, a few attempts are enough. Without swaps,
// only about one attempt in e^(d*d/4) would give a simple graph, where d is the degree.
const regularTries = 1000

// RandomRegular returns a connected graph of n elements with d neighbours each. It depends on seed alone. Ends of edges
// are paired at random. A pair that makes a loop or a parallel edge swaps ends with another pair, chosen at random. n*d
// must be even and d from 2 to n-1. Source: the configuration model of B. Bollobas, 1980, with switchings.
func RandomRegular(n, d int, seed uint64) (*Graph, error) {
	if d < 2 || d >= n || n*d%2 != 0 {
		return nil, fmt.Errorf("circuit: no connected graph of %d elements has %d neighbours each", n, d)
	}
	for try := range uint64(regularTries) {
		g, err := NewGraph(n, pairEnds(n, d, hash64(seed)+try))
		if err != nil {
			return nil, err
		}
		if g.EdgeCount() == n*d/2 && g.Connected() {
			return g, nil
		}
	}
	return nil, fmt.Errorf("circuit: %d drawings gave no connected graph of %d elements with %d neighbours each", regularTries, n, d)
}

// pairEnds pairs d ends of each element at random. The result may contain parallel edges that no swap could remove.
func pairEnds(n, d int, seed uint64) []Edge {
	ends := make([]int32, n*d)
	for i := range ends {
		ends[i] = int32(i / d)
	}
	counter := seed
	draw := func(below int) int {
		counter++
		hi, _ := bits.Mul64(hash64(counter), uint64(below))
		return int(hi)
	}
	for i := len(ends) - 1; i > 0; i-- {
		j := draw(i + 1)
		ends[i], ends[j] = ends[j], ends[i]
	}
	count := map[Edge]int{}
	key := func(i int) Edge { return Edge{min(ends[i], ends[i^1]), max(ends[i], ends[i^1])} }
	for i := 0; i < len(ends); i += 2 {
		count[key(i)]++
	}
	bad := func(i int) bool { return ends[i] == ends[i^1] || count[key(i)] > 1 }
	for range 100 * len(ends) {
		i, j := draw(len(ends)/2)*2, draw(len(ends))
		if i == j&^1 || !bad(i) {
			continue
		}
		count[key(i)]--
		count[key(j)]--
		ends[i], ends[j] = ends[j], ends[i]
		count[key(i)]++
		count[key(j)]++
	}
	edges := make([]Edge, 0, len(ends)/2)
	for i := 0; i < len(ends); i += 2 {
		if ends[i] != ends[i+1] {
			edges = append(edges, Edge{ends[i], ends[i+1]})
		}
	}
	return edges
}

// Preferential returns a graph that grew element by element. Each of n elements joins m earlier ones, drawn with
// probabilities in proportion to their degrees. So a few elements get very many neighbours. The first m+1 elements are
// all joined with each other. Source: A.-L. Barabasi and R. Albert, "Emergence of scaling in random networks", 1999.
func Preferential(n, m int, seed uint64) (*Graph, error) {
	if m < 1 || n <= m {
		return nil, fmt.Errorf("circuit: %d elements cannot join %d earlier ones each", n, m)
	}
	var edges []Edge
	var ends []int32 // each element occurs once for each of its neighbours
	join := func(u, v int32) {
		edges, ends = append(edges, Edge{u, v}), append(ends, u, v)
	}
	for v := range int32(m + 1) {
		for u := range v {
			join(u, v)
		}
	}
	counter := hash64(seed)
	for v := int32(m + 1); v < int32(n); v++ {
		chosen := map[int32]bool{}
		for before := len(ends); len(chosen) < m; {
			counter++
			hi, _ := bits.Mul64(hash64(counter), uint64(before))
			if u := ends[hi]; !chosen[u] {
				chosen[u] = true
				join(u, v)
			}
		}
	}
	return NewGraph(n, edges)
}

// Connected reports whether there is a path between every two elements.
func (g *Graph) Connected() bool {
	n := g.Elements()
	if n == 0 {
		return true
	}
	seen := make([]bool, n)
	seen[0] = true
	reached := []int32{0}
	for i := 0; i < len(reached); i++ {
		for _, v := range g.Neighbours(reached[i]) {
			if !seen[v] {
				seen[v] = true
				reached = append(reached, v)
			}
		}
	}
	return len(reached) == n
}
