package sharing

import (
	"math"
	"testing"
)

// The four values have a mean of 5 and a standard deviation of sqrt(20/3). Student's quantile for three degrees of
// freedom is 3.182.
func TestStatistics(t *testing.T) {
	var rows []Row
	for _, seconds := range []float64{2, 4, 6, 8} {
		rows = append(rows, Row{Seconds: seconds})
	}
	s := summarize(rows, func(r Row) float64 { return r.Seconds })
	if s.mean != 5 || s.most != 8 || s.least != 2 || math.Abs(s.deviation-math.Sqrt(20./3)) > 1e-12 {
		t.Errorf("%+v", s)
	}
	if want := 3.182 * math.Sqrt(20./3) / 2; math.Abs(s.halfWidth()-want) > 1e-12 {
		t.Errorf("half is %v, want %v", s.halfWidth(), want)
	}
	if one := summarize(rows[:1], func(r Row) float64 { return r.Seconds }); !math.IsNaN(one.halfWidth()) || one.deviation != 0 {
		t.Errorf("of one: %+v", one)
	}
}
