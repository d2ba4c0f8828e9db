package lb_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// The type looks records the calls of a cycle and its answers.
type looks struct {
	*lb.Cycle
	workloads, plans [][]int32
}

func (l *looks) Balance(iteration int, workload []int32) (plan lb.Plan) {
	plan = l.Cycle.Balance(iteration, workload)
	l.workloads, l.plans = append(l.workloads, slices.Clone(workload)), append(l.plans, slices.Clone(plan.Helpers))
	return plan
}

// TestWorkersMakeTheSamePlans checks that a cycle on any number of workers makes the plans of the sequential loop, in
// the same iterations. The reason is that all workers run until the next check of the workload is due.
func TestWorkersMakeTheSamePlans(t *testing.T) {
	machines := []*machine.Machine{nil}
	for _, workers := range []int{1, 2, 3} {
		m := machine.New(machine.Options{Workers: workers})
		t.Cleanup(m.Close)
		machines = append(machines, m)
	}
	rapid.Check(t, func(t *rapid.T) {
		workload, costs := runnable(t), drawCosts(t)
		processors := rapid.IntRange(4, 60).Draw(t, "processors")
		policy := rapid.SampledFrom(policies).Draw(t, "policy")
		ahead := rapid.SampledFrom(forecasts()).Draw(t, "forecast")
		var want [][]int32
		var wantStats vp.Stats
		var wantCounts lb.Counts
		for _, m := range machines {
			l := &looks{Cycle: lb.NewCycle(lb.Options{Policy: policy, Cost: costs.model(t, 1), Forecast: ahead})}
			stats, err := vp.NewArray(workload).Run(func(int, int, int) {}, vp.LoopOptions{Balance: l, Machine: m, Processors: processors})
			if err != nil {
				t.Fatal(err)
			}
			stats.Interrupted = 0 // depends on the system's scheduler
			plans := slices.DeleteFunc(l.plans, func(plan []int32) bool { return plan == nil })
			if m == nil {
				want, wantStats, wantCounts = plans, stats, l.Counts()
				continue
			}
			if stats != wantStats || l.Counts() != wantCounts || !slices.EqualFunc(plans, want, slices.Equal) {
				t.Fatalf("%d workers: %+v %+v, plans %v\nwant %+v %+v, plans %v", m.Workers(), stats, l.Counts(), plans, wantStats, wantCounts, want)
			}
		}
	})
}

// TestRacingWorkersMakeThePlansOfTheirWorkloads checks a race, in which the workload is checked when a worker has no
// tasks left. Equal workloads must lead to equal plans.
func TestRacingWorkersMakeThePlansOfTheirWorkloads(t *testing.T) {
	m := machine.New(machine.Options{Workers: 3})
	defer m.Close()
	redistributions := 0
	rapid.Check(t, func(t *rapid.T) {
		workload, costs := runnable(t), drawCosts(t)
		opts := lb.Options{Cost: costs.model(t, 1), Planner: planners()[rapid.SampledFrom([]string{"proportional", "minimax"}).Draw(t, "planner")]}
		l := &looks{Cycle: lb.NewCycle(opts)}
		done := make([][]int, len(workload))
		for p, n := range workload {
			done[p] = make([]int, n)
		}
		stats, err := vp.NewArray(workload).Run(func(_, problem, task int) { done[problem][task]++ }, vp.LoopOptions{Balance: l, Machine: m})
		if err != nil {
			t.Fatal(err)
		}
		redistributions += stats.Redistributions
		for p := range done {
			if i := slices.IndexFunc(done[p], func(times int) bool { return times != 1 }); i >= 0 {
				t.Fatalf("task %d of problem %d was solved %d times", i, p, done[p][i])
			}
		}
		again := lb.NewCycle(opts)
		for i, left := range l.workloads {
			again.RanDry()
			if plan := again.Balance(i, left).Helpers; !slices.Equal(plan, l.plans[i]) || (plan == nil) != (l.plans[i] == nil) {
				t.Fatalf("%v: plan %v, on its own %v", left, l.plans[i], plan)
			}
		}
	})
	if redistributions == 0 {
		t.Error("nothing was ever shared")
	}
}

