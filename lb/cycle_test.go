package lb_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/vp"
)

// fixedCosts are the times of a machine on which every phase takes always the
// same time.
type fixedCosts struct{ info, redistribution, solution float64 }

func (f fixedCosts) model(t rapid.TB, constant float64) *lb.CostModel {
	m := lb.NewCostModel(constant)
	if err := m.Calibrate([]lb.Timing{{Gather: f.info, Redistribution: f.redistribution, Solution: f.solution}}); err != nil {
		t.Fatal(err)
	}
	return m
}

// outcome is what a loop did under a cycle.
type outcome struct {
	vp.Stats
	lb.Counts
	solved [][]int
}

// run executes the loop on the virtual-processor array.
func run(t rapid.TB, workload []int32, c *lb.Cycle) outcome {
	o := outcome{solved: make([][]int, len(workload))}
	for p, n := range workload {
		o.solved[p] = make([]int, n)
	}
	balancer := vp.BalancerFunc(func(g vp.Gathered) vp.Decision {
		if !c.Due(g.Iteration) {
			return vp.Decision{}
		}
		step := c.Look(g.Iteration, lb.Gather(g.Workload), g.Workload)
		return vp.Decision{Allotted: step.Plan, Savings: step.Savings, Cost: step.Cost}
	})
	stats, err := vp.NewArray(workload).Run(func(_, problem, task int) { o.solved[problem][task]++ },
		vp.LoopOptions{Balancer: balancer})
	if err != nil {
		t.Fatal(err)
	}
	o.Stats, o.Counts = stats, c.Counts()
	return o
}

func (o outcome) time(f fixedCosts) float64 {
	return float64(o.Iterations)*f.solution + float64(o.Looks)*f.info + float64(o.Counts.Redistributions)*f.redistribution
}

// impatient never pauses: it looks whenever the bounds allow savings.
var impatient = lb.Backoff{Share: 1}

func runnable(t *rapid.T) []int32 {
	workload := workloads(t, 60)
	for p := range workload {
		workload[p] %= 1000 // the loop below is slow
	}
	return workload
}

func drawCosts(t *rapid.T) fixedCosts {
	return fixedCosts{
		info:           rapid.Float64Range(0, 3).Draw(t, "info"),
		redistribution: rapid.Float64Range(0.01, 20).Draw(t, "redistribution"),
		solution:       rapid.Float64Range(0.1, 5).Draw(t, "solution"),
	}
}

func TestNoTaskIsLostOrDoneTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload := runnable(t)
		policy := rapid.SampledFrom([]lb.Policy{lb.Never{}, lb.Always{}, lb.CostEffective{}}).Draw(t, "policy")
		planner := planners()[rapid.SampledFrom([]string{"proportional", "minimax"}).Draw(t, "planner")]
		o := run(t, workload, lb.NewCycle(lb.Options{Policy: policy, Planner: planner, Cost: drawCosts(t).model(t, 0)}))
		for p, tasks := range o.solved {
			for task, times := range tasks {
				if times != 1 {
					t.Fatalf("%v: task %d of problem %d was solved %d times", workload, task, p, times)
				}
			}
		}
	})
}

// The paper's guarantee, with the exact bookkeeping behind it: only looks in
// vain can cost anything.
func TestNeverSlowerThanWithoutBalancingButForLooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload, costs := runnable(t), drawCosts(t)
		constant := rapid.Float64Range(0, 4).Draw(t, "constant")
		backoff := rapid.SampledFrom([]lb.Backoff{{}, impatient, {Patience: 1, Share: 0.001}}).Draw(t, "backoff")
		planner := planners()[rapid.SampledFrom([]string{"proportional", "minimax"}).Draw(t, "planner")]
		o := run(t, workload, lb.NewCycle(lb.Options{Cost: costs.model(t, constant), Backoff: backoff, Planner: planner}))
		inVain := float64(o.Looks - o.Counts.Redistributions)
		original := float64(o.IterationsNever) * costs.solution
		// The tolerance is for the rounding of the test's own sums.
		if limit := original + inVain*costs.info; o.time(costs) > limit*(1+1e-12)+1e-12 {
			t.Fatalf("%v: %v above %v: %+v", workload, o.time(costs), limit, o.Counts)
		}
		if o.Looks > o.Iterations {
			t.Fatalf("%d looks in %d iterations", o.Looks, o.Iterations)
		}
	})
}

