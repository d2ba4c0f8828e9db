package lb_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/lb"
)

// TestInterruptedLookIsForgotten checks that a single interrupted check of the workload counts as twice the longest
// other check, during its hundred checks and the next hundred. Two interrupted checks count with their full times.
func TestInterruptedLookIsForgotten(t *testing.T) {
	model := lb.NewCostModel(1)
	c := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
	for look := range 601 {
		gather := 2.
		if look == 40 || look == 320 || look == 330 {
			gather = 9000
		}
		c.Timed(lb.Timing{Gather: gather, Redistribution: 3, Solution: 1})
		want := 2.
		switch {
		case look >= 40 && look < 199, look >= 320 && look < 330:
			want = 4
		case look >= 330 && look < 499:
			want = 9000
		}
		if model.Estimate() != want+3+1 || model.Look() != want {
			t.Fatalf("after %d looks: estimate %v, look %v; want %v", look+1, model.Estimate(), model.Look(), want)
		}
	}
	if model.Underestimated() != 3 {
		t.Errorf("%d underestimated", model.Underestimated())
	}
	c.Timed(lb.Timing{Solution: 1}) // an iteration without a check of the workload
	if c.Timed(lb.Timing{Gather: 70, Redistribution: 3, Solution: 1}); model.Estimate() != 2*2+3+1 {
		t.Errorf("estimate %v after a longer look", model.Estimate())
	}
}

// The first redistribution may have been interrupted. So the second redistribution happens whatever the first one cost.
func TestFirstRedistributionIsConfirmed(t *testing.T) {
	model := lb.NewCostModel(1)
	c := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
	for i, step := range []struct {
		redistribution, cost, estimate float64
	}{{9000, 0, 9002}, {4, 0, 2*4 + 2}, {5, 10, 2*5 + 2}, {0, 12, 12}} {
		plan := c.Balance(0, []int32{50, 0})
		if plan.Helpers == nil || plan.Cost != step.cost {
			t.Errorf("step %d: plan %v, want one at a cost of %v", i, plan, step.cost)
		}
		if c.Timed(lb.Timing{Gather: 1, Redistribution: step.redistribution, Solution: 1}); model.Estimate() != step.estimate {
			t.Errorf("step %d: estimate %v, want %v", i, model.Estimate(), step.estimate)
		}
	}
	again := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
	if cost := again.Balance(0, []int32{50, 0}).Cost; cost != 12 {
		t.Errorf("another loop with the model: cost %v", cost)
	}
}

// TestEstimateFollowsTheTasks checks that the estimate in iterations is lower in a loop with longer tasks, because the
// time of a check does not depend on the tasks. Until the time of the loop's tasks is known, the shortest time of the
// last loop replaces it. If tasks turn out to be shorter, the estimate rises.
func TestEstimateFollowsTheTasks(t *testing.T) {
	model := lb.NewCostModel(1)
	c := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
	for i, step := range []struct {
		gather, redistribution, solution, estimate float64
		underestimated                             int
	}{
		{10, 20, 10, 1 + 2 + 1, 0},
		{10, 30, 4, 10/4. + 30/4. + 1, 1},
		{0, 0, 100, (10+30)/100. + 1, 1},
		{0, 0, 0, 10/4. + 30/4. + 1, 1}, // another loop starts
		{0, 0, 0, 10/4. + 30/4. + 1, 1}, // another loop, after one without tasks
		{0, 0, 200, (10+30)/200. + 1, 1},
		{8, 25, 200, (10+30)/200. + 1, 1},
		{8, 25, 20, (10+30)/20. + 1, 2},
		{0, 0, 400, (10+30)/400. + 1, 2},
		{0, 0, 0, (10+30)/20. + 1, 2},
	} {
		if step.solution == 0 {
			c.Reset()
		} else {
			c.Timed(lb.Timing{Gather: step.gather, Redistribution: step.redistribution, Solution: step.solution})
		}
		if !near(model.Estimate(), step.estimate) || model.Underestimated() != step.underestimated {
			t.Errorf("step %d: estimate %v, %d underestimated; want %v, %d", i, model.Estimate(), model.Underestimated(), step.estimate, step.underestimated)
		}
	}
}

