package tables

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"

	"lockstep/lb"
	"lockstep/lb/forecast"
	"lockstep/render/lockstep"
	"lockstep/vp"
	"lockstep/vp/scan"
)

// PhaseCost is the time of a phase per virtual processor, in nanoseconds: the shortest, a typical and the longest of
// many executions.
type PhaseCost struct{ Shortest, Typical, Longest float64 }

// LoopCosts are the measured costs of the phases of one loop.
type LoopCosts struct {
	Solution       PhaseCost // one iteration
	Max            PhaseCost // MAX(workload), which the loop without balancing computes at its start
	Gather         PhaseCost // a call of lb.Gather
	Forecast       PhaseCost // making the histogram for a forecast
	Search         PhaseCost // finding the best iteration in the histogram, per word of the histogram
	Trial          PhaseCost // the trial plan of lb.Minimax
	Redistribution PhaseCost // a call of vp.Array.Redistribute
	Data           PhaseCost // sending the problem data from another core
}

// phases returns the costs of all phases, in the order of the fields.
func (c LoopCosts) phases() []PhaseCost {
	return []PhaseCost{c.Solution, c.Max, c.Gather, c.Forecast, c.Search, c.Trial, c.Redistribution, c.Data}
}

// StepCosts are the measured costs of both loops, of a message between two cores, and of a barrier of two cores.
type StepCosts struct {
	Scan, ZBuffer LoopCosts
	Hop, Barrier  PhaseCost
}

const (
	// measuredArray is the number of virtual processors in one timed run. Their problem data and workloads fit into the
	// second-level cache. A processor of the simulated machine has about a thousand virtual processors, whose data
	// would fit into such a cache too.
	measuredArray = 4096

	// measuredTasks is the number of iterations in one timed run.
	measuredTasks = 8

	// unevenKinds is the number of different workloads with which the phases of the cycle are timed. In workload k,
	// from 0 to 6, about (k+1)/8 of the processors are idle.
	unevenKinds = 7

	// attempts is how many times each sample is timed. Only the fastest attempt counts. This removes interrupts and
	// cold caches, but not the differences between iterations and between workloads.
	attempts = 3

	// searches is how many times a histogram is searched in one sample. A single search takes less time than reading
	// the clock.
	searches = 64

	// measuredThreshold is the number of iterations that savings must exceed in the timed forecasts.
	measuredThreshold = 4
)

