package scenario

import (
	"math"
	"slices"
)

// dominance knows which rows of the dynamic programme can be dropped.
//
// Two rows that have reached the same iteration at ages a and b, with costs ga
// and gb, face the same mean loads from there on. If excess[a+k] is at most
// excess[b+k] for every k and ga <= gb, then the second row never gets ahead:
// rounded products and sums are monotone, so this holds to the last bit. Two
// structures of the excess give such pairs for all k at once:
//
//   - Younger is better: the excess never decreases. A row falls to any younger
//     row that is no dearer, among them the one that balances right now.
//   - Lag p: excess[k+p] <= excess[k] + tol for all k >= from. A row falls to
//     one that is older by a multiple of p. Periods are lags, and a tail that
//     dies out has lag 1. Sums of a repeated growth repeat only up to rounding,
//     hence tol: the older row must be cheaper by more than tol times all the
//     work to come, times the number of lags between the two, plus the rounding
//     of both sums.
//
// Curves with neither keep all rows: O(n^2).
type dominance struct {
	younger bool
	lag     int // 0: none
	from    int
	tol     float64
	top     float64   // greatest excess
	rest    []float64 // rest[t]: mean loads from iteration t on; nil without lag
	last    []float64 // per residue modulo lag: the least cost seen
}

func newDominance(c *Curves) *dominance {
	d := &dominance{younger: c.aging}
	if !d.younger {
		d.findLag(c)
	}
	return d
}

// maxLag bounds the search for a lag: a longer one would leave that many rows
// alive, which is hardly better than all of them.
const maxLag = 4096

// findLag takes the shortest lag that holds over at least the second half of
// the ages.
func (d *dominance) findLag(c *Curves) {
	e := c.excess
	d.top = slices.Max(e)
	// Partial sums of n rounded terms up to d.top differ by less than this.
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

// prune drops dominated rows, all of which have reached iteration t; fresh is
// the cost of the row that balances there. The rows stay in order.
func (d *dominance) prune(live *rows, fresh float64, t int) {
	switch {
	case d.younger:
		d.pruneOlder(live, fresh)
	case d.lag > 0:
		d.pruneYounger(live, t)
	}
}

// pruneOlder keeps the rows that are cheaper than all younger ones.
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

// pruneYounger drops rows that are not cheaper than an older one of their
// residue modulo the lag.
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
