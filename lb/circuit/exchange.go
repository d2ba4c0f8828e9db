package circuit

import "math"

// Exchange moves the fewest loads whose sum fits. The heaviest loads are
// sent as long as two of them would not reach half the lead; then up to MaxLoads loads change element together, in either
// direction, so that what they transfer is nearest to what is still missing.
// It never increases the discrepancy.
//
// The more loads may take part, the finer the fit: the sums of k of n loads
// lie about n^-k apart, so each further load divides the discrepancy by about
// n for the price of one move. How many take part is chosen by Tolerance.
//
// Cost O(n log n) for MaxLoads up to 2, O(n^2) for 3, O(n^2 log n) for 4; from
// 200 loads on, fits of 3 and 4 are sought in an even sample of them.
type Exchange struct {
	// MaxLoads is the largest number of loads in the fit, 1 to 4; default 4.
	MaxLoads int
	// Tolerance stops the search at the smallest number of loads that leaves at
	// most this part of the discrepancy. Default 0: the number for which
	// discrepancy times moves is least, that is the best S of this matching.
	Tolerance float64
}

// Balance implements [Method].
func (e Exchange) Balance(p Pair, ws *Workspace) {
	p.check()
	sender, dif := p.heavier()
	if dif > 0 {
		e.send(p, sender, dif/2, orNew(ws))
	}
}

// Transfer changes sides so that the net load that goes from element sender to
// the other is as near to amount as e allows, and never farther from it than
// nothing is. A net load that misses amount by at most slack is near enough:
// then the smallest number of loads is taken. It returns the net load that
// goes. Unlike Balance it may leave the pair less even, if amount asks for it.
func (e Exchange) Transfer(p Pair, sender uint8, amount, slack float64, ws *Workspace) float64 {
	p.check()
	if amount <= 0 {
		return 0
	}
	e.Tolerance = max(e.Tolerance, slack/amount)
	return amount - e.send(p, sender, amount, orNew(ws))
}

// send returns the part of amount that is still missing.
func (e Exchange) send(p Pair, sender uint8, amount float64, ws *Workspace) float64 {
	order := ws.descending(p.Load)
	ws.before = append(ws.before[:0], p.Side...)
	missing, moves := amount, 0
	for _, i := range order {
		if p.Side[i] == sender && p.Load[i] <= missing {
			if e.maxLoads() > 1 && p.Load[i]*2 >= missing {
				break // two loads could do the rest: leave it to the fit
			}
			p.Side[i] = 1 - sender
			missing -= p.Load[i]
			moves++
		}
	}
	signed := ws.sign(p, order, sender)
	f := e.choose(p, signed, missing, amount, moves, ws)
	flip(p, f)
	return missing - f.sum
}

// choose returns the best fit to missing, empty when none is better than that.
func (e Exchange) choose(p Pair, s []signedLoad, missing, amount float64, moves int, ws *Workspace) fit {
	best := fit{}
	score := math.Inf(1)
	if moves > 0 {
		score = math.Abs(missing) * float64(moves)
	}
	limit := e.Tolerance * amount
	if e.Tolerance > 0 && math.Abs(missing) <= limit {
		return best
	}
	for n := 1; n <= e.maxLoads() && n <= len(s); n++ {
		f := ws.nearest(s, n, missing)
		miss := math.Abs(missing - f.sum)
		if f.n == 0 || miss >= math.Abs(missing) {
			continue
		}
		if e.Tolerance > 0 && miss <= limit {
			return f
		}
		if sc := miss * float64(moves+ws.changes(p, f)); sc < score {
			best, score = f, sc
		}
	}
	return best
}

func (e Exchange) maxLoads() int {
	if e.MaxLoads <= 0 || e.MaxLoads > maxFit {
		return maxFit
	}
	return e.MaxLoads
}

func (ws *Workspace) nearest(s []signedLoad, n int, target float64) fit {
	switch n {
	case 1:
		return nearest1(s, target)
	case 2:
		return nearest2(s, 0, target)
	}
	if len(s) > fitLoads {
		s = sample(s)
	}
	if n == 3 {
		return nearest3(s, target)
	}
	return ws.nearest4(s, target)
}

// changes returns by how much f changes the number of moves: a load that goes
// back where it came from takes one away.
func (ws *Workspace) changes(p Pair, f fit) int {
	n := 0
	for _, i := range f.at[:f.n] {
		if p.Side[i] == ws.before[i] {
			n++
		} else {
			n--
		}
	}
	return n
}
