package kernel

import (
	"math"
	"slices"

	"lockstep/lb"
)

const (
	// asideMost is how many polygons are set aside, of many groups, before their
	// rows are dealt: enough to fill the lanes some ten times over, and few enough
	// to stay in the first-level cache.
	asideMost = 512

	// groupSetUp is about the number of iterations that take as long as setting up
	// a group of parts: 8 to 13 measured.
	groupSetUp = 12

	// processorsMost bounds the parts beyond one a polygon, and so memory; where
	// more are wanted parts get longer.
	processorsMost = 4096

	// evenMost is the number of parts up to which the last group, if it is not
	// full, weighs so much that the parts are made to fill all groups.
	evenMost = 4 * Lanes

	// partsMost is the most parts that a plan can have.
	partsMost = processorsMost + asideMost + 2*Lanes

	// lengthClasses and rowClasses are the numbers of lengths and of rows that
	// sorting parts tells apart. Lanes wait for one that is longer by a class at
	// most: a 32nd to a 64th of the longest.
	lengthClasses, rowClasses = 64, sortClasses
	sortClasses               = 128
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
// Each polygon is split into as many equal parts as it takes for none to be longer
// than a length T. Parts of about the same length share a group, so that all
// groups together wait for idle lanes no longer than the longest part: about T/2
// iterations. A part costs its share of setting up a group, so n polygons with r
// rows take about
//
//	(r + (n + r/T) * groupSetUp) / Lanes + T/2
//
// iterations, which is least at T = sqrt(2*r*groupSetUp/Lanes).
//
// A few parts are planned to the last lane instead: lb.Proportional allots to the
// polygons the processors that fill whole groups.
type dealer struct {
	// The polygons set aside, with the rows left. They are copied while they are in
	// the first-level cache: when they are dealt the z-buffer may have driven the
	// array out of the second.
	aside *Polygons
	// spared is the iterations that their groups would still have taken; 0 for rows that
	// nobody decided to set aside.
	spared int64

	allotted []int32 // parts beyond one, of polygons set aside
	workload []int32 // by virtual processor
	planner  lb.Proportional
	length   []int32 // of the parts of polygons set aside
	order    []int32 // polygons set aside, from long parts to short ones

	keys, byRow []int32 // scratch of sort

	parts parts
}

// makeDealer allocates all that a dealer will ever need.
func makeDealer() dealer {
	plan, dealt := makeColumns[int32](5, asideMost+Lanes), makeColumns[int32](3, partsMost)
	return dealer{
		aside:    MakeParts(asideMost + Lanes),
		allotted: plan[0], workload: make([]int32, evenMost),
		length: plan[1], order: plan[2][:0], keys: plan[3], byRow: plan[4],
		parts: parts{polygon: dealt[0], first: dealt[1], rows: dealt[2]},
	}
}

// clear forgets what was set aside.
func (d *dealer) clear() {
	if d.aside == nil {
		*d = makeDealer()
	}
	d.aside.N, d.spared, d.parts.n = 0, 0, 0
}

// full reports whether the polygons of another group may not find room.
func (d *dealer) full() bool { return d.aside.N > asideMost-Lanes }

// deal makes parts of what was set aside.
func (d *dealer) deal() {
	d.plan()
	d.sort()
	for _, i := range d.order {
		d.parts.split(i, d.aside.First[i], d.aside.Rows[i], d.allotted[i]+1)
	}
}

// left is the rows left of the polygons set aside.
func (d *dealer) left() []int32 { return d.aside.Rows[:d.aside.N] }

// plan decides in how many parts each polygon is dealt.
func (d *dealer) plan() {
	rows := int64(0)
	for _, left := range d.left() {
		rows += int64(left)
	}
	longest := int64(math.Sqrt(float64(rows * (2 * groupSetUp) / Lanes)))
	longest = max(longest, (rows+processorsMost-1)/processorsMost, 1)
	if even := (int64(d.aside.N) + rows/longest + Lanes - 1) / Lanes * Lanes; even <= evenMost {
		d.planEven(int(even))
		return
	}
	for i, left := range d.left() {
		d.allotted[i], d.length[i] = 0, left
		if more := int32(int64(left-1) / longest); more > 0 {
			d.allotted[i], d.length[i] = more, left/(more+1)
		}
	}
}

// planEven plans so many parts.
func (d *dealer) planEven(parts int) {
	workload := d.workload[:parts]
	clear(workload[copy(workload, d.left()):])
	d.planner.Plan(d.allotted[:parts], workload, lb.Gather(workload))
	for i, left := range d.left() {
		d.length[i] = left / (d.allotted[i] + 1)
	}
}

// sort puts the polygons into the order in which their parts are dealt: parts of
// about the same length share a group, or its lanes would idle again, and among
// those neighbours in height, so that the lanes' spans lie in the same few rows of
// the frame. Without the latter the z-buffer took 6 % longer on
// scene:slivers?wide=3000; spans of sixteen polygons in turn still take it 1.2 times
// as long as those of one after the other, whose lengths can be foretold.
func (d *dealer) sort() {
	n := d.aside.N
	d.order = d.order[:n]
	if n <= 2*Lanes {
		d.sortFew()
		return
	}
	first, keys, byRow := d.aside.First[:n], d.keys[:n], d.byRow[:n]
	top, shift := slices.Min(first), keyShift(slices.Max(first)-slices.Min(first), rowClasses)
	for i, row := range first {
		keys[i], d.order[i] = (row-top)>>shift, int32(i)
	}
	countingSort(byRow, d.order, keys)
	longest := slices.Max(d.length[:n])
	shift = keyShift(longest, lengthClasses)
	for i, length := range d.length[:n] {
		keys[i] = (longest - length) >> shift
	}
	countingSort(d.order, byRow, keys)
}

// sortFew is sort for so few polygons that counting classes would take longer.
func (d *dealer) sortFew() {
	longest := slices.Max(d.length[:d.aside.N])
	shift := keyShift(longest, lengthClasses)
	key := func(i int32) int64 {
		return int64((longest-d.length[i])>>shift)<<32 | int64(d.aside.First[i])
	}
	for at := range d.order {
		this := key(int32(at))
		k := at
		for ; k > 0 && key(d.order[k-1]) > this; k-- {
			d.order[k] = d.order[k-1]
		}
		d.order[k] = int32(at)
	}
}

// keyShift returns by how many bits numbers up to most are shifted for them to be
// below classes.
func keyShift(most, classes int32) (shift uint) {
	for most>>shift >= classes {
		shift++
	}
	return shift
}

// countingSort sets to to the indices from, ordered by their keys, below
// sortClasses; those with equal keys stay in order.
func countingSort(to, from, keys []int32) {
	var start [sortClasses + 1]int32
	for _, key := range keys {
		start[key+1]++
	}
	for k := range sortClasses {
		start[k+1] += start[k]
	}
	for _, i := range from {
		at := &start[keys[i]]
		to[*at] = i
		*at++
	}
}
