package vp

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"lockstep/vp/machine"
	"lockstep/vp/trace"
)

// LoopOptions configures a loop. With the zero value, a loop is neither balanced nor traced.
type LoopOptions struct {
	Balance Balancer         // nil: never redistribute
	Trace   func(trace.Step) // called after every iteration; with a machine, once for all iterations between two checks
	Stop    func() error     // called before every iteration; an error ends the loop with tasks undone

	// Machine has the workers among which the processors are divided. If it is nil, the loop runs on the caller, one
	// iteration after the other. Balance and Trace are always called by the caller of the loop. Solving functions and
	// Stop are called by all workers. Between two checks of the workload, workers do not wait for each other.
	//
	// A solving function or Stop may run loops without a machine and on other machines. A loop on the same machine
	// would wait for itself, so it returns an error. Loops of several goroutines take turns on a machine.
	//
	// The machine stays usable after a solving function that panics or calls runtime.Goexit, after an error, and after
	// a Stop that ends the loop. [machine.Machine.Run] describes how panics reach the caller.
	Machine *machine.Machine
	// Processors is the number of processors over which the virtual processors are spread, at most MaxProcessors. 0
	// means one processor for every worker of the machine. Without a machine, 0 means one processor for every virtual
	// processor.
	//
	// With more processors than workers, the workload is checked in the iterations that the balancer's Next returns.
	// Plans then depend on the number of processors alone: they are the same on any number of workers, and without a
	// machine.
	//
	// With a processor for every worker, workers do not wait for each other. The workload is checked when a worker has
	// no tasks left. An iteration is then one task of each processor, however long the tasks take.
	Processors int
	// Clock is the clock for the times of the phases. Nil means the system's monotonic clock.
	Clock func() time.Duration
	// Preempted returns the number of the calling thread, and how often the system has interrupted this thread to run
	// another one. If the thread is interrupted while the workload is gathered, the balancer is not told how long the
	// gathering took. If Preempted and Clock are nil, the workers of a machine ask the system.
	Preempted func() (thread, times int)
}

// MaxProcessors bounds [LoopOptions.Processors]. Even a processor without a task takes 12 bytes, so a bound is needed.
// It is 16 times the number of processors of the largest lockstep machine that was ever built.
const MaxProcessors = 1 << 20

// ErrNested is the error of a loop that is started inside a loop on the same machine, by its solving function or by
// Stop.
var ErrNested = errors.New("vp: a loop inside a loop on the same machine, which would wait for itself")

// check returns an error if a loop with these options cannot start.
func (o *LoopOptions) check() error {
	switch {
	case o.Processors < 0 || o.Processors > MaxProcessors:
		return fmt.Errorf("vp: %d processors, expected 0 to %d", o.Processors, MaxProcessors)
	case o.Machine != nil && o.Machine.Inside():
		return ErrNested
	}
	return nil
}

var errNoSolve = errors.New("vp: no function that solves tasks")

// Stats are the counts of a loop.
type Stats struct {
	Processors      int   // number of processors
	Iterations      int   // number of iterations; between checks it grows by the tasks of the busiest processor
	IterationsNever int   // iterations of the loop without redistributions: the largest workload at its start
	Tasks           int64 // number of tasks solved
	Redistributions int
	Interrupted     int // checks whose times were discarded, because the system took a worker off its core
}

// LaneUse returns Tasks / (Processors * Iterations), from 0 to 1. This is the fraction of the processors that solved a
// task, averaged over the iterations. It is 1 for a loop without iterations.
func (s Stats) LaneUse() float64 { return laneUse(s.Tasks, s.Processors, s.Iterations) }

// LaneUseNever returns what LaneUse would be for the same tasks without redistributions.
func (s Stats) LaneUseNever() float64 { return laneUse(s.Tasks, s.Processors, s.IterationsNever) }

func laneUse(tasks int64, processors, iterations int) float64 {
	slots := float64(processors) * float64(iterations)
	if slots == 0 {
		return 1
	}
	return float64(tasks) / slots
}

