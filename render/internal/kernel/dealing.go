package kernel

import "time"

// Dealing is what a Scan's redistributions came to since it was last cleared. The
// counts depend on the polygons alone, the times and what follows from them do not.
type Dealing struct {
	Aside      int64 // polygons set aside
	Weight     int64 // of them: 1 each, and 1 more for every tallRows rows left
	Deals      int64 // how often the rows of such polygons were dealt
	Iterations int64 // on dealt rows
	Saved      int64 // iterations predicted: what the groups had left less a lane's share of all rows dealt
	Times      DealingTimes
}

// DealingTimes are the times of a Dealing and what they were judged to be.
type DealingTimes struct {
	Dealing time.Duration // planning and dealing
	Parts   time.Duration // iterations on dealt rows
	// Batches counts the batches that were judged by Scan.Dear, Dear those in
	// which dealing a polygon took longer than that; LeastDear is the shortest of
	// these, as Scan.Dear is given, 0 without any.
	Batches, Dear int
	LeastDear     float64
}

const (
	// batchLeast is how many polygons are judged together at least: so many that one
	// interruption does not decide about what the others took, and few enough that
	// a small animation is judged at all.
	batchLeast = 256

	// dealLeast is the number of polygons from which on a deal is judged. What any
	// deal takes, however little there is to be dealt, is no cost of a polygon: a block
	// with fewer loses less than a microsecond by it.
	dealLeast = 4 * Lanes

	// tallRows is the number of rows from which on a polygon counts as several: it is
	// dealt in more parts, which costs more, and saves as many times more. Those that
	// just break even have fewer, see MeasureCosts.
	tallRows = 128
)

// batch is what is not judged yet.
type batch struct {
	weight, iterations int64         // of polygons dealt, done on their rows
	dealing, stepping  time.Duration // of the parts
}

// plan plans how to deal what was set aside. The clock is read a few times for
// hundreds of polygons, never in an iteration.
func (s *Scan) plan() {
	start := time.Now()
	s.deal.plan()
	took := time.Since(start)
	s.Dealing.Times.Dealing += took
	s.Dealing.Deals++
	weight, rows := weigh(s.deal.left[:s.deal.n])
	s.Dealing.Aside += int64(s.deal.n)
	s.Dealing.Weight += weight
	s.Dealing.Saved -= (rows + Lanes - 1) / Lanes
	if s.judged() {
		s.batch.weight += weight
		s.batch.dealing += took
	}
}

// judged reports whether the deal is large enough to be judged.
func (s *Scan) judged() bool { return s.Dear > 0 && s.deal.n >= dealLeast }

// weigh returns Dealing.Weight of polygons with so many rows left, and the sum of
// those.
func weigh(left []int32) (weight, rows int64) {
	for _, n := range left {
		weight += 1 + int64(n/tallRows)
		rows += int64(n)
	}
	return weight, rows
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
	s.Dealing.Times.Dealing += took
	if !s.judged() {
		return
	}
	s.batch.dealing += took
	if s.deal.parts.N == 0 && s.batch.weight >= batchLeast {
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
	if s.judged() {
		s.batch.stepping += took
		s.batch.iterations += iterations
	}
}

// judge finds out whether dealing a batch was dearer than Dear and begins the
// next. Its unit, an iteration on dealt rows, is taken from the same batch, so that
// a processor that is slow at the moment does not matter.
func (s *Scan) judge() {
	b := s.batch
	s.batch = batch{}
	if b.stepping <= 0 {
		return
	}
	cost := b.dealing.Seconds() / float64(b.weight) * float64(b.iterations) / b.stepping.Seconds()
	s.Dealing.Times.judge(cost, s.Dear)
}

// judge counts a batch with the given cost of a polygon.
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
	d.Weight += o.Weight
	d.Deals += o.Deals
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
