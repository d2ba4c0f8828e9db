// Package scanline does scan conversion: it turns the polygon array into the span array, in lockstep, and decides when
// and how to redistribute the polygons' scan lines over the lanes.
package scanline

import (
	"math"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// A Converter steps the polygon array through its scan lines (rows). It takes a group of Lanes polygons at a time, in
// the order of the array, one polygon in each lane. In every iteration, each lane that has rows left emits the span of
// its next row. Under the policy Never this is the loop of Figure 1 in Ahrens and Hansen, "Cost-Effective
// Data-Parallel Load Balancing", ICPP 1995: a group takes as many iterations as its tallest polygon has rows.
//
// Under the other policies it is the loop of their Figure 2. When few lanes of a group are still active, the loop
// looks at the group's workload: the rows that each lane has left. A trial plan gives all lanes to each active polygon
// in turn, so that each lane emits one of Lanes consecutive rows. If the plan saves more than it costs, it is carried
// out at once.
//
// The zero value, after Start, redistributes under the policy CostEffective and assumes that redistributions cost
// nothing.
type Converter struct {
	Policy lb.Policy
	// Cost is the estimated cost of a redistribution, in iterations. The estimate must not be too low. Policy and Cost
	// may only be changed before Start.
	Cost Cost
	// Observe, unless nil, is called before every step. It must not keep the pointer. Assembly cannot call it, so
	// plain Go runs then.
	Observe func(*Step)
	// Stop, unless nil, is called between groups. If it returns true, Run stops.
	Stop func() bool

	Counts
	Times

	lanes [array.Lanes]lane
	cursor

	args  scanArgs    // arguments of the loop in assembly
	state *groupState // state of the loop in assembly between calls

	// clock and gather are for plain Go only; nil means time.Now and lb.Gather. Tests replace them by functions with
	// known times.
	clock    func() time.Time
	gather   func(workload []int32) lb.Summary
	rowsLeft [array.Lanes]int32 // number of rows left in each lane at the last look; a field and not a local variable, because the call of gather would move a local variable to the heap
}

// now returns the time of s.clock or, without it, time.Now().
func (s *Converter) now() time.Time {
	if s.clock != nil {
		return s.clock()
	}
	return time.Now()
}

// summary returns the summary of a workload.
func (s *Converter) summary(workload []int32) lb.Summary {
	if s.gather != nil {
		return s.gather(workload)
	}
	return lb.Gather(workload)
}

// Cost is the estimated cost of a redistribution. Its unit is an iteration in which most lanes are idle.
type Cost struct {
	Polygon int32 // cost for each active polygon
	// First is the additional cost of the first redistribution of an array. Other loops have run since the previous
	// redistribution, so the code and data of redistributions are no longer in the caches.
	First int32
	// Full is the additional cost, in sixteenths of the unit, of each iteration of a redistributed group. Such
	// iterations are slower because all lanes have a row.
	Full int32
	// Ticks is the shortest time of an iteration, in sixteenths of a tick, see Times. Unless it is 0, redistributions
	// under the policy CostEffective are timed and compared with their cost, see Times.Judged.
	Ticks int64
}

// Of returns the cost of redistributing the given number of polygons, whose rows then take the given number of
// iterations. It does not include First.
func (c *Cost) Of(polygons int, iterations int32) int64 {
	return int64(c.Polygon)*int64(polygons) + (int64(c.Full)*int64(iterations)+15)>>4
}

// Times are sums since the last Clear. Their unit is the tick of the instruction set's clock: a nanosecond in plain
// Go, a tick of the processor's time-stamp counter in assembly.
type Times struct {
	Ticks int64 // time of the whole loop
	// SpreadTicks is the part of Ticks that was spent on redistributions, and on the iterations of redistributed groups
	// of lanes.
	SpreadTicks int64
	// Judged is the number of redistributions that were timed, each with the iterations after it. Dearer is how many
	// of them took longer than estimated.
	Judged, Dearer int64
}

// Add adds the times of another converter.
func (t *Times) Add(o *Times) {
	t.Ticks += o.Ticks
	t.SpreadTicks += o.SpreadTicks
	t.Judged += o.Judged
	t.Dearer += o.Dearer
}

// Counts are the counts of a Converter since the last Clear. They depend on the polygons only, not on the instruction
// set or on how many spans fit into an array.
type Counts struct {
	Iterations, Tasks int64 // number of lockstep iterations, and number of scan lines done in them
	Looks             int64 // number of times that the loop looked at the workload of a group
	// Counts of redistributions, except IterationsUnbalanced:
	//   - Redistributions: groups that were redistributed
	//   - Polygons: active polygons of these groups
	//   - Spread: iterations in which the rows of these polygons were then done
	//   - Saved: iterations that these redistributions saved
	//   - IterationsUnbalanced: iterations that all groups would take under the policy Never
	//   - First: redistributions for which Cost.First was added
	Redistributions, Polygons, Spread, Saved, IterationsUnbalanced, First int64
}

// Add adds the counts of another converter.
func (c *Counts) Add(o *Counts) {
	c.Iterations += o.Iterations
	c.Tasks += o.Tasks
	c.Looks += o.Looks
	c.Redistributions += o.Redistributions
	c.Polygons += o.Polygons
	c.Spread += o.Spread
	c.Saved += o.Saved
	c.IterationsUnbalanced += o.IterationsUnbalanced
	c.First += o.First
}

// cursor is a position in the polygon array.
type cursor struct {
	group  int  // first polygon of the current group
	row    int  // iterations done in the group
	loaded bool // the group's polygons are loaded into the lanes
	looked bool // after the last iteration the loop looked at the workload, but did not redistribute it
	// spread is true if the group was redistributed: all lanes together do the rows of one polygon after the other.
	spread bool
	// spent is the number of ticks that the group's redistribution has taken so far. If it exceeds atMost in the end,
	// the redistribution counts as Dearer.
	spent, atMost int64
	// tallest is the number of rows of the group's tallest polygon, or 0 if no redistribution of the group can pay.
	// lookLanes is the largest number of active lanes at which the loop looks at it.
	tallest   int32
	lookLanes int
	// firstCost is the additional cost of the array's first redistribution, and 0 after it.
	firstCost int64
}

// LookLanes is the largest number of active lanes at which the loop looks at the workload. An iteration with all lanes
// takes twice the time of one with a single lane. So with half of the lanes active, a redistribution saves at best a
// tenth of the time (BenchmarkScanCost, tall=8). With more active lanes it saves nothing.
const LookLanes = array.Lanes / 2

// Clear sets all counts and times to 0.
func (s *Converter) Clear() { s.Counts, s.Times = Counts{}, Times{} }

// Start moves to the first polygon of an array.
func (s *Converter) Start() {
	s.cursor = cursor{}
	if s.Policy == lb.CostEffective {
		s.firstCost = int64(s.Cost.First)
	}
}

// redistributedFirst records that the array's first redistribution was charged Cost.First. Later calls for the same
// array do nothing.
func (s *Converter) redistributedFirst() {
	if s.firstCost > 0 {
		s.First++
		s.firstCost = 0
	}
}

// Loop is the type of Converter.Run and of its versions in assembly.
type Loop func(s *Converter, p *array.Polygons, out *array.Spans, width, stride int32) (finished bool)

// Run emits spans until all polygons of the array are done, out has room for fewer than Lanes spans, or Stop returns
// true. It reports whether all polygons are done. stride is the number of keys between the starts of two rows of the
// frame; width is the width of the picture.
func (s *Converter) Run(p *array.Polygons, out *array.Spans, width, stride int32) (finished bool) {
	start := s.now()
	for s.group < p.N && !s.stopped() && s.stepGroup(p, out, width, stride) {
	}
	s.Ticks += s.now().Sub(start).Nanoseconds()
	return s.group >= p.N
}

// stopped reports whether Stop asks the loop to stop.
func (s *Converter) stopped() bool { return s.Stop != nil && s.Stop() }

// stepGroup steps the current group until it is finished or out has no room for another iteration. It reports whether
// the group is finished.
func (s *Converter) stepGroup(p *array.Polygons, out *array.Spans, width, stride int32) bool {
	threshold := s.threshold()
	if !s.loaded {
		s.load(p, threshold)
	}
	began := s.now()
	defer s.spentSince(&began)
	for active := s.active(); active > 0; active = s.active() {
		if !s.spread && s.due(active, threshold) {
			began = s.now()
			s.lookAt()
		}
		if out.Room() < array.Lanes {
			return false
		}
		s.iterate(out, width, stride)
	}
	s.group, s.loaded = s.group+array.Lanes, false
	return true
}

// spentSince is for a group that was redistributed. It adds the time since began to the time that the redistribution
// has taken. began is when the redistribution, or this call of stepGroup, started. When the group is finished,
// spentSince compares the time with the estimate.
func (s *Converter) spentSince(began *time.Time) {
	if !s.spread {
		return
	}
	spent := s.now().Sub(*began).Nanoseconds()
	s.SpreadTicks += spent
	s.spent += spent
	if s.loaded {
		return
	}
	if s.spread = false; s.atMost < math.MaxInt64 {
		s.Judged++
		if s.spent > s.atMost {
			s.Dearer++
		}
	}
}

// load sets up the lanes for the polygons of the current group.
func (s *Converter) load(p *array.Polygons, threshold int64) {
	s.row, s.loaded = 0, true
	s.tallest, s.lookLanes = 0, LookLanes
	for l := range s.lanes {
		s.lanes[l].rows = 0
		if n := s.group + l; n < p.N {
			if rows := p.Rows[n]; rows > 0 {
				s.lanes[l].set(p, n, p.First[n], rows)
				s.tallest = max(s.tallest, rows)
			}
		}
	}
	if int64(s.tallest) <= 2*threshold {
		s.tallest = 0 // too little to gain: a look costs as much as an iteration or two
	}
}

// threshold returns the least number of iterations that a redistribution must save for each active polygon under the
// policy. If no saving is enough, it returns more than any polygon has rows.
func (s *Converter) threshold() int64 {
	return int64(min(s.Policy.Threshold(float64(s.Cost.Polygon)), math.MaxInt32))
}

// due reports whether the loop should look at the workload now: few lanes are active, and a redistribution may save
// more than it costs. The test assumes that a redistribution saves all rows that the tallest polygon of the group has
// left.
//
// If a look does not lead to a redistribution, the next one waits until half of the active lanes have finished; a
// group has at most four looks. Before any lane has finished, a look would be useless, because the cost stays the same
// and savings do not grow.
func (c *cursor) due(active int, threshold int64) bool {
	return active <= c.lookLanes && int64(active)*threshold+c.firstCost+int64(c.row) < int64(c.tallest)
}

// active counts the lanes with rows left.
func (s *Converter) active() (lanes int) {
	for l := range s.lanes {
		if s.lanes[l].rows > 0 {
			lanes++
		}
	}
	return lanes
}

// iterate does one lockstep iteration: one row of every active lane, or, if the group was redistributed, up to Lanes
// rows of the first active lane.
func (s *Converter) iterate(out *array.Spans, width, stride int32) {
	if s.Observe != nil {
		s.observeIteration()
	}
	s.Iterations++
	if !s.spread {
		s.IterationsUnbalanced++
		s.row++
	}
	for l := range s.lanes {
		lane, rows := &s.lanes[l], int32(1)
		if s.spread {
			rows = array.Lanes
		}
		rows = min(rows, lane.rows)
		s.Tasks += int64(rows)
		for range rows {
			lane.emit(out, width, stride)
		}
		if s.spread && rows > 0 {
			return
		}
	}
}

// workload returns the number of rows that each lane has left.
func (s *Converter) workload() (left [array.Lanes]int32) {
	for l := range s.lanes {
		left[l] = s.lanes[l].rows
	}
	return left
}

// decide looks at the workload of the current group and decides whether to redistribute it. In the trial plan, an
// iteration does up to Lanes rows of one polygon, one in each lane.
func (s *Converter) decide() (lb.Summary, lb.Decision) {
	s.rowsLeft = s.workload()
	after := int32(0)
	for _, rows := range s.rowsLeft {
		after += (rows + array.Lanes - 1) / array.Lanes
	}
	g := s.summary(s.rowsLeft[:])
	return g, s.Policy.Decide(g, after, float64(s.Cost.Of(g.Active, after)+s.firstCost))
}

// judges reports whether redistributions are timed and compared with their cost.
func (s *Converter) judges() bool { return s.Cost.Ticks > 0 && s.Policy == lb.CostEffective }

// lookAt looks at the current group's workload and redistributes its rows if that pays.
func (s *Converter) lookAt() {
	g, d := s.decide()
	s.Looks++
	s.lookLanes, s.looked, s.spread = g.Active/2, !d.Redistribute, d.Redistribute
	if !d.Redistribute {
		return
	}
	s.spent, s.atMost = 0, math.MaxInt64
	if s.judges() {
		s.atMost = (int64(d.Cost) + int64(g.Max) - int64(d.Savings)) * s.Cost.Ticks >> 4
	}
	s.redistributedFirst()
	s.Redistributions++
	s.Polygons += int64(g.Active)
	s.Spread += int64(g.Max) - int64(d.Savings)
	s.Saved += int64(d.Savings)
	s.IterationsUnbalanced += int64(g.Max)
	if s.Observe != nil {
		s.Observe(&Step{Event: Redistributed, Group: s.group, Summary: g, Decision: d})
	}
}
