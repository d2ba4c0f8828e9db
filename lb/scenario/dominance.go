package scenario

import (
	"math"
	"slices"
)

// A dominance finds the rows of the dynamic programme that can be dropped, because another row is always at least as
// good.
//
// Consider two rows that have reached the same iteration at ages a and b, with costs ga and gb. The mean loads of the
// remaining iterations are the same for both. If ga <= gb and excess[a+k] <= excess[b+k] for every k, then the second
// row never becomes the cheaper one. Rounded products and sums are monotone, so this holds to the last bit. Two
// structures of the excess fulfil the condition for all k at once:
//
//   - Younger is better: the excess never decreases. A row is dominated by any younger row that costs no more, for
//     example by the row that balances right now.
//   - Lag p: excess[k+p] <= excess[k] + tol for all k >= from, where tol allows for the rounding of sums. A row is
//     dominated by a row that is older by a multiple of p. A periodic excess has its period as lag. An excess that
//     falls to 0 and stays there has lag 1. The older row must be cheaper by more than tol times all the remaining work
//     for each lag between the two rows, plus the rounding of both sums.
//
// Curves with neither structure keep all rows, which costs O(n^2).
type dominance struct {
	youngerIsBetter bool
	lag             int // the lag p, or 0 if there is none
	from            int
	tol             float64
	top             float64   // largest value of the excess
	rest            []float64 // rest[t] is the sum of the mean loads from iteration t on; nil without lag
	last            []float64 // last[i] is the least cost so far of the rows whose start modulo lag is i
}

func newDominance(c *Curves) *dominance {
	d := &dominance{youngerIsBetter: c.aging}
	if !d.youngerIsBetter {
		d.findLag(c)
	}
	return d
}

// maxLag limits the search for a lag. With lag p at least p rows must be kept, so a longer lag hardly helps.
const maxLag = 4096

// findLag sets lag to the shortest lag that holds over at least the second half of the ages.
func (d *dominance) findLag(c *Curves) {
	e := c.excess
	d.top = slices.Max(e)
	// tol is larger than the rounding error of a sum of len(e) terms, none of which exceeds d.top.
	tol := d.top * float64(len(e)) * 0x1p-52
	for p := 1; p <= min(maxLag, len(e)/2); p++ {
		k := len(e) - p - 1
		worst := 0.0
		for ; k >= 0 && e[k+p] <= e[k]+tol; k-- {
			worst = max(worst, e[k+p]-e[k])
		}
		if k+1 <= len(e)/2 {
			d.lag, d.from, d.tol = p, k+1, worst
			d.last = make([]float64, p)
			d.sumRest(c)
			return
		}
	}
}

func (d *dominance) sumRest(c *Curves) {
	d.rest = make([]float64, len(c.mean)+1)
	for t := len(c.mean) - 1; t >= 0; t-- {
		d.rest[t] = d.rest[t+1] + c.mean[t]
	}
}

// prune drops dominated rows and keeps the order of the others. All rows have reached iteration t. fresh is the cost of
// the row that balances before iteration t.
func (d *dominance) prune(live *rows, fresh float64, t int) {
	switch {
	case d.youngerIsBetter:
		d.pruneOlder(live, fresh)
	case d.lag > 0:
		d.pruneYounger(live, t)
	}
}

// pruneOlder keeps the rows that are cheaper than all younger rows.
func (d *dominance) pruneOlder(live *rows, fresh float64) {
	least := fresh
	w := len(live.start)
	for i := len(live.start) - 1; i >= 0; i-- {
		if live.cost[i] < least {
			least = live.cost[i]
			w--
			live.start[w], live.cost[w] = live.start[i], live.cost[i]
		}
	}
	n := copy(live.start, live.start[w:])
	copy(live.cost, live.cost[w:])
	live.start, live.cost = live.start[:n], live.cost[:n]
}

// pruneYounger drops rows that are not cheaper than an older row whose start is the same modulo the lag.
func (d *dominance) pruneYounger(live *rows, t int) {
	for i := range d.last {
		d.last[i] = math.Inf(1)
	}
	n := float64(len(d.rest))
	w := 0
	for i, s := range live.start {
		g := live.cost[i]
		if age := t - int(s); age >= d.from {
			c := &d.last[int(s)%d.lag]
			lags := n / float64(d.lag)
			slack := 0.0
			if d.tol > 0 {
				slack = float64(d.tol*lags)*d.rest[t] + float64(n*0x1p-51)*(g+float64(d.top*d.rest[t]))
			}
			if g >= *c+slack {
				continue
			}
			*c = min(*c, g)
		}
		live.start[w], live.cost[w] = s, g
		w++
	}
	live.start, live.cost = live.start[:w], live.cost[:w]
}
