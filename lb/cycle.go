package lb

import "math"

// NoLook stands for "never", both as the number of an iteration and as a number of iterations to wait. Loops have fewer
// iterations than NoLook.
const NoLook = math.MaxInt32

// Options configures a [Cycle]. A zero field means its default.
type Options struct {
	Policy   Policy
	Planner  Planner    // if nil, a Minimax
	Cost     *CostModel // if nil, the cost is infinite
	Forecast Forecaster // if nil, every iteration has a check and a trial plan, as in Ahrens and Hansen

	// Calibrate makes every loop a calibration run of the cost model, with the times that [Cycle.Timed] gets. If Cost
	// is nil the cycle makes a model. The first two redistributions are done as soon as they save an iteration,
	// whatever they cost.
	Calibrate bool
}

// A Forecaster predicts the best iteration for a redistribution. The cycle then skips the checks before that iteration.
// Package forecast has one.
type Forecaster interface {
	// Wait returns the number of iterations until the best redistribution: 0 for now, [NoLook] for never. A
	// redistribution must save more than threshold iterations. s is the Summary that Gather returns for workload. The
	// cycle calls Wait only if s.SavingsBound() exceeds threshold.
	Wait(workload []int32, s Summary, threshold float64) int
}

// Counts holds how often a cycle ran each phase since its loop started.
type Counts struct {
	Looks           int // workloads gathered
	Trials          int // checks with a trial plan
	Redistributions int
}

// Step is the outcome of one check of the workload.
type Step struct {
	// Decision compares the savings of the trial plan with the cost. If no plan was tried, the decision is a refusal.
	// Its savings are then an upper bound that follows from the Summary.
	Decision
	// Plan is nil if there is no redistribution. Otherwise the caller must execute it before the next iteration. It is
	// valid until the next check.
	Plan []int32
	// NewMax is the largest workload after the trial plan, or 0 if no plan was tried.
	NewMax int32
}

// A Cycle decides before every iteration of a loop whether to redistribute tasks among the processors. It gathers the
// workload, compares the savings of a trial plan with the cost, and returns the plan if it pays. These steps together
// are a check. A cycle skips checks that cannot lead to a redistribution. Use:
//
//	if plan := c.Balance(iteration, workload); plan.Helpers != nil {
//		redistribute by the plan
//	}
//
// Suppose that the policy is CostEffective and that no cost is underestimated. Then a loop with a cycle is slower than
// one without at most by the time of the checks that led to no redistribution. The reason: let M be the largest
// workload at the start. Each iteration lowers the largest workload by one, and each redistribution lowers it by its
// savings. So the number of iterations is M minus all savings, and each saving exceeds the cost of its check and
// redistribution.
//
// A cycle serves one loop at a time. It allocates memory only when a loop has more processors than all loops before.
type Cycle struct {
	opts   Options
	counts Counts
	next   int // the earliest iteration of the next check
	best   int // the iteration that the Forecaster chose for a redistribution, or 0
	plan   []int32

	timedMoves int  // number of timed redistributions in all loops
	ran        bool // this loop had a timed redistribution, so it was counted as a calibration run
}

// NewCycle returns a cycle for a loop that is about to start.
func NewCycle(opts Options) *Cycle {
	if opts.Planner == nil {
		opts.Planner = new(Minimax)
	}
	if opts.Calibrate && opts.Cost == nil {
		opts.Cost = NewCostModel(DefaultConstant)
	}
	c := &Cycle{opts: opts}
	c.Reset()
	return c
}

// Reset prepares the cycle for another loop, which starts at iteration 0.
func (c *Cycle) Reset() {
	if c.opts.Calibrate {
		c.opts.Cost.recent.begin()
	}
	c.counts, c.next, c.best, c.ran = Counts{}, 0, 0, false
	if c.neverPays() {
		c.next = NoLook
	}
}

func (c *Cycle) neverPays() bool { return math.IsInf(c.opts.Policy.Threshold(c.cost()), 1) }

// cost returns the cost of a check and a redistribution, in iterations. The first two redistributions of a calibration
// count as free, so that they happen and can be measured. A single measurement would not suffice, because the operating
// system may interrupt it.
func (c *Cycle) cost() float64 {
	if c.opts.Calibrate && c.timedMoves == c.opts.Cost.Runs() && c.timedMoves < 2 {
		return 0
	}
	return c.opts.Cost.Estimate()
}

