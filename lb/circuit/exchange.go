package circuit

import "math"

// Exchange evens out a pair with few moves. Half the lead of the heavier element has to be transferred. While more than
// two loads are needed, Exchange sends the heaviest loads that do not exceed the missing amount. The last step is
// called the fit: up to MaxLoads loads change element together, in either direction. Exchange chooses them so that
// their net transfer is nearest to the amount that is still missing. Exchange never increases the discrepancy.
//
// The more loads take part in the fit, the smaller is the discrepancy that it leaves. Neighbouring sums of k out of n
// loads differ by about n^-k. So each further load divides the discrepancy by about n, at the price of one more move.
// Tolerance decides how many loads take part.
//
// The cost is O(n log n) for MaxLoads up to 2, O(n^2) for 3 and O(n^2 log n) for 4. With more than 200 loads, fits of 3
// and 4 loads are chosen among 200 of them, evenly spaced by rank. With a Tolerance, Exchange looks for a fit after
// every move, at this cost.
type Exchange struct {
	// MaxLoads is the largest number of loads in the fit, 1 to 4. The default is 4.
	MaxLoads int
	// Tolerance asks for the fewest moves that leave at most this fraction of the discrepancy. The default 0 minimizes
	// the product of discrepancy and moves, which maximizes the figure of merit S of this matching.
	Tolerance float64
	// Escape takes effect only with a Tolerance. If no other plan improves the pair, Exchange may then send a load that
	// is heavier than needed and take lighter loads back. If most pairs of a network cannot be improved, that costs
	// many moves for little gain.
	Escape bool

	amount float64 // amount to transfer; set by fewest
	slack  float64 // a plan is good enough if it misses amount by at most slack
}

// Balance implements [Method].
func (e Exchange) Balance(p Pair, ws *Workspace) {
	p.check()
	sender, dif := p.heavier()
	if dif > 0 {
		e.send(p, sender, dif/2, orNew(ws))
	}
}

// Transfer changes p.Side so that element sender transfers a net load close to amount. The transfer is as close to
// amount as e allows, and never farther from amount than a transfer of 0. Among plans that miss amount by at most slack
// it takes one with the fewest loads. It returns the net load transferred. Unlike Balance it may make the pair less
// even.
func (e Exchange) Transfer(p Pair, sender uint8, amount, slack float64, ws *Workspace) float64 {
	p.check()
	if amount <= 0 {
		return 0
	}
	e.Tolerance = max(e.Tolerance, slack/amount)
	return amount - e.send(p, sender, amount, orNew(ws))
}

// send moves loads with a sum of about amount from the sender to the other element, by changing p.Side. It returns the
// part of amount that is still missing.
func (e Exchange) send(p Pair, sender uint8, amount float64, ws *Workspace) float64 {
	order := ws.descending(p.Load)
	ws.before = append(ws.before[:0], p.Side...)
	if e.Tolerance > 0 {
		return e.fewest(p, order, sender, amount, ws)
	}
	missing, moves := amount, 0
	for _, i := range order {
		if p.Side[i] == sender && p.Load[i] <= missing {
			if e.maxLoads() > 1 && p.Load[i]*2 >= missing {
				break // two loads could transfer the rest, so leave it to method choose
			}
			p.Side[i] = 1 - sender
			missing -= p.Load[i]
			moves++
		}
	}
	f := e.choose(p, ws.sign(p, order, sender), missing, moves, ws)
	flip(p, f)
	return missing - f.sum
}

// choose returns the best fit of up to MaxLoads loads for the missing amount. moves is the number of moves so far. It
// returns an empty fit if none improves the plan.
func (e Exchange) choose(p Pair, s []signedLoad, missing float64, moves int, ws *Workspace) fit {
	best := fit{}
	score := math.Inf(1)
	if moves > 0 {
		score = math.Abs(missing) * float64(moves)
	}
	for n := 1; n <= e.maxLoads() && n <= len(s); n++ {
		f := ws.nearest(s, n, missing)
		miss := math.Abs(missing - f.sum)
		if f.n == 0 || miss >= math.Abs(missing) {
			continue
		}
		if sc := miss * float64(moves+ws.changes(p, f)); sc < score {
			best, score = f, sc
		}
	}
	return best
}

// An attempt rates a plan by the amount that is missing and the number of its moves.
type attempt struct {
	missing float64
	moves   int
}

// better reports whether a is better than b. A plan that misses the amount by at most slack is better than any plan
// that misses it by more. Two plans within slack are compared by their moves, then by the missing amount. Other plans
// are compared by the product of moves and missing amount.
func (a attempt) better(b attempt, slack float64) bool {
	x, y := math.Abs(a.missing), math.Abs(b.missing)
	switch near := x <= slack; {
	case near != (y <= slack):
		return near
	case near && a.moves != b.moves:
		return a.moves < b.moves
	case near || b.moves == 0:
		return x < y
	}
	return x*float64(a.moves) < y*float64(b.moves)
}

// maxEscapes is the number of loads heavier than e.amount that fewest tries to send first. Trying a third load gained
// nothing measurable.
const maxEscapes = 2

