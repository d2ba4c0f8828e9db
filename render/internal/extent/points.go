package extent

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"lockstep/scenes"
)

// centres is a source of triangles for searching a cloud. Each triangle has the centres of three points as corners. At
// the end, some points occur twice to fill the last triangle. The octahedra of scenes.Points would have 24 times as
// many corners.
type centres struct{ x, y, z []float32 }

// verticesOf returns source, or the centres of its points if it is a cloud.
func verticesOf(source scenes.Source) scenes.Source {
	if p, ok := source.(*scenes.Points); ok {
		return &centres{p.X, p.Y, p.Z}
	}
	return source
}

// Len implements scenes.Source.
func (c *centres) Len() int { return (len(c.x) + 2) / 3 }

// Info implements scenes.Source.
func (c *centres) Info() scenes.Info { return scenes.Info{} }

// ReadBlock implements scenes.Source.
func (c *centres) ReadBlock(i int, to *scenes.Block) error {
	lo, hi := scenes.BlockRange(i, c.Len())
	to.Resize(hi-lo, false)
	c.copyTo(to, 0, 3*lo, hi-lo)
	return nil
}

// copyTo sets n triangles of a block, from triangle `at` on, to the points from point `first` on. The first n points
// become the first corners of all triangles, the next n the second corners, and the next n the third.
func (c *centres) copyTo(to *scenes.Block, at, first, n int) {
	for k := range 3 {
		lo := min(first+k*n, len(c.x)-n)
		copy(to.X[k][at:at+n], c.x[lo:lo+n])
		copy(to.Y[k][at:at+n], c.y[lo:lo+n])
		copy(to.Z[k][at:at+n], c.z[lo:lo+n])
	}
}

// sortedPoints is a copy of a cloud in which successive points lie close together. A Finder needs this order for its
// boxes. In a cloud of random order, the box of each group would be nearly as large as that of the cloud.
type sortedPoints struct {
	centres
	boxes [6][]float32 // boxes of the groups, in the form of GroupBounds
}

// groupPoints is the number of points in a group. pointRun is the number of points that are sorted together, a
// multiple of groupPoints. A run fits into a cache during sorting. It still has so many groups that few of them lie at
// its border.
const (
	groupPoints = 3 * groupSize
	pointRun    = 2048 * groupPoints
)

// sortPoints returns the sorted points of a cloud. The result does not depend on the number of workers.
func sortPoints(ctx context.Context, p *scenes.Points) (*sortedPoints, error) {
	n := len(p.X)
	s := &sortedPoints{centres: centres{make([]float32, n), make([]float32, n), make([]float32, n)}}
	for side := range s.boxes {
		s.boxes[side] = make([]float32, (n+groupPoints-1)/groupPoints)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+pointRun-1)/pointRun) {
		wg.Go(func() {
			cells := make([]uint16, min(n, pointRun))
			for lo := int(next.Add(pointRun) - pointRun); lo < n && ctx.Err() == nil; lo = int(next.Add(pointRun) - pointRun) {
				s.sortRun(p, lo, min(lo+pointRun, n), cells)
			}
		})
	}
	wg.Wait()
	return s, ctx.Err()
}

// cellBits is the number of bits of a grid cell's coordinate along an axis. With 4 bits there are 16 cells along each
// axis, and a run has two cells for each group.
const cellBits = 4

// sortRun sorts points lo to hi (exclusive) by the cells of a grid, and sets the boxes of their groups. Points of the
// same cell keep their order. cells is scratch memory.
func (s *sortedPoints) sortRun(p *scenes.Points, lo, hi int, cells []uint16) {
	const cellsPerAxis = 1 << cellBits
	cells = cells[:hi-lo]
	clear(cells)
	for _, column := range [3][]float32{p.X[lo:hi], p.Y[lo:hi], p.Z[lo:hi]} {
		least, most := finiteRange(column)
		scale := cellsPerAxis / (most - least)
		for i, v := range column {
			cell := uint16(0) // coordinates that are not finite get cell 0
			if at := (v - least) * scale; at >= cellsPerAxis {
				cell = cellsPerAxis - 1
			} else if at > 0 {
				cell = uint16(at)
			}
			cells[i] = cells[i]<<cellBits | cell
		}
	}
	// next counts the points of each cell, and then holds the index for the cell's next point
	var next [1 << (3 * cellBits)]int32
	for _, cell := range cells {
		next[cell]++
	}
	at := int32(lo)
	for cell, count := range next {
		next[cell] = at
		at += count
	}
	for i, cell := range cells {
		to := next[cell]
		next[cell] = to + 1
		s.x[to], s.y[to], s.z[to] = p.X[lo+i], p.Y[lo+i], p.Z[lo+i]
	}
	for first := lo; first < hi; first += groupPoints {
		s.setBox(first/groupPoints, first, min(first+groupPoints, hi))
	}
}

// finiteRange returns the least and the greatest finite value. If no value is finite, it returns +Inf and -Inf.
func finiteRange(column []float32) (least, most float32) {
	least, most = float32(math.Inf(1)), float32(math.Inf(-1))
	for _, v := range column {
		if v-v == 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	return least, most
}

// setBox sets the box of group g, which consists of points lo to hi (exclusive).
func (s *sortedPoints) setBox(g, lo, hi int) {
	for axis, column := range [3][]float32{s.x[lo:hi], s.y[lo:hi], s.z[lo:hi]} {
		least, most := float32(math.Inf(1)), float32(math.Inf(-1))
		for _, v := range column {
			if v < least {
				least = v
			}
			if v > most {
				most = v
			}
		}
		s.boxes[axis][g], s.boxes[3+axis][g] = least, most
	}
}

// GroupBounds implements Grouped.
func (s *sortedPoints) GroupBounds() ([6][]float32, error) { return s.boxes, nil }

// ReadGroups implements Grouped. The groups have the order of the sorted points.
func (s *sortedPoints) ReadGroups(groups []int32, to *scenes.Block, numbers []uint32) error {
	to.Resize(len(groups)*groupSize, false)
	at := 0
	for _, g := range groups {
		first := int(g) * groupSize
		n := min(groupSize, s.Len()-first)
		s.copyTo(to, at, 3*first, n)
		if numbers != nil {
			for t := range n {
				numbers[at+t] = uint32(first + t)
			}
		}
		at += n
	}
	to.Resize(at, false)
	return nil
}
