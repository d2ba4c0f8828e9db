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
}

// Counts says what a cycle did.
type Counts struct {
	Looks           int // information gathered
	Outlooks        int // of these, where the bound on the savings did not suffice
	Trials          int // of these with a trial plan
	Redistributions int
}

// Step is the outcome of one look.
type Step struct {
	Decision
	// Tried says whether a trial plan was made. Without one the savings of the
	// decision are a bound: either it was clear that they are not enough, or that
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
	next   int  // earliest iteration of the next look
	inVain int  // looks in vain since the last redistribution
	waited bool // the look that is due was postponed by a worthwhile one
	plan   []int32
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
func (c *Cycle) Reset() { c.counts, c.next, c.inVain, c.waited = Counts{}, 0, 0, false }

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
	c.counts.Looks++
	cost := c.opts.Cost.Estimate()
	limit, limited := c.limit()
	if bound := float64(g.SavingsBound()); limited && !(bound > limit) {
		c.next = NoLook
		return Step{Decision: Decision{Savings: bound, Cost: finite(cost), What: "savings bounded"}}
	}
	var ahead Outlook
	if limited {
		c.counts.Outlooks++
		ahead = LookAhead(workload, g, limit)
		if what := c.foresee(iteration, &ahead); what != "" {
			return Step{Decision: Decision{Savings: min(limit, float64(g.SavingsBound())), Cost: finite(cost), What: what}}
		}
	}
	step := c.try(iteration, g, workload, cost)
	switch {
	case step.Plan == nil && limited:
		c.next = later(iteration, c.afterVain(ahead.Wait(1)))
	case step.Plan == nil:
		c.next = later(iteration, c.afterVain(1))
	default:
		c.inVain = 0
		c.next = iteration + 1
		after := Information{Max: step.NewMax, Sum: g.Sum, Active: g.Active, Idle: g.Idle}
		if limited && !(float64(after.SavingsBound()) > limit) {
			c.next = NoLook
		}
	}
	return step
}

// foresee sets the next look and says why there is no redistribution now, or
// returns "" when there may be one.
func (c *Cycle) foresee(iteration int, ahead *Outlook) (what string) {
	if wait := ahead.Wait(0); wait > 0 {
		c.next = later(iteration, c.afterVain(wait))
		return "savings foreseen"
	}
	// Once only: an estimate that is always a little wrong must not put a
	// redistribution off for ever.
	if !c.opts.Eager && !c.waited {
		if wait := ahead.Postpone(); wait > 0 {
			c.waited = true
			c.next = later(iteration, wait)
			return "better later"
		}
	}
	c.waited = false
	return ""
}

// try makes a trial plan and decides.
func (c *Cycle) try(iteration int, g Information, workload []int32, cost float64) Step {
	c.counts.Trials++
	c.plan = resized(c.plan, len(workload))
	newMax := c.opts.Planner.Plan(c.plan, workload, g)
	step := Step{Tried: true, NewMax: newMax, Decision: c.opts.Policy.Decide(State{
		Iteration: iteration, Information: g, NewMax: newMax,
		Savings: float64(g.Max - newMax), Cost: cost,
	})}
	if step.Redistribute {
		step.Plan = c.plan
		c.counts.Redistributions++
	}
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