// MeasureSteps returns the times of the phases of both loops on one core of this machine. runs is the number of runs,
// at least 3. The costs that need two cores, Hop, Barrier and Data, are 0.
//
// In an iteration, plain Go code of package render/lockstep carries out one task of each of 4096 polygons, or of 4096
// spans, of the scene perforator. Times are processor times of the calling thread where the system has such a clock, so
// other programs do not count. If ctx ends first, MeasureSteps returns the error of ctx.
func MeasureSteps(ctx context.Context, runs int) (StepCosts, error) {
	if runs < 3 {
		return StepCosts{}, fmt.Errorf("tables: %d runs are too few to tell the shortest from the longest", runs)
	}
	m, err := newMeasurement(ctx)
	if err != nil {
		return StepCosts{}, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range runs {
		if err := ctx.Err(); err != nil {
			return StepCosts{}, err
		}
		for attempt := range attempts {
			m.timeIterations(attempt)
			for kind := range unevenKinds {
				m.timeBalancing(kind, attempt)
			}
		}
	}
	loop := func(solution samples) LoopCosts {
		return LoopCosts{solution.cost(), m.max.cost(), m.gather.cost(), m.forecast.cost(), m.search.cost(),
			m.trial.cost(), m.redistribution.cost(), PhaseCost{}}
	}
	return StepCosts{Scan: loop(m.scanRow), ZBuffer: loop(m.mergeRun)}, nil
}

// samples holds the times of one phase, in nanoseconds per virtual processor. samples[k] holds the times of work k, for
// example of iteration k or on workload k.
type samples [max(unevenKinds, measuredTasks)][]float64

// typicalQuantile is the quantile of the samples of one kind of work that counts as its typical time. It is low,
// because samples become longer when another program uses the core's other thread or the shared cache. Processors of
// the simulated machine share no core and no cache. Long samples still count for the longest time, because costs must
// not be underestimated.
const typicalQuantile = 0.1

// cost returns the shortest and the longest sample, and the median of the typical times of all kinds of work.
func (t *samples) cost() (c PhaseCost) {
	var typical []float64
	for _, kind := range t {
		if n := float64(len(kind)); n > 0 {
			slices.Sort(kind)
			for len(kind) > 1 && math.IsInf(kind[len(kind)-1], 1) {
				kind = kind[:len(kind)-1]
			}
			n = float64(len(kind))
			if typical == nil || kind[0] < c.Shortest {
				c.Shortest = kind[0]
			}
			c.Longest = max(c.Longest, kind[len(kind)-1])
			typical = append(typical, kind[int(typicalQuantile*n)])
		}
	}
	slices.Sort(typical)
	c.Typical = typical[len(typical)/2]
	c.Longest = max(c.Longest, c.Typical)
	return c
}

// time adds a sample: the time of f divided by elements. On virtual machines the clock of a thread may stand still. The
// time of such an attempt counts as infinite, so other attempts of the same sample replace it.
func (t *samples) time(kind, attempt int, elements float64, f func()) {
	start := threadTime()
	f()
	elapsed := float64((threadTime() - start).Nanoseconds())
	if elapsed <= 0 {
		elapsed = math.Inf(1)
	}
	t.add(kind, attempt, elapsed/elements)
}

// add adds a sample of one kind of work. If attempt is above 0, ns is another time of the last sample, and the shorter
// of both counts.
func (t *samples) add(kind, attempt int, ns float64) {
	if attempt == 0 {
		t[kind] = append(t[kind], ns)
		return
	}
	last := &t[kind][len(t[kind])-1]
	*last = min(*last, ns)
}

// A measurement holds the data with which the phases are timed, and the times.
type measurement struct {
	problems  *lockstep.Problems
	rows      []int32 // rows of each polygon
	array     *vp.Array
	uneven    []int32
	plan      []int32
	planner   lb.Minimax
	histogram forecast.Histogram
	// fewTasks is the workload of a machine with very few processors. A forecast for it spends nearly all its time in
	// the search.
	fewTasks []int32
	sink     int // uses results, so that the compiler keeps their computation

	scanRow, mergeRun                                    samples
	max, gather, forecast, search, trial, redistribution samples
}

// newMeasurement collects polygons of the scene perforator and makes spans of them.
func newMeasurement(ctx context.Context) (*measurement, error) {
	p, err := new(sceneCache).problems(ctx, "perforator?version=unbalanced", views[0])
	if err != nil {
		return nil, err
	}
	m := &measurement{
		problems: p, rows: slices.Clone(p.Rows()),
		uneven: make([]int32, measuredArray), plan: make([]int32, measuredArray),
		fewTasks: []int32{100, 60, 30, 30, 20, 8, 5, 5, 4, 4, 3, 3, 2, 1, 1, 0},
	}
	if len(m.rows) < measuredArray {
		return nil, fmt.Errorf("tables: %d polygons are too few to measure", len(m.rows))
	}
	m.array = vp.NewArray(m.uneven)
	return m, nil
}

// timeIterations measures iterations of both loops. Every virtual processor is active in every iteration, because on a
// lockstep machine idle processors take the same time. A polygon or span with too few tasks starts again with its first
// task.
func (m *measurement) timeIterations(attempt int) {
	m.problems.ForgetSpans()
	for task := range measuredTasks {
		m.scanRow.time(task, attempt, measuredArray, func() {
			for polygon, rows := range m.rows[:measuredArray] {
				m.problems.ScanRow(polygon, task%int(rows))
			}
		})
	}
	samples := m.problems.Runs(1)[:measuredArray]
	for task := range measuredTasks {
		m.mergeRun.time(task, attempt, measuredArray, func() {
			for span, n := range samples {
				m.problems.MergeRun(span, task%int(n), 1)
			}
		})
	}
}

// timeBalancing measures the phases of the cycle on one kind of workload.
func (m *measurement) timeBalancing(kind, attempt int) {
	fillUneven(m.uneven, kind)
	for v, tasks := range m.uneven {
		m.array.Problem[v], m.array.Next[v], m.array.Workload[v] = int32(v), 0, tasks
	}
	left := m.array.Workload
	var s lb.Summary
	time := func(t *samples, f func()) { t.time(kind, attempt, measuredArray, f) }
	time(&m.max, func() { m.sink += int(scan.MaxReduce(nil, left, 0)) })
	time(&m.gather, func() { s = lb.Gather(left) })
	time(&m.forecast, func() { m.sink += m.histogram.Wait(left, s, measuredThreshold) })
	few := lb.Gather(m.fewTasks)
	m.search.time(kind, attempt, searches*float64(few.Max+1), func() {
		for range searches {
			m.sink += m.histogram.Wait(m.fewTasks, few, measuredThreshold)
		}
	})
	time(&m.trial, func() { m.planner.Plan(m.plan, left, s) })
	time(&m.redistribution, func() {
		if err := m.array.Redistribute(nil, m.plan); err != nil {
			panic(fmt.Sprintf("tables: %v", err)) // plans of lb are always valid
		}
	})
}

// fillUneven fills a workload in which about (kind+1)/8 of the processors are idle. The others have different numbers
// of tasks.
func fillUneven(workload []int32, kind int) {
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
