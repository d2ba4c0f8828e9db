// Package scanline is scan conversion: it turns the polygon array into the span array, in
// lockstep, and decides when and how to redistribute the polygons' scan lines over the
// lanes.
package scanline

import (
	"math"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// A Converter steps the polygon array through its scan lines. Polygons are taken
// Lanes at a time, in the order of the array; in every iteration each lane that
// has scan lines left emits the span of its next one. Under the policy Never this is
// the prototypical loop of the paper (Figure 1): a group takes as many iterations as
// its tallest polygon has rows.
//
// Under the other policies it is the loop of Figure 2. When few lanes of a group are
// still active, the group's workload is gathered. A trial plan gives all lanes to each
// active polygon in turn: of Lanes consecutive rows every lane emits one. Where the
// savings of the plan exceed the cost, it is carried out at once.
//
// The zero value, after Start, redistributes under the policy CostEffective, at no cost.
type Converter struct {
	Policy lb.Policy
	// Cost is the estimated cost of a redistribution, in iterations. It must not be too
	// low. Policy and Cost may only be changed before Start.
	Cost Cost
	// Observe, unless nil, is called with every step before it is done, and may not keep
	// the pointer. An observed loop is the specification, whatever the instruction set.
	Observe func(*Step)
	// Stop, unless nil, is asked between groups whether to give up. Run then reports that
	// the array is not finished, whatever it has emitted.
	Stop func() bool

	Counts
	Times

	lanes [array.Lanes]lane
	cursor

	args  scanArgs    // scratch for the vector twins
	state *groupState // of the twins

	// Of the specification; nil: time.Now and lb.Gather. Tests replace them by some whose
	// times are known.
	clock  func() time.Time
	gather func(workload []int32) lb.Summary
	left   [array.Lanes]int32 // rows at the last look; here, since gather may keep what it gets
}

// now is the time by the specification's clock.
func (s *Converter) now() time.Time {
	if s.clock != nil {
		return s.clock()
	}
	return time.Now()
}

// summary is the information-gathering phase.
func (s *Converter) summary(workload []int32) lb.Summary {
	if s.gather != nil {
		return s.gather(workload)
	}
	return lb.Gather(workload)
}

// Cost is the estimated cost of a redistribution, in iterations of lanes that are mostly
// idle.
type Cost struct {
	Polygon int32 // for each active polygon
	// First is the cost of the first redistribution of an array beyond that of its polygons:
	// other loops have run since the last one, and its code and data are not at hand.
	First int32
	// Full is the cost of every iteration of the redistributed rows beyond that of
	// another one, in sixteenths: all lanes have a row.
	Full int32
	// Ticks is the shortest time of an iteration, in sixteenths of a tick. With it, unless
	// it is 0, redistributions under the policy CostEffective are judged.
	Ticks int64
}

// Of returns the cost of redistributing some polygons, whose rows take a number of
// iterations afterwards, unless it is the first of an array.
func (c *Cost) Of(polygons int, iterations int32) int64 {
	return int64(c.Polygon)*int64(polygons) + (int64(c.Full)*int64(iterations)+15)>>4
}

// Times are sums since they were last cleared, in ticks of an instruction set's own clock:
// nanoseconds in plain Go, those of the processor's time-stamp counter in assembly.
type Times struct {
	Ticks, SpreadTicks int64 // of the loop, and of redistributions with their iterations
	// Judged counts redistributions, and Dearer those that took longer, with their
	// iterations, than the cost and as many iterations allow.
	Judged, Dearer int64
}

// Add adds the times of another converter.
func (t *Times) Add(o *Times) {
	t.Ticks += o.Ticks
	t.SpreadTicks += o.SpreadTicks
	t.Judged += o.Judged
	t.Dearer += o.Dearer
}

// Counts are those of a Converter since they were last cleared. They depend on the
// polygons alone, not on the instruction set or the room for spans.
type Counts struct {
	Iterations, Tasks int64 // lockstep iterations, and the scan lines done in them
	Looks             int64 // at the workload of a group, in vain or not
	// Redistributions counts the groups whose rows were redistributed, and Polygons
	// their active polygons. Spread is the iterations of these rows, and Saved the
	// iterations saved. IterationsUnbalanced is the iterations that the same groups take
	// under the policy Never. First counts the redistributions that were charged Cost.First.
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

// cursor is a place in the polygon array.
type cursor struct {
	group  int  // first polygon of the current group
	row    int  // iterations done in the group
	open   bool // the group has begun
	looked bool // the workload was looked at in vain before the next iteration
	// spread says that the group's rows are redistributed: every polygon's in turn are
	// spread over all lanes.
	spread bool
	// spent is the ticks that the group's redistribution has taken, and atMost how many
	// it may take.
	spent, atMost int64
	// tallest is the number of rows of the tallest polygon of the group, 0 in a group
	// that is not worth a look at its workload. look is the largest number of active
	// lanes at which one is due.
	tallest int32
	look    int
	// firstCost is what the array's first redistribution costs beyond others, 0 after it.
	firstCost int64
}

// LookLanes is the number of active lanes from which on the loop looks at the
// workload. A full iteration takes twice the time of one with a single lane, so that
// with half of the lanes active a tenth is won at best (BenchmarkScanCost, tall=8), and
// with more nothing.
const LookLanes = array.Lanes / 2

// Clear sets all counts and times to 0.
func (s *Converter) Clear() { s.Counts, s.Times = Counts{}, Times{} }

// Start begins at the first polygon of an array.
func (s *Converter) Start() {
	s.cursor = cursor{}
	if s.Policy == lb.CostEffective {
		s.firstCost = int64(s.Cost.First)
	}
}

// redistributedFirst counts the array's first redistribution.
func (s *Converter) redistributedFirst() {
	if s.firstCost > 0 {
		s.First++
		s.firstCost = 0
	}
}

// Loop is the form of Converter.Run and of its twins.
type Loop func(s *Converter, p *array.Polygons, out *array.Spans, width, stride int32) (finished bool)

// Run emits spans until the array is finished, which it reports, or fewer than
// Lanes of out's entries are free. stride is the distance between rows of the
// frame, in keys; width is that of the picture.
func (s *Converter) Run(p *array.Polygons, out *array.Spans, width, stride int32) (finished bool) {
	start := s.now()
	for s.group < p.N && !s.stopped() && s.stepGroup(p, out, width, stride) {
	}
	s.Ticks += s.now().Sub(start).Nanoseconds()
	return s.group >= p.N
}

// stopped reports whether to give up.
func (s *Converter) stopped() bool { return s.Stop != nil && s.Stop() }

// stepGroup steps the current group and reports whether it came to its end.
func (s *Converter) stepGroup(p *array.Polygons, out *array.Spans, width, stride int32) bool {
	threshold := s.threshold()
	if !s.open {
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
	s.group, s.open = s.group+array.Lanes, false
	return true
}

// spentSince adds the time since a redistribution began, or went on, and judges it when
// the group has ended.
func (s *Converter) spentSince(began *time.Time) {
	if !s.spread {
		return
	}
	took := s.now().Sub(*began).Nanoseconds()
	s.SpreadTicks += took
	s.spent += took
	if s.open {
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
	s.row, s.open = 0, true
	s.tallest, s.look = 0, LookLanes
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
		s.tallest = 0 // a look costs as much as an iteration or two
	}
}

// threshold returns the iterations that the policy asks to be saved for each
// active polygon, more than any polygon has rows where none will do.
func (s *Converter) threshold() int64 {
	return int64(min(s.Policy.Threshold(float64(s.Cost.Polygon)), math.MaxInt32))
}

// due reports whether to look at the workload: when few lanes are active, and
// the tallest polygon, if it is one of theirs, has more rows left than a redistribution
// of that many has to save. All of its rows are more than can be saved.
//
// Savings do not grow from iteration to iteration, and the cost is the same while the
// number of active lanes is. So a look in vain need not be repeated before that has
// changed, and is not before half of the lanes have ended: at most four looks a group.
func (c *cursor) due(active int, threshold int64) bool {
	return active <= c.look && int64(active)*threshold+c.firstCost+int64(c.row) < int64(c.tallest)
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

// iterate is one lockstep iteration: a row of every active lane, or rows of the first
// one for all lanes.
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

// workload returns the rows left of each lane.
func (s *Converter) workload() (left [array.Lanes]int32) {
	for l := range s.lanes {
		left[l] = s.lanes[l].rows
	}
	return left
}

// decide gathers the workload of the current group and decides whether to redistribute
// it, by the trial plan: all lanes do Lanes rows of one polygon in an iteration.
func (s *Converter) decide() (lb.Summary, lb.Decision) {
	s.left = s.workload()
	after := int32(0)
	for _, rows := range s.left {
		after += (rows + array.Lanes - 1) / array.Lanes
	}
	g := s.summary(s.left[:])
	return g, s.Policy.Decide(g, after, float64(s.Cost.Of(g.Active, after)+s.firstCost))
}

// judges reports whether redistributions are judged.
func (s *Converter) judges() bool { return s.Cost.Ticks > 0 && s.Policy == lb.CostEffective }

// lookAt redistributes the current group's rows if that is decided.
func (s *Converter) lookAt() {
	g, d := s.decide()
	s.Looks++
	s.look, s.looked, s.spread = g.Active/2, !d.Redistribute, d.Redistribute
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
