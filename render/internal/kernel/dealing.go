package kernel

import "time"

// Dealing is what a Scan's redistributions came to since it was last cleared. The
// counts depend on the polygons alone, the times and what follows from them do not.
type Dealing struct {
	Aside      int64 // polygons set aside
	Parts      int64 // parts that their rows were dealt in, at least one each
	Iterations int64 // on parts
	Saved      int64 // iterations that the decisions reckoned with, see lb.Information.SavingsBound
	Times      DealingTimes
}

// DealingTimes are the times of a Dealing and what they were judged to be.
type DealingTimes struct {
	Dealing time.Duration // planning and dealing parts
	Parts   time.Duration // iterations on parts
	// Batches counts the runs of at least batchParts parts for which Scan.Dear was
	// judged, Dear those in which dealing a part took longer than that; LeastDear is
	// the shortest of these, as Scan.Dear is given, 0 without any.
	Batches, Dear int
	LeastDear     float64
}

// batchParts is how many parts are judged together: so many that one
// interruption does not decide about what the others took, and few enough that a
// small animation is judged at all.
const batchParts = 256

// batch is what is not judged yet.
type batch struct {
	parts, iterations int64         // dealt, done on them
	dealing, stepping time.Duration // of the parts
}

// plan plans how to deal what was set aside. The clock is read a few times for
// hundreds of polygons, never in an iteration.
func (s *Scan) plan() {
	start := time.Now()
	s.deal.plan()
	took := time.Since(start)
	s.Dealing.Times.Dealing += took
	s.batch.dealing += took
	s.Dealing.Aside += int64(s.deal.n)
	s.Dealing.Saved += s.deal.saved()
}

// saved returns the iterations that are saved by what was set aside, which came
// group by group.
func (d *dealer) saved() (iterations int64) {
	for i := 0; i < d.n; {
		group, most, sum := d.polygon[i]/Lanes, int32(0), int32(0)
		for ; i < d.n && d.polygon[i]/Lanes == group; i++ {
			most = max(most, d.left[i])
			sum += d.left[i]
		}
		iterations += int64(most - (sum+Lanes-1)/Lanes)
	}
	return iterations
}

// nextParts deals the next parts. Those of StartRows are there already, and not
// the loop's decision.
func (s *Scan) nextParts(p *Polygons) {
	if s.deal.n == 0 {
		s.deal.next(p)
		return
	}
	start := time.Now()
	s.deal.next(p)
	took := time.Since(start)
	parts := int64(s.deal.parts.N)
	s.Dealing.Times.Dealing += took
	s.Dealing.Parts += parts
	s.batch.dealing += took
	s.batch.parts += parts
	if parts == 0 && s.batch.parts >= batchParts {
		s.judge()
	}
}

// stepParts steps the groups of parts.
func (s *Scan) stepParts(step stepper, out *Spans, width, stride int32) {
	if s.deal.n == 0 {
		step(s, &s.parts, s.deal.parts, Never, out, width, stride)
		return
	}
	start, before := time.Now(), s.Iterations
	step(s, &s.parts, s.deal.parts, Never, out, width, stride)
	took, iterations := time.Since(start), s.Iterations-before
	s.Dealing.Times.Parts += took
	s.Dealing.Iterations += iterations
	s.batch.stepping += took
	s.batch.iterations += iterations
}

// judge finds out whether dealing a batch was dearer than Dear and begins the
// next.
func (s *Scan) judge() {
	b := s.batch
	s.batch = batch{}
	if s.Dear <= 0 || b.stepping <= 0 {
		return
	}
	cost := b.dealing.Seconds() / float64(b.parts) * float64(b.iterations) / b.stepping.Seconds()
	s.Dealing.Times.judge(cost, s.Dear)
}

// judge counts a batch with the given cost of a part.
func (t *DealingTimes) judge(cost, dear float64) {
	t.Batches++
	if cost <= dear {
		return
	}
	if t.Dear++; t.Dear == 1 || cost < t.LeastDear {
		t.LeastDear = cost
	}
}

// Add adds what another scan's redistributions came to.
func (d *Dealing) Add(o *Dealing) {
	d.Aside += o.Aside
	d.Parts += o.Parts
	d.Iterations += o.Iterations
	d.Saved += o.Saved
	t, u := &d.Times, &o.Times
	t.Dealing += u.Dealing
	t.Parts += u.Parts
	if u.Dear > 0 && (t.Dear == 0 || u.LeastDear < t.LeastDear) {
		t.LeastDear = u.LeastDear
	}
	t.Batches += u.Batches
	t.Dear += u.Dear
}
