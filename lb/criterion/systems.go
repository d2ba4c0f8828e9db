package criterion

import "math"

// MetaLB balances once the area between two lines exceeds the cost of the last balancing. One line is a least squares
// fit of the slowest times since that balancing. The other is a fit of the mean times, multiplied by the ratio m/mu
// that the balancing left. If the lines meet or fall below zero before that area is reached, both times are taken as
// constant.
//
// MetaLB waits for five iterations after a balancing. Until a cost is known, it never balances. The zero value is ready
// to use. The state is O(1).
//
// The Charm++ runtime instead draws the lines through the means of the two halves of the interval. It does not balance
// if processors are busy for nine tenths of the time.
//
// Source: Menon et al., "Automated load balancing invocation based on application characteristics", CLUSTER 2012.
type MetaLB struct {
	cost      lastCost
	left      float64 // ratio m/mu that the last balancing left
	max, mean line    // fits of the times by age
}

// metaLeast is the least number of iterations for a fit, as in Charm++.
const metaLeast = 5

// Observe adds the iteration to the lines.
func (m *MetaLB) Observe(s Sample) {
	if s.Balanced || m.max.n == 0 {
		m.max, m.mean, m.left = line{}, line{}, 1+s.imbalance()
	}
	m.cost.observe(s)
	m.max.add(s.Max)
	m.mean.add(s.Mean)
}

// Decide compares the number of iterations since the last balancing with the number after which the predicted excess
// equals the cost.
func (m *MetaLB) Decide() Decision {
	const what = "iterations since the last balancing against those after which the predicted excess equals the cost"
	if !m.cost.known || m.max.n < metaLeast {
		return Decision{What: what}
	}
	return balanceAbove(float64(m.max.n), m.period(), what)
}

// period returns the number of iterations after which the predicted excess equals the cost, or +Inf if it never does.
func (m *MetaLB) period() float64 {
	slow, rise := m.max.fit()
	mean, growth := m.mean.fit()
	mean, growth = float64(mean*m.left), float64(growth*m.left)
	// The mean time cannot be negative. If a line predicts a negative mean time, the times are taken as constant.
	if x, ok := repaid(slow-mean, rise-growth, m.cost.value); ok && mean+float64(growth*x) >= 0 {
		return x
	}
	if apart := m.max.average() - float64(m.mean.average()*m.left); apart > 0 {
		return m.cost.value / apart
	}
	return math.Inf(1)
}

// repaid returns the x for which the integral of first + growth*t from 0 to x equals cost. ok is false if there is
// none.
func repaid(first, growth, cost float64) (x float64, ok bool) {
	if growth == 0 {
		return cost / first, first > 0
	}
	root := float64(first*first) + float64(2*growth*cost)
	if root < 0 {
		return 0, false // the excess falls to 0 before its integral reaches cost
	}
	x = (math.Sqrt(root) - first) / growth
	return x, x > 0
}

// A line is a least squares fit of values at 0, 1, 2, ...
type line struct {
	n          int
	sum, timed float64 // sum of the values, and of each value times its position
}

func (l *line) add(y float64) {
	l.timed += float64(float64(l.n) * y)
	l.sum += y
	l.n++
}

func (l *line) average() float64 { return l.sum / float64(l.n) }

// fit returns the line's value at 0 and its slope. It needs at least two values.
func (l *line) fit() (zero, slope float64) {
	n := float64(l.n)
	middle := (n - 1) / 2
	slope = (l.timed - float64(middle*l.sum)) * 12 / float64(n*(float64(n*n)-1))
	return l.average() - float64(slope*middle), slope
}

// AMReX decides at regular intervals of Every iterations. It balances if that is expected to raise the efficiency mu/m
// by more than the factor Threshold. The present efficiency is measured over the iterations since the last decision.
// The expected efficiency is the mean over the iterations just after balancings. The cost does not matter. The zero
// value is ready to use. The state is O(1).
//
// Programs that use the AMReX library instead know the costs of boxes, from which a balancer predicts the efficiency.
//
// Source: Rowan et al., "In-situ assessment of device-side compute work for dynamic load balancing in a GPU-accelerated
// PIC code", PASC 2021, Section 2.2.
type AMReX struct {
	Every     int     // number of iterations between decisions; 0 means 10
	Threshold float64 // factor by which the efficiency must rise; 0 means 1.1

	seen      int
	max, mean float64 // sums over the iterations since the last decision
	post      mean    // efficiency just after balancing
}

// Observe adds up the times.
func (a *AMReX) Observe(s Sample) {
	if (s.Balanced || a.post.n == 0) && s.Max > 0 {
		a.post.add(s.Mean / s.Max)
	}
	if a.seen%a.every() == 0 {
		a.max, a.mean = 0, 0
	}
	a.seen++
	a.max += s.Max
	a.mean += s.Mean
}

func (a *AMReX) every() int {
	if a.Every > 0 {
		return a.Every
	}
	return 10
}

// Decide compares the expected efficiency with Threshold times the present one.
func (a *AMReX) Decide() Decision {
	const what = "efficiency after balancing against the threshold times the present one"
	if a.seen == 0 || a.seen%a.every() != 0 || a.post.n == 0 || !(a.max > 0) {
		return Decision{What: what}
	}
	threshold := a.Threshold
	if threshold == 0 {
		threshold = 1.1
	}
	return balanceAbove(a.post.value(), float64(threshold*a.mean/a.max), what)
}
