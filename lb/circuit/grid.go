package circuit

import "fmt"

// A Topology is one of the communication graphs on a grid of elements in Demirel and Sbalzarini (Section 3.2, Figure
// 5). Element x + y*width is in column x and row y. The domain is not periodic, so elements at its border have fewer
// neighbours.
type Topology uint8

// The topologies.
const (
	FourNeighbour  Topology = iota // left, right, above, below
	EightNeighbour                 // the four neighbours, and the four diagonal neighbours
	KNeighbour                     // 2 to 8 of the eight neighbours, see Grid
)

func (t Topology) String() string {
	switch t {
	case FourNeighbour:
		return "4-neighbour"
	case EightNeighbour:
		return "8-neighbour"
	case KNeighbour:
		return "k-neighbour"
	}
	return fmt.Sprintf("Topology(%d)", uint8(t))
}

// gridSteps holds, for each kind of edge, the step in columns and rows from the end with the smaller number to the
// other end.
var gridSteps = [4]struct{ dx, dy int32 }{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}

// Grid returns the communication graph of width by height elements, and a circuit for it. It returns an error if a side
// is shorter than two elements. The edges of one direction form two matchings: one with the edges whose first end is in
// an even column, one with the others. For vertical edges the row decides instead of the column. So the grid of four
// neighbours needs 4 colours, and the other two need 8, as many as the largest degree.
//
// Demirel and Sbalzarini do not say how their k-neighbour graphs, with degrees 2 to 8, are made. Here each edge of the
// eight-neighbour grid is kept with probability one half, by a hash of seed and edge. Then some deleted edges are
// restored in order: first the edges that join separate parts, then the edges of elements with fewer than two
// neighbours. The mean degree is about 4.4. The other topologies ignore seed.
func Grid(t Topology, width, height int, seed uint64) (*Graph, Circuit, error) {
	if width < 2 || height < 2 || width > (1<<31-1)/height {
		return nil, Circuit{}, fmt.Errorf("circuit: a grid of %d by %d elements; expected at least 2 by 2, and fewer than 2^31 elements", width, height)
	}
	colours := gridColours(t, int32(width), int32(height))
	if t == KNeighbour {
		thinEdges(colours, width*height, seed)
	}
	var edges []Edge
	for _, c := range colours {
		edges = append(edges, c...)
	}
	g, err := NewGraph(width*height, edges)
	if err != nil {
		return nil, Circuit{}, err
	}
	return g, Circuit{Matchings: colours}, nil
}

func gridColours(t Topology, width, height int32) [][]Edge {
	steps := gridSteps[:]
	if t == FourNeighbour {
		steps = steps[:2]
	}
	var colours [][]Edge
	for d, step := range steps {
		pair := [2][]Edge{}
		for y := range height {
			for x := range width {
				x2, y2 := x+step.dx, y+step.dy
				if x2 < 0 || x2 >= width || y2 >= height {
					continue
				}
				parity := x & 1
				if d == 1 {
					parity = y & 1
				}
				pair[parity] = append(pair[parity], Edge{x + y*width, x2 + y2*width})
			}
		}
		for _, c := range pair {
			if len(c) > 0 {
				colours = append(colours, c)
			}
		}
	}
	return colours
}

// thinEdges deletes edges of the eight-neighbour grid as described at Grid.
func thinEdges(colours [][]Edge, n int, seed uint64) {
	kept := make([][]bool, len(colours))
	sets := newUnion(n)
	degree := make([]uint8, n)
	keep := func(c, i int) {
		e := colours[c][i]
		kept[c][i] = true
		sets.join(e.U, e.V)
		degree[e.U]++
		degree[e.V]++
	}
	eachEdge(colours, func(c, i int, e Edge) {
		if i == 0 {
			kept[c] = make([]bool, len(colours[c]))
		}
		if hash64(seed^hash64(uint64(e.U)<<32|uint64(e.V)))>>63 == 1 {
			keep(c, i)
		}
	})
	eachEdge(colours, func(c, i int, e Edge) {
		if !kept[c][i] && sets.find(e.U) != sets.find(e.V) {
			keep(c, i)
		}
	})
	eachEdge(colours, func(c, i int, e Edge) {
		if !kept[c][i] && (degree[e.U] < 2 || degree[e.V] < 2) {
			keep(c, i)
		}
	})
	for c := range colours {
		rest := colours[c][:0]
		for i, e := range colours[c] {
			if kept[c][i] {
				rest = append(rest, e)
			}
		}
		colours[c] = rest
	}
}

func eachEdge(colours [][]Edge, do func(c, i int, e Edge)) {
	for c := range colours {
		for i, e := range colours[c] {
			do(c, i, e)
		}
	}
}

// hash64 is the finaliser of the splitmix64 generator: a bijection in which each output bit depends on all input bits.
// Source: Steele, Lea and Flood, OOPSLA 2014.
func hash64(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// disjointSets is a forest of disjoint sets.
type disjointSets struct{ parent []int32 }

func newUnion(n int) disjointSets {
	u := disjointSets{make([]int32, n)}
	for i := range u.parent {
		u.parent[i] = int32(i)
	}
	return u
}

func (s disjointSets) find(a int32) int32 {
	for s.parent[a] != a {
		s.parent[a] = s.parent[s.parent[a]]
		a = s.parent[a]
	}
	return a
}

func (s disjointSets) join(a, b int32) {
	s.parent[s.find(a)] = s.find(b)
}
