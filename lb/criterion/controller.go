package criterion

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Controller tells a running program when to balance. After each iteration the program passes the times of its
// processing elements to Observe. If Decide says so, the program balances and reports the cost with Balanced.
//
// In a distributed program each rank has a Controller for its own elements. With Reduce all controllers see the same
// iteration, so they decide alike.
//
// The zero value is ready to use. It decides by [Bounded], and needs no cost of the first distribution. Several
// goroutines must not use a Controller at once.
type Controller struct {
	// Criterion decides. nil means &Bounded{}.
	Criterion Criterion
	// Reduce merges the reports of all ranks with [Report.Merge] and returns the result to all. nil means a single
	// rank. Each call of Observe calls it once.
	Reduce func(Report) (Report, error)

	balanced    bool
	cost        float64
	before      float64   // cost of the previous balancing
	price, kept float64   // price and kept time of the moves on offer
	until       int       // iterations until the program changes its work, see Announce
	speeds      []float64 // speeds of this rank's processing elements; nil means that all are 1
	refused     bool      // the values of the last iteration were invalid
}

// A Report holds the measurements of an iteration by one or more ranks.
type Report struct {
	Max, Min    float64 // longest and shortest time of a processing element
	Sum         float64 // sum of the times, each multiplied by the element's speed
	Speed       float64 // sum of the speeds; if it is 0, Count is used instead
	Count       int     // number of processing elements
	Cost        float64 // cost of the balancing before the iteration, on the rank where it took longest
	Balanced    bool    // the work was balanced before the iteration
	Price, Kept float64 // price and kept time of the moves on offer, see [Controller.Offer]
	Until       int     // smallest positive value that a rank has announced, see [Controller.Announce]
	// Bad is the number of invalid times, costs and other values.
	Bad int
}

// Merge combines the reports r and o of different ranks.
func (r Report) Merge(o Report) Report {
	if r.Count == 0 {
		r.Min = o.Min
	} else if o.Count > 0 {
		r.Min = min(r.Min, o.Min)
	}
	r.Max, r.Cost = max(r.Max, o.Max), max(r.Cost, o.Cost)
	r.Price, r.Kept = max(r.Price, o.Price), max(r.Kept, o.Kept)
	if r.Until == 0 || o.Until > 0 {
		r.Until = min(cmp.Or(r.Until, o.Until), o.Until)
	}
	if r.Speed > 0 || o.Speed > 0 {
		r.Speed = r.speed() + o.speed()
	}
	r.Sum += o.Sum
	r.Count += o.Count
	r.Bad += o.Bad
	r.Balanced = r.Balanced || o.Balanced
	return r
}

// speed returns the sum of the speeds of all processing elements.
func (r Report) speed() float64 { return cmp.Or(r.Speed, float64(r.Count)) }

// mean returns the time that every element would take if the same work were divided in proportion to their speeds.
func (r Report) mean() float64 {
	if speed := r.speed(); speed > 0 {
		return r.Sum / speed
	}
	return 0
}

// ErrElsewhere means that another rank had an invalid time or cost. Observe returns it.
var ErrElsewhere = errors.New("a time or cost of another rank is negative or not finite")

// Balanced tells the controller that the work was just balanced, at the given cost in the unit of the times. Call it
// before the next Observe. Also call it for the first distribution if its cost is known.
func (c *Controller) Balanced(cost float64) { c.balanced, c.cost = true, cost }

// Offer tells the controller which moves the program would make if Decide said to balance after the next observed
// iteration. handover.Plan, for example, finds such moves. price is what they cost. kept is the time that this rank's
// slowest processing element would have taken in that iteration if the program had made the moves of its previous
// offer. If there was no previous offer, kept is the time that the slowest element took.
//
// [Bounded] then compares what the moves save with their price. Call Offer before each Observe as long as there are
// useful moves. Without an offer a balancing divides the whole work anew.
func (c *Controller) Offer(price, kept float64) { c.price, c.kept = price, kept }