// fewest seeks the plan with the fewest moves that misses amount by at most the tolerance. It sends the heaviest loads
// first, and tries fits after each of them. If the best plan so far has several moves, it also tries to send one load
// heavier than amount and to take lighter loads back. It leaves the best plan in p.Side and returns the amount that
// this plan leaves missing.
func (e Exchange) fewest(p Pair, order []int32, sender uint8, amount float64, ws *Workspace) float64 {
	e.slack, e.amount = e.Tolerance*amount, amount
	best := attempt{missing: amount}
	ws.best = append(ws.best[:0], p.Side...)
	if e.descend(p, order, sender, best, &best, ws) {
		copy(p.Side, ws.best)
		return best.missing
	}
	worth := func() bool { return best.moves > 1 || best.moves == 0 && e.Escape }
	tries := maxEscapes
	for k := len(order) - 1; k >= 0 && tries > 0 && worth(); k-- {
		i := order[k]
		if ws.before[i] != sender || p.Load[i] <= amount {
			continue
		}
		tries--
		copy(p.Side, ws.before)
		p.Side[i] = 1 - sender
		before := best
		e.descend(p, order, 1-sender, attempt{p.Load[i] - amount, 1}, &best, ws)
		if best != before {
			best.missing = -best.missing // the call of descend counted transfers from the other element as positive
		}
	}
	copy(p.Side, ws.best)
	return best.missing
}

// descend sends the heaviest loads that do not exceed the missing amount, one after the other. Before each of them it
// tries to complete the plan by a fit. It keeps the best plan in best and ws.best. It returns true if no plan at all
// can be better.
func (e Exchange) descend(p Pair, order []int32, sender uint8, now attempt, best *attempt, ws *Workspace) (final bool) {
	for at := 0; ; {
		e.tryFits(p, order, sender, now, best, ws)
		near := math.Abs(best.missing) <= e.slack
		if now.moves == 0 && e.settled(p, *best) {
			return true
		}
		// The conditions on the side come last, because the processor cannot predict on which side a load lies.
		for at < len(order) && (p.Load[order[at]] > now.missing || p.Side[order[at]] != sender || ws.before[order[at]] != sender) {
			at++
		}
		if at == len(order) || near && now.moves+1 >= best.moves {
			return false
		}
		p.Side[order[at]] = 1 - sender
		now.missing -= p.Load[order[at]]
		now.moves++
	}
}

// tryFits completes the plan in p.Side with the best fit of n loads, for each n up to maxLoads. If the completed plan
// is better than best, tryFits stores it in best and ws.best.
func (e Exchange) tryFits(p Pair, order []int32, sender uint8, now attempt, best *attempt, ws *Workspace) {
	var signed []signedLoad
	for n := 0; n <= e.maxLoads() && n <= len(order); n++ {
		// least is the smallest number of moves of a plan that a fit of n loads completes. A load of the fit that has
		// moved before goes back, so the plan has one move less. least is reached if as many of the n loads as possible
		// go back.
		least := now.moves + n - 2*min(n, now.moves)
		if math.Abs(best.missing) <= e.slack && best.moves < least {
			continue
		}
		f := fit{}
		if n > 0 {
			if signed == nil {
				signed = ws.sign(p, order, sender)
			}
			f = ws.nearest(signed, n, now.missing)
		}
		plan := attempt{now.missing - f.sum, now.moves + ws.changes(p, f)}
		improves := plan.moves > 0 && math.Abs(plan.missing) < e.amount
		if f.n == n && improves && plan.better(*best, e.slack) {
			*best = plan
			flip(p, f)
			copy(ws.best, p.Side)
			flip(p, f)
		}
	}
}

// settled reports whether no plan can be better than best. It is called before any load is sent. It returns true if
// best misses the amount by at most slack and moves only one load. If best moves two loads, it returns true only if all
// sums are exact. Then nearest1 and nearest2 have found the nearest of all single loads and pairs. With rounding,
// another pair could appear nearer when its loads are sent in another order.
func (e Exchange) settled(p Pair, best attempt) bool {
	return math.Abs(best.missing) <= e.slack && best.moves <= 2 && (best.moves <= 1 || sumsExact(p.Load, e.amount))
}

// sumsExact reports whether sums and differences of amount and the loads are never rounded, in any order.
func sumsExact(load []float64, amount float64) bool {
	sum := amount
	for _, w := range load {
		sum += w
	}
	exponent := math.Float64bits(sum)>>52 + 2
	if exponent >= 2047 {
		return false
	}
	// The number `above` is a power of two that exceeds twice the sum. Floating-point numbers a little larger than it
	// have a certain spacing. A load that can be added to `above` without rounding is a multiple of this spacing. If
	// all loads are multiples of it, so are their sums, which are small enough to be exact.
	above := math.Float64frombits(exponent << 52)
	for _, w := range load {
		if w+above-above != w {
			return false
		}
	}
	return amount+above-above == amount
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
		s = evenSample(s)
	}
	if n == 3 {
		return nearest3(s, target)
	}
	return ws.nearest4(s, target)
}

// changes returns how many moves f adds to the plan. A load that goes back to where it came from counts -1. Any other
// load counts 1.
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
