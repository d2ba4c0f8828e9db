// Package criterion decides when an iterative application should be balanced.
//
// [Bounded] is a criterion that needs no parameter and has a bound of its cost. A [Controller] calls it in a program of
// several ranks. [Guard] follows any criterion, for example your own or a learned one, and bounds what that costs: for
// example, at most 3 times the excess of the best schedule, and at most 1.5 times the excess of following the criterion
// alone. The other criteria are from publications.
//
// A criterion observes one Sample after every iteration, and decides before the next iteration whether to balance. It
// is pure: times come in, decisions go out. So a renderer, a simulator and a recorded run can use it alike. Several
// goroutines must not use a criterion at once.
//
// Symbols in the comments:
//
//   - m: the time of the slowest processing element in an iteration
//   - mu: the mean time of the processing elements
//   - u = m-mu: the imbalance time, or excess
//   - I = m/mu - 1: the imbalance
//   - C: the cost of balancing
//   - interval: the iterations from one balancing to the next
//   - U: the sum of u in an interval
//   - age, or tau: the number of iterations since the last balancing
//
// All times share one unit.
//
// All criteria compare strictly: they balance when a value exceeds its limit. The papers mostly write "at least", but
// the program behind the curves of Boulmier et al. compares strictly. If the value equals the limit, a strict
// comparison balances one iteration later.
package criterion

import (
	"fmt"
	"math"
)

// A Sample describes one iteration: its measured times, and what happened before it.
type Sample struct {
	Max  float64 // time of the slowest processing element
	Mean float64 // mean time of the processing elements; if their speeds differ, see OfSpeeds
	Min  float64 // time of the fastest processing element
	// Balanced says that the work was balanced just before this iteration, at the measured Cost. In the first sample it
	// means the initial distribution. If its cost was not measured, leave Balanced false. Criteria that need C then
	// wait until a cost is known.
	Balanced bool
	Cost     float64
	// Times are the times of the processing elements, or nil if they are not known. They let a criterion distinguish
	// noise from imbalance that lasts. Observe does not keep the slice.
	Times []float64
	// Price and Kept describe moves of a part of the work, for example those that handover.Plan finds. Price is the
	// cost of the cheapest useful move that the program could make after this iteration. It is 0 if the program can
	// only divide all work anew. Kept is the time that the slowest processing element would have taken in this
	// iteration if the program had made the move that it offered after the previous iteration. If no move was offered,
	// Kept is Max.
	//
	// [Bounded] and [Guarded] then use Price as the cost of balancing, and the difference of Max and Kept as the
	// excess. The other criteria do not read these fields.
	Price, Kept float64
	// Until is the number of iterations until the program changes its work by itself, for example by refining a mesh.
	// It is 1 if the change comes before the next iteration, and 0 if none is announced. [Bounded] balances right after
	// such changes rather than between them. The other criteria do not read it.
	Until int
}

// offered returns the sample with the savings of the offered move as its imbalance, or s if there is no offer. It omits
// the times of the elements, which are only used to remove noise. No noise has to be removed from these savings: the
// move was planned from earlier iterations, so its savings are not large by chance.
func (s Sample) offered() Sample {
	if s.Price > 0 {
		s.Max, s.Times = s.Mean+max(0, s.Max-s.Kept), nil
	}
	return s
}

// Of returns the sample of an iteration in which the processing elements took these times. It panics if times is empty.
func Of(times []float64) Sample {
	s := Sample{Max: times[0], Min: times[0], Times: times}
	sum := 0.0
	for _, t := range times {
		s.Max, s.Min = max(s.Max, t), min(s.Min, t)
		sum += t
	}
	s.Mean = sum / float64(len(times))
	return s
}

// OfSpeeds returns the sample of an iteration in which processing elements of different speeds took these times. Speeds
// are in any unit and above 0. Mean is the time that every element would take if the same work were divided in
// proportion to speeds. For example, with times 1, 1, 1, 2 and speeds 1, 1, 1, 1/2 it is 4/3.5. OfSpeeds panics if
// there are no times, or if their number differs from that of the speeds.
func OfSpeeds(times, speeds []float64) Sample {
	s := Of(times)
	if len(speeds) != len(times) {
		panic(fmt.Sprintf("criterion: %d speeds of %d processing elements", len(speeds), len(times)))
	}
	work, speed := 0.0, 0.0
	for i, t := range times {
		work += float64(t * speeds[i])
		speed += speeds[i]
	}
	s.Mean = work / speed
	return s
}

// imbalance returns I = Max/Mean - 1, or 0 if there is no load.
func (s Sample) imbalance() float64 {
	if !(s.Mean > 0) {
		return 0
	}
	return s.Max/s.Mean - 1
}

// usable reports whether the numbers of a sample and its imbalance are finite and not negative.
func (s Sample) usable() bool {
	for _, x := range [...]float64{s.Max, s.Mean, s.Cost, s.Price, s.Kept, 1 + s.imbalance()} {
		if !isDuration(x) {
			return false
		}
	}
	for _, x := range s.Times {
		if !isDuration(x) {
			return false
		}
	}
	return true
}

// isDuration reports whether x is a valid time: finite and not negative.
func isDuration(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

// A missedBalancing remembers a balancing before an iteration with an unusable sample, for the next usable sample.
type missedBalancing struct {
	Balanced bool
	Cost     float64
}

// note records an unusable sample and remembers a balancing before it. If the balancing's cost is not usable either,
// the result depends on whether a usable sample has come before (seen). If so, note uses the expected cost. If not,
// note ignores the balancing.
func (m *missedBalancing) note(s Sample, expected float64, seen bool) {
	switch {
	case !s.Balanced:
	case isDuration(s.Cost):
		m.Balanced, m.Cost = true, s.Cost
	case seen:
		m.Balanced, m.Cost = true, expected
	}
}

// restore returns the usable sample s. If a balancing was missed before it, restore adds the balancing to the sample
// and forgets it.
func (m *missedBalancing) restore(s Sample) Sample {
	if m.Balanced && !s.Balanced {
		s.Balanced, s.Cost = true, m.Cost
	}
	*m = missedBalancing{}
	return s
}

// A Decision says whether to balance before the next iteration, and why.
type Decision struct {
	Balance bool
	// Value was compared with Limit: Balance is true if Value > Limit. Both are 0 if there was nothing to compare yet.
	Value, Limit float64
	// What describes Value and Limit in words. All decisions that a criterion makes by the same rule have the same
	// What.
	What string
}

// String explains the decision in one line.
func (d Decision) String() string {
	if d.Balance {
		return fmt.Sprintf("balance: %.6g > %.6g (%s)", d.Value, d.Limit, d.What)
	}
	return fmt.Sprintf("go on: %.6g <= %.6g (%s)", d.Value, d.Limit, d.What)
}

func balanceAbove(value, limit float64, what string) Decision {
	return Decision{Balance: value > limit, Value: value, Limit: limit, What: what}
}

// A Criterion decides when to balance.
type Criterion interface {
	// Observe records the iteration that has just ended.
	Observe(Sample)
	// Decide says whether to balance before the next iteration. It does not change the criterion. The criterion learns
	// about a balancing from the next sample, whose Balanced is set.
	Decide() Decision
}

// Replay gives recorded samples to c and returns c's decision before each of them. The first decision is the zero
// value. The recorded balancings stay as they were, whatever c decides.
func Replay(c Criterion, samples []Sample) []Decision {
	out := make([]Decision, len(samples))
	for i, s := range samples {
		if i > 0 {
			out[i] = c.Decide()
		}
		c.Observe(s)
	}
	return out
}
