package criterion

import "math"

// A jitter measures the noise of a series of values. A value between its two neighbours
// belongs to a trend, however steep. A value above both or below both is noise: its
// distance from the nearer neighbour.
type jitter struct {
	N          int
	Prev, Last float64
	Moved      float64 // sum of the changes
	Turned     float64 // sum of the distances
}

// outlier is the number of mean changes beyond which a change is clipped. Of the changes
// of normal noise one in 700 is that large.
const outlier = 4.0

func (j *jitter) add(x float64) {
	change := x - j.Last
	back := j.Last - j.Prev
	if j.N > 0 {
		j.Moved += j.clip(math.Abs(change))
	}
	turns := change*back < 0 && math.Abs(change) > roundoff*(1+math.Abs(x)) // a quotient's rounding is no turn
	if j.N > 1 && turns {
		j.Turned += j.clip(min(math.Abs(change), math.Abs(back)))
	}
	j.Prev, j.Last = j.Last, x
	j.N++
}

// skip goes on from x after a balancing, which is neither trend nor noise.
func (j *jitter) skip(x float64) { j.Prev, j.Last = x, x }

func (j *jitter) clip(x float64) float64 {
	if j.N <= few {
		return x
	}
	return min(x, float64(outlier*j.Moved/float64(j.N)))
}

// noisy reports that the changes are mostly noise. The distances of independent values sum
// up to half their changes, those of a trend to 0; the limit is in the middle.
func (j *jitter) noisy() bool { return 4*j.Turned > j.Moved }
