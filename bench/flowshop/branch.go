package flowshop

import (
	"math"
	"math/bits"
)

// A Rule says whether the children of a sub-problem fix a job at the front or at the back of the order. A child
// survives if its bound is below the reference bound, see Search.
type Rule uint8

const (
	// MinBranch takes the end with fewer surviving children. If both ends have the same number, it takes the end with
	// the larger sum of their bounds. If the sums are equal too, it takes the front.
	MinBranch Rule = iota
	// MinMin takes the end at which the smallest bound occurs less often. If it occurs equally often, MinMin takes the
	// end with fewer surviving children. If these are equal too, it takes the back.
	MinMin
	// MaxSum takes the end with the larger sum of all bounds. If the sums are equal, it takes the front.
	MaxSum
	// Forward always takes the front, as Vu and others do ("Overlay-Centric Load Balancing", CLUSTER 2012).
	Forward
)

// chooseEnd returns the end at which the rule branches, atFront or atBack. free has a bit for each free job.
func (r Rule) chooseEnd(c *children, free uint32) int {
	front, back := c.reference[atFront]&free, c.reference[atBack]&free
	fewer := bits.OnesCount32(front) - bits.OnesCount32(back)
	switch r {
	case MinMin:
		least := min(c.leastBound(atFront, free), c.leastBound(atBack, free))
		rarer := c.countBound(atFront, free, least) - c.countBound(atBack, free, least)
		if rarer < 0 || rarer == 0 && fewer < 0 {
			return atFront
		}
		return atBack
	case Forward:
		return atFront
	case MaxSum:
		front, back, fewer = free, free, 0
	}
	if fewer < 0 || fewer == 0 && c.sumBounds(atFront, front) >= c.sumBounds(atBack, back) {
		return atFront
	}
	return atBack
}

// sumBounds returns the sum of the bounds of some jobs at one end. jobs has a bit for each of these jobs.
func (c *children) sumBounds(end int, jobs uint32) int {
	sum := 0
	for ; jobs != 0; jobs &= jobs - 1 {
		sum += int(c.bounds[end][bits.TrailingZeros32(jobs)])
	}
	return sum
}

// leastBound returns the smallest bound of some jobs at one end. jobs has a bit for each of these jobs.
func (c *children) leastBound(end int, jobs uint32) int16 {
	least := int16(math.MaxInt16)
	for ; jobs != 0; jobs &= jobs - 1 {
		least = min(least, c.bounds[end][bits.TrailingZeros32(jobs)])
	}
	return least
}

// countBound returns how many of some jobs have this bound at one end. jobs has a bit for each of these jobs.
func (c *children) countBound(end int, jobs uint32, bound int16) int {
	n := 0
	for ; jobs != 0; jobs &= jobs - 1 {
		if c.bounds[end][bits.TrailingZeros32(jobs)] == bound {
			n++
		}
	}
	return n
}
