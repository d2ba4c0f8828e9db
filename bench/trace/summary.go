package trace

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"lockstep/vp/trace"
)

// A summary holds the figures of a trace that are printed and drawn.
type summary struct {
	title string
	read  int64 // number of records in the file
	loops []*loop
}

// A loop holds sums over the records of one loop.
type loop struct {
	name       string
	processors int
	records    int64
	frames     int
	blocks     int
	frame      int // frame of the last record
	block      int

	iterations, unbalanced, tasks int64 // unbalanced: iterations if nothing had been redistributed
	slots, slotsUnbalanced        int64 // processors times iterations; processors times the iterations in `unbalanced`
	// looks is the number of comparisons of savings with a cost.
	looks, redistributions int64
	// shared is the number of redistributions that were not decided by a comparison. Such a redistribution divides a
	// problem among all workers, because it is too large for one worker.
	shared        int64
	savings, cost float64 // sums over the redistributions

	stages    []stage
	decisions map[decisionKind]*decisionSum
	best      []trace.Step // redistributions with the largest savings, largest first

	columns *columns
	points  *decisionPoints
	closeup *closeup
}

// A stage holds the counts of one stage of a loop.
type stage struct {
	name       string
	iterations int64
}

// A decisionKind identifies decisions that are added up together. They have the same word in the trace, and the same
// number of active processors, rounded up to a power of two.
type decisionKind struct {
	decision string
	class    int // bits.Len(active-1): the logarithm to base 2 of the number of active processors, rounded up
}

// A decisionSum holds sums over the decisions of one kind.
type decisionSum struct {
	decisionKind
	times         int64
	least, most   int // least and largest number of active processors
	redistributed bool
	workload      valueRange // largest workload before each decision
	savings, cost valueRange
	parts         int64 // sum of trace.Step.Parts
}

// A valueRange holds the least, the largest and the sum of some numbers.
type valueRange struct {
	least, most, sum float64
	n                int64
}

func (r *valueRange) add(v float64) {
	if r.n == 0 || v < r.least {
		r.least = v
	}
	if r.n == 0 || v > r.most {
		r.most = v
	}
	r.sum += v
	r.n++
}

// mean returns the mean, or 0 if there are no numbers.
func (r *valueRange) mean() float64 {
	if r.n == 0 {
		return 0
	}
	return r.sum / float64(r.n)
}

// maxBest is the number of redistributions that are listed individually.
const maxBest = 5

// add adds a record. It returns an error if the trace has too many names.
func (t *summary) add(s *trace.Step) error {
	i := slices.IndexFunc(t.loops, func(l *loop) bool { return l.name == s.Loop })
	if i < 0 {
		if len(t.loops) == maxNames {
			return errTooManyNames("loops")
		}
		i = len(t.loops)
		t.loops = append(t.loops, &loop{
			name: s.Loop, decisions: map[decisionKind]*decisionSum{},
			columns: newColumns(), points: newDecisionPoints(), closeup: new(closeup),
		})
	}
	return t.loops[i].add(s)
}

func (l *loop) add(s *trace.Step) error {
	if l.records == 0 || s.Frame != l.frame {
		l.frames++
	}
	if l.records == 0 || s.Frame != l.frame || s.Block != l.block {
		l.blocks++
	}
	l.frame, l.block = s.Frame, s.Block
	l.records++
	// A record may lack the number of processors.
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

// clampedProduct returns iterations times processors, but at most a limit. So sums over a damaged trace fit into 63
// bits.
func clampedProduct(iterations int64, processors int) int64 {
	return min(iterations*int64(processors), math.MaxInt32<<16)
}

func (l *loop) addStage(s *trace.Step) error {
	i := slices.IndexFunc(l.stages, func(g stage) bool { return g.name == s.Stage })
	if i < 0 {
		if len(l.stages) == maxNames {
			return errTooManyNames("stages")
		}
		i = len(l.stages)
		l.stages = append(l.stages, stage{name: s.Stage})
	}
	l.stages[i].iterations += s.Iterations
	return nil
}

func (l *loop) addDecision(s *trace.Step) error {
	key := decisionKind{s.Decision, bits.Len(uint(max(s.Active-1, 0)))}
	d := l.decisions[key]
	if d == nil {
		if len(l.decisions) == maxNames*32 {
			return errTooManyNames("decisions")
		}
		d = &decisionSum{decisionKind: key, least: s.Active, most: s.Active}
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

// addBest adds a redistribution to l.best. This slice keeps the maxBest redistributions with the largest savings. Of
// redistributions with equal savings it keeps the earlier ones.
func (l *loop) addBest(s *trace.Step) {
	at, _ := slices.BinarySearchFunc(l.best, *s, func(a, b trace.Step) int {
		if a.Savings >= b.Savings {
			return -1
		}
		return 1
	})
	if at == maxBest {
		return
	}
	l.best = slices.Insert(l.best, at, *s)
	l.best = l.best[:min(len(l.best), maxBest)]
}

// sortedDecisions returns the sums for each kind of decision. Kinds that redistributed come first. Both groups are
// sorted by word and by number of active processors.
func (l *loop) sortedDecisions() []*decisionSum {
	var all []*decisionSum
	for _, d := range l.decisions {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *decisionSum) int {
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

// laneUse returns the fraction of slots in which a task was solved. Each iteration has a slot for each processor.
func (l *loop) laneUse(slots int64) float64 {
	if slots == 0 {
		return 0
	}
	return float64(l.tasks) / float64(slots)
}

// title returns the name of the loop as it is printed.
func (l *loop) title() string {
	if l.name == "" {
		return "loop"
	}
	return l.name
}
