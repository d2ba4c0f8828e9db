package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"lockstep/lb"
	"lockstep/vp"
)

// PhaseCost is what one phase takes for one virtual processor, in nanoseconds:
// the shortest, the median and the longest of many executions.
type PhaseCost struct{ Shortest, Typical, Longest float64 }

// LoopCosts are the measured costs of the phases of one loop.
type LoopCosts struct {
	Solution       PhaseCost // one iteration
	Max            PhaseCost // MAX(workload), which the original loop needs at its start
	Gather         PhaseCost // lb.Gather
	Outlook        PhaseCost // lb.LookAhead, Outlook.Wait and Outlook.Postpone
	Trial          PhaseCost // the trial plan
	Redistribution PhaseCost // vp.Array.Redistribute
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
		for range attempts {
			m.steps(&scan, &zbuffer, run)
			m.balancing(&shared, run)
		}
	}
	loop := func(own phaseTimes) LoopCosts {
		return LoopCosts{own.solution.cost(), shared.max.cost(), shared.gather.cost(),
			shared.outlook.cost(), shared.trial.cost(), shared.redistribution.cost()}
	}
	return StepCosts{loop(scan), loop(zbuffer)}, nil
}

// phaseSamples are nanoseconds for one virtual processor, one entry an execution.
type phaseSamples []float64

func (t phaseSamples) cost() PhaseCost {
	slices.Sort(t)
	return PhaseCost{Shortest: t[0], Typical: t[len(t)/2], Longest: t[len(t)-1]}
}

// time times f, which is done for measuredArray processors. slot is the number
// of the sample: a new one, or an old one for another attempt at the same work.
func (t *phaseSamples) time(slot int, f func()) {
	start := threadTime()
	f()
	ns := float64((threadTime() - start).Nanoseconds()) / measuredArray
	if slot == len(*t) {
		*t = append(*t, ns)
		return
	}
	(*t)[slot] = min((*t)[slot], ns)
}

type phaseTimes struct {
	solution, max, gather, outlook, trial, redistribution phaseSamples
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
func (m *stepMeasurement) steps(scan, zbuffer *phaseTimes, run int) {
	m.begin(m.full)
	for i := range measuredTasks {
		scan.solution.time(run*measuredTasks+i, func() { scanStep(m.array, m.polygons, m.spans) })
	}
	m.begin(m.full)
	for i := range measuredTasks {
		zbuffer.solution.time(run*measuredTasks+i, func() { zbufferStep(m.array, m.spans, m.frame) })
	}
}

// balancing times the phases of the cycle on workloads whose idle part changes
// from run to run between an eighth and seven eighths.
func (m *stepMeasurement) balancing(t *phaseTimes, run int) {
	for i := range m.uneven {
		switch {
		case i*5%8 <= run%7:
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
	t.max.time(run, func() { m.largest = vp.MaxReduce(nil, left, 0) })
	t.gather.time(run, func() { g = lb.Gather(left) })
	t.outlook.time(run, func() {
		o := lb.LookAhead(left, g, 4)
		m.waited = o.Wait(0) + o.Postpone()
	})
	t.trial.time(run, func() { m.planner.Plan(m.plan, left, g) })
	t.redistribution.time(run, func() {
		if err := m.array.Redistribute(nil, m.plan); err != nil {
			panic(fmt.Sprintf("bench: %v", err)) // lb plans always fit
		}
	})
}
