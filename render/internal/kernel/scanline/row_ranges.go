package scanline

import "lockstep/render/internal/kernel/array"

// rowRanges are rows of polygons of an array, a range for each virtual processor. An
// edge is exact at any row, so a range needs nothing but its polygon, its first row
// and their number.
type rowRanges struct {
	polygon, first, rows []int32
	n                    int // ranges in use
}

// len returns the number of ranges. Those of a nil rowRanges are all rows of each
// polygon of the array.
func (r *rowRanges) len(p *array.Polygons) int {
	if r == nil {
		return p.N
	}
	return r.n
}

// at returns the polygon and the rows of range i.
func (r *rowRanges) at(p *array.Polygons, i int) (n int, first, rows int32) {
	if r == nil {
		return i, p.First[i], p.Rows[i]
	}
	return int(r.polygon[i]), r.first[i], r.rows[i]
}

// split appends the rows of a polygon, spread evenly over some ranges.
func (r *rowRanges) split(polygon, first, rows, ranges int32) {
	each, more := rows/ranges, rows%ranges
	at := r.n
	r.n = at + int(ranges)
	polygons, firsts, counts := r.polygon[at:r.n], r.first[at:r.n], r.rows[at:r.n]
	for i := range polygons {
		n := each
		if i < int(more) {
			n++
		}
		polygons[i], firsts[i], counts[i] = polygon, first, n
		first += n
	}
}
