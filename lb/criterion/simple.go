package criterion

// Never is the criterion that never balances. The zero value is ready to use.
type Never struct{}

// Observe does nothing.
func (Never) Observe(Sample) {}

// Decide says not to balance.
func (Never) Decide() Decision { return Decision{What: "never balance"} }

// Always is the criterion that balances before every iteration. The zero value is ready to use.
type Always struct{}

// Observe does nothing.
func (Always) Observe(Sample) {}

// Decide says to balance.
func (Always) Decide() Decision { return Decision{Balance: true, Value: 1, What: "always balance"} }

// Periodic balances before iterations Period, 2 Period, 3 Period, and so on. The zero value never balances.
type Periodic struct {
	Period int // in iterations; 0 means never
	seen   int
}

// Observe counts the iteration.
func (p *Periodic) Observe(Sample) { p.seen++ }

// Decide compares the number of iterations since the last multiple of Period with Period-1.
func (p *Periodic) Decide() Decision {
	const what = "iterations in this period against one less than the period"
	if p.Period <= 0 || p.seen == 0 {
		return Decision{What: what}
	}
	done := (p.seen-1)%p.Period + 1
	return balanceAbove(float64(done), float64(p.Period-1), what)
}

// Marquez balances if the time of some processing element is below (1 - Tolerance) or above (1 + Tolerance) times the
// mean time. The zero value tolerates no difference at all.
//
// Source: Marquez et al. in Boulmier et al., arXiv:2104.01688, equation 3. Here it is applied to the times of the last
// iteration.
type Marquez struct {
	Tolerance float64 // xi, as a fraction of the mean
	last      Sample
}

// Observe keeps the iteration's extremes.
func (m *Marquez) Observe(s Sample) { m.last = s }

// Decide compares the largest distance of a time from the mean with the tolerated distance.
func (m *Marquez) Decide() Decision {
	far := max(m.last.Max-m.last.Mean, m.last.Mean-m.last.Min)
	return balanceAbove(far, m.Tolerance*m.last.Mean, "greatest distance from the mean time against the tolerated one")
}

// Procassini balances if mu/e + C < Rho m. The left side is the predicted time of the next iteration after balancing,
// plus the cost of balancing. The right side is Rho times the time of that iteration without balancing. m is the time
// of the slowest processing element, mu the mean time, and C the cost of balancing. e is the parallel efficiency mu/m
// that a balancing reaches. It is averaged over the iterations just after a balancing. Until a cost is known,
// Procassini never balances. A Rho of 0 means 0.9, the original's value, with which a balancing must pay for itself in
// one iteration.
//
// Source: Procassini et al. in Boulmier et al., arXiv:2104.01688, equations 4 and 5.
type Procassini struct {
	Rho  float64
	last Sample
	cost lastCost
	post mean // efficiency just after balancing
}

// Observe keeps the sample and learns the efficiency after balancings.
func (p *Procassini) Observe(s Sample) {
	if (s.Balanced || p.post.n == 0) && s.Max > 0 {
		p.post.add(s.Mean / s.Max)
	}
	p.last = s
	p.cost.observe(s)
}

// Decide compares Rho m with mu/e + C, see Procassini for the symbols.
func (p *Procassini) Decide() Decision {
	const what = "rho times the last iteration's time against its time if balanced plus the cost"
	if !p.cost.known || p.post.n == 0 {
		return Decision{What: what}
	}
	rho := p.Rho
	if rho == 0 {
		rho = 0.9
	}
	with := p.last.Mean
	if e := p.post.value(); e > 0 {
		with /= e
	}
	return balanceAbove(rho*p.last.Max, with+p.cost.value, what)
}

// lastCost is the cost of the last balancing.
type lastCost struct {
	value float64
	known bool
}

func (c *lastCost) observe(s Sample) {
	if s.Balanced {
		c.value, c.known = s.Cost, true
	}
}

// mean is a running arithmetic mean.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum += x; m.n++ }

func (m *mean) value() float64 { return m.sum / float64(m.n) }
