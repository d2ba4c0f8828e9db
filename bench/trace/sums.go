package trace

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"lockstep/vp/trace"
)

// traceSums is what a trace comes to.
type traceSums struct {
	title string
	read  int64 // records in the file
	loops []*traceLoop
}

func newTraceSums() *traceSums { return new(traceSums) }

// A traceLoop sums up the records of one loop.
type traceLoop struct {
	name       string
	processors int
	records    int64
	frames     int
	blocks     int
	frame      int // of the last record
	block      int

	iterations, unbalanced, tasks int64
	slots, slotsUnbalanced        int64 // iterations times processors
	looks, redistributions        int64
	shared                        int64   // of the redistributions, without a look
	savings, cost                 float64 // of the redistributions that were decided

	stages    []traceStage
	decisions map[traceKey]*traceDecision
	best      []trace.Step // redistributions with the largest savings, largest first

	columns *traceColumns
	points  *tracePoints
	closeup *traceCloseup
}

// A traceStage counts the iterations of one stage of a loop.
type traceStage struct {
	name       string
	iterations int64
}

// A traceKey is a kind of decision: its word and how many processors were active,
// up to a power of two.
type traceKey struct {
	decision string
	class    int // bits.Len(active-1)
}

// A traceDecision sums up decisions of a kind.
type traceDecision struct {
	traceKey
	times         int64
	least, most   int // active
	redistributed bool
	workload      traceRange // largest
	savings, cost traceRange
	parts         int64
}

// A traceRange is the least, the most and the sum of numbers.
type traceRange struct {
	least, most, sum float64
	n                int64
}

func (r *traceRange) add(v float64) {
	if r.n == 0 || v < r.least {
		r.least = v
	}
	if r.n == 0 || v > r.most {
		r.most = v
	}
	r.sum += v
	r.n++
}

// mean returns the mean, and 0 of nothing.
func (r *traceRange) mean() float64 {
	if r.n == 0 {
		return 0
	}
	return r.sum / float64(r.n)
}

// traceBest is how many of the best redistributions are told about.
const traceBest = 5

// add takes a record.
func (t *traceSums) add(s *trace.Step) error {
	i := slices.IndexFunc(t.loops, func(l *traceLoop) bool { return l.name == s.Loop })
	if i < 0 {
		if len(t.loops) == traceNames {
			return errTraceNames("loops")
		}
		i = len(t.loops)
		t.loops = append(t.loops, &traceLoop{
			name: s.Loop, decisions: map[traceKey]*traceDecision{},
			columns: newTraceColumns(), points: newTracePoints(), closeup: new(traceCloseup),
		})
	}
	return t.loops[i].add(s)
}

func (l *traceLoop) add(s *trace.Step) error {
	if l.records == 0 || s.Frame != l.frame {
		l.frames++
	}
	if l.records == 0 || s.Frame != l.frame || s.Block != l.block {
		l.blocks++
	}
	l.frame, l.block = s.Frame, s.Block
	l.records++
	// Not all traces say how many processors there are.
	l.processors = max(l.processors, s.Processors)
	processors := max(s.Processors, 1)
	l.iterations += s.Iterations
	l.unbalanced += s.Unbalanced
	l.tasks += s.Tasks
	l.slots += clampedProduct(s.Iterations, processors)
	l.slotsUnbalanced += clampedProduct(s.Unbalanced, processors)
	if err := l.addStage(s); err != nil {
		return err
	}
	if s.Decision != trace.None {
		if err := l.addDecision(s); err != nil {
			return err
		}
	}
	l.points.add(s)
	l.closeup.add(s, l.columns.iterations)
	l.columns.add(s)
	return nil
}

// clampedProduct keeps sums of nonsense within 63 bits.
func clampedProduct(iterations int64, processors int) int64 {
	return min(iterations*int64(processors), math.MaxInt32<<16)
}

func (l *traceLoop) addStage(s *trace.Step) error {
	i := slices.IndexFunc(l.stages, func(g traceStage) bool { return g.name == s.Stage })
	if i < 0 {
		if len(l.stages) == traceNames {
			return errTraceNames("stages")
		}
		i = len(l.stages)
		l.stages = append(l.stages, traceStage{name: s.Stage})
	}
	l.stages[i].iterations += s.Iterations
	return nil
}

func (l *traceLoop) addDecision(s *trace.Step) error {
	key := traceKey{s.Decision, bits.Len(uint(max(s.Active-1, 0)))}
	d := l.decisions[key]
	if d == nil {
		if len(l.decisions) == traceNames*32 {
			return errTraceNames("decisions")
		}
		d = &traceDecision{traceKey: key, least: s.Active, most: s.Active}
		l.decisions[key] = d
	}
	d.times++
	d.least, d.most = min(d.least, s.Active), max(d.most, s.Active)
	d.redistributed = d.redistributed || s.Redistributed
	d.workload.add(float64(s.Max))
	d.savings.add(s.Savings)
	d.cost.add(s.Cost)
	d.parts += int64(s.Parts)
	if s.Looked() {
		l.looks++
	}
	if s.Redistributed {
		l.redistributions++
		l.savings += s.Savings
		l.cost += s.Cost
	}
	switch {
	case s.Redistributed && s.Looked():
		l.addBest(s)
	case s.Redistributed:
		l.shared++
	}
	return nil
}

// addBest keeps the redistributions with the largest savings, the first of
// equals.
func (l *traceLoop) addBest(s *trace.Step) {
	at, _ := slices.BinarySearchFunc(l.best, *s, func(a, b trace.Step) int {
		if a.Savings >= b.Savings {
			return -1
		}
		return 1
	})
	if at == traceBest {
		return
	}
	l.best = slices.Insert(l.best, at, *s)
	l.best = l.best[:min(len(l.best), traceBest)]
}

// sorted returns the kinds of decisions: those that redistributed first, by word
// and active processors.
func (l *traceLoop) sorted() []*traceDecision {
	var all []*traceDecision
	for _, d := range l.decisions {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *traceDecision) int {
		if a.redistributed != b.redistributed {
			if a.redistributed {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.decision, b.decision), cmp.Compare(a.class, b.class))
	})
	return all
}

// use returns the share of processors' iterations that solved a task.
func (l *traceLoop) use(slots int64) float64 {
	if slots == 0 {
		return 0
	}
	return float64(l.tasks) / float64(slots)
}

// title names a loop.
func (l *traceLoop) title() string {
	if l.name == "" {
		return "loop"
	}
	return l.name
}
