package scenario

import "context"

// blockLength is the number of iterations by which optimum advances all rows before it drops rows that can no longer
// lead to the cheapest scenario. The data of 64 iterations stay in the first-level cache. The time of BenchmarkOptimum
// is nearly the same for lengths from 32 to 256.
const blockLength = 64

// rows holds the histories that the dynamic programme still extends. A row is the cheapest history among those whose
// last balancing is before the same iteration, `start`. Rows are in increasing order of start.
type rows struct {
	start []int32
	cost  []float64 // cost of each row's history so far
}

// optimum returns the same as Exhaust, but works in blocks of iterations. After each block it drops rows that are
// dominated by others, because they cannot win any more.
func (c *Curves) optimum(ctx context.Context) (Scenario, error) {
	n := len(c.mean)
	best := newBestHistories(n)
	dom := newDominance(c)
	var live rows
	for lo := 0; lo < n; lo += blockLength {
		if err := ctx.Err(); err != nil {
			return Scenario{}, err
		}
		hi := min(lo+blockLength, n)
		c.advance(best, live, lo, hi)
		for s := lo; s < hi; s++ {
			g := best.cost[s]
			if s > 0 {
				g += c.cost
			}
			live.start = append(live.start, int32(s))
			live.cost = append(live.cost, c.advanceRow(best, s, g, s, hi))
		}
		dom.prune(&live, best.cost[hi]+c.cost, hi)
	}
	return best.scenario(), nil
}

// advanceRow extends one row over iterations lo to hi and returns its cost. The row's last balancing was before
// iteration s, and its cost before iteration lo is g.
//
// Here best.cost[t] does not yet include the cost of balancing before iteration t. That cost is the same for all rows,
// so adding it later keeps their order.
func (c *Curves) advanceRow(best bestHistories, s int, g float64, lo, hi int) float64 {
	mean := c.mean[lo:hi]
	excess := c.excess[lo-s:][:len(mean)]
	cost := best.cost[lo+1:][:len(mean)]
	for i, m := range mean {
		g += float64(m * excess[i])
		if g < cost[i] {
			cost[i], best.from[lo+1+i] = g, int32(s)
		}
	}
	return g
}

// advance extends all live rows over iterations lo to hi. It advances four rows at a time: each addition to a row needs
// the result of the one before, but additions to different rows can overlap.
func (c *Curves) advance(best bestHistories, live rows, lo, hi int) {
	i := 0
	for ; i+4 <= len(live.start); i += 4 {
		c.advance4(best, (*[4]int32)(live.start[i:]), (*[4]float64)(live.cost[i:]), lo, hi)
	}
	for ; i < len(live.start); i++ {
		live.cost[i] = c.advanceRow(best, int(live.start[i]), live.cost[i], lo, hi)
	}
}

func (c *Curves) advance4(best bestHistories, start *[4]int32, total *[4]float64, lo, hi int) {
	mean := c.mean[lo:hi]
	e0 := c.excess[lo-int(start[0]):][:len(mean)]
	e1 := c.excess[lo-int(start[1]):][:len(mean)]
	e2 := c.excess[lo-int(start[2]):][:len(mean)]
	e3 := c.excess[lo-int(start[3]):][:len(mean)]
	cost := best.cost[lo+1:][:len(mean)]
	g0, g1, g2, g3 := total[0], total[1], total[2], total[3]
	for i, m := range mean {
		g0 += float64(m * e0[i])
		g1 += float64(m * e1[i])
		g2 += float64(m * e2[i])
		g3 += float64(m * e3[i])
		if least := min(min(g0, g1), min(g2, g3)); least < cost[i] {
			cost[i] = least
			best.from[lo+1+i] = first4(least, g0, g1, g2, start)
		}
	}
	*total = [4]float64{g0, g1, g2, g3}
}

// first4 returns the start of the first of four rows that has the smallest cost. least is the smallest of the four
// costs.
func first4(least, g0, g1, g2 float64, start *[4]int32) int32 {
	switch least {
	case g0:
		return start[0]
	case g1:
		return start[1]
	case g2:
		return start[2]
	}
	return start[3]
}
