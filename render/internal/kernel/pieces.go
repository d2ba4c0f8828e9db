package kernel

import "fmt"

// MakeParts returns an empty polygon array with only the columns that Scan reads,
// for rows of other arrays' polygons.
func MakeParts(capacity int) *Polygons {
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
// place. Only columns that MakeParts provides are moved.
func (p *Polygons) MoveRows(to *Polygons, n int) {
	to.PushRows(p, n, p.First[n], p.Rows[n])
	last := p.N - 1
	if n != last {
		p.N = n
		p.PushRows(p, last, p.First[last], p.Rows[last])
	}
	p.N = last
}
