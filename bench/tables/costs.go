package tables

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"lockstep/lb"
	"lockstep/vp"
	"lockstep/vp/scan"
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
	clock := scan.solution.clock(&zbuffer.solution)
	ofCycle := func(t phaseSamples) PhaseCost { return t.cost(clock, runOfBalancing) }
	loop := func(own phaseTimes) LoopCosts {
		return LoopCosts{own.solution.cost(clock, runOfSteps), ofCycle(shared.max), ofCycle(shared.gather),
			ofCycle(shared.outlook), ofCycle(shared.foresight), ofCycle(shared.trial), ofCycle(shared.search), ofCycle(shared.redistribution)}
	}
	return StepCosts{loop(scan), loop(zbuffer)}, nil
}

// phaseSamples are nanoseconds for one virtual processor, by kind of work: what
// is timed within one kind is the same work.
type phaseSamples [workKinds][]float64

// workKinds is the most kinds of work that a phase is timed on.
const workKinds = max(unevenKinds, measuredTasks)

// quiet and busy are the shares of the samples of one kind of work that are taken
// for its typical and its longest time. What is above was timed while something else
// ran on the core's other thread or in the shared cache, which processors of their
// own do not have, and half of the samples may be.
const quiet, busy = 0.1, 0.5

// cost returns the shortest sample, the median over the kinds of work of their
// typical times, and the longest of any kind. The shortest and the longest are of one
// clock; runOf tells in which run a sample of a kind was taken. Typical times are as
// they were measured: what a slower clock does not slow down came out shorter than it
// ever was.
func (t *phaseSamples) cost(slower []float64, runOf func(kind, sample int) int) PhaseCost {
	shortest, longest := math.Inf(1), 0.0
	var typical []float64
	for k, kind := range t {
		if n := float64(len(kind)); n > 0 {
			ofOneClock := make([]float64, len(kind))
			for i, ns := range kind {
				ofOneClock[i] = ns / slower[runOf(k, i)]
			}
			slices.Sort(ofOneClock)
			shortest, longest = min(shortest, ofOneClock[0]), max(longest, ofOneClock[int(busy*n)])
			typical = append(typical, slices.Sorted(slices.Values(kind))[int(quiet*n)])
		}
	}
	slices.Sort(typical)
	middle := typical[len(typical)/2]
	return PhaseCost{Shortest: min(shortest, middle), Typical: middle, Longest: max(longest, middle)}
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

// clock returns how much longer than in a quiet run the same iterations took in every
// run. A processor's clock wanders by half; a cost is a ratio, and the shortest of
// one hour over the longest of another says nothing about either.
func (t *phaseSamples) clock(other *phaseSamples) (slower []float64) {
	slower = make([]float64, len(t[0]))
	for run := range slower {
		for kind := range measuredTasks {
			slower[run] += t[kind][run] + other[kind][run]
		}
	}
	sorted := slices.Sorted(slices.Values(slower))
	unit := sorted[int(quiet*float64(len(sorted)))]
	for run, ns := range slower {
		slower[run] = 1 // where the clock is too coarse to tell
		if ns > 0 && unit > 0 {
			slower[run] = ns / unit
		}
	}
	return slower
}

// runOfSteps and runOfBalancing return the run in which a sample of a kind was taken.
func runOfSteps(_, sample int) int        { return sample }
func runOfBalancing(kind, sample int) int { return sample*unevenKinds + kind }

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
	aheads   [unevenKinds]lb.Outlook
	largest  int32
	waited   int
}

// unevenKinds is the number of workloads that the phases of the cycle are timed on,
// from an eighth to seven eighths of them idle.
const unevenKinds = 7

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
	for kind := range m.aheads {
		spread(m.uneven, kind)
		m.aheads[kind].Look(m.uneven, lb.Gather(m.uneven), measuredLimit, fewestExact)
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
	kind := run % unevenKinds
	spread(m.uneven, kind)
	m.begin(m.uneven)
	left := m.array.Workload
	var g lb.Information
	time := func(s *phaseSamples, f func()) { s.time(kind, attempt, measuredArray, f) }
	time(&t.max, func() { m.largest = scan.MaxReduce(nil, left, 0) })
	time(&t.gather, func() { g = lb.Gather(left) })
	time(&t.outlook, func() { m.aheads[kind].Look(left, g, measuredLimit, fewestExact) })
	t.foresight.time(kind, attempt, float64(m.words()), m.foresee)
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
// becomes of one iteration. Histogram and iteration change from one time to the
// next, as they do from loop to loop. It is done with m.aheads as they are.
func (m *stepMeasurement) foresee() {
	few := lb.Information{Max: 100, Sum: 100, Active: 1, Idle: 1}
	var o lb.Outlook
	for i := range foresights {
		o.Look(m.uneven[:2], few, measuredLimit, fewestExact)
		_, lo, hi := m.aheads[i*i%len(m.aheads)].At(i * 5 % (fewestExact - 1))
		m.waited += o.Words() + int(lo+hi)
	}
}

// words returns those of all histograms that foresee looks into.
func (m *stepMeasurement) words() (words int) {
	for i := range foresights {
		words += m.aheads[i*i%len(m.aheads)].Words()
	}
	return words
}

// spread fills workload with few, many or mostly idle processors, by the kind.
func spread(workload []int32, kind int) {
	for i := range workload {
		switch {
		case i*5%8 <= kind:
			workload[i] = 0
		case i%61 == 0:
			workload[i] = int32(20 + i%200)
		default:
			workload[i] = int32(1 + i%7)
		}
	}
}
