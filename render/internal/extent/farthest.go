// Package extent looks for the vertices of a mesh that lie farthest away.
package extent

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// An extreme is a vertex that lies farthest along some direction.
type extreme struct {
	value float64 // how far
	block int     // of equally far ones that of the first block counts, and the first in it
	at    mgl64.Vec3
}

// better reports whether e takes the place of another vertex.
func (e *extreme) better(o *extreme) bool {
	return e.value > o.value || e.value == o.value && e.block < o.block
}

// Farthest returns, for each direction, the finite vertex of a source that lies
// farthest along it as seen from a point; that point itself where there is none.
func Farthest(ctx context.Context, source scenes.Source, from mgl64.Vec3, along []mgl64.Vec3) ([]mgl64.Vec3, error) {
	workers := runtime.GOMAXPROCS(0)
	best := make([][]extreme, workers)
	for w := range best {
		best[w] = noExtremes(len(along), from)
	}
	err := scenes.ForEachBlock(ctx, source, workers, func(worker, i int, b *scenes.Block) error {
		found := noExtremes(len(along), from)
		for d, direction := range along {
			found[d].block = i
			farthestOfBlock(b, from, direction, &found[d])
			if found[d].better(&best[worker][d]) {
				best[worker][d] = found[d]
			}
		}
		return nil
	})
	points := make([]mgl64.Vec3, len(along))
	for d := range points {
		all := &best[0][d]
		for w := range best {
			if best[w][d].better(all) {
				all = &best[w][d]
			}
		}
		points[d] = all.at
	}
	return points, err
}

func noExtremes(n int, at mgl64.Vec3) []extreme {
	e := make([]extreme, n)
	for i := range e {
		e[i] = extreme{value: math.Inf(-1), block: math.MaxInt, at: at}
	}
	return e
}

// farthestOfBlock looks for a vertex of a block that lies farther than e. Coordinates
// that are not finite lead to values that are not, or below all others.
func farthestOfBlock(b *scenes.Block, from, d mgl64.Vec3, e *extreme) {
	best := e.value
	for k := range 3 {
		xs := b.X[k]
		ys, zs := b.Y[k][:len(xs)], b.Z[k][:len(xs)]
		for t, x := range xs {
			v := float64((float64(x)-from[0])*d[0]) + float64((float64(ys[t])-from[1])*d[1]) + float64((float64(zs[t])-from[2])*d[2])
			if v > best && v-v == 0 {
				best = v
				e.value, e.at = v, mgl64.Vec3{float64(x), float64(ys[t]), float64(zs[t])}
			}
		}
	}
}

// Ring returns, for each form (a, b), the greatest a rho + b z over the finite
// vertices of a source, z being the height of one above a point along an axis and rho
// the distance from that axis.
func Ring(ctx context.Context, source scenes.Source, from, axis mgl64.Vec3, forms [][2]float64) ([]float64, error) {
	workers := runtime.GOMAXPROCS(0)
	best := make([][]float64, workers)
	for w := range best {
		best[w] = make([]float64, len(forms))
		for i := range forms {
			best[w][i] = math.Inf(-1)
		}
	}
	err := scenes.ForEachBlock(ctx, source, workers, func(worker, _ int, b *scenes.Block) error {
		for k := range 3 {
			for t := range b.Len() {
				p := mgl64.Vec3{float64(b.X[k][t]), float64(b.Y[k][t]), float64(b.Z[k][t])}.Sub(from)
				z := dot(p, axis)
				rho := math.Sqrt(math.Max(dot(p, p)-float64(z*z), 0))
				for i, f := range forms {
					if v := float64(f[0]*rho) + float64(f[1]*z); v > best[worker][i] && v-v == 0 {
						best[worker][i] = v
					}
				}
			}
		}
		return nil
	})
	all := best[0]
	for _, of := range best[1:] {
		for i, v := range of {
			all[i] = math.Max(all[i], v)
		}
	}
	return all, err
}

// From returns the greatest distance of a finite vertex from a point, 0 where there
// is none.
func From(ctx context.Context, source scenes.Source, from mgl64.Vec3) (float64, error) {
	workers := runtime.GOMAXPROCS(0)
	best := make([]float64, workers) // squared
	err := scenes.ForEachBlock(ctx, source, workers, func(worker, _ int, b *scenes.Block) error {
		for k := range 3 {
			for t := range b.Len() {
				p := mgl64.Vec3{float64(b.X[k][t]), float64(b.Y[k][t]), float64(b.Z[k][t])}.Sub(from)
				if d := dot(p, p); d > best[worker] && d-d == 0 {
					best[worker] = d
				}
			}
		}
		return nil
	})
	return math.Sqrt(slices.Max(best)), err
}

// dot is the scalar product without fused operations, the same on all machines.
func dot(a, b mgl64.Vec3) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}
