package criterion

import "math"

// MetaLB balances when the area between two lines exceeds the cost of balancing: those of the slowest time and of the mean
// time, through the iterations since the last balancing, the second raised by what that balancing left. It foretells this
// after five iterations, and anew after each. Where the lines say nothing, since they meet or fall below zero before, it
// takes both times for constant. The cost is that of the last balancing; until one is known it never balances. The zero
// value is ready to use; O(1) state.
//
// The lines are those of least squares. The Charm++ runtime draws them through the means of the two halves of the
// interval, and does not balance where processors are busy for nine tenths of the time.
//
// Source: Menon et al., "Automated load balancing invocation based on application characteristics", CLUSTER 2012.
type MetaLB struct {
	cost      lastCost
	left      float64 // m/mu that the last balancing left
	max, mean line    // of the times, by age
}

// metaLeast is the number of iterations that lines are drawn through at least, as in Charm++.
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

// Decide compares the iterations since the last balancing with those after which it is repaid.
func (m *MetaLB) Decide() Decision {
	const what = "iterations since the last balancing against those whose foretold excess is its cost"
	if !m.cost.known || m.max.n < metaLeast {
		return Decision{What: what}
	}
	return exceeds(float64(m.max.n), m.period(), what)
}

// period returns the number of iterations whose excess is the cost, +Inf if there is none.
func (m *MetaLB) period() float64 {
	slow, rise := m.max.fit()
	mean, growth := m.mean.fit()
	mean, growth = float64(mean*m.left), float64(growth*m.left)
	if x, ok := repaid(slow-mean, rise-growth, m.cost.value); ok && mean+float64(growth*x) >= 0 { // so the slowest is, too
		return x
	}
	if apart := m.max.average() - float64(m.mean.average()*m.left); apart > 0 {
		return m.cost.value / apart
	}
	return math.Inf(1)
}

// repaid returns after how many iterations the excess of first+growth*t, summed up over the ages t, is the cost, and whether
// there is such a time. The excess is then the root below.
func repaid(first, growth, cost float64) (x float64, ok bool) {
	if growth == 0 {
		return cost / first, first > 0
	}
	root := float64(first*first) + float64(2*growth*cost)
	if root < 0 {
		return 0, false // it has passed before
	}
	x = (math.Sqrt(root) - first) / growth
	return x, x > 0
}

// A line is one of least squares through values at 0, 1, 2, ...
type line struct {
	n          int
	sum, timed float64 // of the values, and of those times their places
}

func (l *line) add(y float64) {
	l.timed += float64(float64(l.n) * y)
	l.sum += y
	l.n++
}

func (l *line) average() float64 { return l.sum / float64(l.n) }

// fit returns the line's value at 0 and its slope, of two values or more.
func (l *line) fit() (zero, slope float64) {
	n := float64(l.n)
	middle := (n - 1) / 2
	slope = (l.timed - float64(middle*l.sum)) * 12 / float64(n*(float64(n*n)-1))
	return l.average() - float64(slope*middle), slope
}

// AMReX balances, every so many iterations, when that raises the efficiency mu/m by more than a factor. The present one is
// that of the iterations since it looked last, and the one in prospect the mean over the iterations just after balancings.
// The cost does not count. The zero value is ready to use; O(1) state.
//
// The programs that use the library know the costs of boxes, from which a balancer foretells the efficiency.
//
// Source: Rowan et al., "In-situ assessment of device-side compute work for dynamic load balancing in a GPU-accelerated PIC
// code", PASC 2021, Section 2.2.
type AMReX struct {
	Every     int     // iterations; 0 for 10
	Threshold float64 // by which the efficiency rises; 0 for 1.1

	seen      int
	max, mean float64 // of the iterations since it looked last, in sums
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

// Decide compares the efficiency in prospect with the present one times the factor.
func (a *AMReX) Decide() Decision {
	const what = "efficiency after balancing against the threshold times the present one"
	if a.seen == 0 || a.seen%a.every() != 0 || a.post.n == 0 || !(a.max > 0) {
		return Decision{What: what}
	}
	threshold := a.Threshold
	if threshold == 0 {
		threshold = 1.1
	}
	return exceeds(a.post.value(), float64(threshold*a.mean/a.max), what)
}
