package lb

import "math"

// Options configures a [Cycle]. The zero value of every field is its default.
type Options struct {
	Policy  Policy     // nil: CostEffective
	Planner Planner    // nil: a Minimax of its own
	Cost    *CostModel // nil: a cost of infinity
	Backoff Backoff
	// Eager redistributes in the first iteration in which it is worthwhile, as the
	// paper does, even when Outlook.Postpone knows a better one.
	Eager bool
	// Exact is the workload below which an outlook's histogram is exact, a power of
	// two from 8 to 64; 0 means 64. See [Outlook.Look].
	Exact int
}

// Counts says what a cycle did.
type Counts struct {
	Looks           int // information gathered
	Foreseen        int // looks whose information was known beforehand, see [Cycle.Foreseen]
	Outlooks        int // of these, where the bound on the savings did not suffice
	Words           int // of all outlooks' histograms, see [Outlook.Words]
	Trials          int // looks with a trial plan
	Effort              // of all trials, where the planner is a Bracketer, and the tries of outlooks
	Redistributions int
}

// Step is the outcome of one look.
type Step struct {
	Decision
	// Tried says whether the decision was made from a trial plan. Without one its
	// savings are a bound: either it was clear that they are not enough, or that
	// more can be had later.
	Tried bool
	// NewMax is MAX(new workload) of the trial plan.
	NewMax int32
	// Plan is nil for no redistribution. Else it must be executed before the
	// next iteration; it is valid until the next look.
	Plan []int32
}

// Cycle is the cost-effective cycle of one loop. Before every iteration the loop
// asks whether a look is due, and only then gathers:
//
//	if c.Due(iteration) {
//		if step := c.Look(iteration, lb.Gather(workload), workload); step.Plan != nil {
//			redistribute by step.Plan
//		}
//	}
//
// With the policy CostEffective, the planner Minimax and costs that are
// not underestimated, the time of the loop is at most the time of the loop that
// never looks plus the looks that were in vain: each iteration lowers the largest
// workload by one, each redistribution by its savings, so a loop of M iterations
// becomes one of M minus all savings, and each saving paid for its own look and
// redistribution.
//
// A cycle serves one loop at a time and allocates nothing once it has seen the
// largest one.
type Cycle struct {
	opts   Options
	counts Counts
	next   int // earliest iteration of the next look
	inVain int // looks in vain since the last redistribution
	planned
	ahead Outlook
	plan  []int32
}

// planned is the iteration for which an outlook found a redistribution to be the
// best, and bounds on its result. Until then the future is known, so that this
// look needs no outlook of its own.
type planned struct {
	at     int // 0 for none: iteration 0 is never put off to
	lo, hi int32
	info   Information
	known  bool // info is
}

// NewCycle returns a cycle for a loop that is about to begin.
func NewCycle(opts Options) *Cycle {
	if opts.Policy == nil {
		opts.Policy = CostEffective{}
	}
	if opts.Planner == nil {
		opts.Planner = new(Minimax)
	}
	return &Cycle{opts: opts}
}

// Reset prepares for another loop, which begins with iteration 0.
func (c *Cycle) Reset() { c.counts, c.next, c.inVain, c.planned = Counts{}, 0, 0, planned{} }

// Counts returns what the cycle did since the loop began.
func (c *Cycle) Counts() Counts { return c.counts }

// Next returns the earliest iteration in which a look is due, [NoLook] or more
// for none.
func (c *Cycle) Next() int {
	if limit, ok := c.limit(); ok && math.IsInf(limit, 1) {
		return NoLook
	}
	return c.next
}

// Due reports whether a look is due before the given iteration.
func (c *Cycle) Due(iteration int) bool { return iteration >= c.Next() }

// Foreseen returns what Gather will say before the given iteration where an
// outlook foretold that, so that a loop can do without gathering then. It must have
// executed every plan, and no other redistribution.
func (c *Cycle) Foreseen(iteration int) (g Information, ok bool) {
	return c.info, c.known && c.at == iteration
}

// limit returns the savings that the policy asks for, if it says so.
func (c *Cycle) limit() (limit float64, ok bool) {
	if l, known := c.opts.Policy.(Limiter); known {
		return l.Limit(c.opts.Cost.Estimate()), true
	}
	return 0, false
}

