package criterion

import "math"

// A jitter measures the noise of a series of values. A value between its two neighbours is part of a trend, however
// steep. A value above or below both neighbours is noise. The amount of noise is the smaller of its differences from
// the two neighbours.
type jitter struct {
	N          int
	Prev, Last float64
	Moved      float64 // sum of the absolute changes
	Turned     float64 // sum of the noise
}

// outlier is the largest change that counts in full, as a multiple of the mean change. Larger changes count as this
// multiple. With normally distributed noise, one in 700 changes is larger.
const outlier = 4.0

func (j *jitter) add(x float64) {
	change := x - j.Last
	back := j.Last - j.Prev
	if j.N > 0 {
		j.Moved += j.clip(math.Abs(change))
	}
	// The series turns at j.Last if the changes to and from j.Last have opposite signs. A change within the rounding
	// error of a quotient does not count.
	turns := change*back < 0 && math.Abs(change) > roundoff*(1+math.Abs(x))
	if j.N > 1 && turns {
		j.Turned += j.clip(min(math.Abs(change), math.Abs(back)))
	}
	j.Prev, j.Last = j.Last, x
	j.N++
}

// skip continues from x after a balancing. The change to x is neither trend nor noise.
func (j *jitter) skip(x float64) { j.Prev, j.Last = x, x }

func (j *jitter) clip(x float64) float64 {
	if j.N <= trendLen {
		return x
	}
	return min(x, float64(outlier*j.Moved/float64(j.N)))
}

// noisy reports whether the changes are mostly noise. Turned is half of Moved if the values are independent, and 0 if
// they follow a trend. The limit is a quarter, in the middle.
func (j *jitter) noisy() bool { return 4*j.Turned > j.Moved }
