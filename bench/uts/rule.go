package uts

import "math"

// law is how many children the nodes of a depth have.
type law struct {
	kind lawKind
	n    int     // for constant and coin
	x    float64 // chance of n children with coin, of one child fewer with geometric
}

type lawKind uint8

const (
	constant lawKind = iota
	coin
	geometric
)

// law is that of a depth.
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

// children is the number of children by definition. It does not fall as the
// random number grows, or does not rise.
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

// cell says how many children a range of random numbers means: base, and from
// threshold on base+change. Where the number changes more than once change is
// deeper, and threshold is where a table of the range's parts begins in the
// tree's cells, or 0 where there is only the law.
type cell struct {
	threshold uint32
	base      uint16
	change    int16
}

const (
	deeper = math.MinInt16
	// cellBits makes 256 ranges of the 31 random bits: two kilobytes a law. Of a
	// geometric law with mean 4 one random number in 50 falls into one of the
	// ranges that need a table of their own.
	cellBits  = 23
	cellCount = 1 << (31 - cellBits)
	// partBits makes 256 parts of such a range.
	partBits = cellBits - 8
)

// mostRules is how many depths have a table. Nodes of trees that are deeper and
// change with depth take the law.
const mostRules = 256

// tabulate makes the tables of all depths, one for equal laws.
func (t *Tree) tabulate() {
	p := t.params
	depths := p.Depth // from the one after it on nothing changes
	switch {
	case p.Kind == Binomial:
		depths = 0
	case p.Kind == Geometric && p.Shape == Cyclic:
		depths = 5*p.Depth + 1
	case p.Kind == Geometric && p.Shape == Exponential:
		depths = mostRules
	}
	// The first table says nothing of any number.
	for range cellCount {
		t.cells = append(t.cells, cell{change: deeper})
	}
	known := map[law]uint32{}
	table := func(depth int) uint32 {
		l := p.law(depth)
		if _, ok := known[l]; !ok {
			known[l] = t.table(l, 0, cellBits)
		}
		return known[l]
	}
	for d := range min(depths+1, mostRules) {
		t.rules = append(t.rules, table(d))
	}
	if depths < mostRules {
		t.last = table(depths + 1)
	}
}

// table appends the cells for 256 ranges of 1<<bits random numbers from first on,
// and returns where they begin.
func (t *Tree) table(l law, first uint32, bits int) uint32 {
	begin := uint32(len(t.cells))
	t.cells = append(t.cells, make([]cell, cellCount)...)
	for i := range uint32(cellCount) {
		low := first + i<<bits
		high := low + 1<<bits - 1
		from, to := l.children(low), l.children(high)
		c := cell{base: uint16(from), change: int16(to - from)}
		if from != to {
			c.threshold = low + 1
			for end := high; c.threshold < end; {
				if middle := c.threshold + (end-c.threshold)/2; l.children(middle) != from {
					end = middle
				} else {
					c.threshold = middle + 1
				}
			}
			if l.children(c.threshold) != to {
				c = cell{change: deeper}
				if bits == cellBits {
					c.threshold = t.table(l, low, partBits)
				}
			}
		}
		t.cells[begin+i] = c
	}
	return begin
}

// rule is where the table of a depth begins.
func (t *Tree) rule(depth uint32) uint32 {
	if int(depth) < len(t.rules) {
		return t.rules[depth]
	}
	return t.last
}

// children is the number of children of a node, by the table of its depth.
func (t *Tree) children(rule, depth, random uint32) int {
	c := t.cells[rule+random>>cellBits]
	if c.change == deeper {
		return t.inParts(c.threshold, depth, random)
	}
	return c.children(random)
}

// children is the number of children, without a branch that would be
// mispredicted.
func (c cell) children(random uint32) int {
	reached := (int64(c.threshold) - 1 - int64(random)) >> 63
	return int(c.base) + int(c.change)&int(reached)
}

// inParts looks up a random number of a range in which the number of children
// changes more than once.
func (t *Tree) inParts(table, depth, random uint32) int {
	if table > 0 {
		if c := t.cells[table+random>>partBits%cellCount]; c.change != deeper {
			return c.children(random)
		}
	}
	return t.params.law(int(depth)).children(random)
}
