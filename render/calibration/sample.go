package calibration

import (
	"context"
	"math"
	"slices"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
)

// A Sample is the measured cost of redistributing one kind of group. A group holds one polygon for each lane. In a
// group, Tall polygons have Rows rows each and are spread evenly. The other polygons have one row. The unit of Saved,
// Cost, Shortest and Iterations is an iteration per tall polygon.
type Sample struct {
	Tall  int     `json:"tall"`
	Rows  int     `json:"rows"`
	Saved float64 `json:"saved"` // iterations saved
	// Cost is the longest measured time of a redistribution and the n iterations after it, minus the time of n
	// iterations of mostly idle lanes. Shortest is the same difference for the shortest measured time.
	Cost     float64 `json:"cost"`
	Shortest float64 `json:"shortest"`
	// Iterations is the number of iterations that the redistributed rows take.
	Iterations float64 `json:"iterations"`
	// Dearer is the share of redistributions that cost more than this calibration estimates.
	Dearer float64 `json:"dearer"`
}

// Pays reports whether redistributing saves more than it costs.
func (c *Sample) Pays() bool { return c.Cost < c.Saved }

const (
	// sampleGroups is the number of groups of each kind that are timed in turn. Branch prediction would learn a
	// smaller number of groups.
	sampleGroups = 32

	// timeLimit is the time for which groups of one kind are timed. The kernel in plain Go does some hundred
	// redistributions in that time.
	timeLimit = time.Millisecond

	// interruptFactor limits the times that count. A time counts if it is at most interruptFactor times the median of
	// its kind. Longer times are due to interruptions by the system.
	interruptFactor = 2
)

// sampleRows are the numbers of rows of tall polygons that are timed.
var sampleRows = []int32{8, 16, 32, 64, 128, 512}

// timings are the times of redistributions of one kind, in ticks. Each time includes the iterations that follow the
// redistribution.
type timings struct {
	tall, rows int
	counts     scanline.Counts // counts of one redistribution
	ticks      []int64
}

// measureTimings times redistributions of all kinds. iteration is the shortest time of an iteration without
// redistributions, in ticks.
func measureTimings(ctx context.Context, loop scanline.Loop) (all []timings, iteration float64, err error) {
	iteration = math.Inf(1)
	for tall := 1; tall <= scanline.LookLanes; tall *= 2 {
		for _, rows := range sampleRows {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			t, shortest := timeGroups(loop, tall, rows)
			all, iteration = append(all, t), min(iteration, shortest)
		}
	}
	return all, iteration, nil
}

// timeGroups times groups of one kind without redistributions (lb.Never) and with them (lb.Always), in turn. If
// redistributing such groups saves nothing, t has no times.
func timeGroups(loop scanline.Loop, tall int, rows int32) (t timings, iteration float64) {
	t, iteration = timings{tall: tall, rows: int(rows)}, math.Inf(1)
	p, spans := scanline.UnevenPolygons(sampleGroups, tall, rows), array.MakeSpans(1<<14)
	never, always := scanline.Converter{Policy: lb.Never}, scanline.Converter{}
	always.Policy = lb.Always
	start := time.Now()
	for once := true; once || time.Since(start) < timeLimit; once = false {
		for g := range sampleGroups {
			one := group(p, g)
			scanConvert(loop, &never, &one, spans)
			iteration = min(iteration, float64(never.Ticks)/float64(never.Iterations))
			scanConvert(loop, &always, &one, spans)
			if t.counts = always.Counts; t.counts.Redistributions > 0 {
				t.ticks = append(t.ticks, always.SpreadTicks)
			}
		}
	}
	return t, iteration
}

const (
	// timeFirst times firstGroups groups. In each group, one polygon has firstRows rows.
	firstRows, firstGroups = 64, 48
	// idleTime is the time for which the core is left to other programs before each redistribution.
	idleTime = 50 * time.Microsecond
)