// TestLooksAloneAreStored checks that checks of the workload without a redistribution do not calibrate a model, but
// raise the estimate that a calibration gives. A model can be stored and read back at any time.
func TestLooksAloneAreStored(t *testing.T) {
	model := lb.NewCostModel(1)
	c := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
	stored := func() (back lb.CostModel) {
		text, err := json.Marshal(model)
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return back
	}
	if c.Timed(lb.Timing{Gather: 50, Solution: 1}); !math.IsInf(model.Estimate(), 1) {
		t.Errorf("estimate %v after a look", model.Estimate())
	}
	stored()
	if err := model.Calibrate([]lb.Timing{{Gather: 5, Redistribution: 10, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	if back := stored(); back.Estimate() != 50+10+1 || model.Estimate() != 50+10+1 || back.Look() != 50 {
		t.Errorf("estimate %v, stored %v with a look of %v", model.Estimate(), back.Estimate(), back.Look())
	}
}

// TestUnconfirmedEstimateIsHalved checks that the cost of a redistribution is halved after every hundred checks without
// a redistribution, until the next redistribution is measured.
func TestUnconfirmedEstimateIsHalved(t *testing.T) {
	model := lb.NewCostModel(1)
	if err := model.Calibrate([]lb.Timing{{Gather: 8, Redistribution: 1600, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	c := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
	for i, want := range []float64{805, 405, 205, 105, 55, 30, 17.5} {
		for range 100 {
			c.Timed(lb.Timing{Gather: 5, Solution: 1})
		}
		if model.Estimate() != want+1 {
			t.Fatalf("after %d hundred looks: estimate %v, want %v", i+1, model.Estimate(), want+1)
		}
	}
	if c.Timed(lb.Timing{Gather: 5, Redistribution: 20, Solution: 1}); model.Estimate() != 26 || model.Underestimated() != 1 {
		t.Errorf("estimate %v, %d underestimated", model.Estimate(), model.Underestimated())
	}
	model.Observe(100)
	for range 200 {
		c.Timed(lb.Timing{Gather: 5, Redistribution: 20, Solution: 1})
	}
	if model.Estimate() != 26 {
		t.Errorf("estimate %v, want that of the redistributions", model.Estimate())
	}
	for range 99 { // complete the hundred checks
		c.Timed(lb.Timing{Gather: 5, Redistribution: 20, Solution: 1})
	}
	model.Observe(200)
	for range 100 {
		c.Timed(lb.Timing{Gather: 5, Solution: 1})
	}
	if model.Estimate() != 200/2+1 {
		t.Errorf("estimate %v, want half of what was observed", model.Estimate())
	}
}

// TestAtMostOneInAHundredIsDearer checks phases that take random times. At most one check in a hundred may cost more
// than its estimate, and interruptions must not prevent balancing for long.
func TestAtMostOneInAHundredIsDearer(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		model := lb.NewCostModel(lb.DefaultConstant)
		c := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
		const looks, pays = 30_000, 60.
		moved := 0
		for range looks {
			gather, redistribution := 2+3*r.Float64(), 0.
			if model.Runs() == 0 || model.Estimate() < pays {
				moved++
				redistribution = 10 + 20*r.Float64()
			}
			if r.IntN(1000) == 0 {
				gather += 5000
			}
			c.Timed(lb.Timing{Gather: gather, Redistribution: redistribution, Solution: 0.9 + 0.1*r.Float64()})
		}
		if model.Underestimated() > looks/looksPerDearer || moved < looks/2 {
			t.Errorf("seed %d: %d of %d looks dearer, %d redistributed", seed, model.Underestimated(), looks, moved)
		}
	}
}

const looksPerDearer = 100

// The type waits is a forecaster that returns the given answers in order.
type waits struct {
	answers []int
	asked   int
}

func (w *waits) Wait([]int32, lb.Summary, float64) int {
	w.asked++
	return w.answers[w.asked-1]
}

// TestForecastIsAskedAgain checks when the cycle asks the forecaster again. It must do so if it checks the workload
// before the forecast iteration, but not if it checks the workload in that iteration.
func TestForecastIsAskedAgain(t *testing.T) {
	ahead := &waits{answers: []int{5, 4}}
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.2, 2, 1}.model(t, 1), Forecast: ahead})
	workload := []int32{50, 1, 1, 0}
	for i, step := range []struct {
		iteration, asked, next int
		redistributes          bool
	}{{0, 1, 5, false}, {3, 2, 7, false}, {7, 2, 8, true}} {
		got := c.Look(step.iteration, lb.Gather(workload), workload)
		if ahead.asked != step.asked || c.Next() != step.next || (got.Plan != nil) != step.redistributes {
			t.Errorf("look %d: %+v, asked %d times, next %d; want %+v", i, got, ahead.asked, c.Next(), step)
		}
	}
}

// TestForecastDoesNotOutliveADryProcessor checks that a forecast is no longer used after a processor ran out of tasks.
// The forecaster is asked again even in the forecast iteration.
func TestForecastDoesNotOutliveADryProcessor(t *testing.T) {
	ahead := &waits{answers: []int{5, 4}}
	c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.2, 2, 1}.model(t, 1), Forecast: ahead})
	workload := []int32{50, 1, 1, 0}
	c.Look(0, lb.Gather(workload), workload)
	c.RanDry()
	if step := c.Look(5, lb.Gather(workload), workload); ahead.asked != 2 || step.Plan != nil || c.Next() != 9 {
		t.Errorf("asked %d times, plan %v, next %d", ahead.asked, step.Plan, c.Next())
	}
}
