package extent

// A Tally is the extent of triangles and the number of those that are not finite.
type Tally struct {
	Extent
	Bad, Large int // triangles that are not finite in float32; those that are in float64
	FirstBad   int // lowest index of such a triangle; meaningless if Bad is 0
}

// NewTallies returns n tallies of nothing.
func NewTallies(n int) []Tally {
	all := make([]Tally, n)
	for i := range all {
		all[i].Extent = Empty()
	}
	return all
}

// AddBad counts triangle t, which is not finite in float32; large says that it is in
// float64.
func (y *Tally) AddBad(t int, large bool) {
	if y.Bad == 0 || t < y.FirstBad {
		y.FirstBad = t
	}
	y.Bad++
	if large {
		y.Large++
	}
}

// Sum returns the tally of all triangles.
func Sum(each []Tally) Tally {
	all := each[0]
	for i := range each[1:] {
		y := &each[1+i]
		all.Join(&y.Extent)
		if y.Bad > 0 && (all.Bad == 0 || y.FirstBad < all.FirstBad) {
			all.FirstBad = y.FirstBad
		}
		all.Bad += y.Bad
		all.Large += y.Large
	}
	return all
}
