package criterion

import "slices"

// A sieve tells noise from imbalance that a balancing can remove. Noise delays one
// processing element now and another then; work that is cut badly delays the same
// one every time. So the lasting imbalance is that of the elements' usual times:
// the median, over the last iterations, of each one's time over the mean.
//
// While the imbalance has only grown, or where the elements' times are unknown, the
// sieve lets it pass as it is.
type sieve struct {
	n      int // iterations since the balancing
	fallen bool
	last   float64
	near   recent
	shares [5][]float64 // times over the mean, by iteration modulo 5
}

// imbalance returns the lasting part of a sample's imbalance.
func (v *sieve) imbalance(s Sample) float64 {
	now := s.imbalance()
	if s.Balanced {
		v.n = 0
	} else if now < v.last-float64(roundoff*(1+v.last)) {
		v.fallen = true
	}
	v.last = now
	if len(s.Times) == 0 || !(s.Mean > 0) {
		return now
	}
	if len(v.shares[0]) != len(s.Times) {
		v.n = 0
	}
	lasting := now
	if v.n > 0 {
		lasting = max(0, s.Times[v.slowest()]/s.Mean-1)
	} else {
		v.near = recent{}
	}
	row := &v.shares[v.n%len(v.shares)]
	*row = (*row)[:0]
	for _, t := range s.Times {
		*row = append(*row, t/s.Mean)
	}
	v.n++
	v.near.add(lasting)
	if !v.fallen {
		return now
	}
	return v.near.median()
}

// slowest returns the element whose median share of the last iterations is greatest.
func (v *sieve) slowest() int {
	rows := v.shares[:min(v.n, len(v.shares))]
	best, most := 0, -1.0
	for p := range rows[0] {
		var x [len(v.shares)]float64
		for i, row := range rows {
			x[i] = row[p]
		}
		slices.Sort(x[:len(rows)])
		if m := x[(len(rows)-1)/2]; m > most {
			best, most = p, m
		}
	}
	return best
}
