package criterion

const reasonCredit = "credit plus the bound times what any schedule pays, against the cost of balancing plus the excess up to that cost"

// A ledger compares the cost of a rule's intervals with a lower bound of the cost of any schedule. C is the cost of
// balancing, and U the excess of an interval. The ledger assumes that, of two runs, the one that was balanced more
// recently is never slower.
//
// Then in each interval of the rule any other schedule costs at least min(C, U). The other schedule pays C if it
// balances after the interval's first iteration has begun. Otherwise it pays at least the interval's excess U. So the
// optimum's excess is at least the sum of min(C, U) over the intervals. A rule stays within r times the optimum's
// excess if each interval costs at most r min(C, U), plus the credit that earlier intervals have left.
type ledger struct {
	Credit float64 // sum of the amounts by which earlier intervals cost less than r min(C, U)
	Excess float64 // U of this interval
	Payers *payers // a better bound than min(C, U) if no imbalance falls; otherwise nil
}

// add records an iteration. begins is true in the first iteration of an interval.
func (l *ledger) add(s Sample, cost float64, begins, nothingFalls bool) {
	if begins {
		l.Excess = 0
	}
	l.Excess += max(0, s.Max-s.Mean)
	if !nothingFalls {
		l.Payers = nil // nothingFalls is false now, so the bound of payers does not hold any more
		return
	}
	if l.Payers == nil {
		l.Payers = &payers{}
	}
	if begins {
		l.Payers.begin(s.imbalance(), s.Mean, cost)
	} else {
		l.Payers.add(s.imbalance(), s.Mean)
	}
}

// gain returns a lower bound of what every schedule has paid since this interval began. It is at least min(C, U).
func (l *ledger) gain(cost float64) float64 {
	least := min(cost, l.Excess)
	if l.Payers != nil {
		return max(least, l.Payers.least())
	}
	return least
}

// after returns the credit that would remain if the interval ended now.
func (l *ledger) after(r, cost float64) float64 {
	return l.Credit + float64(r*l.gain(cost)) - l.Excess - cost
}

// allows decides whether to follow a request to end the interval now. The bound of r allows that if U + C is less than
// Credit + r*gain. The code compares min(U, C) + C instead, and so grants every request from U = C on. This keeps the
// bound: gain is then at least C, so U + C stays below r*gain until U reaches (r-1) C. There the interval has to end
// even without a request.
func (l *ledger) allows(r, cost float64) Decision {
	return balanceAbove(l.Credit+float64(r*l.gain(cost)), min(l.Excess, cost)+cost, reasonCredit)
}

// settle ends the interval. after is the credit that the interval leaves. The ledger keeps a credit of at most the cost
// of one balancing. With this credit an interval may already end as soon as its excess is above 0. With more credit, a
// rule that was lucky once could exceed the bound in many later intervals.
func (l *ledger) settle(after, cost float64) { l.Credit = max(0, min(cost, after)) }