// With an underestimated cost the guarantee fails, so the test above can.
func TestUnderestimatedCostCanLose(t *testing.T) {
	real := fixedCosts{info: 1, redistribution: 50, solution: 1}
	believed := fixedCosts{info: 1, redistribution: 0.001, solution: 1}
	o := run(t, []int32{9, 1, 1, 1}, lb.NewCycle(lb.Options{Cost: believed.model(t, 0)}))
	if o.time(real) <= 9 {
		t.Errorf("time %v, without balancing 9", o.time(real))
	}
}

// Skipping looks by Wait changes nothing but the number of looks: the loop
// redistributes in the same iterations as one that looks every time.
func TestWaitMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload, costs := runnable(t), drawCosts(t)
		model := costs.model(t, 0)
		o := run(t, workload, lb.NewCycle(lb.Options{Cost: model, Backoff: impatient, Eager: true}))
		every := run(t, workload, lb.NewCycle(lb.Options{Cost: model, Backoff: impatient, Policy: noLimit{lb.CostEffective{}}}))
		if every.Iterations > 0 && every.Looks != every.Iterations {
			t.Fatalf("the reference looked %d times in %d iterations", every.Looks, every.Iterations)
		}
		if o.Stats != every.Stats || o.Looks > every.Looks {
			t.Fatalf("%v:\n%+v %+v\n%+v %+v", workload, o.Stats, o.Counts, every.Stats, every.Counts)
		}
	})
}

// noLimit hides a policy's Limit, as a policy that a user writes may have none.
type noLimit struct{ policy lb.Policy }

func (n noLimit) Decide(s lb.State) lb.Decision { return n.policy.Decide(s) }

func TestBalancedDataIsLookedAtOnce(t *testing.T) {
	workload := make([]int32, 1000)
	for p := range workload {
		workload[p] = int32(4 + p%5)
	}
	o := run(t, workload, lb.NewCycle(lb.Options{Cost: fixedCosts{0.2, 2, 1}.model(t, 1)}))
	if o.Counts != (lb.Counts{Looks: 1}) || o.Iterations != 8 {
		t.Errorf("%+v, %d iterations", o.Counts, o.Iterations)
	}
}

// A loop in which savings never become worthwhile, though they might by their
// bound: pauses grow until looks cost two per cent.
func TestPausesBoundTheCostOfLooking(t *testing.T) {
	workload := []int32{2000}
	for i := range 1999 {
		workload = append(workload, int32(i))
	}
	refuse := noLimit{lb.Never{}}
	o := run(t, workload, lb.NewCycle(lb.Options{Policy: refuse, Cost: fixedCosts{1, 1, 1}.model(t, 0)}))
	// 5 looks one iteration apart, pauses 2, 4, ... 32, then 50 iterations each.
	if o.Looks < 2000/50 || o.Looks > 2000/50+10 {
		t.Errorf("%d looks in %d iterations", o.Looks, o.Iterations)
	}
}

// only redistributes before one iteration, if a look is due then.
type only int

func (o only) Decide(s lb.State) lb.Decision { return lb.Decision{Redistribute: s.Iteration == int(o)} }

// A redistribution ends the pauses: the next looks are one iteration apart again.
func TestRedistributionEndsPauses(t *testing.T) {
	workload := []int32{500, 300, 0}
	for _, k := range []struct {
		policy only
		want   []int
	}{
		{35, []int{0, 1, 2, 3, 4, 6, 10, 18, 34}}, // four in vain, then pauses of 2, 4, 8, 16
		{34, []int{0, 1, 2, 3, 4, 6, 10, 18, 34, 35, 36, 37, 38, 39}},
	} {
		c := lb.NewCycle(lb.Options{Policy: k.policy, Cost: fixedCosts{1, 1, 1}.model(t, 0)})
		var looks []int
		for i := range 40 {
			if c.Due(i) {
				looks = append(looks, i)
				c.Look(i, lb.Gather(workload), workload)
			}
		}
		if !slices.Equal(looks, k.want) {
			t.Errorf("looks at %v, want %v", looks, k.want)
		}
	}
}

