package criterion

import (
	"math"
	"slices"
)

// window is the number of ages that a curve tells apart. When a run grows older,
// neighbouring ages are merged, so that a decision's state and work stay
// bounded; a few thousandths of the longest interval are far below what can be
// gained by better timing, as costs are flat about the best.
const window = 512

// curve is the imbalance I = m/mu - 1 learned as a function of the age. Bucket i
// stands for the ages from i*width to (i+1)*width - 1.
type curve struct {
	width  int // in iterations; 0 stands for 1
	excess []float64
	load   []float64 // the ratio of the two is I: a mean weighted by load
}

func (c *curve) bucket(age int) int { return age / max(1, c.width) }

// full reports that the given age has no place.
func (c *curve) full(age int) bool { return c.bucket(age) >= window }

// add averages a sample into its age, which is at most one bucket beyond the
// last.
func (c *curve) add(age int, s Sample) {
	b := c.bucket(age)
	if b == len(c.excess) {
		c.excess = append(c.excess, 0)
		c.load = append(c.load, 0)
	}
	c.excess[b] += s.Max - s.Mean
	c.load[b] += s.Mean
}

// at returns I in a bucket; beyond the last it stays as it is there.
func (c *curve) at(b int) float64 {
	b = min(b, len(c.excess)-1)
	if b < 0 || c.load[b] <= 0 {
		return 0
	}
	return c.excess[b] / c.load[b]
}

// reset forgets everything but the width.
func (c *curve) reset(width int) {
	c.width, c.excess, c.load = width, c.excess[:0], c.load[:0]
}

// copy makes c equal to d.
func (c *curve) copy(d *curve) {
	c.width = d.width
	c.excess = append(c.excess[:0], d.excess...)
	c.load = append(c.load[:0], d.load...)
}

// merge averages d, of the same width, into c.
func (c *curve) merge(d *curve) {
	for b := range d.excess {
		if b == len(c.excess) {
			c.excess = append(c.excess, 0)
			c.load = append(c.load, 0)
		}
		c.excess[b] += d.excess[b]
		c.load[b] += d.load[b]
	}
}

// subtract takes the imbalance least away from all ages.
func (c *curve) subtract(least float64) {
	for b := range c.excess {
		c.excess[b] = max(0, c.excess[b]-float64(least*c.load[b]))
	}
}

// halve merges pairs of buckets.
func (c *curve) halve() {
	c.width = 2 * max(1, c.width)
	n := (len(c.excess) + 1) / 2
	for i := range n {
		c.excess[i], c.load[i] = pair(c.excess, i), pair(c.load, i)
	}
	c.excess, c.load = c.excess[:n], c.load[:n]
}

func pair(x []float64, i int) float64 {
	if 2*i+1 < len(x) {
		return x[2*i] + x[2*i+1]
	}
	return x[2*i]
}

// level forecasts a quantity by the moving average, out of several of different
// lengths, whose forecasts have been best so far. A clean trend is followed at
// once, noise and bursts are averaged out, and nobody has to say which it is.
type level struct {
	n     int
	value [7]float64 // averages that move by 1, 1/2, 1/4, ... 1/64 of an error
	loss  [7]float64 // sums of absolute errors
}

func (l *level) add(x float64) {
	for i := range l.value {
		if l.n == 0 {
			l.value[i] = x
			continue
		}
		err := x - l.value[i]
		l.loss[i] += math.Abs(err)
		l.value[i] += err / float64(int(1)<<i)
	}
	l.n++
}

func (l *level) forecast() float64 {
	best := 0
	for i, loss := range l.loss {
		if loss < l.loss[best] {
			best = i
		}
	}
	return l.value[best]
}

// recent is a window over the last values of a quantity, whose median no two
// outliers can move far.
type recent struct {
	n      int
	values [5]float64 // by count modulo 5
}

func (r *recent) add(x float64) {
	r.values[r.n%len(r.values)] = x
	r.n++
}

// median returns the median of the last five values, the lower one of two, and 0
// without any.
func (r *recent) median() float64 {
	n := min(r.n, len(r.values))
	if n == 0 {
		return 0
	}
	sorted := r.values
	slices.Sort(sorted[:n])
	return sorted[(n-1)/2]
}
