package kernel

import (
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

	// partsMost is the most parts that a plan can have.
	partsMost = processorsMost + asideMost + 2*Lanes

	// lengthsMost is the number of lengths that sorting parts tells apart.
	lengthsMost = 256
)

// parts are rows of polygons of an array, dealt to lanes. An edge is exact at any
// row, so a part needs nothing but its polygon, its first row and their number.
type parts struct {
	polygon, first, rows []int32
	n                    int // parts in use
}

// of returns how many parts there are; no parts are all polygons of the array.
func (d *parts) of(p *Polygons) int {
	if d == nil {
		return p.N
	}
	return d.n
}

// at returns the polygon and rows of part i.
func (d *parts) at(p *Polygons, i int) (n int, first, rows int32) {
	if d == nil {
		return i, p.First[i], p.Rows[i]
	}
	return int(d.polygon[i]), d.first[i], d.rows[i]
}

// split appends the rows of a polygon, spread evenly over so many parts.
func (d *parts) split(polygon, first, rows, into int32) {
	each, more := rows/into, rows%into
	at := d.n
	d.n = at + int(into)
	p, f, r := d.polygon[at:d.n], d.first[at:d.n], d.rows[at:d.n]
	for i := range p {
		n := each
		if i < int(more) {
			n++
		}
		p[i], f[i], r[i] = polygon, first, n
		first += n
	}
}

// A dealer redistributes rows: it collects polygons that were set aside, plans
// how many virtual processors work on each of them, and deals out parts.
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

	parts parts
}

// makeDealer allocates all that a dealer will ever need.
func makeDealer() dealer {
	aside, dealt := makeColumns[int32](4, asideMost+Lanes), makeColumns[int32](3, partsMost)
	return dealer{
		polygon: aside[0], done: aside[1], left: aside[2], order: aside[3][:0],
		workload: make([]int32, partsMost),
		allotted: make([]int32, partsMost),
		parts:    parts{polygon: dealt[0], first: dealt[1], rows: dealt[2]},
	}
}

// clear forgets what was set aside.
func (d *dealer) clear() {
	if d.order == nil {
		*d = makeDealer()
	}
	d.n, d.parts.n = 0, 0
}

// full reports whether the polygons of another group may not find room.
func (d *dealer) full() bool { return d.n > asideMost-Lanes }

// add sets a polygon aside.
func (d *dealer) add(polygon, done int, left int32) {
	d.polygon[d.n], d.done[d.n], d.left[d.n] = int32(polygon), int32(done), left
	d.n++
}

// deal makes parts of what was set aside, of polygons of p.
func (d *dealer) deal(p *Polygons) {
	d.plan()
	d.sort()
	for _, i := range d.order {
		n := d.polygon[i]
		d.parts.split(n, p.First[n]+d.done[i], d.left[i], d.allotted[i]+1)
	}
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
