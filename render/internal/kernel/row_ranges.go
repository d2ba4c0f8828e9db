package kernel

import "fmt"

// rowRanges are rows of polygons of an array, a range for each virtual processor. An
// edge is exact at any row, so a range needs nothing but its polygon, its first row
// and their number.
type rowRanges struct {
	polygon, first, rows []int32
	n                    int // ranges in use
}

// len returns the number of ranges. Those of a nil rowRanges are all rows of each
// polygon of the array.
func (r *rowRanges) len(p *Polygons) int {
	if r == nil {
		return p.N
	}
	return r.n
}

// at returns the polygon and the rows of range i.
func (r *rowRanges) at(p *Polygons, i int) (n int, first, rows int32) {
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

// MakeRowRanges returns an empty polygon array for some of the rows of other arrays'
// polygons, with only the columns that scan conversion reads.
func MakeRowRanges(capacity int) *Polygons {
	p := new(Polygons)
	ints, floats := makeColumns[int32](8, capacity), makeColumns[float32](3, capacity)
	for k := range 3 {
		p.X[k], p.Y[k], p.E[k] = ints[k], ints[3+k], floats[k]
	}
	p.First, p.Rows = ints[6], ints[7]
	p.Payload = makeColumns[uint32](1, capacity)[0]
	p.Reset()
	return p
}

// PushRows appends some of the rows of polygon n of another array. It panics when
// that does not have them. The bounds of p are left alone.
func (p *Polygons) PushRows(from *Polygons, n int, first, rows int32) {
	if first < from.First[n] || rows <= 0 || first+rows > from.First[n]+from.Rows[n] {
		panic(fmt.Sprintf("kernel: rows %d to %d of a polygon with rows %d to %d",
			first, first+rows, from.First[n], from.First[n]+from.Rows[n]))
	}
	at := p.N
	for k := range 3 {
		p.X[k][at], p.Y[k][at], p.E[k][at] = from.X[k][n], from.Y[k][n], from.E[k][n]
	}
	p.First[at], p.Rows[at], p.Payload[at] = first, rows, from.Payload[n]
	p.N = at + 1
}

// MoveRows moves polygon n behind those of another array; the last one takes its
// place. Only columns that MakeRowRanges provides are moved.
func (p *Polygons) MoveRows(to *Polygons, n int) {
	to.PushRows(p, n, p.First[n], p.Rows[n])
	last := p.N - 1
	if n != last {
		p.N = n
		p.PushRows(p, last, p.First[last], p.Rows[last])
	}
	p.N = last
}
