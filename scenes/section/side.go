package section

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
)

// A side says where a triangle lies.
type side uint8

const (
	outside  side = iota // beyond the plane, or not finite
	inside               // no corner is beyond the plane
	crossing             // some corners are
)

// sides returns where each triangle of the mesh lies, and how many are inside and crossing.
func (c *cutter) sides() (sides []side, kept, crossed int) {
	n := c.from.Len()
	sides = make([]side, n)
	counts := make([][3]int, (n+scenes.BlockSize-1)/scenes.BlockSize)
	parallel.ForEach(len(counts), func(b int) {
		lo, hi := b*scenes.BlockSize, min((b+1)*scenes.BlockSize, n)
		counts[b] = c.plane.sides(c.from.Slice(lo, hi), sides[lo:hi])
	})
	for _, here := range counts {
		kept += here[inside]
		crossed += here[crossing]
	}
	return sides, kept, crossed
}

// sides finds where the triangles of a block lie, and counts them.
func (c *Plane) sides(block scenes.Block, sides []side) (counts [3]int) {
	for t := range sides {
		beyond, sum := 0, 0.0
		for k := range 3 {
			d := c.beyond([3]float32{block.X[k][t], block.Y[k][t], block.Z[k][t]})
			if d > 0 {
				beyond++
			}
			sum += d - d // 0 if d is finite
		}
		s := crossing
		switch {
		case beyond == 3 || sum != 0:
			s = outside
		case beyond == 0:
			s = inside
		}
		sides[t] = s
		counts[s]++
	}
	return counts
}

// runOf returns how many of the first triangles lie on the same side.
func runOf(sides []side) int {
	for i, s := range sides {
		if s != sides[0] {
			return i
		}
	}
	return len(sides)
}
