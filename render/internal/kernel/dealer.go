package kernel

import (
	"fmt"

	"lockstep/lb"
)

const (
	// asideMost is how many polygons are set aside, of many groups, before their
	// rows are dealt: enough to fill the lanes some ten times over, and few enough
	// to stay in the first-level cache.
	asideMost = 512

	// partRows is the number of rows that a part aims at. Shorter parts cost more to
	// set up: with 32, 64, 96 and 128 rows BenchmarkScanCost (AVX-512, tall=4,
	// rows=400) found balancing 1.9, 2.1, 2.4 and 2.5 times as fast. Longer ones win
	// little more, and are too coarse to fill the lanes when little is set aside.
	partRows = 128

	// processorsMost bounds the virtual processors of a plan, and so its memory;
	// beyond it parts get longer.
	processorsMost = 4096

	// partsMost is how many parts are made at a time.
	partsMost = 512

	// lengthsMost is the number of lengths that sorting parts tells apart.
	lengthsMost = 256
)

// A dealer redistributes rows: it collects polygons that were set aside, plans
// how many virtual processors work on each of them, and deals out parts, which
// are polygons with some of the rows. An edge is exact at any row, so a part
// needs nothing but its first row.
//
// The processors are those that the rows fill, plus one a polygon; one works on
// each polygon and the idle others are allotted in proportion to the rows
// left, with lb.Proportional.
type dealer struct {
	// Of the polygons set aside: index, rows done (of those in the array), rows
	// left. The capacity is asideMost+Lanes.
	polygon, done, left []int32
	n                   int // polygons set aside

	workload, allotted []int32 // by virtual processor
	planner            lb.Proportional
	order              []int32 // polygons set aside, from long parts to short ones

	parts *Polygons
	at    int // next in order
	part  int // next part of it
}

// makeDealer allocates all that a dealer will ever need.
func makeDealer() dealer {
	ints := makeColumns[int32](4, asideMost+Lanes)
	return dealer{
		polygon: ints[0], done: ints[1], left: ints[2], order: ints[3][:0],
		workload: make([]int32, processorsMost+asideMost+2*Lanes),
		allotted: make([]int32, processorsMost+asideMost+2*Lanes),
		parts:    MakeParts(partsMost),
	}
}

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

// clear forgets what was set aside.
func (d *dealer) clear() {
	if d.parts == nil {
		*d = makeDealer()
	}
	d.n = 0
	d.parts.N = 0
}

// full reports whether the polygons of another group may not find room.
func (d *dealer) full() bool { return d.n > asideMost-Lanes }

// add sets a polygon aside.
func (d *dealer) add(polygon, done int, left int32) {
	d.polygon[d.n], d.done[d.n], d.left[d.n] = int32(polygon), int32(done), left
	d.n++
}

// plan allots virtual processors to what was set aside.
func (d *dealer) plan() {
	rows := int64(0)
	for _, left := range d.left[:d.n] {
		rows += int64(left)
	}
	helpers := int(min((rows+partRows-1)/partRows, processorsMost))
	processors := (d.n + helpers + Lanes - 1) / Lanes * Lanes
	workload := d.workload[:processors]
	clear(workload[copy(workload, d.left[:d.n]):])
	d.planner.Plan(d.allotted[:processors], workload, lb.Gather(workload))
	d.sort()
	d.at, d.part = 0, 0
}

// sort puts the polygons into the order in which their parts are dealt: parts of
// about the same length share a group, or its lanes would idle again.
func (d *dealer) sort() {
	var start [lengthsMost + 1]int32
	for i := range d.n {
		start[d.key(i)+1]++
	}
	for k := range lengthsMost {
		start[k+1] += start[k]
	}
	d.order = d.order[:d.n]
	for i := range d.n {
		k := d.key(i)
		d.order[start[k]] = int32(i)
		start[k]++
	}
}

// key is smaller for longer parts.
func (d *dealer) key(i int) int32 {
	return lengthsMost - 1 - min(d.left[i]/(d.allotted[i]+1), lengthsMost-1)
}

// next replaces the parts by the next ones of polygons of p, none when all are
// dealt.
func (d *dealer) next(p *Polygons) {
	d.parts.N = 0
	for d.at < d.n {
		i := d.order[d.at]
		n, parts := int(d.polygon[i]), int(d.allotted[i])+1
		for ; d.part < parts; d.part++ {
			if d.parts.Room() == 0 {
				return
			}
			lo, hi := cut(d.left[i], d.part, parts), cut(d.left[i], d.part+1, parts)
			d.parts.PushRows(p, n, p.First[n]+d.done[i]+lo, hi-lo)
		}
		d.at, d.part = d.at+1, 0
	}
}

// cut returns where part i of so many begins, in n rows split evenly.
func cut(n int32, i, parts int) int32 { return int32(int64(n) * int64(i) / int64(parts)) }

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
