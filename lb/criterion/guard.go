package criterion

import (
	"fmt"
	"math"
)

// Guard returns a criterion that follows advisor and keeps a bound whatever advisor says: any
// criterion, one of the user's own or a learned one. r, at least 2, is the bound; smaller is
// safer, greater leaves advisor more freedom, and 3 is a good start.
//
// The excess of a run is the sum of u, with C for each balancing. Let C be constant and known,
// let the excess of an iteration depend on the last balancing alone, and let a run that was
// balanced later never be slower; a balancing counts as no worse than the first distribution.
// Then, but for the u of the last iteration of every interval, the excess is
//
//   - at most r times that of the best schedule, found with the future known, and
//   - at most r/(r-1) times that of the schedule which advisor asks for, which balances in
//     every iteration in which it says so: 1.5 times at r = 3.
//
// No criterion that decides without dice has better constants. An r of 2 leaves no freedom: that
// is [Menon], but where nothing falls.
// Imbalance may fall, loads may change or vanish, a balancing may leave imbalance, and the end
// may come at any time. Where a younger run can be slower by d the bounds are those of a
// dearer schedule, by the sum of d over the iterations.
//
// How: the criterion keeps a credit, what earlier intervals have left of the bound. An interval
// ends when U exceeds (r-1) C, whatever advisor says, and when advisor has asked for it in this
// interval and the bound holds should it end now: U + C less than the credit plus r min(C, U).
// A request that comes too early is kept, and followed as soon as that is so.
//
// docs/criteria-method.md has the proofs. An error says that r is below 2 or not finite, or
// that there is no advisor.
func Guard(advisor Criterion, r float64) (*Guarded, error) {
	switch {
	case advisor == nil:
		return nil, fmt.Errorf("guard a criterion by %v: there is no criterion", r)
	case !(r >= 2) || math.IsInf(r, 1):
		return nil, fmt.Errorf("guard a criterion by %v: expected a finite number of at least 2, as no criterion has a smaller bound", r)
	}
	return &Guarded{advisor: advisor, r: r}, nil
}

// Guarded is a criterion within a bound; [Guard] makes one. State and work of an iteration are
// the advisor's and O(1).
//
// C is the cost of the last balancing. Until one was measured it is taken to be the mean time
// of an iteration. Where the program offers moves (Price of a [Sample]), their price and what
// they save stand for C and u. A sample with a time that is negative or not finite counts for
// nothing, but for the balancing before it.
type Guarded struct {
	// NothingFalls, set before the first sample, promises that the imbalance m/mu - 1 never
	// falls within any run, those of other schedules included. Then a schedule that has not
	// balanced is known to go on paying, and the bound of r leaves advisor more freedom after
	// intervals that ended early. Should the promise be false, that bound may fail; the one of
	// r/(r-1) holds all the same.
	NothingFalls bool

	advisor Criterion
	r       float64
	ledger  ledger
	cost    lastCost
	load    mean
	price   float64 // of the moves on offer; 0 for none
	asked   bool    // the advisor has asked for a balancing in this interval
	bad     bool    // the last sample was not usable
	missed  missed
}

const whatEnds = "excess since the last balancing against the end of its window"

// Observe takes in an iteration, tells it to the advisor and asks that.
func (g *Guarded) Observe(s Sample) {
	if !s.usable() {
		g.missed.note(s, g.c(), g.load.n > 0)
		g.skip()
		return
	}
	s = g.missed.restore(s)
	begins := s.Balanced || g.load.n == 0
	if begins {
		if g.load.n > 0 {
			g.ledger.settle(g.after(), g.c())
		}
		g.asked = false
	}
	g.cost.observe(s)
	g.load.add(s.Mean)
	g.price = s.Price
	g.ledger.add(s.offered(), g.c(), begins, g.NothingFalls)
	g.advisor.Observe(s)
	g.asked = g.asked || g.advisor.Decide().Balance
	g.bad = false
}

// A skipper counts an iteration of which no times are known.
type skipper interface{ skip() }

// skip counts an iteration of which no times are known.
func (g *Guarded) skip() {
	g.bad = true
	if a, ok := g.advisor.(skipper); ok {
		a.skip()
	}
}

// c returns C.
func (g *Guarded) c() float64 {
	switch {
	case g.price > 0:
		return g.price
	case !g.cost.known:
		return g.load.value()
	}
	return g.cost.value
}

// after returns the credit that would be left should the interval end now.
func (g *Guarded) after() float64 { return g.ledger.after(g.r, g.c()) }

// Decide says whether to balance before the next iteration, and why.
func (g *Guarded) Decide() Decision {
	u, c := g.ledger.Excess, g.c()
	switch {
	case g.bad:
		return Decision{What: whatBad}
	case g.load.n == 0:
		return Decision{What: whatEnds}
	case g.asked && u <= (g.r-1)*c:
		return g.ledger.may(g.r, c)
	}
	return exceeds(u, (g.r-1)*c, whatEnds)
}
