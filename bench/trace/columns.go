package trace

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"lockstep/vp/trace"
)

// maxColumns limits the number of columns in which a trace is drawn. It is about the width of a picture in dots.
const maxColumns = 2000

// A columns summarizes a trace in columns of equal numbers of iterations. When there are more than maxColumns, each
// pair of neighbours is merged. So the length of the trace need not be known in advance. Each column has the least and
// largest values of its iterations.
type columns struct {
	width      int64 // number of iterations per column
	iterations int64 // number of iterations so far
	columns    []column
}

// A column summarizes columns.width successive iterations.
type column struct {
	active, workload   valueRange // per record
	average            valueRange // tasks left per processor
	tasks, slots       float64    // number of tasks solved, and iterations times processors
	accepted, rejected decisionRanges
}

// A decisionRanges holds the ranges of the savings and the costs of several decisions.
type decisionRanges struct{ savings, cost valueRange }

func newColumns() *columns { return &columns{width: 1} }

// add adds a record. If the record is about several iterations, it is added to all their columns. Its decision is added
// to the first of these columns only.
func (t *columns) add(s *trace.Step) {
	end := t.iterations + s.Iterations
	last := max(end-1, t.iterations)
	for last/t.width >= maxColumns {
		t.mergePairs()
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
		t.columns[t.iterations/t.width].addDecision(s)
	}
	t.iterations = end
}

// describesProcessors reports whether a record is about the processors of the loop. Other records are about large
// problems that all workers solve together.
func describesProcessors(s *trace.Step) bool {
	return s.Decision != trace.Shared
}

// add adds a part of a record: `iterations` of its s.Iterations iterations.
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

// addDecision adds the decision of a record.
func (c *column) addDecision(s *trace.Step) {
	kind := &c.rejected
	if s.Redistributed {
		kind = &c.accepted
	}
	kind.savings.add(s.Savings)
	if !math.IsInf(s.Cost, 0) {
		kind.cost.add(s.Cost)
	}
}

// mergePairs merges each pair of neighbouring columns into one.
func (t *columns) mergePairs() {
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
		{&c.accepted.savings, &o.accepted.savings}, {&c.accepted.cost, &o.accepted.cost},
		{&c.rejected.savings, &o.rejected.savings}, {&c.rejected.cost, &o.rejected.cost},
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

// A decisionPoints counts decisions by savings and cost. Values below exactBelow are rounded to whole numbers. Larger
// values are rounded to one of 16 steps between two powers of two. So any number of decisions gives at most some
// thousand points.
type decisionPoints struct {
	counts map[decisionPoint]int64
}

// A decisionPoint holds the rounded savings and cost of decisions, and whether they redistributed.
type decisionPoint struct {
	savings, cost int // steps, see stepOf
	redistributed bool
}

const (
	exactBelow    = 64 // a power of two
	stepsPerPower = 16 // number of steps in each power of two above exactBelow
)

// sortedPoints returns the points in a fixed order. Overlapping marks then look the same in every run.
func (t *decisionPoints) sortedPoints() []decisionPoint {
	return slices.SortedFunc(maps.Keys(t.counts), func(a, b decisionPoint) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.savings, b.savings))
	})
}

func newDecisionPoints() *decisionPoints { return &decisionPoints{counts: map[decisionPoint]int64{}} }

// add counts the decision of a record, if it has one and the cost is finite.
func (t *decisionPoints) add(s *trace.Step) {
	if !s.Looked() || s.Cost > math.MaxFloat32 {
		return
	}
	t.counts[decisionPoint{stepOf(s.Savings), stepOf(s.Cost), s.Redistributed}]++
}

// stepOf rounds a number to a step and returns the number of the step. Numbers below 1 have step 0.
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

// stepValue is the inverse of stepOf. It returns the middle of the numbers with this step.
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

// axisFloor is where numbers below 1 are drawn on logarithmic axes.
const axisFloor = 0.5
