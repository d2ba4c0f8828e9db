package criterion

import (
	"math"
	"slices"
)

// window is the number of ages that a curve distinguishes. In a long interval neighbouring ages are merged, which
// bounds the state and the work of a decision. Ages are then known to within a few thousandths of the longest interval.
// That is enough, because near the best time to balance the cost hardly depends on the time.
const window = 512

// A curve is the imbalance I = m/mu - 1 as a function of the age, as learned from samples. m is the time of the slowest
// processing element, and mu the mean time. Bucket i holds the ages from i*Width to (i+1)*Width - 1.
type curve struct {
	Width  int // number of iterations per bucket; 0 means 1
	Excess []float64
	Load   []float64 // I of a bucket is Excess/Load, a mean weighted by load
}

func (c *curve) width() int { return max(1, c.Width) }

func (c *curve) bucket(age int) int { return age / c.width() }

// full reports whether the curve has no bucket for this age.
func (c *curve) full(age int) bool { return c.bucket(age) >= window }

// add averages sample s into the bucket of age. The bucket may be a new one after the last.
func (c *curve) add(age int, s Sample) {
	b := c.bucket(age)
	if b == len(c.Excess) {
		c.Excess = append(c.Excess, 0)
		c.Load = append(c.Load, 0)
	}
	c.Excess[b] += s.Max - s.Mean
	c.Load[b] += s.Mean
}

// at returns the imbalance I in bucket b. Beyond the last bucket, it returns the imbalance in the last bucket.
func (c *curve) at(b int) float64 {
	b = min(b, len(c.Excess)-1)
	if b < 0 || c.Load[b] <= 0 {
		return 0
	}
	return c.Excess[b] / c.Load[b]
}

// reset removes all buckets.
func (c *curve) reset() { c.Width, c.Excess, c.Load = 1, c.Excess[:0], c.Load[:0] }

// copy makes c equal to d.
func (c *curve) copy(d *curve) {
	c.Width = d.Width
	c.Excess = append(c.Excess[:0], d.Excess...)
	c.Load = append(c.Load[:0], d.Load...)
}

// merge averages d into c. Afterwards both have buckets of the same width, the larger of the two.
func (c *curve) merge(d *curve) {
	for c.width() < d.width() {
		c.halve()
	}
	for d.width() < c.width() {
		d.halve()
	}
	for b := range d.Excess {
		if b == len(c.Excess) {
			c.Excess = append(c.Excess, 0)
			c.Load = append(c.Load, 0)
		}
		c.Excess[b] += d.Excess[b]
		c.Load[b] += d.Load[b]
	}
}

// subtract lowers the imbalance of all buckets by least, but not below 0.
func (c *curve) subtract(least float64) {
	for b := range c.Excess {
		c.Excess[b] = max(0, c.Excess[b]-float64(least*c.Load[b]))
	}
}

// cycle returns the cost per bucket of the cheapest schedule that balances at regular intervals. It tries every length
// of the interval that the curve covers. ratio is the cost of one balancing. The unit of ratio and of the result is the
// imbalance time of one bucket in which I = 1.
func (c *curve) cycle(ratio float64) (rate float64) {
	rate = math.Inf(1)
	sum := ratio
	for k := range c.Excess {
		sum += c.at(k)
		rate = min(rate, sum/float64(k+1))
	}
	return rate
}

// halve merges pairs of buckets, which doubles the width.
func (c *curve) halve() {
	c.Width = 2 * c.width()
	n := (len(c.Excess) + 1) / 2
	for i := range n {
		c.Excess[i], c.Load[i] = pair(c.Excess, i), pair(c.Load, i)
	}
	c.Excess, c.Load = c.Excess[:n], c.Load[:n]
}

// split makes two buckets of each bucket. It drops buckets beyond the first `window` buckets.
func (c *curve) split() {
	n := min(2*len(c.Excess), window)
	excess, load := make([]float64, n), make([]float64, n)
	for i := range n {
		excess[i], load[i] = c.Excess[i/2]/2, c.Load[i/2]/2
	}
	c.Width, c.Excess, c.Load = c.width()/2, excess, load
}

func pair(x []float64, i int) float64 {
	if 2*i+1 < len(x) {
		return x[2*i] + x[2*i+1]
	}
	return x[2*i]
}

// A level forecasts a quantity by moving averages of different lengths. It uses the average that has had the smallest
// errors so far. So it follows a clean trend at once, and averages out noise and bursts.
type level struct {
	N     int
	Value [7]float64 // averages; a new value x adds (x - Value[i]) / 2^i
	Loss  [7]float64 // sum of each average's absolute errors
}

func (l *level) add(x float64) {
	for i := range l.Value {
		if l.N == 0 {
			l.Value[i] = x
			continue
		}
		err := x - l.Value[i]
		l.Loss[i] += math.Abs(err)
		l.Value[i] += err / float64(int(1)<<i)
	}
	l.N++
}

func (l *level) forecast() float64 {
	best := 0
	for i, loss := range l.Loss {
		if loss < l.Loss[best] {
			best = i
		}
	}
	return l.Value[best]
}

// A lastValues holds the last few values of a quantity, for a median. Up to two outliers among the values hardly change
// the median.
type lastValues struct {
	N      int
	Values [trendLen]float64 // value n is at index n modulo trendLen
}

func (r *lastValues) add(x float64) {
	r.Values[r.N%len(r.Values)] = x
	r.N++
}

// replace replaces the last value.
func (r *lastValues) replace(x float64) { r.Values[(r.N-1)%trendLen] = x }

// median returns the median of the last trendLen values. Of two middle values it returns the lower. Without values it
// returns 0.
func (r *lastValues) median() float64 {
	n := min(r.N, len(r.Values))
	if n == 0 {
		return 0
	}
	sorted := r.Values
	slices.Sort(sorted[:n])
	return sorted[(n-1)/2]
}