// Look decides before an iteration. g is what Gather says about workload, which
// is only read. The cost is at most three passes and a plan.
func (c *Cycle) Look(iteration int, g Information, workload []int32) Step {
	if c.at == iteration && c.known {
		c.counts.Foreseen++
	} else {
		c.counts.Looks++
	}
	cost := c.opts.Cost.Estimate()
	limit, limited := c.limit()
	var step Step
	bounds, outlooks := planned{hi: g.Max}, c.counts.Outlooks
	if limited {
		if bound := float64(g.SavingsBound()); !(bound > limit) {
			c.next = NoLook
			return Step{Decision: Decision{Savings: bound, Cost: finite(cost), What: "savings bounded"}}
		}
		if !(c.at > 0 && c.at == iteration) && c.likelyNow(g, limit) {
			step = c.try(iteration, g, workload, cost, bounds)
			if least, _ := g.levels(); step.Redistribute && float64(step.NewMax-least) <= c.opts.Cost.Look() {
				return c.redistribute(iteration, g, step)
			}
		}
		var what string
		if bounds, what = c.foresee(iteration, g, workload, limit); what != "" {
			return Step{Decision: Decision{Savings: min(limit, float64(g.SavingsBound())), Cost: finite(cost), What: what}}
		}
	}
	if !step.Tried {
		step = c.try(iteration, g, workload, cost, bounds)
	}
	switch {
	case step.Redistribute:
		return c.redistribute(iteration, g, step)
	case c.counts.Outlooks > outlooks:
		c.next = later(iteration, c.afterVain(c.ahead.Wait(1)))
	default:
		c.next = later(iteration, c.afterVain(1))
	}
	return step
}

// redistribute makes a trial plan the plan.
func (c *Cycle) redistribute(iteration int, g Information, step Step) Step {
	step.Plan = c.plan
	c.counts.Redistributions++
	c.inVain, c.planned = 0, planned{}
	c.next = iteration + 1
	after := Information{Max: step.NewMax, Sum: g.Sum, Active: g.Active, Idle: g.Idle}
	if limit, ok := c.limit(); ok && !(float64(after.SavingsBound()) > limit) {
		c.next = NoLook
	}
	return step
}

// foresee returns bounds on what a redistribution now leaves, or sets the next
// look and says why there is to be none now.
func (c *Cycle) foresee(iteration int, g Information, workload []int32, limit float64) (bounds planned, what string) {
	if bounds, c.planned = c.planned, bounds; bounds.at > 0 && bounds.at == iteration {
		return bounds, ""
	}
	c.ahead.Look(workload, g, limit, c.opts.Exact)
	c.counts.Outlooks++
	c.counts.Words += c.ahead.Words()
	first, sure, tries := c.ahead.first()
	c.counts.Tries += tries
	best := first
	if !c.opts.Eager && sure {
		best = c.ahead.postpone(first)
	}
	if best == 0 {
		return c.bounds(0, g), ""
	}
	wait := best
	if what = "better later"; first > 0 {
		what = "savings foreseen"
		wait = c.afterVain(best)
	}
	c.next = later(iteration, wait)
	if !c.opts.Eager && wait == best && first < int(c.ahead.exact) {
		c.planned = c.bounds(best, g)
		c.at = c.next
		c.info, c.known = c.ahead.after(best, g)
	}
	return planned{}, what
}

// likelyNow reports whether a redistribution now is surely worthwhile and so
// good that an outlook is likely to cost more than a better time can gain. It ends
// the loop after at most hi more iterations, and no way to go on ends it before lo
// more. Since hi is far from sharp it may be as far above lo as two looks cost:
// a trial, which costs less than an outlook, then tells.
func (c *Cycle) likelyNow(g Information, limit float64) bool {
	lo, hi := g.levels()
	return !c.opts.Eager && float64(g.Max-hi) > limit && float64(hi-lo) <= 2*c.opts.Cost.Look()
}

// bounds returns what the outlook knows about the result of a redistribution
// after so many iterations.
func (c *Cycle) bounds(after int, g Information) planned {
	level, tries, ok := c.ahead.Level(after)
	c.counts.Tries += tries
	if !ok {
		return planned{hi: g.Max}
	}
	return planned{lo: level, hi: level}
}

// try makes a trial plan and decides.
func (c *Cycle) try(iteration int, g Information, workload []int32, cost float64, within planned) Step {
	c.counts.Trials++
	c.plan = resized(c.plan, len(workload))
	var newMax int32
	if b, ok := c.opts.Planner.(Bracketer); ok {
		var e Effort
		newMax, e = b.PlanWithin(c.plan, workload, g, within.lo, within.hi)
		c.counts.Passes += e.Passes
		c.counts.Searches += e.Searches
		c.counts.Tries += e.Tries
	} else {
		newMax = c.opts.Planner.Plan(c.plan, workload, g)
	}
	step := Step{Tried: true, NewMax: newMax, Decision: c.opts.Policy.Decide(State{
		Iteration: iteration, Information: g, NewMax: newMax,
		Savings: float64(g.Max - newMax), Cost: cost,
	})}
	return step
}

// afterVain returns the iterations to the next look after one in vain, at least
// least.
func (c *Cycle) afterVain(least int) int {
	c.inVain++
	return max(least, c.opts.Backoff.pause(c.inVain, c.opts.Cost.Look()))
}

func later(iteration, wait int) int {
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
