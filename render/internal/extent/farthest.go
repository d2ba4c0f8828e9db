// Package extent finds the vertices of a mesh that lie farthest in given directions.
package extent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// groupSize is the number of triangles in a group. A group is skipped if its box shows that no vertex in it can lie
// farthest. Testing the box takes a fiftieth of the time of testing the triangles.
const groupSize = 64

// A Finder finds the vertices of a source that lie farthest along given directions. The first call of Farthest reads
// the source and stores a box of 24 bytes for every 64 triangles. Later calls read only the blocks in which a vertex
// may lie farthest.
//
// The vertices of a scenes.Points are the centres of its points; the Finder stores a sorted copy of these points. A
// Finder must not be used concurrently.
type Finder struct {
	source    scenes.Source
	groups    [][]group // groups of each block; nil if the source has not been read yet
	searchers []searcher
}

// A searcher searches along one direction after another. Several searchers may work at the same time.
type searcher struct {
	source      scenes.Source
	groups      [][]group
	bounds      []float64 // scratch
	block       scenes.Block
	loadedBlock int      // number of the block that the field `block` holds, plus 1; 0 if no block is loaded
	numbers     []uint32 // for each triangle in `block`, its number in the mesh; only for a Grouped source
	err         error
}

// A group is the box of some triangles. Coordinates that are NaN do not count. A side of the box is infinite if a
// coordinate is infinite.
type group struct{ lo, hi [3]float32 }

// NewFinder returns a finder for source, which must not change.
func NewFinder(source scenes.Source) *Finder { return &Finder{source: source} }

// Farthest returns, for each direction in `along`, the finite vertex that lies farthest in that direction, seen from
// the point `from`. If there is no finite vertex, it returns `from`.
//
// Of several equally far vertices, it returns one of the first block. Within the block, first corners of triangles
// come before second corners, and second before third. For a scenes.Points, the choice does not depend on the number
// of workers.
func (f *Finder) Farthest(ctx context.Context, from mgl64.Vec3, along []mgl64.Vec3) ([]mgl64.Vec3, error) {
	if f.groups == nil {
		if err := f.prepare(ctx); err != nil {
			return nil, err
		}
	}
	points := make([]mgl64.Vec3, len(along))
	workers := min(len(along), runtime.GOMAXPROCS(0))
	for len(f.searchers) < workers {
		f.searchers = append(f.searchers, searcher{source: f.source, groups: f.groups})
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			s := &f.searchers[w]
			s.err = nil
			for d := w; d < len(along) && s.err == nil; d += workers {
				e := extreme{value: math.Inf(-1), at: from}
				s.err = errors.Join(ctx.Err(), s.farthest(from, along[d], &e))
				points[d] = e.at
			}
		})
	}
	wg.Wait()
	for w := range workers {
		if err := f.searchers[w].err; err != nil {
			return nil, err
		}
	}
	return points, nil
}

// prepare sets the boxes of the groups.
func (f *Finder) prepare(ctx context.Context) error {
	if p, ok := f.source.(*scenes.Points); ok {
		sorted, err := sortPoints(ctx, p)
		if err != nil {
			return err
		}
		f.source = sorted
	}
	read := f.read
	if _, ok := f.source.(Grouped); ok {
		read = f.setGroups
	}
	err := read(ctx)
	if isDamage(err) {
		f.source = struct{ scenes.Source }{f.source} // hides the methods of Grouped, so that the source is read in blocks
		err = f.read(ctx)
	}
	return err
}

// read reads the whole source and sets the boxes of the groups.
func (f *Finder) read(ctx context.Context) error {
	groups := make([][]group, scenes.NumBlocks(f.source))
	err := scenes.ForEachBlock(ctx, f.source, runtime.GOMAXPROCS(0), func(_, i int, b *scenes.Block) error {
		all := make([]group, (b.Len()+groupSize-1)/groupSize)
		for g := range all {
			all[g] = groupOf(b, g*groupSize, min((g+1)*groupSize, b.Len()))
		}
		groups[i] = all
		return nil
	})
	if err == nil {
		f.groups = groups
	}
	return err
}

// groupOf returns the box of triangles lo to hi (exclusive).
func groupOf(b *scenes.Block, lo, hi int) (g group) {
	for axis, columns := range [3]*[3][]float32{&b.X, &b.Y, &b.Z} {
		least, most := float32(math.Inf(1)), float32(math.Inf(-1))
		for _, column := range columns {
			for _, v := range column[lo:hi] {
				if v < least {
					least = v
				}
				if v > most {
					most = v
				}
			}
		}
		g.lo[axis], g.hi[axis] = least, most
	}
	return g
}

// An extreme is the farthest vertex in the direction of the search, among the vertices tested so far.
type extreme struct {
	value float64 // distance of `at` in that direction
	place [3]int  // block, corner and triangle
	at    mgl64.Vec3
}

