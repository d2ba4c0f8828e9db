package criterion

import "math"

// A forecastErrors holds the errors of three forecasts of an iteration's imbalance:
//   - the curve of earlier intervals,
//   - the last iteration's imbalance,
//   - a line from the interval's first imbalance, with the slope that the imbalance had before the interval.
//
// The curve is trusted while its errors are at most those of the last iteration's imbalance.
type forecastErrors struct {
	All  errorSums // in all intervals; an interval counts half as much as the interval after it
	Here errorSums // in this interval
}

// An errorSums holds sums of absolute errors.
type errorSums struct {
	Curve, Last float64
	Line        float64 // errors of the line, see forecastErrors
	Size        float64 // sum of the imbalances that were forecast
}

func (l *errorSums) add(m errorSums) {
	l.Curve += m.Curve
	l.Last += m.Last
	l.Line += m.Line
	l.Size += m.Size
}

func (m *forecastErrors) begin() {
	m.All = errorSums{m.All.Curve / 2, m.All.Last / 2, m.All.Line / 2, m.All.Size / 2}
	m.Here = errorSums{}
}

// addErrors adds the absolute errors of the three forecasts of sample s.
func (m *forecastErrors) addErrors(past *curve, r *intervalState, s Sample) {
	if r.Age == 0 || r.Age >= r.Known || s.Mean <= 0 {
		return
	}
	now := s.imbalance()
	line := r.Fresh + float64(r.Slope*float64(r.Age))
	loss := errorSums{math.Abs(now - past.at(past.bucket(r.Age))), math.Abs(now - r.Last), math.Abs(now - line), math.Abs(now)}
	m.All.add(loss)
	m.Here.add(loss)
}

// roundoff is the relative rounding error that comparisons of imbalances allow. The curve's values are quotients and
// may be wrong by this fraction. Without roundoff, a constant imbalance would make the curve seem worse than the last
// value.
const roundoff = 1e-9

func (m *forecastErrors) trusted() bool {
	return m.All.Curve <= m.All.Last+float64(roundoff*m.All.Size)
}

// failed reports whether the curve forecast this interval badly: its errors exceed 1.5 times those of the last value.
// If the imbalance is only noise, both sums are about equal. Over a few dozen iterations they do not differ by a factor
// of 1.5 by chance.
func (m *forecastErrors) failed() bool {
	return m.Here.Curve > float64(1.5*m.Here.Last)+float64(roundoff*m.Here.Size)
}

// growsWithTime reports whether the line was at least as good a forecast as the curve, see forecastErrors. The
// imbalance then grows with time rather than with the age.
func (m *forecastErrors) growsWithTime() bool { return m.All.Line <= m.All.Curve }
