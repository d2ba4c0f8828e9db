package circuit

import "fmt"

// Mobility is the rule that keeps the communication graph as it is (Demirel and Sbalzarini, Section 3.3 and Figure 6).
// It forbids a move after which two elements that are not neighbours would need each other's data.
//
// A load that is a subdomain exchanges data with certain other subdomains, its stencil. It may move from u to v if each
// subdomain of its stencil is owned by u, by v, or by an element joined to both. (As long as the rule has held, every
// owner of a subdomain in the stencil is u or joined to u.)
//
// The rule looks at one move at a time. If several edges are balanced at the same time, each move alone may keep the
// rule while all together break it; see [Graph.Apart].
type Mobility struct {
	Graph   *Graph // joins elements that communicate
	Stencil *Graph // joins loads that exchange data; nil lets every load move
}

// May reports whether load may move from element u, its owner, to v. owner holds each load's element. It costs
// O(stencil times log degree).
func (m Mobility) May(load, u, v int32, owner []int32) bool {
	if m.Stencil == nil {
		return true
	}
	for _, s := range m.Stencil.Neighbours(load) {
		if w := owner[s]; w != u && w != v && !(m.Graph.Adjacent(u, w) && m.Graph.Adjacent(v, w)) {
			return false
		}
	}
	return true
}

// Kept returns nil if every two loads in each other's stencil are on the same element or on joined elements. Otherwise
// the error names the first two that are not.
func (m Mobility) Kept(owner []int32) error {
	if m.Stencil == nil {
		return nil
	}
	for s := range int32(m.Stencil.Elements()) {
		for _, r := range m.Stencil.Neighbours(s) {
			if u, v := owner[s], owner[r]; u != v && !m.Graph.Adjacent(u, v) {
				return fmt.Errorf("circuit: loads %d on %d and %d on %d are neighbours, their elements are not", s, u, r, v)
			}
		}
	}
	return nil
}

// Blocks is the usual layout of subdomains. The domain is a grid of equal subdomains. Each element of a grid of
// elements starts with a block of Columns by Rows subdomains. Load number e*Columns*Rows + row*Columns + column starts
// on element e.
type Blocks struct {
	Width, Height int // size of the grid of elements
	Columns, Rows int // size of the block of subdomains of each element
}

// BlocksFor returns a layout with the given number of subdomains, called loads, per element. The block of an element is
// as square as possible. It has at least as many columns as rows.
func BlocksFor(width, height, loads int) Blocks {
	rows := 1
	for r := 1; r*r <= loads; r++ {
		if loads%r == 0 {
			rows = r
		}
	}
	return Blocks{Width: width, Height: height, Columns: loads / rows, Rows: rows}
}

// Loads returns the number of subdomains.
func (b Blocks) Loads() int { return b.Width * b.Height * b.Columns * b.Rows }

// Position returns the centre of a subdomain in the unit square.
func (b Blocks) Position(load int) (x, y float64) {
	per := b.Columns * b.Rows
	element, local := load/per, load%per
	column := element%b.Width*b.Columns + local%b.Columns
	row := element/b.Width*b.Rows + local/b.Columns
	return (float64(column) + 0.5) / float64(b.Width*b.Columns), (float64(row) + 0.5) / float64(b.Height*b.Rows)
}

// Stencil returns the graph of the subdomains. Each is joined to its four (t = FourNeighbour) or eight neighbours,
// except those on elements that are not joined in g. The graph needs 8 bytes for each pair of neighbours. Simulators of
// many elements compute stencils when they need them and do not store the graph.
func (b Blocks) Stencil(t Topology, g *Graph) (*Graph, error) {
	if g.Elements() != b.Width*b.Height {
		return nil, fmt.Errorf("circuit: %d by %d blocks on a graph of %d elements", b.Width, b.Height, g.Elements())
	}
	steps := gridSteps[:]
	if t == FourNeighbour {
		steps = steps[:2]
	}
	var edges []Edge
	for y := range b.Height * b.Rows {
		for x := range b.Width * b.Columns {
			s, e := b.at(x, y)
			for _, step := range steps {
				x2, y2 := x+int(step.dx), y+int(step.dy)
				if x2 < 0 || x2 >= b.Width*b.Columns || y2 >= b.Height*b.Rows {
					continue
				}
				if s2, e2 := b.at(x2, y2); e == e2 || g.Adjacent(e, e2) {
					edges = append(edges, Edge{min(s, s2), max(s, s2)})
				}
			}
		}
	}
	return NewGraph(b.Loads(), edges)
}

// at returns the subdomain in column x and row y of the whole domain, and the element on which it starts.
func (b Blocks) at(x, y int) (load, element int32) {
	e := y/b.Rows*b.Width + x/b.Columns
	return int32(e*b.Columns*b.Rows + y%b.Rows*b.Columns + x%b.Columns), int32(e)
}
