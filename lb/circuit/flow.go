package circuit

import (
	"fmt"
	"math"
	"slices"
)

// A Flow evens out an imbalance that is smooth in space. Other methods need many rounds for such an imbalance, because
// each round moves a load by only a few elements. A Flow first computes how much load must cross each edge for perfect
// balance, as if loads were divisible. It computes this from the elements' totals alone by second-order diffusion,
// which finds the flow with the least sum of squares. Then each matching carries as much of its edge's flow as the
// sender has, round by round, until all of it is carried. [Exchange] picks the loads.
//
// On the way the totals stay between the smallest and largest at the start, as far as the sizes of the loads allow. A
// load may move once per element on its path. To send each load only once, a program can carry out all rounds with the
// loads' numbers alone, and then send the data of each load straight to its last owner. If most loads are pinned,
// [Focus] is better.
//
// Source: flows of least norm, Y. F. Hu and R. J. Blake, "An improved diffusion algorithm for dynamic load balancing",
// 1999; second-order diffusion, S. Muthukrishnan, B. Ghosh and M. H. Schultz, 1998.
type Flow struct {
	// left holds, for each edge in the circuit's order, the flow from U to V that is still to be carried.
	left     []float64
	maxTotal float64 // largest total that an element may have on the way
	minTotal float64 // smallest total that a sender keeps
	fit      Exchange
}

// NewFlow plans the flow for these totals on the edges of c, in a number of diffusion steps. In each step neighbours
// exchange one number. 0 steps means 16 times the square root of the number of elements, which is enough for grids that
// are about square. It costs O(steps times edges).
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
	f.maxTotal, f.minTotal = slices.Max(totals), max(mean/2, slices.Min(totals))
	diffuse(edges, g.MaxDegree(), totals, f.left, steps)
	return f, nil
}

// diffuse makes a number of steps of second-order diffusion on totals. It adds the amount that crosses each edge to
// flow.
func diffuse(edges []Edge, degree int, totals, flow []float64, steps int) {
	alpha := 1 / float64(degree+1)
	lambda := diffusionLambda(edges, alpha, len(totals))
	beta := 2 / (1 + math.Sqrt(1-float64(lambda*lambda)))
	y := append([]float64(nil), totals...)
	step := make([]float64, len(edges))
	factor, inertia := alpha, 0.0 // the first step has no inertia, because no step precedes it
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

// diffusionLambda estimates the second largest eigenvalue of I - alpha L, where L is the graph's Laplacian. It uses
// power iteration from a smooth start, with enough iterations for a disturbance to cross a grid. If the estimate is too
// low, second-order diffusion becomes slower, but not unstable.
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

// Left returns the sum of the flows that are still to be carried.
func (f *Flow) Left() (sum float64) {
	for _, v := range f.left {
		sum += math.Abs(v)
	}
	return sum
}

// Balance plans the matching p. at is the index of the matched edge in the circuit. Several goroutines may call it at
// the same time for different edges.
func (f *Flow) Balance(at int, p Pair, ws *Workspace) {
	sender, amount := uint8(0), f.left[at]
	if amount < 0 {
		sender, amount = 1, -amount
	}
	if amount == 0 {
		return
	}
	// The limits minTotal and maxTotal keep a sender from running empty, and a receiver from becoming heavier than the
	// heaviest element at the start. A later round can send what is not sent now.
	t := p.Totals()
	amount = min(amount, t[sender]-f.minTotal, f.maxTotal-t[1-sender])
	went := f.fit.Transfer(p, sender, amount, 0, ws)
	if sender == 1 {
		went = -went
	}
	f.left[at] -= went
}

// Diffuse does a round of first-order diffusion. It sends over each edge the amount
//
//	(difference of the totals of its ends at the start of the round) / (largest degree + 1),
//
// as nearly as [Exchange] with MaxLoads 1 can. The edges are visited one after the other. Diffuse returns the number of
// moves.
//
// Source: G. Cybenko, "Dynamic load balancing for distributed memory multiprocessors", 1989.
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
