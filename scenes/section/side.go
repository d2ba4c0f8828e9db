package section

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
)

// A side tells on which side of the plane a triangle lies.
type side uint8

const (
	outside  side = iota // all corners are beyond the plane, or one is not finite
	inside               // no corner is beyond the plane
	crossing             // some corners are beyond the plane
)

// classifyTriangles returns the side of each triangle of the mesh, and how many triangles are inside and crossing.
func (c *cutter) classifyTriangles() (sides []side, kept, crossed int) {
	n := c.from.Len()
	sides = make([]side, n)
	counts := make([][3]int, (n+scenes.BlockSize-1)/scenes.BlockSize)
	parallel.ForEach(len(counts), func(b int) {
		lo, hi := b*scenes.BlockSize, min((b+1)*scenes.BlockSize, n)
		counts[b] = c.plane.classify(c.from.Slice(lo, hi), sides[lo:hi])
	})
	for _, here := range counts {
		kept += here[inside]
		crossed += here[crossing]
	}
	return sides, kept, crossed
}

// classify sets the side of each triangle of a block, and counts the triangles by side.
func (c *Plane) classify(block scenes.Block, sides []side) (counts [3]int) {
	for t := range sides {
		beyond, sum := 0, 0.0
		for k := range 3 {
			d := c.signedDistance([3]float32{block.X[k][t], block.Y[k][t], block.Z[k][t]})
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

// runOf returns the length of the run of equal values at the start of sides.
func runOf(sides []side) int {
	for i, s := range sides {
		if s != sides[0] {
			return i
		}
	}
	return len(sides)
}
