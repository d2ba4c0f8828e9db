package partition

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMoments checks that the moments agree with their definitions, which the test sums point by point in two passes.
func TestMoments(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		r := rand.New(rand.NewPCG(7, uint64(dim)))
		const n = 500
		var c columns
		c.alloc(n, dim, true, true)
		for i := range n {
			c.weight[i] = r.Float64()
			for d := range dim {
				c.at[d][i], c.velocity[d][i] = 3+float64(d+1)*r.NormFloat64(), r.NormFloat64()+float64(d)
				c.velocity[d][i] += 0.5 * c.at[0][i] // makes position and velocity correlated, so that no product vanishes
			}
		}
		b := &bisection{dim: dim, copies: [2]columns{c}}
		got := b.moments(&node{hi: n}, c.weight, needPlaces|needHeadings|needSpeeds|needCentres, &worker{loop: sequential})
		want := plainMoments(&c, n, dim)
		for d := range 3 {
			near := func(what string, a, b float64) {
				if math.Abs(a-b) > 1e-9*(1+math.Abs(b)) {
					t.Errorf("%d dimensions, %s along %d: %v, want %v", dim, what, d, a, b)
				}
			}
			near("mean", got.mean[d], want.mean[d])
			near("heading", got.heading[d], want.heading[d])
			near("flow", got.flow[d], want.flow[d])
			near("lever", got.rotation[d], want.rotation[d])
			near("swing", got.convergence[d], want.convergence[d])
			for e := range 3 {
				near("covariance", got.cov[d][e], want.cov[d][e])
				near("speed", got.speed[d][e], want.speed[d][e])
			}
		}
	}
}

func plainMoments(c *columns, n, dim int) (m moments) {
	row := func(columns [3][]float64, i int) (a [3]float64) {
		for d := range dim {
			a[d] = columns[d][i]
		}
		return a
	}
	total := 0.0
	for i := range n {
		total += c.weight[i]
		for d, x := range row(c.at, i) {
			m.mean[d] += c.weight[i] * x
		}
	}
	for d := range m.mean {
		m.mean[d] /= total
	}
	for i := range n {
		w, x, v := c.weight[i]/total, row(c.at, i), row(c.velocity, i)
		for d := range x {
			x[d] -= m.mean[d]
		}
		u, _ := unit(v)
		for d := range 3 {
			m.heading[d] += w * u[d]
			m.flow[d] += w * v[d]
			m.rotation[d] += w * v[d] * dot(v, x)
			m.convergence[d] += w * (dot(v, v)*x[d] - v[d]*dot(v, x))
			for e := range 3 {
				m.cov[d][e] += w * x[d] * x[e]
				m.speed[d][e] += w * v[d] * v[e]
			}
		}
	}
	return m
}
