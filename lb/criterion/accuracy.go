package criterion

import "math"

// An accuracy compares three forecasts of an iteration's imbalance: the curve of earlier intervals, the last
// iteration's imbalance, and a line that starts at the interval's first imbalance and rises as fast as the imbalance
// grew before the interval. The curve is trusted while its errors are smaller than the errors of the second forecast.
type accuracy struct {
	All  losses // errors in all intervals; each interval weighs half as much as the interval after it
	Here losses // errors in this interval
}

// losses are sums of absolute errors.
type losses struct {
	Curve, Last float64
	Line        float64 // errors of a line that starts at the first iteration's imbalance and has the slope of the time before the interval
	Size        float64 // sum of the imbalances
}

func (l *losses) add(m losses) {
	l.Curve += m.Curve
	l.Last += m.Last
	l.Line += m.Line
	l.Size += m.Size
}

func (m *accuracy) begin() {
	m.All = losses{m.All.Curve / 2, m.All.Last / 2, m.All.Line / 2, m.All.Size / 2}
	m.Here = losses{}
}

// judge adds the absolute errors of the three forecasts for sample s to the sums.
func (m *accuracy) judge(past *curve, r *regret, s Sample) {
	if r.Age == 0 || r.Age >= r.Known || s.Mean <= 0 {
		return
	}
	now := s.imbalance()
	line := r.Fresh + float64(r.Slope*float64(r.Age))
	loss := losses{math.Abs(now - past.at(past.bucket(r.Age))), math.Abs(now - r.Last), math.Abs(now - line), math.Abs(now)}
	m.All.add(loss)
	m.Here.add(loss)
}

// roundoff is the fraction of a sum of imbalances by which the curve's quotients may be wrong through rounding. Without
// it an exactly flat curve would be judged worse than the last value, although both are equal.
const roundoff = 1e-9

func (m *accuracy) trusted() bool { return m.All.Curve <= m.All.Last+float64(roundoff*m.All.Size) }

// failed reports whether the curve forecast this interval badly. If there is only noise, the curve and the last value
// have about equal sums of errors; over a few dozen iterations chance does not make one sum half as large again as the
// other.
func (m *accuracy) failed() bool {
	return m.Here.Curve > float64(1.5*m.Here.Last)+float64(roundoff*m.Here.Size)
}

// timely reports whether the line forecast the intervals at least as well as the curve. In that case the imbalance
// grows with time rather than with the age.
func (m *accuracy) timely() bool { return m.All.Line <= m.All.Curve }
