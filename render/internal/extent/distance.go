package extent

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// MaxForms returns, for each form (a, b), the greatest value of a*rho + b*z over the finite vertices of a source. rho
// is the distance of a vertex from an axis, and z its height along the axis. The axis is the line through the point
// `from` in the direction `axis`; z is 0 at that point. The vertices of a scenes.Points are the centres of its points.
func MaxForms(ctx context.Context, source scenes.Source, from, axis mgl64.Vec3, forms [][2]float64) ([]float64, error) {
	if g, ok := source.(Grouped); ok {
		if best, err := maxFormsOfGroups(ctx, g, from, axis, forms); !isDamage(err) {
			return best, err
		}
	}
	workers := runtime.GOMAXPROCS(0)
	best := make([][]float64, workers)
	for w := range best {
		best[w] = make([]float64, len(forms))
		for i := range forms {
			best[w][i] = math.Inf(-1)
		}
	}
	err := scenes.ForEachBlock(ctx, verticesOf(source), workers, func(worker, _ int, b *scenes.Block) error {
		raiseForms(best[worker], b, from, axis, forms)
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

// raiseForms raises best[i] to the greatest value of forms[i] over the vertices of a block, see MaxForms.
func raiseForms(best []float64, b *scenes.Block, from, axis mgl64.Vec3, forms [][2]float64) {
	for k := range 3 {
		for t := range b.Len() {
			p := mgl64.Vec3{float64(b.X[k][t]), float64(b.Y[k][t]), float64(b.Z[k][t])}.Sub(from)
			z := dot(p, axis)
			rho := math.Sqrt(math.Max(dot(p, p)-float64(z*z), 0))
			for i, f := range forms {
				if v := float64(f[0]*rho) + float64(f[1]*z); v > best[i] && v-v == 0 {
					best[i] = v
				}
			}
		}
	}
}

// FarthestDistance returns the distance from the point `from` to the farthest finite vertex, or 0 if there is none.
// The vertices of a scenes.Points are the centres of its points.
func FarthestDistance(ctx context.Context, source scenes.Source, from mgl64.Vec3) (float64, error) {
	if g, ok := source.(Grouped); ok {
		if best, err := farthestOfGroups(ctx, g, from); !isDamage(err) {
			return best, err
		}
	}
	workers := runtime.GOMAXPROCS(0)
	best := make([]float64, workers) // square of the largest distance that each worker found
	err := scenes.ForEachBlock(ctx, verticesOf(source), workers, func(worker, _ int, b *scenes.Block) error {
		best[worker] = max(best[worker], farthestFrom(b, from))
		return nil
	})
	return math.Sqrt(slices.Max(best)), err
}

// farthestFrom returns the square of the greatest distance from the point `from` to a finite vertex of a block, or 0
// if there is none.
func farthestFrom(b *scenes.Block, from mgl64.Vec3) (best float64) {
	for k := range 3 {
		for t := range b.Len() {
			p := mgl64.Vec3{float64(b.X[k][t]), float64(b.Y[k][t]), float64(b.Z[k][t])}.Sub(from)
			if d := dot(p, p); d > best && d-d == 0 {
				best = d
			}
		}
	}
	return best
}

// dot returns the scalar product. It does not use fused multiply-add, so all machines get the same result.
func dot(a, b mgl64.Vec3) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}
