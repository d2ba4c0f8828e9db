package criterion

import (
	"cmp"
	"math"
	"slices"
)

// A noiseFilter separates noise from imbalance that a balancing can remove. Noise delays a different processing element
// in every iteration. A bad distribution delays the same element every time. So the lasting imbalance of an iteration
// is measured at the element that was the slowest in earlier iterations. That element is not the slowest by chance.
//
// If the imbalance follows a trend, or the elements' times are unknown, the filter leaves the imbalance unchanged.
type noiseFilter struct {
	N      int // number of iterations with known times since the balancing
	Jitter jitter
	// sums of the whole imbalance and of its lasting part, over all iterations except the first after each balancing
	Whole, Lasting float64
	Failed         bool // some balancing left more than half of the imbalance
	Near           lastValues
	Early          float64             // lasting imbalance of the first iterations after the balancing
	Shares         [trendLen][]float64 // times divided by the mean; iteration n is at index n modulo trendLen
}

// imbalance records a sample. It returns the lasting part of the sample's imbalance, or all of it if there is no noise.
func (v *noiseFilter) imbalance(s Sample) float64 {
	now := s.imbalance()
	if s.Balanced {
		v.N = 0
		v.Failed = v.Failed || v.Jitter.N > 0 && now > v.Jitter.Last/2
		v.Jitter.skip(now)
	} else {
		v.Jitter.add(now)
	}
	if len(s.Times) == 0 || !(s.Mean > 0) {
		v.N = 0
		return now
	}
	lasting := now
	if v.N == 0 || len(v.Shares[0]) != len(s.Times) {
		v.N, v.Near = 0, lastValues{}
	} else {
		lasting = max(0, s.Times[v.slowest(s.Times)]/s.Mean-1)
		v.Whole += now
		v.Lasting += lasting
	}
	row := &v.Shares[v.N%trendLen]
	*row = (*row)[:0]
	for _, t := range s.Times {
		*row = append(*row, t/s.Mean)
	}
	v.N++
	v.Near.add(lasting)
	if v.N == trendLen {
		v.Early = v.Near.median()
	}
	if !v.noisy() {
		return now
	}
	return v.Near.median()
}

func (v *noiseFilter) noisy() bool { return v.Failed || v.Jitter.noisy() || 2*v.Lasting < v.Whole }

// slowest returns the element whose median share in the last iterations is largest. A share is a time divided by the
// mean. Ties are broken by the share in the last iteration, and then by `now`, the times of this iteration. The last
// tie-break matters after a balancing that leaves no imbalance. All elements are then equally fast. If one of them
// becomes the slowest later, that is not by chance.
func (v *noiseFilter) slowest(now []float64) int {
	rows, last := v.Shares[:min(v.N, trendLen)], v.Shares[(v.N-1)%trendLen]
	best, most := -1, [2]float64{}
	for p := range rows[0] {
		var x [trendLen]float64
		for i, row := range rows {
			x[i] = row[p]
		}
		slices.Sort(x[:len(rows)])
		share := [2]float64{x[(len(rows)-1)/2], last[p]}
		if order := compareShares(share, most); best < 0 || order > 0 || order == 0 && now[p] > now[best] {
			best, most = p, share
		}
	}
	return best
}

// compareShares compares a and b by their first elements, or by their second elements if the first differ only by
// rounding.
func compareShares(a, b [2]float64) int {
	for i := range a {
		if math.Abs(a[i]-b[i]) > float64(roundoff*(1+b[i])) {
			return cmp.Compare(a[i], b[i])
		}
	}
	return 0
}
