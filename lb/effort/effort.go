// Package effort measures what a method of balancing costs, as time per iteration from one balancing to the next. It
// divides the cost into parts by cause, and chooses the method of least cost.
//
// An interval is the part of a run from one balancing to the next. Its effort is the time per iteration that perfectly
// balanced work would not have taken:
//
//	(sum of max - mean over the iterations + cost of the balancing that began the interval) / iterations
//
// Here max is the time of the slowest processing element in an iteration, and mean the mean time. max - mean is called
// the imbalance time. Effort compares methods even if their intervals differ in length.
//
// Source: Boulmier, Abdennadher and Chopard, "Towards informed partitioning for load balancing", arXiv:2108.11099,
// Section 3, equation 5. The paper does not say how to separate the causes. The division into Cost, Residual and Growth
// of an [Interval] is ours, and so is [Selector].
package effort

import "lockstep/lb/criterion"

// An Interval is the part of a run from one balancing to the next. All times share one unit.
type Interval struct {
	// First is the first iteration after the balancing. Length is the number of iterations.
	First, Length int
	// Cost is the time that the balancing took.
	Cost float64
	// Residual is the imbalance time that the balancing left. Growth is the imbalance time that came later. Each
	// iteration adds to Residual at most the imbalance time of the interval's first iteration. It adds the rest of its
	// imbalance time to Growth.
	Residual, Growth float64
	// Mean is the sum of the mean times of the iterations.
	Mean float64
}

// Effort returns (Cost + Residual + Growth) / Length, or 0 if the interval is empty.
func (i Interval) Effort() float64 {
	if i.Length == 0 {
		return 0
	}
	return (i.Cost + i.Residual + i.Growth) / float64(i.Length)
}

// Relative returns the effort divided by the mean time of an iteration. It compares intervals even if the amount of
// work changes. It is 0 if there is no work.
func (i Interval) Relative() float64 {
	if i.Mean == 0 {
		return 0
	}
	return (i.Cost + i.Residual + i.Growth) / i.Mean
}

// A Meter divides a run into intervals. The zero value is ready to use.
type Meter struct {
	closed []Interval
	open   Interval
	left   float64 // imbalance time of the interval's first iteration
	next   int
}

// Observe records the next iteration. A sample whose Balanced is set begins an interval. The first sample always begins
// an interval. If its Balanced is not set, the interval's cost is 0.
func (m *Meter) Observe(s criterion.Sample) {
	u := max(0, s.Max-s.Mean)
	if s.Balanced || m.next == 0 {
		if m.open.Length > 0 {
			m.closed = append(m.closed, m.open)
		}
		m.open = Interval{First: m.next}
		if s.Balanced {
			m.open.Cost = s.Cost
		}
		m.left = u
	}
	m.open.Length++
	m.open.Residual += min(u, m.left)
	m.open.Growth += max(0, u-m.left)
	m.open.Mean += s.Mean
	m.next++
}

// Open returns the current interval.
func (m *Meter) Open() Interval { return m.open }

// Intervals returns all intervals, including the current one.
func (m *Meter) Intervals() []Interval {
	all := append([]Interval(nil), m.closed...)
	if m.open.Length > 0 {
		all = append(all, m.open)
	}
	return all
}

// Total returns the sums over all intervals.
func (m *Meter) Total() Interval {
	var t Interval
	for _, i := range m.Intervals() {
		t.Length += i.Length
		t.Cost += i.Cost
		t.Residual += i.Residual
		t.Growth += i.Growth
		t.Mean += i.Mean
	}
	return t
}
