package trace

import (
	"math"

	"lockstep/vp/trace"
)

// traceColumnsMost is how many columns a trace is drawn in at most: some as many
// as a picture has dots.
const traceColumnsMost = 2000

// traceColumns sums a trace up over its iterations, in columns of equal width.
// When there are too many, every two become one of twice the width, so the
// length of the trace need not be known and no extreme is lost.
type traceColumns struct {
	width      int64 // iterations a column
	iterations int64 // so far
	columns    []traceColumn
}

// A traceColumn sums up some iterations.
type traceColumn struct {
	active, workload traceRange // per record
	average          traceRange // tasks left a processor
	tasks, slots     float64
	done, vain       traceLooks
}

// traceLooks are decisions of a kind.
type traceLooks struct{ savings, cost traceRange }

func newTraceColumns() *traceColumns { return &traceColumns{width: 1} }

// add takes a record. One that stands for several iterations is spread over
// them; a decision belongs to the first.
func (t *traceColumns) add(s *trace.Step) {
	end := t.iterations + s.Iterations
	last := max(end-1, t.iterations)
	for last/t.width >= traceColumnsMost {
		t.halve()
	}
	for int64(len(t.columns)) <= last/t.width {
		t.columns = append(t.columns, traceColumn{})
	}
	for from := t.iterations; ; {
		k := from / t.width
		to := min((k+1)*t.width, end)
		t.columns[k].add(s, to-from)
		if to >= end {
			break
		}
		from = to
	}
	if s.Looked() {
		t.columns[t.iterations/t.width].look(s)
	}
	t.iterations = end
}

// traceOfProcessors reports whether a record describes the processors of the loop, not what
// was set aside.
func traceOfProcessors(s *trace.Step) bool {
	return s.Decision != trace.Dealt && s.Decision != trace.Shared
}

// add takes part of a record: so many of its iterations.
func (c *traceColumn) add(s *trace.Step, iterations int64) {
	if !traceOfProcessors(s) {
		return
	}
	c.active.add(float64(s.Active))
	c.workload.add(float64(s.Max))
	processors := float64(max(s.Processors, 1))
	c.average.add(float64(s.Sum) / processors)
	if s.Iterations > 0 {
		share := float64(iterations) / float64(s.Iterations)
		c.tasks += share * float64(s.Tasks)
		c.slots += float64(iterations) * processors
	}
}

// look takes a decision.
func (c *traceColumn) look(s *trace.Step) {
	kind := &c.vain
	if s.Redistributed {
		kind = &c.done
	}
	kind.savings.add(s.Savings)
	if !math.IsInf(s.Cost, 0) {
		kind.cost.add(s.Cost)
	}
}

// halve makes one column of every two.
func (t *traceColumns) halve() {
	n := (len(t.columns) + 1) / 2
	for k := range n {
		t.columns[k] = t.columns[2*k]
		if 2*k+1 < len(t.columns) {
			t.columns[k].join(&t.columns[2*k+1])
		}
	}
	t.columns = t.columns[:n]
	t.width *= 2
}

func (c *traceColumn) join(o *traceColumn) {
	for _, r := range []struct{ to, from *traceRange }{
		{&c.active, &o.active}, {&c.workload, &o.workload}, {&c.average, &o.average},
		{&c.done.savings, &o.done.savings}, {&c.done.cost, &o.done.cost},
		{&c.vain.savings, &o.vain.savings}, {&c.vain.cost, &o.vain.cost},
	} {
		r.to.join(r.from)
	}
	c.tasks += o.tasks
	c.slots += o.slots
}

func (r *traceRange) join(o *traceRange) {
	switch {
	case o.n == 0:
	case r.n == 0:
		*r = *o
	default:
		r.least, r.most = min(r.least, o.least), max(r.most, o.most)
		r.sum += o.sum
		r.n += o.n
	}
}

// tracePoints counts decisions by savings and cost: numbers below traceExact
// each, above that in steps of an eighth of a power of two, so that any number of
// decisions are some thousand points.
type tracePoints struct {
	counts map[tracePoint]int64
}

type tracePoint struct {
	savings, cost int // in steps
	redistributed bool
}

const (
	traceExact = 64 // a power of two
	traceSteps = 8  // in a power of two above
)

func newTracePoints() *tracePoints { return &tracePoints{counts: map[tracePoint]int64{}} }

// add takes a record.
func (t *tracePoints) add(s *trace.Step) {
	if !s.Looked() || s.Cost > math.MaxFloat32 {
		return
	}
	t.counts[tracePoint{traceStep(s.Savings), traceStep(s.Cost), s.Redistributed}]++
}

// traceStep returns the step that a number falls into; those below 1 share one.
func traceStep(v float64) int {
	if !(v >= 1) {
		return 0
	}
	v = min(v, math.MaxInt32)
	if v < traceExact {
		return int(v)
	}
	power := math.Floor(math.Log2(v / traceExact))
	return traceExact + int(traceSteps*(power+v/(traceExact*math.Exp2(power))-1))
}

// traceValue returns the number that a step begins with.
func traceValue(step int) float64 {
	switch {
	case step <= 0:
		return traceFloor
	case step < traceExact:
		return float64(step)
	}
	power, part := (step-traceExact)/traceSteps, (step-traceExact)%traceSteps
	return traceExact * math.Exp2(float64(power)) * (1 + float64(part)/traceSteps)
}

// traceFloor stands for all numbers below 1 on logarithmic axes.
const traceFloor = 0.5
