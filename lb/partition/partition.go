package partition

import (
	"fmt"
	"slices"
)

// A Partition divides the plane or space into parts, and with it the points for which it was made. A [Method] such as
// [RCB] makes it. Several goroutines may use it at once, but not while Renumber runs.
type Partition struct {
	// Owner holds the part of every point.
	Owner []int32

	parts int
	dim   int
	// cuts is the tree in preorder. A node for k parts has k-1 cuts: its own, then k/2-1 of its left half, then those
	// of its right half.
	cuts  []cut
	label []int32 // part of every leaf of the tree, from left to right
	curve *hilbert
}

// Parts returns the number of parts.
func (p *Partition) Parts() int { return p.parts }

// Moves reports whether some cuts move with the age of the partition, the time since it was made.
func (p *Partition) Moves() bool {
	return slices.ContainsFunc(p.cuts, func(c cut) bool { return c.rate != 0 })
}

// Locate returns the part to which a position belongs when the partition has the given age, in the unit of
// Options.Horizon. The age only matters if cuts move. In the plane z is ignored. At age 0 the position of a point
// belongs to the point's owner, unless a cut separates several points with the same key. It costs O(log parts).
func (p *Partition) Locate(x, y, z, age float64) int {
	if p.dim == 2 {
		z = 0
	}
	if p.curve != nil {
		x, y, z = p.curve.key(x, y, z), 0, 0
	}
	return int(p.label[p.leaf(x, y, z, age)])
}

func (p *Partition) leaf(x, y, z, age float64) int {
	at, first, parts := 0, 0, p.parts
	for parts > 1 {
		left := parts / 2
		c := &p.cuts[at]
		if c.key(x, y, z) <= c.threshold(age) {
			at, parts = at+1, left
		} else {
			at, first, parts = at+left, first+left, parts-left
		}
	}
	return first
}

// LocateAll sets owner[i] to the part of the position of point i. at holds the positions, one column for each
// dimension, each as long as owner.
func (p *Partition) LocateAll(owner []int32, at [][]float64, age float64, o Options) {
	if len(at) != p.dim {
		panic(fmt.Sprintf("partition: %d columns of coordinates in %d dimensions", len(at), p.dim))
	}
	eachChunk(o.loop(), 0, len(owner), func(_, from, to int) {
		for i := from; i < to; i++ {
			z := 0.0
			if p.dim == 3 {
				z = at[2][i]
			}
			owner[i] = int32(p.Locate(at[0][i], at[1][i], z, age))
		}
	})
}

// Overlap appends to dst, once each, the parts that own positions in the box from corner lo to corner hi, both corners
// included. Next to the rings and half lines of [Flow] and [Spokes] it may also append parts that are only close to the
// box.
func (p *Partition) Overlap(dst []int32, lo, hi [3]float64, age float64) []int32 {
	if p.dim == 2 {
		lo[2], hi[2] = 0, 0
	}
	from := len(dst)
	if p.curve != nil {
		dst = p.curve.overlap(p, dst, lo, hi)
	} else {
		dst = p.overlap(dst, [2][3]float64{lo, hi}, age, 0, 0, p.parts)
	}
	for i := from; i < len(dst); i++ {
		dst[i] = p.label[dst[i]]
	}
	return dst
}

// overlap appends the parts below a node of the tree that own positions in a box.
func (p *Partition) overlap(dst []int32, box [2][3]float64, age float64, at, first, parts int) []int32 {
	if parts == 1 {
		return append(dst, int32(first))
	}
	left := parts / 2
	c := &p.cuts[at]
	least, most := c.keyRange(box[0], box[1])
	border := c.threshold(age)
	if least <= border {
		dst = p.overlap(dst, box, age, at+1, first, left)
	}
	if most > border {
		dst = p.overlap(dst, box, age, at+left, first+left, parts-left)
	}
	return dst
}

// Renumber gives part i the number to[i], and changes Owner accordingly. The slice `to` must be a permutation of the
// parts' numbers.
func (p *Partition) Renumber(to []int32) {
	if len(to) != p.parts {
		panic(fmt.Sprintf("partition: %d new numbers for %d parts", len(to), p.parts))
	}
	for i, part := range p.label {
		p.label[i] = to[part]
	}
	for i, part := range p.Owner {
		p.Owner[i] = to[part]
	}
}