// Counts returns how many times each phase ran since the loop started.
func (c *Cycle) Counts() Counts { return c.counts }

// Due reports whether the cycle wants to check the workload before this iteration.
func (c *Cycle) Due(iteration int) bool { return iteration >= c.next }

// Next returns the iteration of the next check, or [NoLook] if there will be none.
func (c *Cycle) Next() int { return c.next }

// RanDry tells the cycle that a processor ran out of tasks earlier than expected, because tasks of other processors
// took longer. The cycle then checks the workload at once: its forecasts and bounds assume that all tasks take equal
// time.
func (c *Cycle) RanDry() {
	c.next, c.best = 0, 0
	if c.neverPays() {
		c.next = NoLook
	}
}

// Timed records the times of a loop's phases. [CostModel] says how they become an estimate. The time of a gather or a
// redistribution is 0 if it did not happen or its time is not known. The solution time is the shortest known time of an
// iteration on the remaining tasks. All loops of a cost model must use the same unit. Timed does nothing unless
// Options.Calibrate is set.
func (c *Cycle) Timed(t Timing) {
	if !c.opts.Calibrate || !positive(t.Solution) {
		return
	}
	m := c.opts.Cost
	if t.Redistribution > 0 {
		m.countIfUnderestimated((t.Gather + t.Redistribution) / t.Solution)
		if c.timedMoves++; !c.ran {
			c.ran = true
			m.runs++
		}
	}
	m.addTiming(t)
}

// A Plan says how to redistribute before an iteration, and why. Plan is an alias of an unnamed struct. So it is the
// same type as vp.Plan, and this package need not import vp.
type Plan = struct {
	// Helpers[p] is the number of idle processors that join processor p. It is 0 if p is idle. Helpers is nil if there
	// is no redistribution. It is valid until the next check.
	Helpers       []int32
	Savings, Cost float64 // of the Decision, in iterations; both are 0 if no check was due
	Reason        string  // reason of the Decision
}

// Balance checks the workload if a check is due before the iteration (see [Cycle.Due]), and returns the plan. Iteration
// 0 starts a new loop. This method makes a Cycle a balancer for vp.Array.Run.
func (c *Cycle) Balance(iteration int, workload []int32) Plan {
	if iteration == 0 {
		c.Reset()
	}
	if !c.Due(iteration) {
		return Plan{}
	}
	step := c.Look(iteration, Gather(workload), workload)
	return Plan{step.Plan, step.Savings, step.Cost, step.Reason}
}

// Look checks the workload: it decides whether to redistribute before an iteration. s is the Summary that Gather
// returns for workload. Look costs at most a trial plan and a forecast.
func (c *Cycle) Look(iteration int, s Summary, workload []int32) Step {
	c.counts.Looks++
	cost := c.cost()
	step := Step{Decision: c.opts.Policy.Decide(s, s.Balanced(), cost)}
	if !step.Redistribute {
		return c.refuse(step, "no redistribution saves enough", NoLook)
	}
	if c.opts.Forecast != nil && !(c.best > 0 && iteration == c.best) {
		if wait := c.opts.Forecast.Wait(workload, s, step.Cost); wait > 0 {
			c.best = addWait(iteration, wait)
			return c.refuse(step, "better later", c.best)
		}
	}
	c.counts.Trials++
	c.plan = resized(c.plan, len(workload))
	step.NewMax = c.opts.Planner.Plan(c.plan, workload, s)
	step.Decision = c.opts.Policy.Decide(s, step.NewMax, cost)
	if !step.Redistribute {
		return c.refuse(step, "kept", addWait(iteration, 1))
	}
	step.Plan, c.best, c.next = c.plan, 0, addWait(iteration, 1)
	c.counts.Redistributions++
	after := Summary{step.NewMax, s.Sum, s.Active, s.Idle}
	if !c.opts.Policy.Decide(after, after.Balanced(), cost).Redistribute {
		c.next = NoLook
	}
	return step
}

// refuse turns step into a refusal with the given reason. The next check is before iteration `next`.
func (c *Cycle) refuse(step Step, reason string, next int) Step {
	step.Redistribute, step.Reason, c.next = false, reason, next
	return step
}

// addWait returns iteration + wait, but at most NoLook.
func addWait(iteration, wait int) int {
	if wait >= NoLook-iteration {
		return NoLook
	}
	return iteration + wait
}

func resized(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	return s[:n]
}
