package extent

// A Tally collects the extent of triangles and counts those that are not finite.
type Tally struct {
	Extent
	Bad, Large int // number of triangles not finite in float32, and how many of them are finite in float64
	FirstBad   int // lowest index of a bad triangle; meaningless if Bad is 0
}

// NewTallies returns n empty tallies.
func NewTallies(n int) []Tally {
	all := make([]Tally, n)
	for i := range all {
		all[i].Extent = Empty()
	}
	return all
}

// AddBad counts triangle t as not finite in float32. large says that it is finite in float64.
func (y *Tally) AddBad(t int, large bool) {
	if y.Bad == 0 || t < y.FirstBad {
		y.FirstBad = t
	}
	y.Bad++
	if large {
		y.Large++
	}
}

// Sum combines the tallies of parts of a mesh.
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
