package criterion

import "math"

// An announced holds statistics of the changes of the work that a program announces with Sample.Until.
type announced struct {
	Until        int     // iterations until the next announced change; 0 means none
	Period       level   // number of iterations from one change to the next
	Seen         int     // number of announced changes that came, except at the start of an interval
	Growth       float64 // sum of the changes of the imbalance I at announced changes of the work
	Jumps, Drift float64 // sums of |change of I|: at announced changes of the work, and between them
}

// jumpShare says when decideAnnounced is used. A jump is a change of the imbalance I at an announced change of the
// work. decideAnnounced assumes that I changes only in jumps. It is used if jumps make up more than jumpShare of all
// changes of I.
const jumpShare = 0.75

// observe records an iteration. Call it before r.add records the same iteration.
func (s *announced) observe(sample Sample, r *intervalState) {
	came := s.Until == 1
	if r.Age > 0 {
		change := sample.imbalance() - r.Last
		if came {
			s.Seen++
			s.Growth += change
			s.Jumps += math.Abs(change)
		} else {
			s.Drift += math.Abs(change)
		}
	}
	until := max(0, min(sample.Until, math.MaxInt32)) // Restore accepts only these values
	if until > s.Until || came && until > 0 {
		s.Period.add(float64(until))
	}
	s.Until = until
}

// dominates reports whether the imbalance changes mostly at announced changes of the work.
func (s *announced) dominates() bool {
	return s.Until > 0 && s.Jumps > float64(jumpShare*(s.Jumps+s.Drift))
}

// growth returns by how much an announced change of the work raises the imbalance on average. It is at least 0.
func (s *announced) growth() float64 { return max(0, s.Growth/float64(max(1, s.Seen))) }

// decideAnnounced decides between announced changes of the work. It assumes that the imbalance grows at these changes
// alone, by the same amount at each. Balancing now costs C, and the work stays balanced until the next change. The
// alternative is to balance right after the next change. Then the present imbalance is paid in each iteration until
// that change, but the balancing lasts for a whole period. So decideAnnounced balances if the imbalance until the next
// change costs more than the best schedule costs in a period, see cheapestCycle.
func (h *Bounded) decideAnnounced(cost, load float64) Decision {
	s := &h.s
	now := max(0, s.Regret.Last-s.residual()) * load
	grown := s.Steps.growth() * load * s.Steps.Period.forecast()
	return balanceAbove(now*float64(s.Steps.Until), cheapestCycle(cost, grown), reasonAnnounced)
}

// cheapestCycle returns the least of (cost + growth*k*(k-1)/2) / k over whole numbers k >= 1, or 0 without growth. A
// period is the time from one announced change to the next. The expression is the cost per period if the work is
// balanced once in k periods. The imbalance then costs nothing in the first of the k periods, growth in the second,
// 2*growth in the third, and so on.
func cheapestCycle(cost, growth float64) float64 {
	if growth == 0 {
		return 0
	}
	of := func(k float64) float64 { return cost/k + growth*(k-1)/2 }
	k := max(2, math.Floor(math.Sqrt(2*(cost/growth))))
	return min(cost, of(k), of(k+1)) // cost is the value for k = 1; of(1) would be NaN if growth is infinite
}
