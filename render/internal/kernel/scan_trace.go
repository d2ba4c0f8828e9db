package kernel

import "lockstep/lb"

// A ScanEvent says what a ScanStep is about.
type ScanEvent uint8

// What happens in a traced scan.
const (
	ScanIterated ScanEvent = iota // an iteration; nobody looked at the workload before it
	ScanLooked                    // an iteration after a look in vain
	ScanAside                     // a look, after which the group's polygons were set aside
	ScanDealt                     // the rows of all that was set aside are dealt
)

// A ScanStep is one step of a traced scan, before it is done. Of ScanDealt the
// information is about the polygons that were set aside.
type ScanStep struct {
	Event ScanEvent
	Group int  // first polygon of the group, in the array or, with Parts, in the parts
	Parts bool // the lanes work on parts of polygons
	lb.Information
	// Savings bounds what a redistribution would save, and Cost is what it is taken to
	// cost, both in iterations; a Cost below 0 is that of a scan that never looks. Of
	// ScanDealt they are the sums over what was set aside.
	Savings, Cost int64
	Made          int // parts that ScanDealt makes
}

// A ScanTracer runs scan conversion as [Scan.Run] does, with the same looks,
// decisions, counts and spans, and reports every step. It is a stepper of its
// own, so that no other has anything to report to; TestTracedScan compares it
// with the specification. The report makes it about half as fast as that.
type ScanTracer struct {
	// Report is told every step; it may not keep the pointer.
	Report func(*ScanStep)

	at      ScanStep
	looked  bool  // in vain, before the next iteration
	dealing bool  // what the lanes work on was reported as dealt
	savings int64 // of all that was set aside since it was last dealt
	cost    int64
}

// Scan is Scan.Run with reports. A scan that is run to the end leaves the tracer
// ready for the next.
func (t *ScanTracer) Scan(s *Scan, p *Polygons, out *Spans, width, stride int32) (finished bool) {
	return s.run(t.step, p, out, width, stride)
}

// step is a stepper.
func (t *ScanTracer) step(s *Scan, c *cursor, p *Polygons, parts *parts, cost int32, out *Spans, width, stride int32) {
	t.at.Parts = parts != nil
	if !t.at.Parts {
		t.dealing = false
	} else if !t.dealing && s.deal.spared > 0 {
		t.dealing = true
		t.dealt(&s.deal)
	}
	for c.group < parts.of(p) && t.stepGroup(s, c, p, parts, cost, out, width, stride) {
	}
}

// stepGroup is Scan.stepGroup.
func (t *ScanTracer) stepGroup(s *Scan, c *cursor, p *Polygons, parts *parts, cost int32, out *Spans, width, stride int32) bool {
	if !c.open {
		if cost >= 0 && s.deal.full() {
			return false
		}
		s.load(c, p, parts, cost)
	}
	for active := s.active(); active > 0; active = s.active() {
		if c.due(active, cost) {
			c.look = active / 2
			t.gather(s, c, cost)
			if s.setAside(c, p, cost) {
				t.savings, t.cost = t.savings+t.at.Savings, t.cost+t.at.Cost
				t.report(ScanAside)
				break
			}
			t.looked = true // the iteration may have to wait for room
		}
		if out.Room() < Lanes {
			return false
		}
		t.gather(s, c, cost)
		if t.looked {
			t.report(ScanLooked)
		} else {
			t.report(ScanIterated)
		}
		t.looked = false
		s.iterate(out, width, stride)
		c.row++
	}
	c.group, c.open = c.group+Lanes, false
	return true
}

// gather finds what a look would find.
func (t *ScanTracer) gather(s *Scan, c *cursor, cost int32) {
	var workload [Lanes]int32
	for l := range s.lanes {
		workload[l] = s.lanes[l].rows
	}
	t.at.Group = c.group
	t.at.Information = lb.Gather(workload[:])
	t.at.Savings = int64(t.at.SavingsBound())
	t.at.Cost = int64(cost)
	if cost >= 0 {
		t.at.Cost = s.charge(t.at.Information, cost)
	}
}

func (t *ScanTracer) report(event ScanEvent) {
	t.at.Event = event
	t.Report(&t.at)
}

// dealt reports a deal that is planned.
func (t *ScanTracer) dealt(d *dealer) {
	t.at.Group = 0
	t.at.Information = lb.Gather(d.left())
	t.at.Savings, t.at.Cost = t.savings, t.cost
	t.savings, t.cost = 0, 0
	t.at.Made = d.parts.n
	t.report(ScanDealt)
	t.at.Made = 0
}
