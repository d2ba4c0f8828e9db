package extent

import (
	"context"
	"errors"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// Grouped is a source whose triangles can be read in groups of groupSize triangles. The groups may have another order
// than the mesh.
//
// GroupBounds returns the boxes of the groups in six columns: the least x, y and z, then the greatest x, y and z. The
// box of a group is infinite if one of its coordinates is not finite. If GroupBounds returns a *scenes.DamageError,
// there are no groups, and the triangles are read in blocks.
type Grouped interface {
	scenes.Source
	GroupBounds() ([6][]float32, error)
	ReadGroups(groups []int32, to *scenes.Block, numbers []uint32) error
}

func isDamage(err error) bool {
	var damage *scenes.DamageError
	return errors.As(err, &damage)
}

// setGroups sets the groups of a Grouped source from the boxes of the source.
func (f *Finder) setGroups(context.Context) error {
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

// sampleStep is the distance between the groups that eachWanted reads first: it reads every 61st group.
const sampleStep = 61

// eachWanted reads the groups for which wanted(g) is true, and calls visit with their triangles. It first reads a
// sample of groups from all over the mesh. What visit finds in the sample makes wanted false for most of the other
// groups.
func eachWanted(ctx context.Context, source Grouped, wanted func(g *group) bool, visit func(b *scenes.Block)) error {
	f := Finder{source: source}
	if err := f.setGroups(ctx); err != nil {
		return err
	}
	var b scenes.Block
	var pending []int32
	read := func() error {
		if len(pending) == 0 {
			return nil
		}
		err := source.ReadGroups(pending, &b, nil)
		if pending = pending[:0]; err == nil {
			visit(&b)
		}
		return err
	}
	for pass := range 2 {
		for i := range f.groups[0] {
			if (i%sampleStep == 0) != (pass == 0) || !wanted(&f.groups[0][i]) {
				continue
			}
			if pending = append(pending, int32(i)); len(pending) == scenes.BlockSize/groupSize {
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

// slack is a factor that covers the relative rounding errors of a bound and of a vertex's value.
const slack = 1 + 1e-12

// distanceError bounds the rounding error of a vertex's distance from the axis. It is relative to the vertex's
// distance from the point on the axis where heights are 0.
const distanceError = 1e-7

// maxFormsOfGroups is like MaxForms, for a Grouped source.
func maxFormsOfGroups(ctx context.Context, source Grouped, from, axis mgl64.Vec3, forms [][2]float64) ([]float64, error) {
	best := make([]float64, len(forms))
	for i := range best {
		best[i] = math.Inf(-1)
	}
	wanted := func(g *group) bool {
		low, high, far, size := g.boundsAlong(from, axis)
		for i, f := range forms {
			// If f[0] is negative, a vertex on the axis has the greatest value.
			most := max(f[0]*far, 0) + max(f[1]*low, f[1]*high)
			// Near the axis, the distance from the axis is the square root of a small difference of squares, so its
			// error is large.
			if !(most+(math.Abs(f[0])*distanceError+math.Abs(f[1])*(slack-1))*size < best[i]) {
				return true
			}
		}
		return false
	}
	err := eachWanted(ctx, source, wanted, func(b *scenes.Block) { raiseForms(best, b, from, axis, forms) })
	return best, err
}

// boundsAlong bounds the positions of vertices in the group's box. `low` and `high` are the least and the greatest
// height above the point `from`, along `axis`. `far` is the greatest distance from the axis, and `size` the greatest
// distance from the point.
func (g *group) boundsAlong(from, axis mgl64.Vec3) (low, high, far, size float64) {
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

// farthestOfGroups is like FarthestDistance, for a Grouped source.
func farthestOfGroups(ctx context.Context, source Grouped, from mgl64.Vec3) (float64, error) {
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
