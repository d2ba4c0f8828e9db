package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"lockstep/lb"
	"lockstep/vp"
)

// PhaseCost is what one phase takes for one virtual processor, in nanoseconds:
// the shortest, a typical and the longest time of many executions.
type PhaseCost struct{ Shortest, Typical, Longest float64 }

// LoopCosts are the measured costs of the phases of one loop.
type LoopCosts struct {
	Solution       PhaseCost // one iteration
	Max            PhaseCost // MAX(workload), which the original loop needs at its start
	Gather         PhaseCost // lb.Gather
	Outlook        PhaseCost // the histogram of lb.Outlook.Look
	Foresight      PhaseCost // what is found in it, for each of its words
	Trial          PhaseCost // the trial plan when its largest workload is known
	Search         PhaseCost // finding that
	Redistribution PhaseCost // vp.Array.Redistribute
}

// phases are the costs in order.
func (c LoopCosts) phases() []PhaseCost {
	return []PhaseCost{c.Solution, c.Max, c.Gather, c.Outlook, c.Foresight, c.Trial, c.Search, c.Redistribution}
}

// StepCosts are the measured costs of both loops.
type StepCosts struct{ Scan, ZBuffer LoopCosts }

// measuredArray is the number of virtual processors that are timed together:
// problem data and workload of so many fit the second-level cache, as they
// would on processors that host some thousand virtual ones each.
const measuredArray = 4096

// measuredTasks is the number of iterations in one timed run.
const measuredTasks = 8

// attempts is how often the same work on the same data is timed. The fastest
// counts, which leaves out interrupts and cold caches; what differs from
// iteration to iteration and from workload to workload stays.
const attempts = 3

