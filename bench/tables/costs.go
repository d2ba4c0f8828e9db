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

// PhaseCost is how long one phase takes per virtual processor, in nanoseconds: the shortest, a typical and the longest
// time among many executions.
type PhaseCost struct{ Shortest, Typical, Longest float64 }

// LoopCosts are the measured costs of the phases of one loop.
type LoopCosts struct {
	Solution       PhaseCost // one iteration
	Max            PhaseCost // MAX(workload), which the original loop computes at its start
	Gather         PhaseCost // lb.Gather
	Forecast       PhaseCost // making the histogram for a forecast
	Search         PhaseCost // finding the best iteration in the histogram, per word of the histogram
	Trial          PhaseCost // the trial plan of lb.Minimax
	Redistribution PhaseCost // vp.Array.Redistribute
	Data           PhaseCost // delivering the problem data from another core
}

// phases returns the costs in order.
func (c LoopCosts) phases() []PhaseCost {
	return []PhaseCost{c.Solution, c.Max, c.Gather, c.Forecast, c.Search, c.Trial, c.Redistribution, c.Data}
}

// StepCosts are the measured costs of both loops, of a message from one core to another, and of a barrier of two cores.
type StepCosts struct {
	Scan, ZBuffer LoopCosts
	Hop, Barrier  PhaseCost
}

const (
	// measuredArray is the number of virtual processors that are timed together. Their problem data and workloads fit
	// into the second-level cache. On the counted machine, too, each processor hosts some thousand virtual processors.
	measuredArray = 4096

	// measuredTasks is the number of iterations in one timed run.
	measuredTasks = 8

	// unevenKinds is the number of different workloads on which the phases of the cycle are timed. In these, one to
	// seven eighths of the processors are idle.
	unevenKinds = 7

	// attempts is how often the same work on the same data is timed. The fastest attempt counts. So interrupts and cold
	// caches do not count, but the differences between iterations and between workloads do.
	attempts = 3

	// searches is how often a histogram is searched in one sample, because a single search takes less time than reading
	// the clock.
	searches = 64

	// measuredThreshold is the number of iterations that savings have to exceed in timed forecasts.
	measuredThreshold = 4
)

// MeasureSteps times the phases of both loops on this machine in the given number of runs, at least 3. It does not time
// phases between cores. The solution phase is done by the specification of the renderer's loops: an iteration is a task
// of each of 4096 polygons of the perforator, or of as many of its spans. If the system has a clock for the processor
// time of the calling thread, this clock is used, so that other work on the machine does not count. If ctx ends first,
// MeasureSteps returns the error of ctx.
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
			m.steps(attempt)
			for kind := range unevenKinds {
				m.balancing(kind, attempt)
			}
		}
	}
	loop := func(solution samples) LoopCosts {
		return LoopCosts{solution.cost(), m.max.cost(), m.gather.cost(), m.forecast.cost(), m.search.cost(),
			m.trial.cost(), m.redistribution.cost(), PhaseCost{}}
	}
	return StepCosts{Scan: loop(m.scanRow), ZBuffer: loop(m.mergeRun)}, nil
}

// samples are nanoseconds per virtual processor, by kind of work. All samples of one kind time the same work.
type samples [max(unevenKinds, measuredTasks)][]float64

// typicalQuantile is the quantile of the samples of one kind of work that is its typical time. Longer samples were
// taken while another program used the core's other thread or the shared cache. Processors of the counted machine share
// neither. Such samples still count for the longest time, since costs must not be underestimated.
const typicalQuantile = 0.1

// cost returns the shortest sample, the median of the typical times of all kinds of work, and the longest sample.
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

// time times f, which handles the given number of elements. On virtual machines the clock of a thread may stand still.
// Such an attempt is ignored, but other attempts of the same sample count.
func (t *samples) time(kind, attempt int, elements float64, f func()) {
	start := threadTime()
	f()
	elapsed := float64((threadTime() - start).Nanoseconds())
	if elapsed <= 0 {
		elapsed = math.Inf(1)
	}
	t.add(kind, attempt, elapsed/elements)
}

// add adds a sample. Attempts after the first belong to the last sample of their kind.
func (t *samples) add(kind, attempt int, ns float64) {
	if attempt == 0 {
		t[kind] = append(t[kind], ns)
		return
	}
	last := &t[kind][len(t[kind])-1]
	*last = min(*last, ns)
}

// measurement has the work that is timed, and the times.
type measurement struct {
	problems *lockstep.Problems
	rows     []int32 // rows of each polygon
	array    *vp.Array
	uneven   []int32
	plan     []int32
	planner  lb.Minimax
	ahead    forecast.Histogram
	fewTasks []int32 // workloads with so few tasks that a forecast of them spends nearly all time in its search
	found    int     // uses results, so that the compiler does not remove their computation

	scanRow, mergeRun                                    samples
	max, gather, forecast, search, trial, redistribution samples
}

// newMeasurement collects polygons of the perforator and makes spans of them.
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

// steps times iterations in which every virtual processor is active, because on a lockstep machine idle processors take
// the same time. When the rows of a short polygon are done, it starts again, and so does a short span.
func (m *measurement) steps(attempt int) {
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

// balancing times the phases of the cycle on one kind of workload.
func (m *measurement) balancing(kind, attempt int) {
	spread(m.uneven, kind)
	for v, tasks := range m.uneven {
		m.array.Problem[v], m.array.Next[v], m.array.Workload[v] = int32(v), 0, tasks
	}
	left := m.array.Workload
	var s lb.Summary
	time := func(t *samples, f func()) { t.time(kind, attempt, measuredArray, f) }
	time(&m.max, func() { m.found += int(scan.MaxReduce(nil, left, 0)) })
	time(&m.gather, func() { s = lb.Gather(left) })
	time(&m.forecast, func() { m.found += m.ahead.Wait(left, s, measuredThreshold) })
	few := lb.Gather(m.fewTasks)
	m.search.time(kind, attempt, searches*float64(few.Max+1), func() {
		for range searches {
			m.found += m.ahead.Wait(m.fewTasks, few, measuredThreshold)
		}
	})
	time(&m.trial, func() { m.planner.Plan(m.plan, left, s) })
	time(&m.redistribution, func() {
		if err := m.array.Redistribute(nil, m.plan); err != nil {
			panic(fmt.Sprintf("tables: %v", err)) // plans of lb always fit
		}
	})
}

// spread fills a workload in which few, many or most processors are idle, depending on kind.
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
