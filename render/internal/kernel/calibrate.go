package kernel

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"lockstep/lb"
)

// CostSample is what a redistribution of lanes cost on one calibration data set:
// groups of polygons of which Tall have so many rows and the others one. Costs
// are in iterations of the loop that is left alone, for each deferred polygon.
type CostSample struct {
	Tall  int     `json:"tall"`
	Rows  int     `json:"rows"`
	Saved float64 `json:"saved"` // iterations saved
	// Cost is the time that the loop took beyond that of its iterations: looks, planning,
	// setting up row ranges, and the longer time of full iterations than of nearly empty
	// ones.
	Cost    float64 `json:"cost"`
	Dealing float64 `json:"dealing"` // the part of Cost that is planning row ranges
	// Full is the time of an iteration on row ranges, in iterations of the loop that is
	// left alone.
	Full float64 `json:"full"`
	// Iteration is the shortest time of an iteration of that loop, in nanoseconds.
	Iteration float64 `json:"iteration_ns"`
}

// Pays reports whether redistributing was faster.
func (c *CostSample) Pays() bool { return c.Cost < c.Saved }

const (
	// calibrationIterations is how long the loop on a data set is: some 50
	// microseconds with vector kernels, so that most attempts are not interrupted,
	// and enough for hundreds of polygons to be deferred together.
	calibrationIterations = 4096

	// Data sets are timed in two passes, so that what disturbs one for some
	// milliseconds leaves the other alone. calibrationTime is how long a pass is; with plain
	// Go both loops are timed once or twice in it, with vector kernels some ten times.
	calibrationTime = time.Millisecond

	// rechecks is how often a data set is timed again where balancing lost although it
	// paid with fewer rows: mostly a disturbance, and it would decide.
	rechecks = 4

	// calibrationSize is the width and height of the picture, in pixels: the tallest
	// polygons have 16*savedMost rows.
	calibrationSize = 16*savedMost + 64

	// savedLeast and savedMost bound the iterations saved for each polygon, which are
	// doubled from data set to data set until redistributing has paid payingSets
	// times in a row: once could be luck.
	savedLeast, savedMost = 4, 32
	payingSets            = 2
)

// MeasureCosts measures redistributions with the loops of an instruction set, for
// 1, 2, 4 and 8 tall polygons a group, the numbers of lanes at which the loop
// looks: for each the samples come in the order of Saved. It takes some tens of
// milliseconds and returns ctx's error when that ends first.
func MeasureCosts(ctx context.Context, loops *Loops) (samples []CostSample, err error) {
	m := calibrator{scan: loops.ScanConvert, spans: MakeSpans(4096)}
	m.measure(newCostSet(1, savedLeast)) // a processor that was idle is slow at first
	var sets []*costSet
	for tall := 1; tall <= lookLanes; tall *= 2 {
		paid := 0
		for saved := savedLeast; saved <= savedMost && paid < payingSets; saved *= 2 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s := newCostSet(tall, saved)
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

// costPolygons returns groups in which some lanes, evenly spread, have tall polygons
// and the others polygons of one row. AVX2 works on halves of a group: with all tall
// ones in one half an iteration takes half the time, which is rare in a mesh.
func costPolygons(groups, tall int, rows int32) *Polygons {
	r := rand.New(rand.NewPCG(17, uint64(tall)))
	p := MakePolygons(groups * Lanes)
	v := View{Width: calibrationSize, Height: calibrationSize}
	for p.N < groups*Lanes {
		height := int32(Sub)
		if p.N%Lanes*tall%Lanes < tall {
			height = rows * Sub
		}
		x, y := r.Int32N(500*Sub), r.Int32N(50)*Sub
		a, b, c := Vertex{X: x, Y: y, E: r.Float32()}, Vertex{X: x + 3*Sub, Y: y, E: 0.5}, Vertex{X: x + r.Int32N(3*Sub), Y: y + height, E: 0.3}
		if box, ok := v.visible(a, b, c); ok && box.y1-box.y0 == height/Sub {
			p.push(a, b, c, box, Ambient, p.N)
		}
	}
	return p
}

// calibrator times loops over the same polygons.
type calibrator struct {
	scan  func(s *ScanConverter, p *Polygons, out *Spans, width, stride int32) (finished bool)
	spans *Spans
}

// timedLoop is a loop and the shortest times that it took.
type timedLoop struct {
	scan                   ScanConverter
	took, planning, ranges time.Duration
}

func newTimedLoop(policy lb.Policy) timedLoop {
	return timedLoop{ScanConverter{Policy: policy}, math.MaxInt64, math.MaxInt64, math.MaxInt64}
}

// costSet is a data set and what it came to: the loop that is left alone and the
// one that redistributes wherever it saves anything.
type costSet struct {
	tall, rows           int
	unbalanced, balanced timedLoop
}

// newCostSet returns groups in which about so many iterations are saved for each
// tall polygon: all lanes do rows*tall/Lanes instead of rows iterations.
func newCostSet(tall, saved int) *costSet {
	rows := (saved*Lanes*tall + Lanes - tall - 1) / (Lanes - tall)
	return &costSet{tall: tall, rows: rows, unbalanced: newTimedLoop(lb.Never), balanced: newTimedLoop(lb.Always)}
}

// doubtful reports whether balancing lost though it paid where it saves less.
func (set *costSet) doubtful(before *costSet) bool {
	return before.tall == set.tall && before.sample().Pays() && !set.sample().Pays()
}

// measure times both loops in turn.
func (m *calibrator) measure(set *costSet) {
	p := costPolygons(max(calibrationIterations/set.rows, 2), set.tall, int32(set.rows))
	start := time.Now()
	for once := true; once || time.Since(start) < calibrationTime; once = false {
		m.attempt(&set.unbalanced, p)
		m.attempt(&set.balanced, p)
	}
}

// attempt times a loop once.
func (m *calibrator) attempt(l *timedLoop, p *Polygons) {
	s := &l.scan
	s.Clear()
	start := time.Now()
	s.Start()
	for finished := false; !finished; {
		m.spans.N = 0
		finished = m.scan(s, p, m.spans, calibrationSize, calibrationSize)
	}
	l.took = min(l.took, time.Since(start))
	l.planning = min(l.planning, s.Stats.Times.Planning)
	l.ranges = min(l.ranges, s.Stats.Times.Ranges)
}

// sample compares the loops.
func (set *costSet) sample() *CostSample {
	b, d := &set.balanced.scan, &set.balanced.scan.Stats
	// A clock may be coarser than the loop is short.
	took := max(float64(set.unbalanced.took.Nanoseconds()), 1)
	iteration := took / float64(set.unbalanced.scan.Iterations)
	inIterations := func(t time.Duration) float64 { return float64(t.Nanoseconds()) / iteration }
	deferred := float64(d.Deferred)
	return &CostSample{
		Tall: set.tall, Rows: set.rows,
		Saved:     float64(b.IterationsUnbalanced-b.Iterations) / deferred,
		Cost:      (inIterations(set.balanced.took) - float64(b.Iterations)) / deferred,
		Dealing:   inIterations(set.balanced.planning) / deferred,
		Full:      inIterations(set.balanced.ranges) / float64(d.Iterations),
		Iteration: iteration,
	}
}