func TestNeverAndUncalibratedDoNotLook(t *testing.T) {
	for _, opts := range []lb.Options{{}, {Policy: lb.Never{}}, {Cost: lb.NewCostModel(1)}} {
		c := lb.NewCycle(opts)
		o := run(t, []int32{100, 1, 0, 0}, c)
		if o.Counts != (lb.Counts{}) || o.Iterations != 100 || c.Next() != lb.NoLook {
			t.Errorf("%+v: %+v, %d iterations", opts, o.Counts, o.Iterations)
		}
	}
}

func TestResetBeginsAnew(t *testing.T) {
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.2, 2, 1}.model(t, 1)})
	workload := []int32{90, 1, 1, 1, 1}
	first := run(t, workload, c)
	c.Reset()
	if again := run(t, workload, c); again.Stats != first.Stats || again.Counts != first.Counts {
		t.Errorf("%+v, then %+v", first.Counts, again.Counts)
	}
}

func TestLookAllocatesNothing(t *testing.T) {
	workload := unbalanced(5000, 300)
	for name, planner := range planners() {
		c := lb.NewCycle(lb.Options{Planner: planner, Cost: fixedCosts{0.2, 2, 1}.model(t, 1)})
		look := func() { c.Reset(); c.Look(0, lb.Gather(workload), workload) }
		look()
		if n := testing.AllocsPerRun(10, look); n != 0 {
			t.Errorf("%s: %v allocations a look", name, n)
		}
	}
}

// Traces are JSON, which has no infinity: without a calibration the cost of a
// decision that does not depend on it is 0.
func TestUnknownCostIsFinite(t *testing.T) {
	c := lb.NewCycle(lb.Options{Policy: lb.Always{}})
	workload := []int32{8, 0}
	first := c.Look(0, lb.Gather(workload), workload)
	c.Reset()
	workload = []int32{8, 8}
	second := c.Look(0, lb.Gather(workload), workload)
	if first.Plan == nil || first.Cost != 0 || second.Plan != nil || second.Cost != 0 {
		t.Errorf("%+v\n%+v", first, second)
	}
}

func TestDecisionsExplainThemselves(t *testing.T) {
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.5, 2, 1}.model(t, 1)})
	workload := []int32{90, 0, 0}
	step := c.Look(0, lb.Gather(workload), workload)
	if got, want := step.String(), "redistribute: savings 60, cost 3.5 iterations (savings above cost)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(step.Plan, []int32{2, 0, 0}) || step.NewMax != 30 || !step.Tried {
		t.Errorf("step %+v", step)
	}
	step = c.Look(1, lb.Gather([]int32{3, 3, 3}), []int32{3, 3, 3})
	if got, want := step.String(), "go on: savings 0, cost 3.5 iterations (savings bounded)"; got != want || step.Plan != nil {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPolicies(t *testing.T) {
	for name, want := range map[string]struct {
		limit                       float64
		free, above, equal, nothing bool
	}{
		"never":  {math.Inf(1), false, false, false, false},
		"always": {0, true, true, true, false},
		"cost":   {5, true, true, false, false},
	} {
		policy, err := lb.PolicyByName(name)
		if err != nil {
			t.Fatal(err)
		}
		decide := func(savings, cost float64) bool {
			return policy.Decide(lb.State{Savings: savings, Cost: cost}).Redistribute
		}
		if decide(1, 0) != want.free || decide(6, 5) != want.above || decide(5, 5) != want.equal || decide(0, 0) != want.nothing {
			t.Errorf("%s decides otherwise", name)
		}
		if limit := policy.(lb.Limiter).Limit(5); limit != want.limit {
			t.Errorf("%s: limit %v", name, limit)
		}
	}
	if _, err := lb.PolicyByName("sometimes"); err == nil {
		t.Error("an unknown policy was accepted")
	}
}
