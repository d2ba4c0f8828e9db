package distance

import (
	"context"
	"math"

	"lockstep/scenes/internal/parallel"
)

// leaf is the greatest number of triangles in a leaf of the tree.
const leaf = 4

// A box is an axis-aligned bounding box of some triangles.
type box struct{ low, high [3]float64 }

// squaredDistance returns the squared distance of p from the box.
func (b *box) squaredDistance(p [3]float64) (sum float64) {
	for axis, x := range p {
		d := max(b.low[axis]-x, x-b.high[axis], 0)
		sum += float64(d * d)
	}
	return sum
}

// The tree of a surface is a complete binary tree of boxes. Level l has 2^l boxes. Let n be the number of triangles.
// Box j of level l contains triangles j*n>>l to (j+1)*n>>l (exclusive). The boxes are stored level by level, the root
// first.

// levelBoxes returns the boxes of a level.
func (s *Surface) levelBoxes(l int) []box { return s.boxes[1<<l-1 : 2<<l-1] }

// boxSpan returns the range of triangles, lo to hi (exclusive), of box j of level l.
func (s *Surface) boxSpan(l, j int) (lo, hi int) {
	n, first := int64(len(s.corners)), int64(j) // in 64 bits, because the product may exceed 32 bits
	return int(first * n >> l), int((first + 1) * n >> l)
}

// buildTree builds the tree. It divides the triangles of each box into two halves by their centroids. It divides
// along the axis along which the centroids spread most. Boxes of the same level have no triangle in common, so
// goroutines work on them in parallel.
func (s *Surface) buildTree(ctx context.Context, workers int) error {
	for len(s.corners) > leaf<<s.levels {
		s.levels++
	}
	s.boxes = make([]box, 2<<s.levels-1)
	for l := range s.levels {
		n := 1 << l
		err := parallel.For(ctx, parallel.Workers(workers, n), n, func(_, j int) error {
			lo, hi := s.boxSpan(l, j)
			mid, _ := s.boxSpan(l+1, 2*j+1)
			partition(s.corners[lo:hi], mid-lo, s.widestAxis(lo, hi), s.points)
			return nil
		})
		if err != nil {
			return err
		}
	}
	ends := s.levelBoxes(s.levels)
	for j := range ends {
		lo, hi := s.boxSpan(s.levels, j)
		ends[j] = s.boxOf(lo, hi)
	}
	for l := s.levels - 1; l >= 0; l-- {
		below, at := s.levelBoxes(l+1), s.levelBoxes(l)
		for j := range at {
			at[j] = joinBoxes(below[2*j], below[2*j+1])
		}
	}
	return ctx.Err()
}

// boxOf returns the box of triangles lo to hi (exclusive).
func (s *Surface) boxOf(lo, hi int) box {
	b := emptyBox()
	for _, c := range s.corners[lo:hi] {
		for _, v := range c {
			b.add(s.points[v])
		}
	}
	return b
}

func emptyBox() box {
	inf := math.Inf(1)
	return box{[3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}}
}

func (b *box) add(p [3]float64) {
	for axis, x := range p {
		b.low[axis], b.high[axis] = min(b.low[axis], x), max(b.high[axis], x)
	}
}

func joinBoxes(a, b box) box {
	a.add(b.low)
	a.add(b.high)
	return a
}

// widestAxis returns the axis along which the centroids of triangles lo to hi spread most.
func (s *Surface) widestAxis(lo, hi int) (axis int) {
	b := emptyBox()
	for _, c := range s.corners[lo:hi] {
		x, y := tripleCentroid(s.points, c, 0), tripleCentroid(s.points, c, 1)
		b.add([3]float64{x, y, tripleCentroid(s.points, c, 2)})
	}
	for k := range 3 {
		if b.high[k]-b.low[k] > b.high[axis]-b.low[axis] {
			axis = k
		}
	}
	return axis
}

// tripleCentroid returns a coordinate of the centroid of triangle c, multiplied by three.
func tripleCentroid(points [][3]float64, c [3]uint32, axis int) float64 {
	return points[c[0]][axis] + points[c[1]][axis] + points[c[2]][axis]
}

// partition reorders triangles by one coordinate of their centroids, along the given axis. Afterwards, the centroids
// of the first k triangles have no greater coordinate than the centroids of the other triangles. The method is
// Hoare's selection with the median of three.
func partition(t [][3]uint32, k, axis int, points [][3]float64) {
	at := func(i int) float64 { return tripleCentroid(points, t[i], axis) }
	for lo, hi := 0, len(t)-1; lo < hi; {
		pivot := median(at(lo), at((lo+hi)/2), at(hi))
		i, j := lo, hi
		for i <= j {
			for at(i) < pivot {
				i++
			}
			for at(j) > pivot {
				j--
			}
			if i <= j {
				t[i], t[j] = t[j], t[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }
