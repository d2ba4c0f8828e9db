package criterion

import "math"

// Pearce balances if the benefit of balancing exceeds its cost. The benefit is
//
//	(time of the last iteration - its time if balanced) * (iterations since the last balancing).
//
// So the rule assumes that a balancing lasts as long as the last one has lasted so far. The time if balanced is the
// mean time, divided by the efficiency that earlier balancings reached. The cost is that of the last balancing. Until a
// cost is known, Pearce never balances. The zero value is ready to use. The state is O(1).
//
// [Procassini] is similar, but there a balancing must save its cost in one iteration. In the original of Pearce's rule,
// the user says for how many iterations a balancing lasts, and simulations of the available balancers give benefit and
// cost.
//
// Source: Pearce et al., "Quantifying the effectiveness of load balance algorithms", ICS 2012.
type Pearce struct {
	last   Sample
	cost   lastCost
	post   mean // efficiency just after balancing
	length int  // iterations since the last balancing
}

// Observe keeps the sample and learns the efficiency after balancings.
func (p *Pearce) Observe(s Sample) {
	if (s.Balanced || p.post.n == 0) && s.Max > 0 {
		p.post.add(s.Mean / s.Max)
	}
	if s.Balanced {
		p.length = 0
	}
	p.length++
	p.last = s
	p.cost.observe(s)
}

// Decide compares the benefit with the cost.
func (p *Pearce) Decide() Decision {
	const what = "time that balancing saves in as many iterations as the last one has lasted against the cost"
	if !p.cost.known || p.post.n == 0 {
		return Decision{What: what}
	}
	with := p.last.Mean
	if e := p.post.value(); e > 0 {
		with /= e
	}
	return balanceAbove(float64((p.last.Max-with)*float64(p.length)), p.cost.value, what)
}

// LinearInterval returns tau, the best number of iterations between balancings, and the rho with which Procassini's
// rule balances after tau iterations. It assumes that the imbalance time grows by slope in every iteration, from 0
// after a balancing, and that the mean time is load:
//
//	tau = sqrt(2 cost / slope),  rho = (load + cost) / (load + slope tau)
//
// Menon's rule has the same tau. Both formulas are for continuous time. rho depends on cost, slope and load. So no
// single rho suits two applications, nor an application whose mean load changes. cost, slope and load must be above 0.
//
// Source: Boulmier et al., arXiv:2104.01688, equation 12 and Remark 2.
func LinearInterval(cost, slope, load float64) (tau, rho float64) {
	tau = math.Sqrt(2 * cost / slope)
	return tau, (load + cost) / (load + float64(slope*tau))
}
