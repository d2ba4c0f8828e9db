package trace

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"lockstep/vp/trace"
)

// columnsMost bounds the columns in which a trace is drawn: a picture has about as
// many dots.
const columnsMost = 2000

// columns sums a trace up over its iterations, in columns of equal width.
// When there are too many, every two become one of twice the width, so the
// length of the trace need not be known and no extreme is lost.
type columns struct {
	width      int64 // iterations a column
	iterations int64 // so far
	columns    []column
}

// A column sums up the iterations of its width.
type column struct {
	active, workload valueRange // per record
	average          valueRange // tasks left a processor
	tasks, slots     float64
	done, vain       lookRanges
}

// lookRanges are decisions of a kind.
type lookRanges struct{ savings, cost valueRange }

func newColumns() *columns { return &columns{width: 1} }

// add takes a record. One that stands for several iterations is spread over
// them; a decision belongs to the first.
func (t *columns) add(s *trace.Step) {
	end := t.iterations + s.Iterations
	last := max(end-1, t.iterations)
	for last/t.width >= columnsMost {
		t.halve()
	}
	for int64(len(t.columns)) <= last/t.width {
		t.columns = append(t.columns, column{})
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

// describesProcessors reports whether a record describes the processors of the
// loop, not the problems that were set aside.
func describesProcessors(s *trace.Step) bool {
	return s.Decision != trace.Shared
}

// add takes the given number of a record's iterations.
func (c *column) add(s *trace.Step, iterations int64) {
	if !describesProcessors(s) {
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
func (c *column) look(s *trace.Step) {
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
func (t *columns) halve() {
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

func (c *column) join(o *column) {
	for _, r := range []struct{ to, from *valueRange }{
		{&c.active, &o.active}, {&c.workload, &o.workload}, {&c.average, &o.average},
		{&c.done.savings, &o.done.savings}, {&c.done.cost, &o.done.cost},
		{&c.vain.savings, &o.vain.savings}, {&c.vain.cost, &o.vain.cost},
	} {
		r.to.join(r.from)
	}
	c.tasks += o.tasks
	c.slots += o.slots
}

func (r *valueRange) join(o *valueRange) {
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

// decisionPoints counts decisions by savings and cost: numbers below exactBelow
// each, above that in steps of a sixteenth of a power of two, so that any number of
// decisions are some thousand points.
type decisionPoints struct {
	counts map[decisionPoint]int64
}

type decisionPoint struct {
	savings, cost int // in steps
	redistributed bool
}

const (
	exactBelow    = 64 // a power of two
	stepsPerPower = 16 // in a power of two above
)

// sorted returns the points in an order of their own: marks that cover each other do so in every run.
func (t *decisionPoints) sorted() []decisionPoint {
	return slices.SortedFunc(maps.Keys(t.counts), func(a, b decisionPoint) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.savings, b.savings))
	})
}

func newDecisionPoints() *decisionPoints { return &decisionPoints{counts: map[decisionPoint]int64{}} }

// add takes a record.
func (t *decisionPoints) add(s *trace.Step) {
	if !s.Looked() || s.Cost > math.MaxFloat32 {
		return
	}
	t.counts[decisionPoint{stepOf(s.Savings), stepOf(s.Cost), s.Redistributed}]++
}

// stepOf returns the step that a number falls into; those below 1 share one.
func stepOf(v float64) int {
	if !(v >= 1) {
		return 0
	}
	v = min(v, math.MaxInt32)
	if v < exactBelow {
		return int(v)
	}
	power := math.Floor(math.Log2(v / exactBelow))
	return exactBelow + int(stepsPerPower*(power+v/(exactBelow*math.Exp2(power))-1))
}

// stepValue returns the number of a step, or the middle of its numbers.
func stepValue(step int) float64 {
	switch {
	case step <= 0:
		return axisFloor
	case step < exactBelow:
		return float64(step)
	}
	power, part := (step-exactBelow)/stepsPerPower, (step-exactBelow)%stepsPerPower
	return exactBelow * math.Exp2(float64(power)) * (1 + (float64(part)+0.5)/stepsPerPower)
}

// axisFloor stands for all numbers below 1 on logarithmic axes.
const axisFloor = 0.5
