package criterion

const reasonCredit = "credit and what any schedule has paid, times the bound, against the excess, C at most, and the cost of balancing"

// A ledger compares what the intervals of a rule cost with what any schedule must have paid. It assumes that a run that
// was balanced later is never slower. Then a schedule that balances within an interval of the rule, after the
// interval's first iteration has begun, pays C there, and a schedule that does not balance there pays at least the
// interval's excess U. So the sum of min(C, U) over the intervals is at most the optimum's excess. A rule whose
// intervals cost r min(C, U) each, plus what earlier intervals have saved of that, has at most r times the optimum's
// excess.
type ledger struct {
	Credit float64 // what earlier intervals saved of r min(C, U)
	Excess float64 // U of this interval
	Payers *payers // a better bound than min(C, U) if nothing falls; otherwise nil
}

// add records an iteration. begins says that it is the first of an interval.
func (l *ledger) add(s Sample, cost float64, begins, nothingFalls bool) {
	if begins {
		l.Excess = 0
	}
	l.Excess += max(0, s.Max-s.Mean)
	if !nothingFalls {
		l.Payers = nil // the promise that nothing falls may have been taken back
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

// gain returns by how much the least that any schedule can have paid has grown in this interval. It is at least min(C,
// U).
func (l *ledger) gain(cost float64) float64 {
	least := min(cost, l.Excess)
	if l.Payers != nil {
		return max(least, l.Payers.least())
	}
	return least
}

// after returns the credit that would be left if the interval ended now.
func (l *ledger) after(r, cost float64) float64 {
	return l.Credit + float64(r*l.gain(cost)) - l.Excess - cost
}

// allows decides whether a request to end the interval can be followed, that is whether the bound of r would hold if the
// interval ended now. Once the excess reaches C the bound holds until the interval has to end, so that a request is
// never put off beyond that.
func (l *ledger) allows(r, cost float64) Decision {
	return balanceAbove(l.Credit+float64(r*l.gain(cost)), min(l.Excess, cost)+cost, reasonCredit)
}

// settle ends the interval, which leaves the credit after. At most one cost of balancing is kept: it allows an interval
// of any length, and more credit would let a rule that had been lucky for long ignore the bound for as long.
func (l *ledger) settle(after, cost float64) { l.Credit = max(0, min(cost, after)) }
