package scanline

import (
	"math"
	"slices"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

const (
	// deferredMost is how many polygons are deferred, of many groups, before their
	// rows are redistributed: enough to fill the lanes some ten times over, and few
	// enough to stay in the first-level cache.
	deferredMost = 512

	// groupSetUp is about the number of iterations that take as long as setting up
	// a group of row ranges: 8 to 13 measured.
	groupSetUp = 12

	// processorsMost bounds the row ranges beyond one a polygon, and so memory; where
	// more are wanted ranges get longer.
	processorsMost = 4096

	// evenMost is the number of ranges up to which the last group, if it is not
	// full, weighs so much that the ranges are made to fill all groups.
	evenMost = 4 * array.Lanes

	// rangesMost is the most ranges that a plan can have.
	rangesMost = processorsMost + deferredMost + 2*array.Lanes

	// lengthClasses and rowClasses are the numbers of lengths and of rows that
	// sorting ranges tells apart. Lanes wait for one that is longer by a class at
	// most: a 32nd to a 64th of the longest.
	lengthClasses, rowClasses = 64, sortClasses
	sortClasses               = 128
)

// A redistributor collects deferred polygons, plans how many virtual processors work
// on each of them, and makes row ranges, one for each virtual processor.
//
// Each polygon is split into as many equal ranges as it takes for none to be longer
// than a length T. Ranges of about the same length share a group, so that all
// groups together wait for idle lanes no longer than the longest range: about T/2
// iterations. A range costs its share of setting up a group, so n polygons with r
// rows take about
//
//	(r + (n + r/T) * groupSetUp) / Lanes + T/2
//
// iterations, which is least at T = sqrt(2*r*groupSetUp/Lanes).
//
// A few ranges are planned to the last lane instead: lb.Proportional allots to the
// polygons the lanes of whole groups that one range a polygon leaves idle.
//
// Polygons are copied when they are deferred, while they are in the first-level cache:
// when their rows are redistributed the z-buffer may have driven the array out of the
// second. Memory is allocated once, by clear.
type redistributor struct {
	deferred *array.Polygons // with the rows that they have left
	// spared is the iterations that their groups would still have taken; 0 for rows
	// that StartRows put here without a decision.
	spared  int64
	decided lb.Decision // the sum over the groups that were deferred, if observed

	helpers  []int32 // by deferred polygon: row ranges beyond one
	workload []int32 // by virtual processor
	planner  lb.Proportional
	length   []int32 // of the ranges of a deferred polygon
	order    []int32 // deferred polygons, from long ranges to short ones

	keys, byRow []int32 // scratch of sort

	rowRanges rowRanges
}

// makeRedistributor allocates all that a redistributor will ever need.
func makeRedistributor() redistributor {
	plan, ranges := array.Columns[int32](5, deferredMost+array.Lanes), array.Columns[int32](3, rangesMost)
	return redistributor{
		deferred: array.MakeRowRanges(deferredMost + array.Lanes),
		helpers:  plan[0], workload: make([]int32, evenMost),
		length: plan[1], order: plan[2][:0], keys: plan[3], byRow: plan[4],
		rowRanges: rowRanges{polygon: ranges[0], first: ranges[1], rows: ranges[2]},
	}
}

// clear forgets the deferred polygons.
func (d *redistributor) clear() {
	if d.deferred == nil {
		*d = makeRedistributor()
	}
	d.deferred.N, d.spared, d.rowRanges.n = 0, 0, 0
}

// full reports whether the polygons of another group may not find room.
func (d *redistributor) full() bool { return d.deferred.N > deferredMost-array.Lanes }

// makeRanges splits the rows of the deferred polygons.
func (d *redistributor) makeRanges() {
	d.plan()
	d.sort()
	for _, i := range d.order {
		d.rowRanges.split(i, d.deferred.First[i], d.deferred.Rows[i], d.helpers[i]+1)
	}
}

// left returns the rows left of the deferred polygons.
func (d *redistributor) left() []int32 { return d.deferred.Rows[:d.deferred.N] }

// plan decides into how many ranges the rows of each polygon are split.
func (d *redistributor) plan() {
	rows := int64(0)
	for _, left := range d.left() {
		rows += int64(left)
	}
	longest := int64(math.Sqrt(float64(rows * (2 * groupSetUp) / array.Lanes)))
	longest = max(longest, (rows+processorsMost-1)/processorsMost, 1)
	if even := (int64(d.deferred.N) + rows/longest + array.Lanes - 1) / array.Lanes * array.Lanes; even <= evenMost {
		d.planEven(int(even))
		return
	}
	for i, left := range d.left() {
		d.helpers[i], d.length[i] = 0, left
		if more := int32(int64(left-1) / longest); more > 0 {
			d.helpers[i], d.length[i] = more, left/(more+1)
		}
	}
}

// planEven plans a given number of ranges.
func (d *redistributor) planEven(ranges int) {
	workload := d.workload[:ranges]
	clear(workload[copy(workload, d.left()):])
	d.planner.Plan(d.helpers[:ranges], workload, lb.Gather(workload))
	for i, left := range d.left() {
		d.length[i] = left / (d.helpers[i] + 1)
	}
}

// sort puts the polygons into the order of their ranges. Ranges of about the same
// length share a group, or its lanes would idle again. Among those neighbours in
// height share it, so that the lanes' spans lie in the same few rows of the frame.
// Without the second rule the z-buffer took 6 % longer on scene:slivers?wide=3000.
// Spans of sixteen polygons in turn still take it 1.2 times as long as those of one
// polygon after the other, whose lengths branch prediction learns.
func (d *redistributor) sort() {
	n := d.deferred.N
	d.order = d.order[:n]
	if n <= 2*array.Lanes {
		d.sortFew()
		return
	}
	first, keys, byRow := d.deferred.First[:n], d.keys[:n], d.byRow[:n]
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

// sortFew is sort by insertion, for few polygons: counting classes takes longer.
func (d *redistributor) sortFew() {
	longest := slices.Max(d.length[:d.deferred.N])
	shift := keyShift(longest, lengthClasses)
	key := func(i int32) int64 {
		return int64((longest-d.length[i])>>shift)<<32 | int64(d.deferred.First[i])
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
