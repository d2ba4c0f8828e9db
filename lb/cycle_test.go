package lb_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/lb/forecast"
	"lockstep/vp"
)

// fixedCosts are the times of the phases on a machine on which each phase always takes the same time.
type fixedCosts struct{ info, redistribution, solution float64 }

func (f fixedCosts) model(t rapid.TB, constant float64) *lb.CostModel {
	m := lb.NewCostModel(constant)
	if err := m.Calibrate([]lb.Timing{{Gather: f.info, Redistribution: f.redistribution, Solution: f.solution}}); err != nil {
		t.Fatal(err)
	}
	return m
}

// outcome records the result of a loop under a cycle.
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
	stats, err := vp.NewArray(workload).Run(func(_, problem, task int) { o.solved[problem][task]++ },
		vp.LoopOptions{Balance: c})
	if err != nil {
		t.Fatal(err)
	}
	o.Stats, o.Counts = stats, c.Counts()
	return o
}

func (o outcome) time(f fixedCosts) float64 {
	return float64(o.Iterations)*f.solution + float64(o.Looks)*f.info + float64(o.Counts.Redistributions)*f.redistribution
}

func runnable(t *rapid.T) []int32 {
	workload := workloads(t, 60)
	for p := range workload {
		workload[p] %= 1000 // shorter workloads, because the loop below is slow
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

var policies = []lb.Policy{lb.CostEffective, lb.Never, lb.Always}

// forecasts returns three forecasters: nil for the paper's rule, one with an exact histogram, and one with a coarse
// histogram.
func forecasts() []lb.Forecaster {
	return []lb.Forecaster{nil, new(forecast.Histogram), &forecast.Histogram{Buckets: 10}}
}

func TestNoTaskIsLostOrDoneTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload := runnable(t)
		policy := rapid.SampledFrom(policies).Draw(t, "policy")
		planner := planners()[rapid.SampledFrom([]string{"proportional", "minimax"}).Draw(t, "planner")]
		ahead := rapid.SampledFrom(forecasts()).Draw(t, "forecast")
		o := run(t, workload, lb.NewCycle(lb.Options{Policy: policy, Planner: planner, Cost: drawCosts(t).model(t, 0), Forecast: ahead}))
		for p, tasks := range o.solved {
			for task, times := range tasks {
				if times != 1 {
					t.Fatalf("%v: task %d of problem %d was solved %d times", workload, task, p, times)
				}
			}
		}
	})
}

// TestNeverSlowerThanWithoutBalancingButForLooks checks the paper's guarantee: a cycle makes a loop longer by at most
// the time of checks of the workload that led to no redistribution. It also checks the exact sums from which the
// guarantee follows.
func TestNeverSlowerThanWithoutBalancingButForLooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload, costs := runnable(t), drawCosts(t)
		constant := rapid.Float64Range(0, 4).Draw(t, "constant")
		ahead := rapid.SampledFrom(forecasts()).Draw(t, "forecast")
		planner := planners()[rapid.SampledFrom([]string{"proportional", "minimax"}).Draw(t, "planner")]
		o := run(t, workload, lb.NewCycle(lb.Options{Cost: costs.model(t, constant), Forecast: ahead, Planner: planner}))
		inVain := float64(o.Looks - o.Counts.Redistributions)
		original := float64(o.IterationsNever) * costs.solution
		// The tolerance covers the rounding of the test's own sums.
		if limit := original + inVain*costs.info; o.time(costs) > limit*(1+1e-12)+1e-12 {
			t.Fatalf("%v: %v above %v: %+v", workload, o.time(costs), limit, o.Counts)
		}
		if o.Looks > o.Iterations {
			t.Fatalf("%d looks in %d iterations", o.Looks, o.Iterations)
		}
	})
}

// TestUnderestimatedCostCanLose checks that the guarantee fails if the cost is underestimated. This shows that the
// previous test can fail.
func TestUnderestimatedCostCanLose(t *testing.T) {
	real := fixedCosts{info: 1, redistribution: 50, solution: 1}
	believed := fixedCosts{info: 1, redistribution: 0.001, solution: 1}
	o := run(t, []int32{9, 1, 1, 1}, lb.NewCycle(lb.Options{Cost: believed.model(t, 0)}))
	if o.time(real) <= 9 {
		t.Errorf("time %v, without balancing 9", o.time(real))
	}
}

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

