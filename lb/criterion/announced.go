package criterion

import "math"

// announced are the changes of the work that a program announces.
type announced struct {
	Until        int     // iterations until the next one; 0 where none is announced
	Period       level   // iterations from one to the next
	Seen         int     // those that came within an interval, whose imbalance before them is known
	Growth       float64 // sum of the changes of I at those
	Jumps, Drift float64 // sums of the sizes of the changes of I at those, and between them
}

// jumpShare is the share of all changes of the imbalance that has to come at announced steps for these to be gone by: the
// rule for them takes the imbalance to stay as it is in between.
const jumpShare = 0.75

// observe takes in an iteration, before r does.
func (s *announced) observe(sample Sample, r *regret) {
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
	until := max(0, min(sample.Until, math.MaxInt32)) // what a stored state may hold
	if until > s.Until || came && until > 0 {
		s.Period.add(float64(until))
	}
	s.Until = until
}

// rule reports that the imbalance changes at the steps.
func (s *announced) rule() bool { return s.Until > 0 && s.Jumps > float64(jumpShare*(s.Jumps+s.Drift)) }

// growth returns by how much a step changes the imbalance, in the mean.
func (s *announced) growth() float64 { return max(0, s.Growth/float64(max(1, s.Seen))) }

// stepped decides between changes of the work that are announced. Let the imbalance grow at them alone, by as much at each,
// and let the best cycle be that of the number of changes whose cost for each is least. Who balances now pays C and is in
// balance until the next change; who waits for that pays the present imbalance in each iteration until then, and is in
// balance for a whole period after it. So it balances if the imbalance until the next change costs more than the best cycle
// does in a period.
func (h *Bounded) stepped(cost, load float64) Decision {
	s := &h.s
	now := max(0, s.Regret.Last-s.left()) * load
	grown := s.Steps.growth() * load * s.Steps.Period.forecast()
	return exceeds(now*float64(s.Steps.Until), cheapestCycle(cost, grown), whatStep)
}

// cheapestCycle returns the least of (cost + growth k(k-1)/2) / k over whole numbers k: what each of the k periods from a
// balancing to the next costs, where the first costs nothing and each of the others growth more than the one before. Without
// growth it is 0.
func cheapestCycle(cost, growth float64) float64 {
	if growth == 0 {
		return 0
	}
	of := func(k float64) float64 { return cost/k + growth*(k-1)/2 }
	k := max(2, math.Floor(math.Sqrt(2*(cost/growth))))
	return min(cost, of(k), of(k+1)) // cost itself is that of one, where growth may be without limit
}
