package uts

import (
	"math"
	"sort"
)

// law says how many children the nodes of a depth have.
type law struct {
	kind lawKind
	n    int     // number of children, for constant and coin
	x    float64 // probability of n children for coin, of having one child less for geometric
}

type lawKind uint8

const (
	constant lawKind = iota
	coin
	geometric
)

// law returns the law of a depth.
func (p Params) law(depth int) law {
	switch {
	case p.Kind == Binomial && depth == 0:
		return law{constant, int(p.Branches), 0}
	case p.binomial(depth):
		return law{coin, p.M, p.Q}
	case p.Kind == Balanced && depth < p.Depth:
		return law{constant, int(p.Branches), 0}
	case p.Kind == Balanced:
		return law{}
	}
	return law{geometric, 0, 1 / (1 + p.mean(depth))}
}

// lastRandom is the largest random number.
const lastRandom = 1<<31 - 1

// children returns the number of children by definition. As the random number grows, the result only grows or only
// falls.
func (l law) children(random uint32) int {
	u := float64(random) / (1 << 31)
	switch {
	case l.kind == geometric:
		return min(mostChildren, int(math.Floor(math.Log(1-u)/math.Log(1-l.x))))
	case l.kind == coin && u >= l.x:
		return 0
	}
	return l.n
}

// A cell has the number of children for a range of random numbers: below for numbers under threshold, above for the
// others. If the number of children changes more than once within the range, below is mixedCell. The assembly depends
// on this layout.
type cell struct {
	threshold    uint32
	below, above uint16
}

const (
	mixedCell = math.MaxUint16
	// fineness is the number of cells for each power of two of 1-x, where x is the random number scaled to 0 to 1. The
	// thresholds of a geometric law, measured as 1-x, have a constant ratio: 4/5 if the mean is 4. With sixty-four
	// cells no two thresholds fall into one cell up to a mean of 30. Nearly all numbers fall into the cells of the
	// first few powers, which take a kilobyte.
	fineness  = 64
	cellCount = 31*fineness + 1
	// mostRules is the number of depths that have cells. If the law changes with the depth beyond that, deeper nodes
	// are computed with the law itself.
	mostRules = 256
)

// cellOf returns the index of the cell of a random number. Larger numbers have the same or a smaller index.
func cellOf(random uint32) uint32 {
	short := float32(int32(random ^ lastRandom | 1))
	return math.Float32bits(short)>>(23-6) - math.Float32bits(1)>>(23-6)
}

// tabulate makes the cells of all depths. Equal laws share one set of cells.
func (t *Tree) tabulate() {
	p := t.params
	depths := p.Depth // nothing changes after depth Depth+1
	switch {
	case p.Kind == Binomial:
		depths = 0
	case p.Kind == Geometric && p.Shape == Cyclic:
		depths = 5*p.Depth + 1
	case p.Kind == Geometric && p.Shape == Exponential:
		depths = mostRules
	}
	// The first set of cells is for depths without cells. All its cells are mixed, so the law is used.
	for range cellCount {
		t.cells = append(t.cells, cell{below: mixedCell})
	}
	t.exact = true
	known := map[law]uint32{}
	rule := func(depth int) uint32 {
		l := p.law(depth)
		if _, ok := known[l]; !ok {
			cells, exact := l.cells()
			known[l] = uint32(len(t.cells))
			t.cells = append(t.cells, cells...)
			t.exact = t.exact && exact
		}
		return known[l]
	}
	for d := range min(depths+1, mostRules) {
		t.rules = append(t.rules, rule(d))
	}
	if t.exact = t.exact && depths < mostRules; depths < mostRules {
		t.last = rule(depths + 1)
	}
}

// cells returns the cells of a law. exact reports whether no cell is mixed, so that the cells give the number of
// children for every random number.
func (l law) cells() (all []cell, exact bool) {
	all, exact = make([]cell, cellCount), true
	for low := uint32(0); low <= lastRandom; {
		at := cellOf(low)
		after := first(low, lastRandom+1, func(random uint32) bool { return cellOf(random) < at })
		from, to := l.children(low), l.children(after-1)
		c := cell{below: uint16(from), above: uint16(to)}
		if from != to {
			c.threshold = first(low, after-1, func(random uint32) bool { return l.children(random) != from })
			if l.children(c.threshold) != to {
				c.below, exact = mixedCell, false
			}
		}
		all[at] = c
		low = after
	}
	return all, exact
}

// first returns the first number from low on for which `is` returns true, or high if there is none.
func first(low, high uint32, is func(uint32) bool) uint32 {
	return low + uint32(sort.Search(int(high-low), func(i int) bool { return is(low + uint32(i)) }))
}

// rule returns the index at which the cells of a depth start.
func (t *Tree) rule(depth uint32) uint32 {
	if int(depth) < len(t.rules) {
		return t.rules[depth]
	}
	return t.last
}

// children returns the number of children of a node.
func (t *Tree) children(rule, depth, random uint32) int {
	c := t.cells[rule+cellOf(random)]
	switch {
	case c.below == mixedCell:
		return t.params.law(int(depth)).children(random)
	case random >= c.threshold:
		return int(c.above)
	}
	return int(c.below)
}