func TestNeverAndUncalibratedDoNotLook(t *testing.T) {
	for _, opts := range []lb.Options{{}, {Policy: lb.Never, Cost: fixedCosts{1, 1, 1}.model(t, 0)}, {Cost: lb.NewCostModel(1)}} {
		c := lb.NewCycle(opts)
		o := run(t, []int32{100, 1, 0, 0}, c)
		if o.Counts != (lb.Counts{}) || o.Iterations != 100 || c.Due(lb.NoLook-1) {
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

// TestAlwaysNeedsNoCost checks the policy Always. It asks only that a redistribution saves an iteration, so an
// uncalibrated cycle redistributes.
func TestAlwaysNeedsNoCost(t *testing.T) {
	c := lb.NewCycle(lb.Options{Policy: lb.Always})
	first := c.Look(0, lb.Gather([]int32{2, 0}), []int32{2, 0})
	c.Reset()
	second := c.Look(0, lb.Gather([]int32{8, 8}), []int32{8, 8})
	if first.Plan == nil || first.Cost != 0 || second.Plan != nil || second.Cost != 0 {
		t.Errorf("%+v\n%+v", first, second)
	}
}

func TestDecisionsExplainThemselves(t *testing.T) {
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.5, 2, 1}.model(t, 1)})
	workload := []int32{90, 0, 0}
	step := c.Look(0, lb.Gather(workload), workload)
	if got, want := step.String(), "redistribute: savings 60, cost 3.5 iterations"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(step.Plan, []int32{2, 0, 0}) || step.NewMax != 30 {
		t.Errorf("step %+v", step)
	}
	step = c.Look(1, lb.Gather([]int32{3, 3, 3}), []int32{3, 3, 3})
	if got, want := step.String(), "go on: savings 0, cost 3.5 iterations (no redistribution saves enough)"; got != want || step.Plan != nil {
		t.Errorf("got %q, want %q", got, want)
	}
	// An even division of 24 tasks would save 2 iterations, but there is only one helper.
	workload = []int32{8, 0, 8, 8}
	c.Reset()
	c = lb.NewCycle(lb.Options{Cost: fixedCosts{0, 1, 1}.model(t, 0)})
	step = c.Look(0, lb.Gather(workload), workload)
	if got, want := step.String(), "go on: savings 0, cost 1 iterations (kept)"; got != want || step.Plan != nil {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPolicies(t *testing.T) {
	four := lb.Summary{Max: 10, Sum: 13, Active: 3, Idle: 1}
	for _, c := range []struct {
		policy       lb.Policy
		newMax       int32
		cost         float64
		redistribute bool
		asked        float64
	}{
		{lb.CostEffective, 4, 5, true, 5},
		{lb.CostEffective, 5, 5, false, 5},
		{lb.CostEffective, 4, math.Inf(1), false, math.Inf(1)},
		{lb.CostEffective, 9, 0, true, 0},
		{lb.CostEffective, 10, 0, false, 0},
		{lb.Always, 9, 100, true, 0},
		{lb.Always, 10, 100, false, 0},
		{lb.Never, 4, 0, false, math.Inf(1)},
	} {
		want := lb.Decision{Redistribute: c.redistribute, Savings: float64(10 - c.newMax), Cost: c.asked}
		if got := c.policy.Decide(four, c.newMax, c.cost); got != want {
			t.Errorf("%v, from 10 to %d, cost %v: %v, want %v", c.policy, c.newMax, c.cost, got, want)
		}
	}
}

func TestPolicyNames(t *testing.T) {
	for name, want := range map[string]lb.Policy{"cost": lb.CostEffective, "never": lb.Never, "always": lb.Always} {
		var p lb.Policy
		if err := p.UnmarshalText([]byte(name)); err != nil || p != want || p.String() != name || !p.Valid() {
			t.Errorf("%s: %v, error %v", name, p, err)
		}
	}
	p := lb.Always
	if err := p.UnmarshalText([]byte("sometimes")); err == nil || p != lb.Always {
		t.Errorf("an unknown policy was accepted as %v", p)
	}
	if unknown := lb.Policy(7); unknown.Valid() || unknown.String() != "policy 7" {
		t.Error(unknown)
	}
}

// TestIterationZeroBeginsAnew checks a cycle that has stopped checking the workload in one loop. It must check the
// workload again in the next loop, which begins with iteration 0.
func TestIterationZeroBeginsAnew(t *testing.T) {
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.2, 2, 1}.model(t, 1)})
	workload := []int32{90, 1, 1, 1, 1}
	first := run(t, workload, c)
	if first.Counts.Redistributions == 0 || c.Due(lb.NoLook-1) {
		t.Fatalf("%+v, and the cycle still looks: no test", first.Counts)
	}
	if again := run(t, workload, c); again.Stats != first.Stats || again.Counts != first.Counts {
		t.Errorf("%+v, then %+v", first.Counts, again.Counts)
	}
}

// TestRedistributionEndsTheLooks checks that a cycle stops checking the workload after a redistribution that leaves too
// little work for another redistribution to save anything.
func TestRedistributionEndsTheLooks(t *testing.T) {
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{0, 2, 1}.model(t, 0)})
	workload := []int32{8, 0, 0, 0}
	if step := c.Look(0, lb.Gather(workload), workload); step.NewMax != 2 || c.Due(1) {
		t.Errorf("%+v, next look due %v; want an even division and no look after it", step, c.Due(1))
	}
	// One helper cannot serve two processors. A plan becomes possible as soon as another processor is idle.
	c.Reset()
	workload = []int32{16, 16, 0, 1}
	if step := c.Look(0, lb.Gather(workload), workload); step.Plan != nil || !c.Due(1) {
		t.Errorf("%+v, next look due %v; want a trial in vain and another look", step, c.Due(1))
	}
}

// hesitant is a forecaster that always finds a later iteration better.
type hesitant int

func (h hesitant) Wait([]int32, lb.Summary, float64) int { return int(h) }

// TestForecastIsWaitedForOnce checks that the cycle waits for a forecast only once: the iteration that the forecast
// found best is not postponed again.
func TestForecastIsWaitedForOnce(t *testing.T) {
	o := run(t, []int32{100, 0, 0, 0}, lb.NewCycle(lb.Options{Cost: fixedCosts{0, 2, 1}.model(t, 0), Forecast: hesitant(3)}))
	// The loop runs three iterations, and then four processors share 97 tasks.
	if o.Counts != (lb.Counts{Looks: 2, Trials: 1, Redistributions: 1}) || o.Iterations != 3+25 {
		t.Errorf("%+v, %d iterations", o.Counts, o.Iterations)
	}
}
