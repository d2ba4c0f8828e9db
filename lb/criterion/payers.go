package criterion

import (
	"math"
	"slices"
)

// payers is a lower bound of what any schedule has paid so far, where no imbalance falls
// within a run and a run that was balanced later is never slower. A schedule that has not
// balanced since an imbalance was seen goes on paying for it in every iteration, and so each
// payer stands for a class of schedules: it has paid no more than they have, and its imbalance
// is no greater than theirs.
//
// Once an imbalance was seen to fall each payer has the imbalance of the iteration: then the
// bound needs younger runs to be no slower, and no more.
type payers struct {
	Old   []payer // did not balance in this interval
	Fresh payer   // did
	Last  float64 // imbalance of the iteration before
	Fell  bool    // within an interval
}

// A payer stands for schedules whose imbalance is at least Has, and that have paid at least Paid
// more than the least that any had paid before this interval.
type payer struct{ Paid, Has float64 }

// mostPayers bounds the state. Families of applications have three at most; of more the two
// that have paid nearly the same become one that has paid the less of the two and has the
// smaller imbalance.
const mostPayers = 8

// begin takes in the first iteration of an interval, with the given imbalance and mean load,
// whose product is the excess. Whoever balances later in the interval has paid this iteration,
// as the least payer did, and cost.
func (p *payers) begin(imbalance, load, cost float64) {
	if len(p.Old) == 0 {
		p.Old = append(p.Old, payer{})
	} else {
		before := p.least()
		p.Old = append(p.Old, payer{Paid: p.Fresh.Paid})
		for i := range p.Old {
			p.Old[i].Paid -= before
		}
	}
	p.pay(imbalance, load)
	p.thin()
	p.Fresh = payer{Paid: p.Old[0].Paid + cost}
	p.Last = imbalance
}

// add takes in another iteration of the interval. One without load costs nobody anything, and
// shows no imbalance and so no fall.
func (p *payers) add(imbalance, load float64) {
	if !(load > 0) {
		return
	}
	if imbalance < p.Last-float64(roundoff*(1+p.Last)) { // a quotient's rounding is no fall
		p.Fell = true
	}
	p.pay(imbalance, load)
	p.Last = imbalance
}

// pay lets all but the fresh payer pay for an iteration.
func (p *payers) pay(imbalance, load float64) {
	for i := range p.Old {
		q := &p.Old[i]
		if p.Fell {
			q.Has = imbalance
		}
		q.Has = max(q.Has, imbalance)
		q.Paid = min(q.Paid+float64(q.Has*load), math.MaxFloat64) // a state must be finite to be stored
	}
}

// thin sorts the payers by what they have paid, drops each that has paid no less than another
// and has no smaller an imbalance, and merges neighbours until there are few enough.
func (p *payers) thin() {
	slices.SortFunc(p.Old, func(a, b payer) int {
		if a.Paid < b.Paid || a.Paid == b.Paid && a.Has < b.Has {
			return -1
		}
		return 1
	})
	kept := p.Old[:0]
	for _, q := range p.Old {
		if len(kept) == 0 || q.Has < kept[len(kept)-1].Has {
			kept = append(kept, q)
		}
	}
	for len(kept) >= mostPayers { // one place is left for the fresh payer
		near := 1
		for i := range kept {
			if i > 0 && kept[i].Paid-kept[i-1].Paid < kept[near].Paid-kept[near-1].Paid {
				near = i
			}
		}
		kept[near].Paid = kept[near-1].Paid
		kept = slices.Delete(kept, near-1, near)
	}
	p.Old = kept
}

// least returns how much more any schedule must have paid than any had before this interval. It
// is at least the smaller of the interval's excess and the cost of balancing.
func (p *payers) least() float64 {
	least := p.Fresh.Paid
	for _, q := range p.Old {
		least = min(least, q.Paid)
	}
	return least
}