// TestCalibrateInTheLoop passes times to the cycle without running loops. The first redistribution is a calibration.
// From then on the estimate uses the longest time of a check of the workload and the longest time of a redistribution,
// each limited to twice the second longest. It divides them by the latest iteration time, because tasks of the past say
// nothing about the tasks left.
func TestCalibrateInTheLoop(t *testing.T) {
	model := lb.NewCostModel(1)
	c := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
	if plan := c.Balance(0, []int32{9, 0}); plan.Helpers == nil || plan.Cost != 0 {
		t.Fatalf("the first look makes the plan %v, want a calibration at no cost", plan)
	}
	for i, step := range []struct{ gather, redistribution, solution, estimate, look float64 }{
		{2, 0, 4, math.Inf(1), 2. / 4}, // no redistribution yet
		{1, 8, 5, (2.+8)/5 + 1, 2. / 5},
		{1, 4, 6, (2.+8)/6 + 1, 2. / 6}, // shorter phases, longer iterations
		{3, 0, 8, (3.+8)/8 + 1, 3. / 8},
		{0, 0, 2, (3.+8)/2 + 1, 3. / 2}, // a shorter iteration
		{60, 0, 2, (2*3.+8)/2 + 1, 3},
		{1, 30, 2, (2*3.+2*8)/2 + 1, 3},
		{50, 20, 2, (60.+30)/2 + 1, 30},
	} {
		if c.Timed(lb.Timing{Gather: step.gather, Redistribution: step.redistribution, Solution: step.solution}); !near(model.Estimate(), step.estimate) || !near(model.Look(), step.look) {
			t.Errorf("step %d: estimate %v, look %v; want %v, %v", i, model.Estimate(), model.Look(), step.estimate, step.look)
		}
	}
	if model.Runs() != 1 || model.Underestimated() != 2 {
		t.Errorf("%d runs, %d underestimated", model.Runs(), model.Underestimated())
	}
	c.Reset() // start another calibration run
	c.Timed(lb.Timing{Gather: 1, Redistribution: 5, Solution: 1})
	if c.Timed(lb.Timing{Gather: 1, Redistribution: 70, Solution: 1}); model.Runs() != 2 || model.Underestimated() != 2 || model.Estimate() != 60+2*30+1 {
		t.Errorf("%d runs, %d underestimated, estimate %v", model.Runs(), model.Underestimated(), model.Estimate())
	}
	silent := lb.NewCycle(lb.Options{Cost: lb.NewCostModel(1)})
	if silent.Timed(lb.Timing{Gather: 1, Redistribution: 1, Solution: 1}); silent.Next() != lb.NoLook {
		t.Error("a cycle that does not calibrate learned a cost")
	}
}

func near(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-9*b }

// TestRanDry checks that a cycle wants to check the workload when a processor has no tasks left, unless no
// redistribution can save time.
func TestRanDry(t *testing.T) {
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.2, 2, 1}.model(t, 1)})
	if c.Balance(0, []int32{50, 50}); c.Next() != lb.NoLook {
		t.Fatalf("next look of a balanced workload: %d", c.Next())
	}
	if plan := c.Balance(20, []int32{0, 40}); plan.Helpers != nil {
		t.Errorf("a look that was not due: %v", plan)
	}
	c.RanDry()
	if plan := c.Balance(20, []int32{0, 40}); !slices.Equal(plan.Helpers, []int32{0, 1}) || plan.Savings != 20 {
		t.Errorf("plan %v saves %v", plan.Helpers, plan.Savings)
	}
	for _, opts := range []lb.Options{{Policy: lb.Never, Calibrate: true}, {Cost: lb.NewCostModel(1)}} {
		c := lb.NewCycle(opts)
		if c.RanDry(); c.Next() != lb.NoLook {
			t.Errorf("%+v: a look is due", opts)
		}
	}
}

var _ vp.Balancer = (*lb.Cycle)(nil)