// timeFirst times redistributions whose code and data are not in the caches. Before each redistribution the core
// idles and must be woken. Redistributions then take 400 to 1,100 ticks. In comparison, the first redistributions of
// a process take 500 to 1,400 ticks.
//
// Other ways to empty the caches were less realistic. After writing 128 KiB of new memory, a redistribution takes 200
// to 550 ticks. After emptying the data caches, it takes 210 to 310 ticks. Without any pause between redistributions,
// each takes 180 to 290 ticks.
func timeFirst(loop scanline.Loop, idle func()) timings {
	t := timings{tall: 1, rows: firstRows}
	p, spans := scanline.UnevenPolygons(firstGroups, 1, firstRows), array.MakeSpans(1<<10)
	always := scanline.Converter{Policy: lb.Always}
	always.WarmUp(loop, spans) // renderers do the same before their first frame
	for g := range firstGroups {
		idle()
		one := group(p, g)
		scanConvert(loop, &always, &one, spans)
		t.counts, t.ticks = always.Counts, append(t.ticks, always.SpreadTicks)
	}
	return t
}

// firstExcess returns the additional cost of the first redistribution in a block, in iterations. It is the longest time
// in t, minus what a later redistribution is estimated to take.
func (c *Costs) firstExcess(t timings) float64 {
	e := Estimate{Cost: c.Model.Estimate(), Full: c.Full}
	return max(t.longest()/c.Ticks-float64(t.counts.Spread)-e.Predicted(&t.counts), 0)
}

// group returns a view of group g of p: array.Lanes polygons.
func group(p *array.Polygons, g int) array.Polygons {
	one, at := *p, g*array.Lanes
	for k := range 3 {
		one.X[k], one.Y[k], one.E[k] = p.X[k][at:], p.Y[k][at:], p.E[k][at:]
	}
	one.First, one.Rows, one.Source, one.Payload = p.First[at:], p.Rows[at:], p.Source[at:], p.Payload[at:]
	one.N = array.Lanes
	return one
}

// scanConvert scan-converts polygons once.
func scanConvert(loop scanline.Loop, s *scanline.Converter, p *array.Polygons, spans *array.Spans) {
	s.Clear()
	s.Start()
	for finished := false; !finished; {
		spans.N = 0
		finished = loop(s, p, spans, scanline.UnevenSize, scanline.UnevenSize)
	}
}

func (t *timings) shortest() float64 { return float64(slices.Min(t.ticks)) }

// longest returns the longest time. Times of interrupted redistributions do not count.
func (t *timings) longest() float64 {
	sorted := slices.Sorted(slices.Values(t.ticks))
	at, _ := slices.BinarySearch(sorted, interruptFactor*sorted[len(sorted)/2]+1)
	return float64(sorted[at-1])
}

// sample summarizes the times. iteration is the shortest time of an iteration.
func (t *timings) sample(iteration float64) Sample {
	polygons, spread := float64(t.counts.Polygons), float64(t.counts.Spread)
	cost := func(ticks float64) float64 { return (ticks/iteration - spread) / polygons }
	return Sample{
		Tall: t.tall, Rows: t.rows, Saved: float64(t.counts.Saved) / polygons,
		Cost: cost(t.longest()), Shortest: cost(t.shortest()), Iterations: spread / polygons,
	}
}

// dearerShare returns the share of redistributions that took longer than e predicts.
func (t *timings) dearerShare(e Estimate) float64 {
	atMost := (float64(t.counts.Spread) + e.Predicted(&t.counts)) * e.Ticks
	n := 0
	for _, ticks := range t.ticks {
		if float64(ticks) > atMost {
			n++
		}
	}
	return float64(n) / float64(len(t.ticks))
}

// fullIteration returns the longest time of an iteration in which all lanes have a row, in units of iteration. It
// compares two kinds of groups with the same number of tall polygons. In one kind (many), the tall polygons have the
// most rows. In the other kind (few), they have at most a quarter as many rows. Of all pairs, fullIteration returns
// the largest value of
//
//	(longest time of many - shortest time of few) / (iterations of many - iterations of few)
func fullIteration(all []timings, iteration float64) float64 {
	longest := 1.0
	for i := range all {
		few, many := &all[i], &all[i]
		for j := range all {
			if all[j].tall == few.tall && all[j].rows > many.rows {
				many = &all[j]
			}
		}
		if more := float64(many.counts.Spread - few.counts.Spread); 4*few.rows <= many.rows && len(few.ticks) > 0 && more > 0 {
			longest = max(longest, (many.longest()-few.shortest())/more/iteration)
		}
	}
	return longest
}
