package criterion

import (
	"fmt"
	"math"
)

// Guard returns a criterion that follows advisor but keeps a bound, whatever advisor says. advisor may be any
// criterion, for example the user's own or a learned one. r, at least 2, is the bound. A smaller r is safer, a larger
// one leaves advisor more freedom, and 3 is a good start.
//
// u is the imbalance time of an iteration, U its sum since the last balancing, and C the cost of balancing. The excess
// of a run is the sum of u over all iterations, plus C for each balancing. Assume:
//
//   - C is constant and known.
//   - The excess of an iteration depends on the last balancing alone.
//   - Of two runs, the one that was balanced more recently is never slower. The first distribution counts as a
//     balancing.
//
// Then, except for the u of the last iteration of every interval, the excess is
//
//   - at most r times the excess of the best schedule, which knows the future, and
//   - at most r/(r-1) times the excess of the schedule that balances whenever advisor says so: 1.5 times at r = 3.
//
// No deterministic criterion has better constants. An r of 2 leaves no freedom: then Guard is [Menon], unless
// [Guarded.NothingFalls] is set. Imbalance may fall, loads may change or vanish, a balancing may leave imbalance, and
// the end may come at any time. If the run that was balanced more recently can be slower, by at most d per iteration,
// the sum of d over all iterations is added to the excess of the schedule that Guard is compared with.
//
// To keep the bounds, the criterion has a credit: the part of the bound that earlier intervals have not used. An
// interval ends if U exceeds (r-1) C, whatever advisor says. It also ends if advisor has asked to balance in this
// interval and the bound would still hold afterwards. That is so if U + C < credit + r min(C, U). A request that comes
// too early is remembered, and followed as soon as the bound allows it.
//
// docs/criteria-method.md has the proofs. Guard returns an error if r is below 2 or not finite, or if there is no
// advisor.
func Guard(advisor Criterion, r float64) (*Guarded, error) {
	switch {
	case advisor == nil:
		return nil, fmt.Errorf("guard a criterion by %v: there is no criterion", r)
	case !(r >= 2) || math.IsInf(r, 1):
		return nil, fmt.Errorf("guard a criterion by %v: expected a finite number of at least 2, as no criterion has a smaller bound", r)
	}
	return &Guarded{advisor: advisor, r: r}, nil
}

// Guarded is a criterion that keeps a bound. [Guard] makes one. Its memory and its work per iteration are those of the
// advisor, plus O(1).
//
// C is the cost of the last balancing. Before a cost is measured, C is the mean time of an iteration. If the program
// offers moves (Price of a [Sample]), their price replaces C, and their savings replace u. A sample with a negative or
// infinite time does not count, but a balancing before it is remembered.
type Guarded struct {
	// NothingFalls promises that the imbalance m/mu - 1 never falls between two balancings, in the schedule of any
	// criterion. It must be set before the first sample. The cost of a schedule that has not balanced is then known to
	// increase in every iteration. So the bound of r leaves advisor more freedom after intervals that ended early. If
	// the promise is false, the bound of r may not hold, but the bound of r/(r-1) still holds.
	NothingFalls bool

	advisor Criterion
	r       float64
	ledger  ledger
	cost    lastCost
	load    mean
	price   float64 // price of the moves on offer, or 0
	asked   bool    // the advisor has asked for a balancing in this interval
	bad     bool    // the last sample was not usable
	missed  missedBalancing
}

const reasonWindowEnd = "excess since the last balancing against the end of its window"

// Observe records an iteration, passes it to the advisor, and notes whether the advisor asks for a balancing.
func (g *Guarded) Observe(s Sample) {
	if !s.usable() {
		g.missed.note(s, g.balancingCost(), g.load.n > 0)
		g.skip()
		return
	}
	s = g.missed.restore(s)
	begins := s.Balanced || g.load.n == 0
	if begins {
		if g.load.n > 0 {
			g.ledger.settle(g.after(), g.balancingCost())
		}
		g.asked = false
	}
	g.cost.observe(s)
	g.load.add(s.Mean)
	g.price = s.Price
	g.ledger.add(s.offered(), g.balancingCost(), begins, g.NothingFalls)
	g.advisor.Observe(s)
	g.asked = g.asked || g.advisor.Decide().Balance
	g.bad = false
}

// A skipper can count an iteration whose times are not known.
type skipper interface{ skip() }

// skip counts an iteration whose times are not known.
func (g *Guarded) skip() {
	g.bad = true
	if a, ok := g.advisor.(skipper); ok {
		a.skip()
	}
}

// balancingCost returns the cost of balancing C, see Guarded.
func (g *Guarded) balancingCost() float64 {
	switch {
	case g.price > 0:
		return g.price
	case !g.cost.known:
		return g.load.value()
	}
	return g.cost.value
}

// after returns the credit that would remain if the interval ended now.
func (g *Guarded) after() float64 { return g.ledger.after(g.r, g.balancingCost()) }

// Decide says whether to balance before the next iteration, and why.
func (g *Guarded) Decide() Decision {
	u, c := g.ledger.Excess, g.balancingCost()
	switch {
	case g.bad:
		return Decision{What: reasonUnusable}
	case g.load.n == 0:
		return Decision{What: reasonWindowEnd}
	case g.asked && u <= (g.r-1)*c:
		return g.ledger.allows(g.r, c)
	}
	return balanceAbove(u, (g.r-1)*c, reasonWindowEnd)
}