// Announce tells the controller that the program will change its work by itself, for example by refining a mesh. until
// is the number of iterations until the change, including the next iteration that is observed. So 1 means that the
// change comes right after that iteration. See [Sample.Until]. Call it before each Observe as long as such a time is
// known. One rank's call suffices.
func (c *Controller) Announce(until int) { c.until = max(0, until) }

// Speeds sets the speeds of this rank's processing elements from the next Observe on. All ranks use the same unit. Work
// in proportion to the speeds then counts as balanced, see [OfSpeeds]. Without arguments all speeds are 1.
func (c *Controller) Speeds(speeds ...float64) { c.speeds = slices.Clone(speeds) }

// Observe records an iteration in which this rank's processing elements took the given times. It returns an error if
//
//   - a time or a cost is negative or not finite,
//   - a speed is not above 0, or
//   - the numbers of speeds and times differ.
//
// After an error on any rank, no criterion learns from the iteration, but later iterations count as usual.
func (c *Controller) Observe(times ...float64) error {
	if c.Criterion == nil {
		c.Criterion = &Bounded{}
	}
	r, refused := c.report(times)
	c.balanced, c.cost, c.price, c.kept, c.until = false, 0, 0, 0, 0
	if c.Reduce != nil {
		all, err := c.Reduce(r)
		if err != nil {
			c.balanced, c.cost, c.price, c.kept, c.until = r.Balanced, r.Cost, r.Price, r.Kept, r.Until
			return errors.Join(refused, fmt.Errorf("agree about an iteration: %w", err))
		}
		r = all
	}
	s := Sample{Max: r.Max, Mean: r.mean(), Min: r.Min, Balanced: r.Balanced, Cost: r.Cost, Price: r.Price, Kept: r.Kept, Until: r.Until}
	if r.Bad == 0 && r.Count == len(times) {
		s.Times = times
	}
	if r.Bad > 0 {
		// If the work was balanced, the interval starts with the next valid iteration. The cost of the previous
		// balancing replaces an invalid cost.
		c.balanced, c.cost, c.refused = r.Balanced, cmp.Or(r.Cost, c.before), true
		if k, ok := c.Criterion.(skipper); ok {
			k.skip()
		}
		if refused == nil {
			refused = ErrElsewhere
		}
		return refused
	}
	if c.refused = false; r.Balanced {
		c.before = r.Cost
	}
	c.Criterion.Observe(s)
	return nil
}

// report checks the times and returns the report of this rank.
func (c *Controller) report(times []float64) (Report, error) {
	r := Report{Count: len(times), Balanced: c.balanced, Cost: c.cost, Price: c.price, Kept: c.kept, Until: c.until, Min: math.Inf(1)}
	var refused error
	if !isDuration(c.price) || !isDuration(c.kept) {
		refused = fmt.Errorf("the moves on offer cost %v and leave %v; expected finite numbers of at least 0", c.price, c.kept)
		r.Price, r.Kept = 0, 0
		r.Bad++
	}
	if c.balanced && !isDuration(c.cost) {
		refused = cmp.Or(refused, fmt.Errorf("the cost of balancing is %v; expected a finite number of at least 0", c.cost))
		r.Cost = 0
		r.Bad++
	}
	for i, t := range times {
		if !isDuration(t) {
			if refused == nil {
				refused = fmt.Errorf("the time of processing element %d is %v; expected a finite number of at least 0", i, t)
			}
			r.Bad++
			continue
		}
		r.Max, r.Min = max(r.Max, t), min(r.Min, t)
		if len(c.speeds) == 0 {
			r.Sum += t
		} else if i < len(c.speeds) {
			r.Sum += float64(t * c.speeds[i])
			r.Speed += c.speeds[i]
		}
	}
	if err := c.checkSpeeds(len(times)); err != nil {
		refused = cmp.Or(refused, err)
		r.Bad++
	}
	if len(times) == 0 || r.Bad > 0 {
		r.Min = 0
	}
	return r, refused
}