// comesBefore reports whether place a comes before place b.
func comesBefore(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// farthest finds the extreme in direction d, seen from the point `from`. It first searches the group whose box reaches
// farthest. Then it searches all other groups that may reach at least as far as the vertex found there.
func (s *searcher) farthest(from, d mgl64.Vec3, e *extreme) error {
	bounds, first, most := s.bounds[:0], [2]int{-1, 0}, math.Inf(-1)
	for i, groups := range s.groups {
		for g := range groups {
			bound := groups[g].bound(from, d)
			bounds = append(bounds, bound)
			if bound > most {
				first, most = [2]int{i, g}, bound
			}
		}
	}
	s.bounds = bounds
	if first[0] >= 0 {
		if err := s.searchGroup(first[0], first[1], from, d, e); err != nil {
			return err
		}
	}
	for i, groups := range s.groups {
		for g := range groups {
			if bounds[g] < e.value || first == [2]int{i, g} {
				continue
			}
			if err := s.searchGroup(i, g, from, d, e); err != nil {
				return err
			}
		}
		bounds = bounds[len(groups):]
	}
	return nil
}

// bound returns an upper bound of the distance that vertices of the group reach in direction d, or NaN if it is
// unknown. It computes the bound from a corner of the box, with the same operations as for a vertex. Rounding preserves
// the order of numbers, so no vertex has a greater distance.
func (g *group) bound(from, d mgl64.Vec3) float64 {
	var far mgl64.Vec3
	for axis := range far {
		far[axis] = float64(g.hi[axis])
		if d[axis] < 0 {
			far[axis] = float64(g.lo[axis])
		}
	}
	return reach(far[0], far[1], far[2], from, d)
}

// reach returns how far the vertex (x, y, z) lies from the point `from`, measured in direction d.
func reach(x, y, z float64, from, d mgl64.Vec3) float64 {
	return float64((x-from[0])*d[0]) + float64((y-from[1])*d[1]) + float64((z-from[2])*d[2])
}

// searchGroup replaces e if a vertex of the group lies farther. It also replaces e by an equally far vertex that comes
// first in the order of block, corner and triangle. A vertex that is not finite cannot win: its distance is not
// finite, or below all others.
func (s *searcher) searchGroup(block, group int, from, d mgl64.Vec3, e *extreme) error {
	lo, hi, err := s.load(block, group)
	if err != nil {
		return fmt.Errorf("look for the farthest vertex: %w", err)
	}
	dx, dy, dz := float32(d[0]), float32(d[1]), float32(d[2])
	short := s.groups[block][group].floatBound(from, d, e.value)
	for k := range 3 {
		xs, ys, zs := s.block.X[k][lo:hi], s.block.Y[k][lo:hi], s.block.Z[k][lo:hi]
		ys, zs = ys[:len(xs)], zs[:len(xs)]
		for t, x := range xs {
			if float32(x*dx)+float32(ys[t]*dy)+float32(zs[t]*dz) < short {
				continue
			}
			v := reach(float64(x), float64(ys[t]), float64(zs[t]), from, d)
			if v < e.value || v-v != 0 {
				continue
			}
			if at := s.place(block, k, lo+t); v > e.value || comesBefore(at, e.place) {
				*e = extreme{v, at, mgl64.Vec3{float64(x), float64(ys[t]), float64(zs[t])}}
			}
		}
	}
	return nil
}

// load reads the block of a group, unless the searcher holds it already. It returns the range of the group's triangles
// in s.block.
func (s *searcher) load(block, group int) (lo, hi int, err error) {
	if of, ok := s.source.(Grouped); ok {
		if s.numbers == nil {
			s.numbers = make([]uint32, groupSize)
		}
		err := of.ReadGroups([]int32{int32(group)}, &s.block, s.numbers)
		return 0, s.block.Len(), err
	}
	if s.loadedBlock != block+1 {
		s.loadedBlock = 0
		if err := s.source.ReadBlock(block, &s.block); err != nil {
			return 0, 0, err
		}
		s.loadedBlock = block + 1
	}
	lo = group * groupSize
	return lo, min(lo+groupSize, s.block.Len()), nil
}

// place returns the block, corner and triangle of a vertex, all counted in the order of the mesh.
func (s *searcher) place(block, corner, triangle int) [3]int {
	if s.numbers == nil {
		return [3]int{block, corner, triangle}
	}
	number := int(s.numbers[triangle])
	return [3]int{number / scenes.BlockSize, corner, number % scenes.BlockSize}
}

// floatBound returns a bound that rejects most vertices of the group by float32 arithmetic alone. If the scalar product
// of a vertex with d is below the bound, the vertex reaches less far than `value` in direction d.
//
// Each of the six roundings changes the product by at most 2^-24 of the sum of its terms. If the terms do not fit
// float32, the bound is NaN or minus infinity, and rejects no vertex.
func (g *group) floatBound(from, d mgl64.Vec3, value float64) float32 {
	const (
		relativeError = 1e-6 // larger than the relative error of the sum after six roundings, plus that of the bound
		// minComponent is the least component of a direction. Smaller ones may have larger relative errors in
		// float32.
		minComponent = 1e-30
		maxComponent = 1e37  // greatest sum, and greatest component of a direction; larger values may overflow
		underflow    = 1e-37 // larger than the error of products that are too small for float32
	)
	sum, middle := 0.0, 0.0
	for axis, a := range d {
		if a = math.Abs(a); a > 0 && a < minComponent || a > maxComponent {
			return float32(math.Inf(-1))
		}
		sum += a * max(math.Abs(float64(g.lo[axis])), math.Abs(float64(g.hi[axis])), math.Abs(from[axis]))
		middle += from[axis] * d[axis]
	}
	if sum > maxComponent {
		return float32(math.Inf(-1))
	}
	return float32(value + middle - relativeError*sum - underflow)
}
