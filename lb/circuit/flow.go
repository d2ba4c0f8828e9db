package circuit

import (
	"fmt"
	"math"
	"slices"
)

// A Flow balances an imbalance that is smooth in space, against which ten
// rounds of any circuit gain little because each moves load by a few elements
// only. It first computes on the elements' totals, as if loads were divisible,
// how much must flow over each edge for perfect balance: second-order
// diffusion, whose flow has the least sum of squares. The messages are
// scalars. Then, round by round, each matching carries as much of its edge's
// flow as the sender holds, with [Exchange] picking the loads, until the flow
// is realised.
//
// On the way elements get heavier or lighter, within the extremes at the start
// as far as the fit allows. A load may be moved once per element on its path; if the plan is carried out on the loads'
// names first, only the last owner needs its data, so that the number of loads
// with a new owner, not the moves, is the price. A flow needs mobility: under
// a rule that pins most loads [Focus] is better.
//
// Source: flows of least norm, Y. F. Hu and R. J. Blake, "An improved
// diffusion algorithm for dynamic load balancing", 1999; second-order
// diffusion, S. Muthukrishnan, B. Ghosh and M. H. Schultz, 1998.
type Flow struct {
	left []float64 // flow from U to V still to come, by edge in the circuit's order
	most float64   // what an element may hold on the way
	keep float64   // what a sender keeps
	fit  Exchange
}

// NewFlow plans the flow for the given totals on the edges of c, steps scalar
// exchanges long; 0 means 16 times the square root of the number of elements,
// enough for grids that are about square. Cost O(steps times edges).
func NewFlow(g *Graph, c Circuit, totals []float64, steps int) (*Flow, error) {
	if len(totals) != g.Elements() || len(totals) == 0 {
		return nil, fmt.Errorf("circuit: %d totals for %d elements", len(totals), g.Elements())
	}
	var edges []Edge
	for _, m := range c.Matchings {
		edges = append(edges, m...)
	}
	if steps <= 0 {
		steps = 16 * int(math.Sqrt(float64(len(totals)))+1)
	}
	f := &Flow{left: make([]float64, len(edges)), fit: Exchange{MaxLoads: 2}}
	mean := 0.0
	for _, t := range totals {
		mean += t / float64(len(totals))
	}
	f.most, f.keep = slices.Max(totals), max(mean/2, slices.Min(totals))
	diffuse(edges, g.MaxDegree(), totals, f.left, steps)
	return f, nil
}

// diffuse adds to flow what second-order diffusion moves.
func diffuse(edges []Edge, degree int, totals, flow []float64, steps int) {
	alpha := 1 / float64(degree+1)
	lambda := diffusionLambda(edges, alpha, len(totals))
	beta := 2 / (1 + math.Sqrt(1-float64(lambda*lambda)))
	y := append([]float64(nil), totals...)
	step := make([]float64, len(edges))
	factor, inertia := alpha, 0.0 // the first step has no predecessor
	for range steps {
		for i, e := range edges {
			step[i] = float64(factor*(y[e.U]-y[e.V])) + float64(inertia*step[i])
		}
		for i, e := range edges {
			flow[i] += step[i]
			y[e.U] -= step[i]
			y[e.V] += step[i]
		}
		factor, inertia = beta*alpha, beta-1
	}
}

// diffusionLambda estimates the second largest eigenvalue of I - alpha L, L
// being the graph's Laplacian, by power iteration on a smooth start. The
// iterations are as many as let a disturbance cross a grid; the estimate is
// low rather than high, for which second-order diffusion is slower, not
// unstable.
func diffusionLambda(edges []Edge, alpha float64, n int) float64 {
	x, d := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(i) - float64(n-1)/2 // orthogonal to the constant vector
	}
	lambda := 0.0
	for range 4*int(math.Sqrt(float64(n))) + 20 {
		clear(d)
		for _, e := range edges {
			t := alpha * (x[e.U] - x[e.V])
			d[e.U] -= t
			d[e.V] += t
		}
		var dot, norm, next float64
		for i := range x {
			y := x[i] + d[i]
			dot += float64(x[i] * y)
			norm += float64(x[i] * x[i])
			next += float64(y * y)
			x[i] = y
		}
		if next == 0 {
			return 0
		}
		lambda = dot / norm
		scale := 1 / math.Sqrt(next)
		for i := range x {
			x[i] *= scale
		}
	}
	return min(max(lambda, 0), 1-1e-12)
}

// Left returns how much flow is still to come, the sum over all edges.
func (f *Flow) Left() (sum float64) {
	for _, v := range f.left {
		sum += math.Abs(v)
	}
	return sum
}

// Balance plans the matching of the at-th edge of the circuit. Several
// goroutines may call it for different edges.
func (f *Flow) Balance(at int, p Pair, ws *Workspace) {
	sender, amount := uint8(0), f.left[at]
	if amount < 0 {
		sender, amount = 1, -amount
	}
	if amount == 0 {
		return
	}
	// What comes later can be sent later: no element runs dry while the flow
	// passes through it, and none gets heavier than the heaviest was.
	t := p.Totals()
	amount = min(amount, t[sender]-f.keep, f.most-t[1-sender])
	went := f.fit.Transfer(p, sender, amount, 0, ws)
	if sender == 1 {
		went = -went
	}
	f.left[at] -= went
}

// Diffuse does a round of first-order diffusion: over every edge goes the
// difference of the ends' totals at the start of the round, over one more than the
// greatest degree, as near as [Exchange] with one load in its fit comes. All edges
// send at the same time by the totals of the start, so no circuit is needed; they
// are visited one after the other here, each with the loads that are left. It
// returns the number of moves.
//
// Source: G. Cybenko, "Dynamic load balancing for distributed memory
// multiprocessors", 1989.
func (n *Network) Diffuse(ws *Workspace) (moves int) {
	ws = orNew(ws)
	totals, share := n.Totals(), 1/float64(n.Graph.MaxDegree()+1)
	return n.RoundOf(func(_ int, e Edge, p Pair) {
		sender, from, to := uint8(0), e.U, e.V
		if totals[e.V] > totals[e.U] {
			sender, from, to = 1, e.V, e.U
		}
		Exchange{MaxLoads: 1}.Transfer(p, sender, share*(totals[from]-totals[to]), 0, ws)
	})
}