// checkSpeeds returns an error if a speed is not above 0, or if there are speeds but not n of them.
func (c *Controller) checkSpeeds(n int) error {
	if len(c.speeds) != 0 && len(c.speeds) != n {
		return fmt.Errorf("there are %d speeds and %d times; expected one each", len(c.speeds), n)
	}
	for i, s := range c.speeds {
		if !(s > 0) || !isDuration(s) {
			return fmt.Errorf("the speed of processing element %d is %v; expected a finite number above 0", i, s)
		}
	}
	return nil
}

// Decide says whether to balance before the next iteration, and why.
func (c *Controller) Decide() Decision {
	if c.Criterion == nil {
		return Decision{What: "no iteration was observed"}
	}
	if c.refused {
		return Decision{What: reasonUnusable}
	}
	return c.Criterion.Decide()
}

// State returns everything that the controller has learned, for Restore. It returns an error if the criterion is not a
// Bounded.
func (c *Controller) State() ([]byte, error) {
	b, ok := c.Criterion.(*Bounded)
	if c.Criterion == nil {
		b, ok = &Bounded{}, true
	}
	if !ok {
		return nil, fmt.Errorf("store the state of a %T: only *criterion.Bounded can be stored", c.Criterion)
	}
	data, err := json.Marshal(stored{b.Iterations, b.s, c.balanced, c.cost})
	if err != nil {
		return nil, fmt.Errorf("store the state of a criterion: %w", err)
	}
	return data, nil
}

// Restore replaces everything that the controller has learned by a state that State has returned. Criterion becomes a
// *Bounded. If the data are malformed, it returns an error and changes nothing.
func (c *Controller) Restore(data []byte) error {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("restore the state of a criterion: %w", err)
	}
	if err := s.State.check(); err != nil {
		return fmt.Errorf("restore the state of a criterion: %w", err)
	}
	c.Criterion, c.balanced, c.cost = &Bounded{Iterations: s.Iterations, s: s.State}, s.Balanced, s.Cost
	return nil
}

// stored is a controller's state in JSON.
type stored struct {
	Iterations int
	State      state
	Balanced   bool
	Cost       float64
}

// check returns an error if a length or an index in s would be outside a slice.
func (s *state) check() error {
	for _, c := range []*curve{&s.Past, &s.Own} {
		if len(c.Excess) != len(c.Load) || len(c.Excess) > window || c.Width < 0 || c.Width > math.MaxInt32 {
			return fmt.Errorf("a curve of %d and %d ages, %d iterations wide", len(c.Excess), len(c.Load), c.Width)
		}
	}
	for _, n := range []int{s.Seen, s.Steps.Until, s.Steps.Seen, s.Regret.Age, s.Fresh.N, s.Sieve.N, s.Sieve.Near.N} {
		if n < 0 || n > math.MaxInt32 {
			return fmt.Errorf("a count is %d; expected 0 to %d", n, math.MaxInt32)
		}
	}
	if s.Own.bucket(s.Regret.Age) > len(s.Own.Excess) {
		return fmt.Errorf("age %d is beyond a curve of %d ages", s.Regret.Age, len(s.Own.Excess))
	}
	if s.Load.N > 0 && s.Fresh.N == 0 {
		return errors.New("iterations without a first balancing")
	}
	if p := s.Ledger.Payers; p != nil && (len(p.Old) == 0 || len(p.Old) > mostPayers) {
		return fmt.Errorf("%d payers; expected 1 to %d", len(p.Old), mostPayers)
	}
	for i, row := range s.Sieve.Shares {
		if i < s.Sieve.N && len(row) != len(s.Sieve.Shares[0]) {
			return fmt.Errorf("shares of %d and %d processing elements", len(s.Sieve.Shares[0]), len(row))
		}
	}
	return nil
}
