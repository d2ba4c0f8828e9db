// Package scanline is scan conversion: it turns the polygon array into the span array, in
// lockstep, and decides when and how to redistribute the polygons' scan lines over the
// lanes.
package scanline

import (
	"math"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// A Converter steps the polygon array through its scan lines. Polygons are taken
// Lanes at a time, in the order of the array; in every iteration each lane that
// has scan lines left emits the span of its next one. Under the policy Never this is
// the prototypical loop of the paper (Figure 1): a group takes as many iterations as
// its tallest polygon has rows.
//
// Under the other policies it is the loop of Figure 2, with the redistribution put
// off. When few lanes of a group are still active, the group's workload is gathered.
// The decision compares the iterations that the group would still take with those
// that its rows take when they are spread over all lanes. Where it is to redistribute,
// the active lanes' polygons are deferred, and the loop goes on with the next group.
// The rows of many deferred polygons are redistributed together, see redistributor.
//
// The zero value, after Start, redistributes under the policy CostEffective, at no cost.
type Converter struct {
	Policy lb.Policy
	// Cost is the estimated cost of a redistribution for each polygon that is deferred,
	// in iterations. It must not be too low. The first polygon that is deferred for a
	// redistribution is charged for RedistributionCost more. Policy and Cost may only be
	// changed before Start.
	Cost int32
	// PlanningEstimate, if above 0, is the part of the cost that planning is taken to
	// be for each deferred polygon, by RedistributionStats.Weight, in iterations on row
	// ranges. RedistributionTimes counts the batches in which it takes longer.
	PlanningEstimate float64
	// Observe, unless nil, is called with every step before it is done, and may not keep
	// the pointer. An observed loop is the specification, whatever the instruction set.
	Observe func(*Step)
	// Stop, unless nil, is asked between groups whether to give up. Run then reports that
	// the array is not finished, whatever it has emitted.
	Stop func() bool

	// Counts since they were last cleared. Iterations counts lockstep iterations
	// and Tasks the scan lines done in them. Redistributions counts the groups whose
	// active lanes were deferred, and IterationsUnbalanced the iterations that the same
	// groups take under the policy Never.
	Iterations, Tasks                     int64
	Redistributions, IterationsUnbalanced int64
	Stats                                 RedistributionStats

	lanes  [array.Lanes]lane
	groups cursor // in the polygon array
	redistributor
	ranges cursor // in the redistributor's row ranges
	batch  batch  // of redistributions, to be judged

	args  scanArgs    // scratch for the vector twins
	state *groupState // of the twins
}

// cursor is a place in an array of polygons, or in row ranges of them, that is stepped
// group by group.
type cursor struct {
	group  int  // first polygon, or row range, of the current group
	row    int  // iterations done in the group
	open   bool // the group has begun
	looked bool // the workload was looked at in vain before the next iteration
	// tallest is the number of rows of the tallest polygon of the group, 0 in a group
	// that is not worth a look at its workload. look is the largest number of active
	// lanes at which one is due.
	tallest int32
	look    int
}

// LookLanes is the number of active lanes from which on the loop looks at the
// workload. A full iteration takes twice the time of one with a single lane, and
// row ranges have to be set up, so that with half of the lanes active a tenth is won at
// best (BenchmarkScanCost, tall=8), and with more nothing.
const LookLanes = array.Lanes / 2

// RedistributionCost is the cost of a redistribution however few polygons it has, in
// what one polygon costs: its code and memory are seldom in the first-level cache.
// One that moved five polygons in a block took a microsecond.
const RedistributionCost = 4

// Clear sets all counts to 0.
func (s *Converter) Clear() {
	s.Iterations, s.Tasks, s.Redistributions, s.IterationsUnbalanced = 0, 0, 0, 0
	s.Stats = RedistributionStats{}
}

// Start begins at the first polygon of an array.
func (s *Converter) Start() {
	s.groups, s.ranges = cursor{}, cursor{}
	s.redistributor.clear()
}

// StartRows begins at some of the rows of polygon n, spread evenly over the
// lanes, and at no other polygon of the array.
func (s *Converter) StartRows(p *array.Polygons, n int, first, rows int32) {
	s.Start()
	s.groups.group = p.N
	s.deferred.PushRows(p, n, first, rows)
	s.rowRanges.split(0, first, rows, min(array.Lanes, rows))
}

// Loop is the form of Converter.Run and of its twins.
type Loop func(s *Converter, p *array.Polygons, out *array.Spans, width, stride int32) (finished bool)

// Run emits spans until the array is finished, which it reports, or fewer than
// Lanes of out's entries are free. stride is the distance between rows of the
// frame, in keys; width is that of the picture.
func (s *Converter) Run(p *array.Polygons, out *array.Spans, width, stride int32) (finished bool) {
	return s.run((*Converter).step, p, out, width, stride)
}

// stepper steps groups from a cursor on, of the polygons of an array or, unless
// ranges is nil, of row ranges of them: until they end, too few spans are free or,
// unless the policy is Never, too much is deferred for another group.
type stepper func(s *Converter, c *cursor, p *array.Polygons, ranges *rowRanges, policy lb.Policy, out *array.Spans, width, stride int32)

// run is Run with any stepper: first the groups of the array, then, whenever
// much is deferred and at the end, the row ranges of a redistribution.
func (s *Converter) run(step stepper, p *array.Polygons, out *array.Spans, width, stride int32) (finished bool) {
	if s.Observe != nil {
		step = (*Converter).step
	}
	for {
		if s.rowRanges.n > 0 {
			if !s.stepRanges(step, out, width, stride) {
				return false
			}
			s.ranges = cursor{}
			s.redistributor.clear()
		}
		before, spared := s.Iterations, s.IterationsUnbalanced
		step(s, &s.groups, p, nil, s.Policy, out, width, stride)
		s.spared += s.IterationsUnbalanced - spared
		s.IterationsUnbalanced += s.Iterations - before
		ended := s.groups.group >= p.N
		switch {
		case ended && s.deferred.N == 0:
			return true
		case !ended && !s.full():
			return false
		}
		s.redistribute()
	}
}

// step is the specification of a stepper.
func (s *Converter) step(c *cursor, p *array.Polygons, ranges *rowRanges, policy lb.Policy, out *array.Spans, width, stride int32) {
	for c.group < ranges.len(p) && !s.stopped() && s.stepGroup(c, p, ranges, policy, out, width, stride) {
	}
}

// stopped reports whether to give up.
func (s *Converter) stopped() bool { return s.Stop != nil && s.Stop() }

// stepGroup steps the current group and reports whether it came to its end.
func (s *Converter) stepGroup(c *cursor, p *array.Polygons, ranges *rowRanges, policy lb.Policy, out *array.Spans, width, stride int32) bool {
	threshold := s.threshold(policy)
	if !c.open {
		if policy != lb.Never && s.full() {
			return false
		}
		s.load(c, p, ranges, threshold)
	}
	for active := s.active(); active > 0; active = s.active() {
		if c.due(active, threshold) && s.look(c, p, policy) {
			break
		}
		if out.Room() < array.Lanes {
			return false
		}
		if s.Observe != nil {
			s.observeIteration(c, ranges, policy)
		}
		s.iterate(out, width, stride)
		c.row++
	}
	c.group, c.open = c.group+array.Lanes, false
	return true
}

// load sets up the lanes for the polygons, or row ranges, of the current group.
func (s *Converter) load(c *cursor, p *array.Polygons, ranges *rowRanges, threshold int64) {
	c.row, c.open = 0, true
	c.tallest, c.look = 0, LookLanes
	for l := range s.lanes {
		s.lanes[l].rows = 0
		if i := c.group + l; i < ranges.len(p) {
			if n, first, rows := ranges.at(p, i); rows > 0 {
				s.lanes[l].set(p, n, first, rows)
				c.tallest = max(c.tallest, rows)
			}
		}
	}
	if int64(c.tallest) <= 2*threshold {
		c.tallest = 0 // a look costs as much as an iteration or two
	}
}

// threshold returns the iterations that the policy asks to be saved for each
// polygon that is deferred, more than any polygon has rows where none will do.
func (s *Converter) threshold(policy lb.Policy) int64 {
	return int64(min(policy.Threshold(float64(s.Cost)), math.MaxInt32))
}

// due reports whether to look at the workload: when few lanes are active, and
// the tallest polygon, if it is one of theirs, has more rows left than deferring
// that many has to save. All of its rows are more than can be saved.
//
// Savings do not grow from iteration to iteration (see
// lb.Summary.SavingsBound), and the cost is the same while the number of active lanes
// is. So a look in vain need not be repeated before that has changed, and is not
// before half of the lanes have ended: at most four looks a group.
func (c *cursor) due(active int, threshold int64) bool {
	return active <= c.look && int64(active)*threshold+int64(c.row) < int64(c.tallest)
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

// iterate is one lockstep iteration.
func (s *Converter) iterate(out *array.Spans, width, stride int32) {
	s.Iterations++
	for l := range s.lanes {
		if lane := &s.lanes[l]; lane.rows > 0 {
			s.Tasks++
			lane.emit(out, width, stride)
		}
	}
}

// decide gathers the workload of the current group and decides whether to defer its
// active polygons. The savings are those of an even division of its rows over the
// lanes, which many deferred polygons together come close to.
func (s *Converter) decide(policy lb.Policy) (lb.Summary, lb.Decision) {
	var workload [array.Lanes]int32
	for l := range s.lanes {
		workload[l] = s.lanes[l].rows
	}
	g := lb.Gather(workload[:])
	charged := g.Active
	if s.deferred.N == 0 {
		charged += RedistributionCost
	}
	return g, policy.Decide(g, g.Balanced(), float64(int64(s.Cost)*int64(charged)))
}

// look defers the active polygons of the current group if that is decided.
func (s *Converter) look(c *cursor, p *array.Polygons, policy lb.Policy) (redistribute bool) {
	g, d := s.decide(policy)
	c.look, c.looked = g.Active/2, !d.Redistribute
	if !d.Redistribute {
		return false
	}
	for l := range s.lanes {
		if rows := s.lanes[l].rows; rows > 0 {
			n := c.group + l
			s.deferred.PushRows(p, n, p.First[n]+int32(c.row), rows)
		}
	}
	s.Redistributions++
	s.IterationsUnbalanced += int64(g.Max)
	if s.Observe != nil {
		s.observeDeferral(c, g, d)
	}
	return true
}
