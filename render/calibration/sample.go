package calibration

import (
	"context"
	"math"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
)

// A Sample has the cost of redistributions on one calibration data set: groups of
// polygons of which Tall have the given number of rows and the others one. Costs are
// in iterations of the unbalanced loop, for each deferred polygon.
type Sample struct {
	Tall  int     `json:"tall"`
	Rows  int     `json:"rows"`
	Saved float64 `json:"saved"` // iterations saved
	// Cost is the time that the loop took beyond that of its iterations: looks, planning,
	// setting up row ranges, and the longer time of full iterations than of nearly empty
	// ones.
	Cost     float64 `json:"cost"`
	Planning float64 `json:"dealing"` // the part of Cost that is planning row ranges
	// Full is the time of an iteration on row ranges, in iterations of the unbalanced
	// loop.
	Full float64 `json:"full"`
	// Iteration is the shortest time of an iteration of that loop, in nanoseconds.
	Iteration float64 `json:"iteration_ns"`
}

// Pays reports whether redistributing was faster.
func (c *Sample) Pays() bool { return c.Cost < c.Saved }

const (
	// timedIterations is how long the loop on a data set is: some 50
	// microseconds with vector kernels, so that most attempts are not interrupted,
	// and enough for hundreds of polygons to be deferred together.
	timedIterations = 4096

	// Data sets are timed in two passes, so that what disturbs one for some
	// milliseconds leaves the other alone. timedFor is how long a pass is; with plain
	// Go both loops are timed once or twice in it, with vector kernels some ten times.
	timedFor = time.Millisecond

	// rechecks is how often a data set is timed again where balancing lost although it
	// paid with fewer rows: mostly a disturbance, and it would decide.
	rechecks = 4

	// savedLeast and savedMost bound the iterations saved for each polygon, which are
	// doubled from data set to data set until redistributing has paid payingSets
	// times in a row: once could be luck.
	savedLeast, savedMost = 4, 32
	payingSets            = 2
)

// measureSamples measures redistributions with the loops of an instruction set, for
// 1, 2, 4 and 8 tall polygons a group, the numbers of lanes at which the loop
// looks: for each the samples come in the order of Saved. It takes some tens of
// milliseconds and returns ctx's error when that ends first.
func measureSamples(ctx context.Context, loops *kernel.Loops) (samples []Sample, err error) {
	m := stopwatch{scan: loops.ScanConvert, spans: array.MakeSpans(4096)}
	m.measure(newDataSet(1, savedLeast)) // a processor that was idle is slow at first
	var sets []*dataSet
	for tall := 1; tall <= scanline.LookLanes; tall *= 2 {
		paid := 0
		for saved := savedLeast; saved <= savedMost && paid < payingSets; saved *= 2 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s := newDataSet(tall, saved)
			m.measure(s)
			sets = append(sets, s)
			if paid++; !s.sample().Pays() {
				paid = 0
			}
		}
	}
	for i, s := range sets {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.measure(s)
		for n := 0; n < rechecks && i > 0 && s.doubtful(sets[i-1]); n++ {
			m.measure(s)
		}
		samples = append(samples, *s.sample())
	}
	return samples, nil
}

// A stopwatch times loops over the same polygons.
type stopwatch struct {
	scan  func(s *scanline.Converter, p *array.Polygons, out *array.Spans, width, stride int32) (finished bool)
	spans *array.Spans
}

// A timedLoop is a loop and the shortest times that it took.
type timedLoop struct {
	scan                   scanline.Converter
	took, planning, ranges time.Duration
}

func newTimedLoop(policy lb.Policy) timedLoop {
	return timedLoop{scanline.Converter{Policy: policy}, math.MaxInt64, math.MaxInt64, math.MaxInt64}
}

// A dataSet is one data set and its times: of the unbalanced loop and of the one
// that redistributes wherever it saves anything.
type dataSet struct {
	tall, rows           int
	unbalanced, balanced timedLoop
}

// newDataSet returns groups in which about the given number of iterations are saved
// for each tall polygon: all lanes do rows*tall/Lanes instead of rows iterations.
func newDataSet(tall, saved int) *dataSet {
	rows := (saved*array.Lanes*tall + array.Lanes - tall - 1) / (array.Lanes - tall)
	return &dataSet{tall: tall, rows: rows, unbalanced: newTimedLoop(lb.Never), balanced: newTimedLoop(lb.Always)}
}

// doubtful reports whether balancing lost though it paid where it saves less.
func (set *dataSet) doubtful(before *dataSet) bool {
	return before.tall == set.tall && before.sample().Pays() && !set.sample().Pays()
}

// measure times both loops in turn.
func (m *stopwatch) measure(set *dataSet) {
	p := scanline.UnevenPolygons(max(timedIterations/set.rows, 2), set.tall, int32(set.rows))
	start := time.Now()
	for once := true; once || time.Since(start) < timedFor; once = false {
		m.attempt(&set.unbalanced, p)
		m.attempt(&set.balanced, p)
	}
}

// attempt times a loop once.
func (m *stopwatch) attempt(l *timedLoop, p *array.Polygons) {
	s := &l.scan
	s.Clear()
	start := time.Now()
	s.Start()
	for finished := false; !finished; {
		m.spans.N = 0
		finished = m.scan(s, p, m.spans, scanline.UnevenSize, scanline.UnevenSize)
	}
	l.took = min(l.took, time.Since(start))
	l.planning = min(l.planning, s.Stats.Times.Planning)
	l.ranges = min(l.ranges, s.Stats.Times.Ranges)
}

// sample compares the loops.
func (set *dataSet) sample() *Sample {
	b, d := &set.balanced.scan, &set.balanced.scan.Stats
	// A clock may be coarser than the loop is short.
	took := max(float64(set.unbalanced.took.Nanoseconds()), 1)
	iteration := took / float64(set.unbalanced.scan.Iterations)
	inIterations := func(t time.Duration) float64 { return float64(t.Nanoseconds()) / iteration }
	deferred := float64(d.Deferred)
	return &Sample{
		Tall: set.tall, Rows: set.rows,
		Saved:     float64(b.IterationsUnbalanced-b.Iterations) / deferred,
		Cost:      (inIterations(set.balanced.took) - float64(b.Iterations)) / deferred,
		Planning:  inIterations(set.balanced.planning) / deferred,
		Full:      inIterations(set.balanced.ranges) / float64(d.Iterations),
		Iteration: iteration,
	}
}
