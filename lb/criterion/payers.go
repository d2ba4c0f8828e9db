package criterion

import (
	"math"
	"slices"
)

// A payers gives a lower bound of what any schedule has cost so far. It assumes that no imbalance falls between two
// balancings, and that, of two runs, the one that was balanced more recently is never slower. So an imbalance that was
// seen adds to the cost of a schedule in every later iteration, until the schedule balances.
//
// Each payer represents a class of schedules. Each schedule of the class has paid at least as much as the payer, and
// its imbalance is at least the payer's. If an imbalance was seen to fall, each payer gets the imbalance of the present
// iteration. The bound then holds without the assumption that no imbalance falls.
type payers struct {
	Old   []payer // represent schedules that did not balance in this interval
	Fresh payer   // represents schedules that balanced in this interval
	Last  float64 // imbalance of the previous iteration
	Fell  bool    // an imbalance has fallen within an interval
}

// A payer represents a class of schedules. Has is the least imbalance of a schedule in the class. Paid is the least
// amount that such a schedule has paid, beyond what the cheapest schedule had paid before this interval.
type payer struct{ Paid, Has float64 }

// mostPayers limits the state. Known families of applications need at most three payers. If there are more than
// mostPayers, the two with the nearest payments become one, with the smaller payment and the smaller imbalance.
const mostPayers = 8

// begin records the first iteration of an interval. imbalance*load is the excess of this iteration. The fresh payer
// represents schedules that balance later in the interval. Such a schedule has paid as much as the cheapest payer,
// including this iteration, plus the cost of balancing.
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

// add records another iteration of the interval. An iteration without load costs nothing. Its imbalance of 0 does not
// count as a fall.
func (p *payers) add(imbalance, load float64) {
	if !(load > 0) {
		return
	}
	// A decrease within the rounding error of a quotient is no fall.
	if imbalance < p.Last-float64(roundoff*(1+p.Last)) {
		p.Fell = true
	}
	p.pay(imbalance, load)
	p.Last = imbalance
}

// pay adds the cost of an iteration to all payers except the fresh one.
func (p *payers) pay(imbalance, load float64) {
	for i := range p.Old {
		q := &p.Old[i]
		if p.Fell {
			q.Has = imbalance
		}
		q.Has = max(q.Has, imbalance)
		q.Paid = min(q.Paid+float64(q.Has*load), math.MaxFloat64) // must be finite to be stored
	}
}

// thin sorts the payers by what they have paid. It drops a payer if another has paid at most as much and has at most
// the same imbalance. Then it merges neighbours until there are fewer than mostPayers.
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
	for len(kept) >= mostPayers { // leaves one place for the fresh payer
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

// least returns a lower bound of what every schedule has paid since this interval began, beyond what the cheapest
// schedule had paid before. It is at least min(C, U), where C is the cost of balancing and U the excess of the
// interval.
func (p *payers) least() float64 {
	least := p.Fresh.Paid
	for _, q := range p.Old {
		least = min(least, q.Paid)
	}
	return least
}