// Run is the lockstep loop (Ahrens and Hansen 1995, Figures 1 and 2). In every iteration each active processor solves
// its next task, in the order of the processors. Run ends when no task is left.
//
// Run fails, with tasks undone, if the balancer's plan does not fit the workload or Stop returns an error. It fails,
// and changes nothing, if solve is nil, if an option is out of bounds, or if it is called inside a loop on the same
// machine (ErrNested).
//
// Without a machine Run is the specification of all other loops: plain, sequential and slow. It takes O(processors
// times iterations) time. With a machine each worker runs its share of the processors until the next check. The order
// of tasks on different workers is then undefined.
func (a *Array) Run(solve func(processor, problem, task int), opts LoopOptions) (Stats, error) {
	if solve == nil {
		return Stats{}, errNoSolve
	}
	return a.run(func(processor, virtual, first, end int) {
		problem := int(a.Problem[virtual])
		for task := first; task < end; task++ {
			solve(processor, problem, task)
		}
	}, opts)
}

// RunRanges is Run with a function that solves several consecutive tasks of one problem, first to end-1, in one call.
// This saves calls if tasks are short. A call gets all tasks that the processor solves until its next check. In a
// check, its worker looks at the workload, or at whether other workers have no tasks left.
func (a *Array) RunRanges(solve func(processor, problem, first, end int), opts LoopOptions) (Stats, error) {
	if solve == nil {
		return Stats{}, errNoSolve
	}
	return a.run(func(processor, virtual, first, end int) {
		solve(processor, int(a.Problem[virtual]), first, end)
	}, opts)
}

func (a *Array) run(solve solver, opts LoopOptions) (Stats, error) {
	if err := opts.check(); err != nil {
		return Stats{}, err
	}
	if err := a.spread(opts.processors(a)); err != nil {
		return Stats{}, err
	}
	l := newLoop(a, solve, opts)
	begin := summarize(a.loads())
	l.stats = Stats{Processors: a.Len(), IterationsNever: int(begin.max)}
	l.wake()
	l.stopped = l.clock()
	for l.stats.Tasks < begin.sum {
		if err := l.stop(); err != nil {
			return l.stats, err
		}
		if err := l.rebalance(); err != nil {
			return l.stats, fmt.Errorf("vp: iteration %d: %w", l.stats.Iterations, err)
		}
		l.solutionPhase()
		l.report()
	}
	return l.stats, nil
}

func (o *LoopOptions) processors(a *Array) int {
	switch {
	case o.Processors > 0:
		return o.Processors
	case o.Machine != nil:
		return o.Machine.Workers()
	}
	return len(a.Workload)
}

// loop is the state of one Run.
type loop struct {
	array   *Array
	solve   solver
	opts    LoopOptions
	clock   func() time.Duration
	workers []progress
	stats   Stats
	halt    atomic.Bool // a worker has no tasks left
	step    trace.Step  // record of the phases since the last check
	stopped time.Duration
	decided time.Duration
	looked  bool
	// shortest is the shortest time of an iteration so far, in seconds. In a race it is the last result of
	// leftIterationTime that came from complete windows (see windowLeast), and is used until there is a new one.
	shortest float64
}

func newLoop(a *Array, solve solver, opts LoopOptions) *loop {
	l := &loop{array: a, solve: solve, opts: opts, clock: opts.Clock, workers: make([]progress, 1), shortest: math.Inf(1)}
	if l.clock == nil {
		start := time.Now()
		l.clock = func() time.Duration { return time.Since(start) }
	}
	if opts.Machine != nil {
		l.workers = make([]progress, opts.Machine.Workers())
	}
	for w := range l.workers {
		l.workers[w].tasksPerCheck, l.workers[w].checksPerClock, l.workers[w].shortest = 1, 1, math.Inf(1)
	}
	return l
}

// isRace reports whether every processor has a worker of its own. In such a loop, called a race, workers do not wait
// for each other after every task. Each worker continues until some worker has no tasks left.
func (l *loop) isRace() bool { return l.opts.Machine != nil && l.array.Len() <= len(l.workers) }

func (l *loop) stop() error {
	if l.opts.Stop == nil {
		return nil
	}
	return l.opts.Stop()
}

// rebalance asks the balancer for a plan, and redistributes if there is one.
func (l *loop) rebalance() error {
	a, o := l.array, &l.opts
	l.step = trace.Step{Iteration: l.stats.Iterations, Processors: a.Len()}
	l.looked = o.Balance != nil
	if !l.looked && o.Trace == nil {
		return nil
	}
	loads := a.loads()
	if o.Trace != nil {
		before := summarize(loads)
		l.step.Active, l.step.Max, l.step.Sum = before.active, before.max, before.sum
	}
	var plan Plan
	if l.looked {
		plan = o.Balance.Balance(l.stats.Iterations, loads)
		l.step.Savings, l.step.Cost, l.step.Decision = plan.Savings, plan.Cost, plan.Reason
		l.decided = l.clock()
	}
	if plan.Helpers != nil {
		if err := a.Redistribute(o.Machine, plan.Helpers); err != nil {
			return err
		}
		l.newWindows()
		l.step.Decision, l.step.Redistributed = trace.Redistributed, true
		l.stats.Redistributions++
	}
	if l.step.Decision == "" {
		l.step.Decision = trace.None
	}
	return nil
}

