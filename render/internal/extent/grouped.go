package extent

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// Grouped is a source whose triangles can be read by groups of groupSize, in an order of its own, and that has their boxes: six
// columns, the least x, y and z and the greatest, infinite where a coordinate is not finite.
type Grouped interface {
	scenes.Source
	GroupBounds() ([6][]float32, error)
	ReadGroups(groups []int32, to *scenes.Block, numbers []uint32) error
}

// take makes the groups of a source that has them.
func (f *Finder) take(context.Context) error {
	columns, err := f.source.(Grouped).GroupBounds()
	if err != nil {
		return err
	}
	all := make([]group, len(columns[0]))
	for g := range all {
		for axis := range 3 {
			all[g].lo[axis], all[g].hi[axis] = columns[axis][g], columns[3+axis][g]
		}
	}
	f.groups = [][]group{all}
	return nil
}

// sampled is how many groups apart those are that eachWanted reads first.
const sampled = 61

// eachWanted calls visit for the triangles of those groups of a source of which wanted says so: first of some all over the mesh,
// so that few of the others are wanted after them.
func eachWanted(ctx context.Context, source Grouped, wanted func(g *group) bool, visit func(b *scenes.Block)) error {
	f := Finder{source: source}
	if err := f.take(ctx); err != nil {
		return err
	}
	var b scenes.Block
	var some []int32
	numbers := make([]uint32, scenes.BlockSize)
	read := func() error {
		if len(some) == 0 {
			return nil
		}
		err := source.ReadGroups(some, &b, numbers)
		if some = some[:0]; err == nil {
			visit(&b)
		}
		return err
	}
	for pass := range 2 {
		for i := range f.groups[0] {
			if (i%sampled == 0) != (pass == 0) || !wanted(&f.groups[0][i]) {
				continue
			}
			if some = append(some, int32(i)); len(some) == scenes.BlockSize/groupSize {
				if err := read(); err != nil {
					return err
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
		if err := read(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// slack is more than the relative error of a bound of a vertex and of its value together.
const slack = 1 + 1e-12

// lost is more than rounding adds to the distance of a vertex from an axis, in parts of its distance from the point.
const lost = 1e-7

// ringGroups is Ring of a source that has groups.
func ringGroups(ctx context.Context, source Grouped, from, axis mgl64.Vec3, forms [][2]float64) ([]float64, error) {
	best := make([]float64, len(forms))
	for i := range best {
		best[i] = math.Inf(-1)
	}
	wanted := func(g *group) bool {
		low, high, far, size := g.around(from, axis)
		for i, f := range forms {
			// A form may count the distance from the axis as negative: then the least is 0.
			most := max(f[0]*far, 0) + max(f[1]*low, f[1]*high)
			// Near the axis the distance is the root of a small difference of squares.
			if !(most+(math.Abs(f[0])*lost+math.Abs(f[1])*(slack-1))*size < best[i]) {
				return true
			}
		}
		return false
	}
	err := eachWanted(ctx, source, wanted, func(b *scenes.Block) { addRing(best, b, from, axis, forms) })
	return best, err
}

// around returns the heights along an axis that corners of the group's box have at least and at most, as seen from a point, and how
// far they are at most from the axis and from the point.
func (g *group) around(from, axis mgl64.Vec3) (low, high, far, size float64) {
	for a := range 3 {
		lo, hi := float64(g.lo[a])-from[a], float64(g.hi[a])-from[a]
		low += min(lo*axis[a], hi*axis[a])
		high += max(lo*axis[a], hi*axis[a])
		most := max(math.Abs(lo), math.Abs(hi))
		size += most * most
		if math.Abs(axis[a]) != 1 {
			far += most * most
		}
	}
	return low, high, math.Sqrt(far), math.Sqrt(size)
}

// fromGroups is From of a source that has groups.
func fromGroups(ctx context.Context, source Grouped, from mgl64.Vec3) (float64, error) {
	best := 0.0
	wanted := func(g *group) bool {
		far := 0.0
		for a := range 3 {
			most := max(math.Abs(float64(g.lo[a])-from[a]), math.Abs(float64(g.hi[a])-from[a]))
			far += most * most
		}
		return !(far*slack < best)
	}
	err := eachWanted(ctx, source, wanted, func(b *scenes.Block) { best = max(best, farthestFrom(b, from)) })
	return math.Sqrt(best), err
}