// MeasureSteps times the phases of both loops on this machine, in the given
// number of runs, at least 3. It counts the time of the calling thread where
// the system has such a clock, so that other work on the machine is not
// counted. It returns ctx's error when that ends first.
func MeasureSteps(ctx context.Context, runs int) (StepCosts, error) {
	if runs < 3 {
		return StepCosts{}, fmt.Errorf("bench: %d runs are too few to tell the shortest from the longest", runs)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var scan, zbuffer, shared phaseTimes
	m := newStepMeasurement()
	for run := range runs {
		if err := ctx.Err(); err != nil {
			return StepCosts{}, err
		}
		for attempt := range attempts {
			m.steps(&scan, &zbuffer, attempt)
			m.balancing(&shared, run, attempt)
		}
	}
	loop := func(own phaseTimes) LoopCosts {
		return LoopCosts{own.solution.cost(), shared.max.cost(), shared.gather.cost(),
			shared.outlook.cost(), shared.foresight.cost(), shared.trial.cost(), shared.search.cost(), shared.redistribution.cost()}
	}
	return StepCosts{loop(scan), loop(zbuffer)}, nil
}

// phaseSamples are nanoseconds for one virtual processor, by kind of work: what
// is timed within one kind is the same work.
type phaseSamples [workKinds][]float64

// workKinds is the number of workloads that the phases of the cycle are timed
// on, and of iterations in one timed run.
const workKinds = 8

// cost returns the shortest sample, the median over the kinds of work of each
// kind's lower quartile, and the longest median of a kind. What is above the quartile
// was timed while something else ran on the core's other thread or in the shared
// cache, which processors of their own do not have; the longest still has half of
// that in it.
func (t *phaseSamples) cost() PhaseCost {
	shortest, longest := math.Inf(1), 0.0
	var typical []float64
	for _, kind := range t {
		if len(kind) == 0 {
			continue
		}
		slices.Sort(kind)
		shortest, longest = min(shortest, kind[0]), max(longest, kind[len(kind)/2])
		typical = append(typical, kind[len(kind)/4])
	}
	slices.Sort(typical)
	return PhaseCost{Shortest: shortest, Typical: typical[len(typical)/2], Longest: longest}
}

// time times f, which is done for so many elements. Another attempt is one at the
// last sample of its kind.
func (t *phaseSamples) time(kind, attempt int, elements float64, f func()) {
	start := threadTime()
	f()
	ns := float64((threadTime() - start).Nanoseconds()) / elements
	samples := &t[kind%workKinds]
	if attempt == 0 {
		*samples = append(*samples, ns)
		return
	}
	last := &(*samples)[len(*samples)-1]
	*last = min(*last, ns)
}

// less takes another phase, which is part of what was timed, off the last sample.
func (t *phaseSamples) less(part *phaseSamples, kind, attempt int) {
	if attempt < attempts-1 {
		return
	}
	whole := t[kind%workKinds]
	last := len(whole) - 1
	whole[last] = max(whole[last]-part[kind%workKinds][last], 0)
}

type phaseTimes struct {
	solution, max, gather, outlook, foresight, trial, search, redistribution phaseSamples
}

type stepMeasurement struct {
	array    *vp.Array
	polygons *stepPolygons
	spans    *stepSpans
	frame    []uint64
	full     []int32
	uneven   []int32
	plan     []int32
	planner  lb.Minimax
	largest  int32
	waited   int
}

func newStepMeasurement() *stepMeasurement {
	m := &stepMeasurement{
		array:    vp.NewArray(make([]int32, measuredArray)),
		polygons: makeStepPolygons(measuredArray),
		spans:    newStepSpans(measuredArray),
		frame:    make([]uint64, stepWidth*stepHeight),
		full:     make([]int32, measuredArray),
		uneven:   make([]int32, measuredArray),
		plan:     make([]int32, measuredArray),
	}
	for i := range m.full {
		m.full[i] = measuredTasks
	}
	return m
}

// begin gives every virtual processor its own problem and all its tasks.
func (m *stepMeasurement) begin(workload []int32) {
	for v, tasks := range workload {
		m.array.Problem[v], m.array.Next[v], m.array.Workload[v] = int32(v), 0, tasks
	}
}

// steps times iterations in which every virtual processor is active: on a
// lockstep machine the idle ones take the same time.
func (m *stepMeasurement) steps(scan, zbuffer *phaseTimes, attempt int) {
	m.begin(m.full)
	for i := range measuredTasks {
		scan.solution.time(i, attempt, measuredArray, func() { scanStep(m.array, m.polygons, m.spans) })
	}
	m.begin(m.full)
	for i := range measuredTasks {
		zbuffer.solution.time(i, attempt, measuredArray, func() { zbufferStep(m.array, m.spans, m.frame) })
	}
}

// foresights is how often what takes less time than reading the clock is done in
// one sample.
const foresights = 64

// balancing times the phases of the cycle on workloads whose idle part changes
// from run to run between an eighth and seven eighths.
func (m *stepMeasurement) balancing(t *phaseTimes, run, attempt int) {
	kind := run % 7
	for i := range m.uneven {
		switch {
		case i*5%8 <= kind:
			m.uneven[i] = 0
		case i%61 == 0:
			m.uneven[i] = int32(20 + i%200)
		default:
			m.uneven[i] = int32(1 + i%7)
		}
	}
	m.begin(m.uneven)
	left := m.array.Workload
	var g lb.Information
	time := func(s *phaseSamples, f func()) { s.time(kind, attempt, measuredArray, f) }
	time(&t.max, func() { m.largest = vp.MaxReduce(nil, left, 0) })
	time(&t.gather, func() { g = lb.Gather(left) })
	var ahead lb.Outlook
	time(&t.outlook, func() { ahead.Look(left, g, measuredLimit, fewestExact) })
	t.foresight.time(kind, attempt, foresights*float64(ahead.Words()), func() { m.foresee(left, g, &ahead) })
	var level int32
	time(&t.search, func() { level = m.planner.Plan(m.plan, left, g) })
	time(&t.trial, func() { m.planner.PlanWithin(m.plan, left, g, level, level) })
	t.search.less(&t.trial, kind, attempt)
	time(&t.redistribution, func() {
		if err := m.array.Redistribute(nil, m.plan); err != nil {
			panic(fmt.Sprintf("bench: %v", err)) // lb plans always fit
		}
	})
}

// measuredLimit is the limit of the savings in timed outlooks.
const measuredLimit = 4

// foresee does what follows the combination of the histograms on every processor:
// the sums over it, which an outlook on next to no workloads consists of, and what
// becomes of one iteration.
func (m *stepMeasurement) foresee(left []int32, g lb.Information, ahead *lb.Outlook) {
	few := g
	few.Active, few.Idle = 1, 1
	few.Sum = int64(few.Max)
	var o lb.Outlook
	for i := range foresights {
		o.Look(left[:2], few, measuredLimit, fewestExact)
		_, lo, hi := ahead.At(i % fewestExact)
		m.waited += o.Words() + int(lo+hi)
	}
}
