package kernel

import "lockstep/lb"

// Never, as a Scan's Cost, keeps every polygon in its group to the end.
const Never = -1

// A Scan steps the polygon array through its scan lines. Polygons are taken
// Lanes at a time, in the order of the array; in every iteration each lane that
// has scan lines left emits the span of its next one. Left alone, this is the
// prototypical loop of the paper (Figure 1): a group takes as many iterations as
// its tallest polygon has rows.
//
// With a Cost it is the cost-effective loop (sections 2.1 and 2.2). When few
// lanes of a group are still active, the information is gathered: what the group
// would still take, MAX(workload), against what the same rows would take spread
// over all lanes. Where that saves more iterations than it costs the active lanes'
// polygons are set aside and the loop goes on with the next group; later the rows
// of all that was set aside are dealt to the lanes afresh, see dealer.
//
// The zero value, after Start, redistributes whatever the cost.
type Scan struct {
	// Cost is the number of iterations that it costs, for each polygon that is set
	// aside, to deal its rows afresh: an overestimate. The first that is set aside for
	// a deal is charged for DealCost more. Never does without. It may only be changed
	// before Start.
	Cost int32
	// Dear, if above 0, is how long planning and dealing may take for each polygon set
	// aside, by Dealing.Weight, in iterations on dealt rows; what takes longer is
	// counted in Dealing.
	Dear float64

	// Counts since they were last cleared. Iterations counts lockstep iterations
	// and Tasks the scan lines done in them; Redistributions, how often
	// the lanes of a group were set aside; IterationsUnbalanced, the iterations
	// that the same groups take when nothing is.
	Iterations, Tasks                     int64
	Redistributions, IterationsUnbalanced int64
	Dealing                               Dealing

	lanes  [Lanes]lane
	groups cursor // in the polygon array
	deal   dealer
	dealt  cursor // in the dealt parts
	batch  batch  // of parts, to be judged

	args  scanArgs    // scratch for the vector twins
	state *groupState // of the twins
}

// cursor is a place in an array of polygons, or in parts of them, that is stepped
// group by group.
type cursor struct {
	group int // first polygon, or part, of the current group
	row   int // iterations done in the group
	open  bool
	plain bool // the lanes of the specification have it, not a twin
	// tallest is the number of rows of the tallest polygon of the group, 0 in a group
	// that is not worth a look at its workload. look is the largest number of active
	// lanes at which one is due.
	tallest int32
	look    int
}

// lookLanes is the number of active lanes from which on the loop looks at the
// workload. A full iteration takes twice the time of one with a single lane, and
// parts have to be set up, so that with half of the lanes active a tenth is won at
// best (BenchmarkScanCost, tall=8), and with more nothing.
const lookLanes = Lanes / 2

// DealCost is what a deal costs however few polygons it has, in what one polygon
// costs: its code and memory are seldom in the first-level cache. One that moved five
// polygons in a block took a microsecond.
const DealCost = 4

// Clear sets all counts to 0.
func (s *Scan) Clear() {
	s.Iterations, s.Tasks, s.Redistributions, s.IterationsUnbalanced = 0, 0, 0, 0
	s.Dealing = Dealing{}
}

// Start begins at the first polygon of an array.
func (s *Scan) Start() {
	s.groups, s.dealt = cursor{}, cursor{}
	s.deal.clear()
}

// StartRows begins at some of the rows of polygon n, spread evenly over the
// lanes, and at no other polygon of the array.
func (s *Scan) StartRows(p *Polygons, n int, first, rows int32) {
	s.Start()
	s.groups.group = p.N
	s.deal.aside.PushRows(p, n, first, rows)
	s.deal.parts.split(0, first, rows, min(Lanes, rows))
}

// Run emits spans until the array is finished, which it reports, or fewer than
// Lanes of out's entries are free. stride is the distance between rows of the
// frame, in keys; width is that of the picture.
func (s *Scan) Run(p *Polygons, out *Spans, width, stride int32) (finished bool) {
	return s.run((*Scan).step, p, out, width, stride)
}

// stepper steps groups from a cursor on, of the polygons of an array or, unless
// parts is nil, of parts of them: until they end, too few spans are free or,
// unless cost is Never, too much is set aside for another group.
type stepper func(s *Scan, c *cursor, p *Polygons, parts *parts, cost int32, out *Spans, width, stride int32)

