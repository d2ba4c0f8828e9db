package nbody

import "math"

// A cellGrid sorts particles into a grid of cells that are at least as wide as the cut-off radius. So the neighbours of
// a particle are in its own cell and the cells around it.
type cellGrid struct {
	dim     int
	count   [3]int     // number of cells along each axis
	perSide [3]float64 // cells per unit of length
	from    [3]float64 // lowest coordinates of the particles
	// start holds, for each cell, the index of its first particle in the slice `order`. The last entry is len(order).
	start []int32
	order []int32      // numbers of the particles, sorted by cell and then by number
	at    [3][]float64 // positions of the particles, sorted as in `order`
	cell  []int32      // cell of each particle
}

// cellsPerParticle limits the number of cells. If there are more than a few cells for each particle, clearing the cells
// takes more time than they save.
const cellsPerParticle = 2

// build makes the grid for particles at the given positions.
func (c *cellGrid) build(at [3][]float64, dim int, cutoff float64) {
	n := len(at[0])
	c.dim = dim
	total := 1
	for d := range 3 {
		c.count[d], c.perSide[d], c.from[d] = 1, 0, 0
		if d >= dim || n == 0 {
			continue
		}
		lo, hi := at[d][0], at[d][0]
		for _, x := range at[d] {
			lo, hi = min(lo, x), max(hi, x)
		}
		most := math.Pow(cellsPerParticle*float64(n), 1/float64(dim))
		c.from[d] = lo
		c.count[d] = max(1, int(min(most, (hi-lo)/cutoff)))
		// A particle with the largest coordinate is on the upper border of the grid; cellOf puts it into the last cell.
		if hi > lo {
			c.perSide[d] = float64(c.count[d]) / (hi - lo)
		}
		total *= c.count[d]
	}
	c.sortByCell(at, total)
}

// sortByCell sets the fields `start`, `order`, `cell` and `at` by a counting sort, in O(particles + cells) time.
func (c *cellGrid) sortByCell(at [3][]float64, total int) {
	n := len(at[0])
	c.start = resize(c.start, total+1)
	clear(c.start)
	c.cell, c.order = resize(c.cell, n), resize(c.order, n)
	for i := range n {
		k := c.cellOf(at, i)
		c.cell[i] = int32(k)
		c.start[k+1]++
	}
	for k := range total {
		c.start[k+1] += c.start[k]
	}
	for i := n - 1; i >= 0; i-- {
		c.start[c.cell[i]+1]--
		c.order[c.start[c.cell[i]+1]] = int32(i)
	}
	// After the sort, start[k+1] is the start of cell k. Move all entries down by one.
	copy(c.start, c.start[1:])
	c.start[total] = int32(n)
	for d := range c.dim {
		c.at[d] = resize(c.at[d], n)
		for k, i := range c.order {
			c.at[d][k] = at[d][i]
		}
	}
}

// cellOf returns the index of the cell that contains particle i.
func (c *cellGrid) cellOf(at [3][]float64, i int) int {
	k := 0
	for d := c.dim - 1; d >= 0; d-- {
		k = k*c.count[d] + min(c.count[d]-1, int(float64((at[d][i]-c.from[d])*c.perSide[d])))
	}
	return k
}

// A span is the range of the particles with from <= index < to in cellGrid.order.
type span struct{ from, to int32 }

// neighbourSpans appends to dst the spans of the particles in cell k and the cells around it. Up to three cells in a
// row along x are one span.
func (c *cellGrid) neighbourSpans(dst []span, k int) []span {
	x := k % c.count[0]
	y := k / c.count[0] % c.count[1]
	z := k / (c.count[0] * c.count[1])
	left, right := max(0, x-1), min(c.count[0]-1, x+1)
	for cz := max(0, z-1); cz <= min(c.count[2]-1, z+1); cz++ {
		for cy := max(0, y-1); cy <= min(c.count[1]-1, y+1); cy++ {
			row := (cz*c.count[1] + cy) * c.count[0]
			if s := (span{c.start[row+left], c.start[row+right+1]}); s.from < s.to {
				dst = append(dst, s)
			}
		}
	}
	return dst
}

// resize returns a slice of length n with undefined contents. It uses the memory of s if that is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
