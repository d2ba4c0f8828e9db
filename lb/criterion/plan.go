package criterion

import "math"

// plan compares going on with balancing now, under a forecast of the imbalance.
// It counts time in buckets of the curve and cost in the excess that I = 1 causes
// in one bucket, that is, in mean loads times the bucket's width.
type plan struct {
	total []float64 // total[k]: excess of a fresh run over k buckets
	value []float64 // value[r]: least cost of r buckets from a balancing on
	whole []int     // lengths that are best left undivided
}

// verdict is the outcome of a plan.
type verdict struct {
	balance bool
	now     float64 // least cost of what is left if balanced now
	wait    float64 // least cost if not
	loss    float64 // of going on for one bucket, if balancing now is best
}

// horizons is the number of best intervals beyond which the end of the run no
// longer matters. The last intervals are stretched or squeezed to fit; with n of
// them each is off by at most half an interval in n, which costs a fraction of
// 1/(2n)^2 of a balancing.
const horizons = 4

// forecast is the imbalance expected from the present age on: the curve while
// it is known, less drop, then a constant.
type forecast struct {
	c      *curve
	b      int     // present bucket
	beyond float64 // I beyond the known ages
	drop   float64
}

func (f forecast) at(j int) float64 {
	if f.b+j < len(f.c.excess) {
		return f.c.at(f.b + j)
	}
	return max(0, f.beyond-f.drop)
}

// sum returns the excess of going on for the given number of buckets.
func (f forecast) sum(buckets int) float64 {
	sum, j := 0.0, 0
	for ; j < buckets && f.b+j < len(f.c.excess); j++ {
		sum += f.at(j)
	}
	return sum + float64(f.at(j)*float64(buckets-j))
}

// decide plans for a rest of the run, in buckets, or for one without end if
// rest is negative. ratio is the cost of balancing in the plan's unit.
//
// stale says that a table of values as old as a bucket's width, which is what
// the plan resolves, may be used again.
func (p *plan) decide(f forecast, ratio float64, rest int, stale bool) verdict {
	rate, length := p.cycle(f.c, ratio)
	if rest < 0 || rest > horizons*length {
		return p.endless(f, rate, rest)
	}
	if !stale || rest >= len(p.value) {
		p.solve(f.c, ratio, rest)
	}
	return p.ending(f, ratio, rest)
}

// forget makes the table stale for good.
func (p *plan) forget() { p.value = p.value[:0] }

// cycle returns the least cost per bucket of balancing at regular intervals, of
// the known lengths, and the best length.
func (p *plan) cycle(c *curve, ratio float64) (rate float64, length int) {
	rate, length = math.Inf(1), 1
	sum := ratio
	for k := range c.excess {
		sum += c.at(k)
		if r := sum / float64(k+1); r < rate {
			rate, length = r, k+1
		}
	}
	return rate, length
}

// endless stops when every way to go on costs more than the best cycle would in
// that time.
func (p *plan) endless(f forecast, rate float64, rest int) verdict {
	gain, least := 0.0, math.Inf(1)
	for j := 0; j == 0 || f.b+j < len(f.c.excess)+1; j++ {
		gain += f.at(j) - rate
		least = min(least, gain)
	}
	v := verdict{balance: least > 0, wait: least, loss: f.at(0) - rate}
	if rest >= 0 {
		v.now = rate * float64(rest)
		v.wait += v.now
	}
	return v
}

// ending finds the best plan to the end of the run, and stops when it balances
// now.
func (p *plan) ending(f forecast, ratio float64, rest int) verdict {
	v := verdict{now: ratio + p.value[rest], wait: math.Inf(1)}
	v.loss = f.at(0) - (p.value[rest] - p.value[rest-1])
	stay := 0.0
	for k := 1; k <= rest; k++ {
		stay += f.at(k - 1)
		then := stay
		if k < rest {
			then += ratio + p.value[rest-k]
		}
		v.wait = min(v.wait, then)
	}
	v.balance = v.wait > v.now
	return v
}

// solve fills in value up to the given number of buckets. A length whose best
// plan is divided is never needed undivided inside a longer plan, so only the
// others are tried: with imbalance that grows those are the shortest.
func (p *plan) solve(c *curve, ratio float64, rest int) {
	p.total = append(p.total[:0], 0)
	p.value = append(p.value[:0], 0)
	p.whole = p.whole[:0]
	for r := 1; r <= rest; r++ {
		sum := p.total[r-1] + c.at(r-1)
		p.total = append(p.total, sum)
		v := sum
		for _, k := range p.whole {
			start := p.total[k] + ratio
			if start >= v {
				break
			}
			v = min(v, start+p.value[r-k])
		}
		p.value = append(p.value, v)
		if v == sum {
			p.whole = append(p.whole, r)
		}
	}
}