// run is Run with any stepper: first the groups of the array, then, whenever
// much was set aside and at the end, the parts that its rows are dealt in.
func (s *Scan) run(step stepper, p *Polygons, out *Spans, width, stride int32) (finished bool) {
	for {
		if s.deal.parts.n > 0 {
			if !s.stepParts(step, out, width, stride) {
				return false
			}
			s.dealt = cursor{}
			s.deal.clear()
		}
		before, spared := s.Iterations, s.IterationsUnbalanced
		step(s, &s.groups, p, nil, s.Cost, out, width, stride)
		s.deal.spared += s.IterationsUnbalanced - spared
		s.IterationsUnbalanced += s.Iterations - before
		ended := s.groups.group >= p.N
		switch {
		case ended && s.deal.aside.N == 0:
			return true
		case !ended && !s.deal.full():
			return false
		}
		s.dealParts()
	}
}

// step is the specification of a stepper.
func (s *Scan) step(c *cursor, p *Polygons, parts *parts, cost int32, out *Spans, width, stride int32) {
	for c.group < parts.of(p) && s.stepGroup(c, p, parts, cost, out, width, stride) {
	}
}

// stepGroup steps the current group and reports whether it came to its end.
func (s *Scan) stepGroup(c *cursor, p *Polygons, parts *parts, cost int32, out *Spans, width, stride int32) bool {
	if !c.open {
		if cost >= 0 && s.deal.full() {
			return false
		}
		s.load(c, p, parts, cost)
	}
	for active := s.active(); active > 0; active = s.active() {
		if c.due(active, cost) {
			c.look = active / 2
			if s.setAside(c, p, cost) {
				break
			}
		}
		if out.Room() < Lanes {
			return false
		}
		s.iterate(out, width, stride)
		c.row++
	}
	c.group, c.open = c.group+Lanes, false
	return true
}

// load sets up the lanes for the polygons, or parts, of the current group.
func (s *Scan) load(c *cursor, p *Polygons, parts *parts, cost int32) {
	c.row, c.open = 0, true
	c.tallest, c.look = 0, lookLanes
	for l := range s.lanes {
		s.lanes[l].rows = 0
		if i := c.group + l; i < parts.of(p) {
			if n, first, rows := parts.at(p, i); rows > 0 {
				s.lanes[l].set(p, n, first, rows)
				c.tallest = max(c.tallest, rows)
			}
		}
	}
	if cost < 0 || int64(c.tallest) <= 2*int64(cost) {
		c.tallest = 0 // a look costs as much as an iteration or two
	}
}

// due reports whether to look at the workload: when few lanes are active, and
// the tallest polygon, if it is one of theirs, has more rows left than it costs to
// set that many aside. All of its rows are more than can be saved.
//
// Savings do not grow from iteration to iteration (see
// lb.Information.SavingsBound), and what they are held against is the same while
// the mask of active lanes is. So a look in vain need not be repeated before that
// has changed, and is not before half of the lanes have ended: at most four looks
// a group.
func (c *cursor) due(active int, cost int32) bool {
	return active <= c.look && int64(active)*int64(max(cost, 0))+int64(c.row) < int64(c.tallest)
}

// active counts the lanes with rows left.
func (s *Scan) active() (lanes int) {
	for l := range s.lanes {
		if s.lanes[l].rows > 0 {
			lanes++
		}
	}
	return lanes
}

// iterate is one lockstep iteration.
func (s *Scan) iterate(out *Spans, width, stride int32) {
	s.Iterations++
	for l := range s.lanes {
		if lane := &s.lanes[l]; lane.rows > 0 {
			s.Tasks++
			lane.emit(out, width, stride)
		}
	}
}

// setAside gathers the information about the group's workload, decides, and
// sets the active lanes' polygons aside if that is worth its cost.
func (s *Scan) setAside(c *cursor, p *Polygons, cost int32) bool {
	var workload [Lanes]int32
	for l := range s.lanes {
		workload[l] = s.lanes[l].rows
	}
	g := lb.Gather(workload[:])
	if int64(g.SavingsBound()) <= s.charge(g, cost) {
		return false
	}
	for l, rows := range workload {
		if rows > 0 {
			n := c.group + l
			s.deal.aside.PushRows(p, n, p.First[n]+int32(c.row), rows)
		}
	}
	s.Redistributions++
	s.IterationsUnbalanced += int64(g.Max)
	return true
}

// charge returns what the savings of setting a group's active lanes aside have to
// exceed.
func (s *Scan) charge(g lb.Information, cost int32) int64 {
	pays := int64(g.Active)
	if s.deal.aside.N == 0 {
		pays += DealCost
	}
	return int64(cost) * pays
}
