package criterion

// Menon balances if the imbalance time since the last balancing exceeds the cost of balancing: U > C, where U is the
// sum of u. That is optimal if u grows linearly with the age. C is the cost of the last balancing. Until a cost is
// known, Menon never balances. The zero value is ready to use. The state is O(1).
//
// Source: Menon et al., "Automated load balancing invocation based on application characteristics", CLUSTER 2012.
type Menon struct {
	cost lastCost
	sum  float64
}

// Observe adds the iteration's imbalance time.
func (m *Menon) Observe(s Sample) {
	if s.Balanced {
		m.sum = 0
	}
	m.cost.observe(s)
	m.sum += s.Max - s.Mean
}

// Decide compares U, the imbalance time since the last balancing, with the cost of balancing C.
func (m *Menon) Decide() Decision {
	const what = "imbalance time since the last balancing against the cost"
	if !m.cost.known {
		return Decision{What: what}
	}
	return balanceAbove(m.sum, m.cost.value, what)
}

// Boulmier balances if tau u(tau) - U > C, where U is the sum of u since the last balancing. tau is the number of
// iterations since the last balancing, and u the imbalance time of an iteration. If u is drawn against the age, the
// left side is the area between the curve and a horizontal line at the present u. When the rule fires, the cost per
// iteration, (C+U)/tau, has reached its minimum: it would rise even if u stayed the same. C is the cost of the last
// balancing. Until a cost is known, Boulmier never balances. The zero value is ready to use. The state is O(1).
//
// Source: Boulmier, Abdennadher and Chopard, arXiv:2104.01688, equation 14.
type Boulmier struct {
	cost   lastCost
	sum    float64
	last   float64 // u of the last iteration
	length int     // tau
}

// Observe adds the iteration's imbalance time.
func (b *Boulmier) Observe(s Sample) {
	if s.Balanced {
		b.sum, b.length = 0, 0
	}
	b.cost.observe(s)
	b.last = s.Max - s.Mean
	b.sum += b.last
	b.length++
}

// Decide compares tau u(tau) - U, the area above the curve of u, with the cost of balancing C.
func (b *Boulmier) Decide() Decision {
	const what = "area above the imbalance time since the last balancing against the cost"
	if !b.cost.known {
		return Decision{What: what}
	}
	return balanceAbove(float64(float64(b.length)*b.last)-b.sum, b.cost.value, what)
}

// Zhai balances if the degradation D since the last balancing exceeds the cost: D > C. Each iteration adds to D
//
//	median of the last three times - average time of the first Phase iterations after the balancing.
//
// Times are those of the slowest processing element. If Phase is 0, as in the authors' later program, the average is
// over all iterations since the balancing. C is the cost of the last balancing. Until a cost is known, Zhai never
// balances.
//
// Source: Zhai et al. in Boulmier et al., arXiv:2104.01688, Section 3.
type Zhai struct {
	Phase int // number of iterations; 0 means all

	cost    lastCost
	recent  [3]float64 // the last three times; the index is count modulo 3
	count   int        // iterations since the balancing
	average mean
	medians float64 // sum of the medians
	grown   float64 // D with Phase 0
}

// Observe records the time of the slowest processing element.
func (z *Zhai) Observe(s Sample) {
	if s.Balanced {
		z.count, z.average, z.medians, z.grown = 0, mean{}, 0, 0
	}
	z.cost.observe(s)
	z.recent[z.count%3] = s.Max
	z.count++
	if z.Phase <= 0 || z.count <= z.Phase {
		z.average.add(s.Max)
	}
	m := z.median()
	z.medians += m
	z.grown += m - z.average.value()
}

// median returns the median of the last three times, or the mean if there are only two.
func (z *Zhai) median() float64 {
	r := z.recent
	switch z.count {
	case 1:
		return r[0]
	case 2:
		return (r[0] + r[1]) / 2
	}
	return max(min(r[0], r[1]), min(max(r[0], r[1]), r[2]))
}

// Decide compares the degradation D with the cost of balancing C.
func (z *Zhai) Decide() Decision {
	const what = "degradation since the last balancing against the cost"
	if !z.cost.known || z.count == 0 || z.count < z.Phase {
		return Decision{What: what}
	}
	d := z.grown
	if z.Phase > 0 {
		d = z.medians - float64(float64(z.count)*z.average.value())
	}
	return balanceAbove(d, z.cost.value, what)
}
