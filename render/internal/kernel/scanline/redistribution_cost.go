package scanline

import (
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// RedistributionStats sums up the redistributions of a Converter since its counts
// were last cleared. The times depend on the machine, the counts on the polygons alone.
type RedistributionStats struct {
	Deferred   int64 // polygons
	Weight     int64 // of the deferred polygons: 1 each, and 1 more for every tallRows rows left
	Count      int64 // redistributions, each of many deferred polygons
	Iterations int64 // on row ranges
	Saved      int64 // iterations that deferring was to save
	Times      RedistributionTimes
}

// RedistributionTimes are the times of redistributions, and how many were too long.
type RedistributionTimes struct {
	Planning time.Duration // and making row ranges
	Ranges   time.Duration // of the iterations on row ranges
	// Batches counts the batches of redistributions that were judged. Underestimated
	// counts those in which planning took longer for a polygon than
	// Converter.PlanningEstimate. LeastUnderestimated is the shortest of their times,
	// in the same unit, 0 without any.
	Batches, Underestimated int
	LeastUnderestimated     float64
}

const (
	// batchLeast is how many polygons are judged together at least: enough that one
	// interruption does not decide, and few enough that a small animation is judged.
	batchLeast = 256

	// judgedLeast is the number of polygons from which on a redistribution is judged.
	// The fixed time of a redistribution is no cost of a polygon: a block with fewer
	// polygons loses less than a microsecond by it.
	judgedLeast = 4 * array.Lanes

	// tallRows is the number of rows from which on a polygon counts as several: it is
	// split into more ranges, which costs more, and saves as many times more. Polygons
	// that just break even have fewer, see package calibration.
	tallRows = 128
)

// batch has the redistributions that are not judged yet.
type batch struct {
	weight, iterations int64         // of deferred polygons, done on their rows
	planning, stepping time.Duration // of the row ranges
}

// redistribute makes row ranges of the deferred polygons. The clock is read a few times
// for hundreds of polygons, never in an iteration.
func (s *Converter) redistribute() {
	start := time.Now()
	s.makeRanges()
	took := time.Since(start)
	weight, rows := s.weigh()
	s.Stats.Times.Planning += took
	s.Stats.Count++
	s.Stats.Deferred += int64(s.deferred.N)
	s.Stats.Weight += weight
	// Spread over all lanes, the rows take ceil(rows/Lanes) iterations.
	s.Stats.Saved += s.spared - (rows+array.Lanes-1)/array.Lanes
	if s.judged() {
		s.batch.weight += weight
		s.batch.planning += took
	}
	if s.Observe != nil {
		s.observeRedistribution()
	}
}

// judged reports whether the redistribution is large enough to be judged.
func (s *Converter) judged() bool { return s.PlanningEstimate > 0 && s.deferred.N >= judgedLeast }

// weigh returns the RedistributionStats.Weight and the rows of the deferred polygons.
func (d *redistributor) weigh() (weight, rows int64) {
	for _, left := range d.left() {
		weight += 1 + int64(left/tallRows)
		rows += int64(left)
	}
	return weight, rows
}

// stepRanges steps the groups of row ranges and reports whether all are done.
func (s *Converter) stepRanges(step stepper, out *array.Spans, width, stride int32) (done bool) {
	if s.spared == 0 { // of StartRows, which is no redistribution of the loop
		step(s, &s.ranges, s.deferred, &s.rowRanges, lb.Never, out, width, stride)
		return s.ranges.group >= s.rowRanges.n
	}
	start, before := time.Now(), s.Iterations
	step(s, &s.ranges, s.deferred, &s.rowRanges, lb.Never, out, width, stride)
	took, iterations := time.Since(start), s.Iterations-before
	s.Stats.Times.Ranges += took
	s.Stats.Iterations += iterations
	done = s.ranges.group >= s.rowRanges.n
	if s.judged() {
		s.batch.stepping += took
		s.batch.iterations += iterations
		if done && s.batch.weight >= batchLeast {
			s.judge()
		}
	}
	return done
}

// judge finds out whether planning took longer than PlanningEstimate in a batch, and
// begins the next. Its unit, an iteration on row ranges, is taken from the same batch,
// so that a processor that is slow at the moment does not matter.
func (s *Converter) judge() {
	b := s.batch
	s.batch = batch{}
	if b.stepping <= 0 {
		return
	}
	cost := b.planning.Seconds() / float64(b.weight) * float64(b.iterations) / b.stepping.Seconds()
	s.Stats.Times.judge(cost, s.PlanningEstimate)
}

// judge counts a batch, given the iterations that planning cost for a polygon.
func (t *RedistributionTimes) judge(cost, estimate float64) {
	t.Batches++
	if cost > estimate {
		t.Add(&RedistributionTimes{Underestimated: 1, LeastUnderestimated: cost})
	}
}

// Add adds the redistributions of another scan converter.
func (d *RedistributionStats) Add(o *RedistributionStats) {
	d.Deferred += o.Deferred
	d.Weight += o.Weight
	d.Count += o.Count
	d.Iterations += o.Iterations
	d.Saved += o.Saved
	d.Times.Add(&o.Times)
}

// Add adds the times of other redistributions.
func (t *RedistributionTimes) Add(o *RedistributionTimes) {
	t.Planning += o.Planning
	t.Ranges += o.Ranges
	if o.Underestimated > 0 && (t.Underestimated == 0 || o.LeastUnderestimated < t.LeastUnderestimated) {
		t.LeastUnderestimated = o.LeastUnderestimated
	}
	t.Batches += o.Batches
	t.Underestimated += o.Underestimated
}
