package uts

import (
	"math"
	"sort"
)

// A childDistribution is the probability distribution of the number of children of the nodes of a depth.
type childDistribution struct {
	kind distributionKind
	n    int // number of children, for constant and bernoulli
	// x is a probability. For bernoulli, a node has n children with probability x, and otherwise none. For geometric, x
	// is the probability that there is no further child.
	x float64
}

type distributionKind uint8

const (
	constant distributionKind = iota
	bernoulli
	geometric
)

// childDistribution returns the distribution of the nodes of a depth.
func (p Params) childDistribution(depth int) childDistribution {
	switch {
	case p.Kind == Binomial && depth == 0:
		return childDistribution{constant, int(p.Branches), 0}
	case p.isBinomial(depth):
		return childDistribution{bernoulli, p.M, p.Q}
	case p.Kind == Balanced && depth < p.Depth:
		return childDistribution{constant, int(p.Branches), 0}
	case p.Kind == Balanced:
		return childDistribution{}
	}
	return childDistribution{geometric, 0, 1 / (1 + p.meanChildren(depth))}
}

// lastRandom is the largest random number. The random number of a node is the low 31 bits of its hash.
const lastRandom = 1<<31 - 1

// children returns the number of children of a node with this random number. This function defines the number. The
// tables of cells give the same number faster. The result is a monotonic function of random.
func (l childDistribution) children(random uint32) int {
	u := float64(random) / (1 << 31)
	switch {
	case l.kind == geometric:
		return min(maxChildren, int(math.Floor(math.Log(1-u)/math.Log(1-l.x))))
	case l.kind == bernoulli && u >= l.x:
		return 0
	}
	return l.n
}

// A tableCell holds the number of children for a range of random numbers. For numbers less than `threshold` this is the
// field `below`, and for the others the field `above`. If the number of children changes more than once within the
// range, the cell is called mixed. Its field `below` is then mixedCell, and the number of children is computed from the
// childDistribution. The assembly depends on this layout.
type tableCell struct {
	threshold    uint32
	below, above uint16
}

const (
	mixedCell = math.MaxUint16
	// Let x be the random number scaled to the range 0 to 1. An octave is a range of 1-x whose upper end is twice the
	// lower end. Each octave has cellsPerOctave cells. The number of children changes at thresholds of x. For a
	// geometric distribution the values of 1-x at successive thresholds have a constant ratio: 4/5 if the mean is 4.
	// With 64 cells no two thresholds are in one cell if the mean is at most 30. Nearly all random numbers belong to
	// the cells of the first few octaves, which take a kilobyte.
	cellsPerOctave = 64
	cellCount      = 31*cellsPerOctave + 1
	// maxTables is the largest number of depths that have a table of cells. If the distribution still changes at
	// greater depths, the childDistribution counts children there.
	maxTables = 256
)

// cellIndex returns the index of a random number's cell within a table. A larger number never has a larger index.
func cellIndex(random uint32) uint32 {
	short := float32(int32(random ^ lastRandom | 1))
	return math.Float32bits(short)>>(23-6) - math.Float32bits(1)>>(23-6)
}

// makeTables makes the tables of cells of all depths. Equal distributions share a table.
func (t *Tree) makeTables() {
	p := t.params
	depths := p.Depth // the distribution does not change beyond depth Depth+1
	switch {
	case p.Kind == Binomial:
		depths = 0
	case p.Kind == Geometric && p.Shape == Cyclic:
		depths = 5*p.Depth + 1
	case p.Kind == Geometric && p.Shape == Exponential:
		depths = maxTables
	}
	// The first table is for depths that have no table of their own. All its cells are mixed, so the childDistribution
	// is used.
	for range cellCount {
		t.cells = append(t.cells, tableCell{below: mixedCell})
	}
	t.exact = true
	known := map[childDistribution]uint32{}
	rule := func(depth int) uint32 {
		l := p.childDistribution(depth)
		if _, ok := known[l]; !ok {
			cells, exact := l.makeTable()
			known[l] = uint32(len(t.cells))
			t.cells = append(t.cells, cells...)
			t.exact = t.exact && exact
		}
		return known[l]
	}
	for d := range min(depths+1, maxTables) {
		t.tables = append(t.tables, rule(d))
	}
	if t.exact = t.exact && depths < maxTables; depths < maxTables {
		t.lastTable = rule(depths + 1)
	}
}

// makeTable returns the table of a distribution. exact reports whether no cell is mixed. The table then has the number
// of children for every random number.
func (l childDistribution) makeTable() (all []tableCell, exact bool) {
	all, exact = make([]tableCell, cellCount), true
	for low := uint32(0); low <= lastRandom; {
		at := cellIndex(low)
		after := firstWhere(low, lastRandom+1, func(random uint32) bool { return cellIndex(random) < at })
		from, to := l.children(low), l.children(after-1)
		c := tableCell{below: uint16(from), above: uint16(to)}
		if from != to {
			c.threshold = firstWhere(low, after-1, func(random uint32) bool { return l.children(random) != from })
			if l.children(c.threshold) != to {
				c.below, exact = mixedCell, false
			}
		}
		all[at] = c
		low = after
	}
	return all, exact
}

// firstWhere returns the smallest number from low to high-1 for which test returns true, or high. If test returns true
// for a number, it must return true for all larger numbers.
func firstWhere(low, high uint32, test func(uint32) bool) uint32 {
	return low + uint32(sort.Search(int(high-low), func(i int) bool { return test(low + uint32(i)) }))
}

// tableIndex returns the index in t.cells at which the table of a depth begins.
func (t *Tree) tableIndex(depth uint32) uint32 {
	if int(depth) < len(t.tables) {
		return t.tables[depth]
	}
	return t.lastTable
}

// children returns the number of children of a node at this depth. table is the index of the depth's table.
func (t *Tree) children(table, depth, random uint32) int {
	c := t.cells[table+cellIndex(random)]
	switch {
	case c.below == mixedCell:
		return t.params.childDistribution(int(depth)).children(random)
	case random >= c.threshold:
		return int(c.above)
	}
	return int(c.below)
}
