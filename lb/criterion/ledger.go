package criterion

const whatMay = "credit and what any schedule has paid, times the bound, against the excess, C at most, and the cost of balancing"

// A ledger sets what the intervals of a rule cost against what any schedule must have paid.
// Let a run that was balanced later never be slower. Then a schedule that balances within an
// interval of the rule, after its first iteration has begun, pays C there, and one that does
// not pays the interval's excess U or more. So the intervals' min(C, U) add up to no more than
// the optimum's excess. A rule whose intervals cost r min(C, U) each, with what earlier ones
// have left of that, has at most r times the optimum's.
type ledger struct {
	Credit float64 // what earlier intervals left
	Excess float64 // U, of this interval
	Payers *payers // where nothing falls: a better bound than min(C, U); nil elsewhere
}

// add takes in an iteration. begins says that it is the first of an interval.
func (l *ledger) add(s Sample, cost float64, begins, nothingFalls bool) {
	if begins {
		l.Excess = 0
	}
	l.Excess += max(0, s.Max-s.Mean)
	if !nothingFalls {
		l.Payers = nil // of a promise that was taken back
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

// gain returns by how much the least that any schedule can have paid has grown in this
// interval, min(C, U) at least.
func (l *ledger) gain(cost float64) float64 {
	least := min(cost, l.Excess)
	if l.Payers != nil {
		return max(least, l.Payers.least())
	}
	return least
}

// after returns the credit that would be left should the interval end now.
func (l *ledger) after(r, cost float64) float64 {
	return l.Credit + float64(r*l.gain(cost)) - l.Excess - cost
}

// may says whether a request to end the interval can be followed: whether the bound of r holds
// should it end now. From an excess of C on it does until the interval has to end, so that a
// request is never put off beyond.
func (l *ledger) may(r, cost float64) Decision {
	return exceeds(l.Credit+float64(r*l.gain(cost)), min(l.Excess, cost)+cost, whatMay)
}

// settle ends the interval, which leaves the given credit. One cost of balancing is the most
// that is kept: it allows an interval of any length, and more would spare a rule that had been
// lucky for long the bound for as long.
func (l *ledger) settle(after, cost float64) { l.Credit = max(0, min(cost, after)) }