// solutionPhase solves tasks up to the next check of the workload.
func (l *loop) solutionPhase() {
	var after summary
	if l.opts.Machine != nil || l.opts.Trace != nil {
		after = summarize(l.array.loads())
	}
	l.step.Unbalanced = int64(l.step.Max - after.max)
	switch iterations := l.nextLook(after.max); {
	case l.opts.Machine == nil:
		l.advance(0, iterations)
	case l.isRace():
		l.halt.Store(false)
		l.opts.Machine.Run(l.race)
	default:
		l.opts.Machine.Run(func(worker int) { l.advance(worker, iterations) })
	}
	l.addProgress()
}

// addProgress adds up the work of all workers in a solution phase.
func (l *loop) addProgress() {
	most := int32(0)
	for w := range l.workers {
		most = max(most, l.workers[w].most)
		l.step.Tasks += l.workers[w].tasks
	}
	l.stats.Iterations += int(most)
	l.stats.Tasks += l.step.Tasks
	l.step.Iterations = int64(most)
	l.step.Unbalanced += int64(most)
	if l.isRace() && l.looked {
		l.opts.Balance.RanDry()
	}
}

// nextLook returns the number of iterations until the next check of the workload, but at most limit.
func (l *loop) nextLook(limit int32) int32 {
	switch {
	case l.opts.Machine == nil:
		return 1
	case l.opts.Balance == nil:
		return limit
	}
	return int32(min(max(l.opts.Balance.Next()-l.stats.Iterations, 1), int(limit)))
}

// advance runs the given number of iterations on the worker's share of the processors.
func (l *loop) advance(worker int, iterations int32) {
	w := &l.workers[worker]
	w.most, w.tasks, w.interrupted, w.began = 0, 0, l.preempted().since(w.preemptions), l.clock()
	lo, hi := machine.Part(worker, len(l.workers), l.array.Len())
	for p := lo; p < hi; p++ {
		if l.array.hosted == 1 && l.array.Workload[p] == 0 {
			continue // most processors of a long loop are idle, so skip them quickly
		}
		_, done := l.array.advance(p, p*l.array.hosted, iterations, l.solve)
		w.most = max(w.most, done)
		w.tasks += int64(done)
	}
	w.ended = l.clock()
	w.preemptions = l.preempted()
	w.shortest = min(w.shortest, perTask(w.ended-w.began, w.most))
}

const (
	// clockEvery is the approximate time between two readings of the clock by a worker. A reading takes some 40
	// nanoseconds.
	clockEvery = 10 * time.Microsecond
	// checksPerClock is the number of checks between two readings of the clock. In a check, a worker finds out whether
	// another worker has no tasks left. A check takes a nanosecond. If tasks suddenly take a hundred times as long,
	// other workers wait 60 microseconds for the next check, and do not fall asleep yet.
	checksPerClock = 16
)

// race solves tasks of the worker's processor until this processor, or that of another worker, has no tasks left.
func (l *loop) race(worker int) {
	w := &l.workers[worker]
	w.most, w.tasks, w.began, w.ended = 0, 0, 0, 0
	defer func() { w.preemptions = l.preempted() }()
	if worker >= l.array.Len() {
		return
	}
	from, end := worker*l.array.hosted, (worker+1)*l.array.hosted
	for from < end && l.array.Workload[from] == 0 {
		from++
	}
	if from == end {
		return
	}
	w.interrupted, w.began = l.preempted().since(w.preemptions), l.clock()
	w.ended = w.began
	for from < end && !l.halt.Load() {
		before := w.most
		for call := 0; call < w.checksPerClock && from < end && !l.halt.Load(); call++ {
			var done int32
			from, done = l.array.advance(worker, from, w.tasksPerCheck, l.solve)
			w.most += done
		}
		now := l.clock()
		w.addToWindow(now-w.ended, w.most-before)
		w.adaptGrain(now - w.ended)
		w.ended = now
		if l.stop() != nil {
			break // method run calls Stop again, and returns the error of Stop
		}
	}
	w.tasks = int64(w.most)
	if l.opts.Balance != nil {
		l.halt.Store(true)
	}
}
