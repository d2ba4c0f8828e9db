package lb_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/vp"
)

// Wait is a lower bound on when savings exceed the limit, and below 64 exact.
func TestWaitIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload := runnable(t)
		limit := rapid.Float64Range(0, 30).Draw(t, "limit")
		wait := waitFor(workload, limit)
		first, largest := firstWorthwhile(workload, limit)
		if wait > first || largest < 64 && wait != first {
			t.Fatalf("wait %d, worthwhile after %d", wait, first)
		}
	})
}

func waitFor(workload []int32, limit float64) int {
	o := lb.LookAhead(workload, lb.Gather(workload), limit)
	return o.Wait(0)
}

// firstWorthwhile tries every iteration.
func firstWorthwhile(workload []int32, limit float64) (first int, largest int32) {
	planner, plan := new(lb.Minimax), make([]int32, len(workload))
	left := slices.Clone(workload)
	for d := 0; ; d++ {
		g := lb.Gather(left)
		if d == 0 {
			largest = g.Max
		}
		if g.Active == 0 {
			return lb.NoLook, largest
		}
		if savings := g.Max - planner.Plan(plan, left, g); float64(savings) > limit {
			return d, largest
		}
		for p := range left {
			left[p] = max(left[p]-1, 0)
		}
	}
}

// Four processors near the top need four idle: the fourth smallest workload is
// 20, so nothing is gained in fewer iterations.
func TestWaitKnownAnswer(t *testing.T) {
	for _, c := range []struct {
		workload []int32
		limit    float64
		want     int
	}{
		{[]int32{50, 50, 49, 48, 3, 7, 7, 20, 30, 31}, 4, 20},
		// 65 is rounded down to 64 and tried that far.
		{[]int32{900, 65}, 4, 64},
		{[]int32{8, 0}, 3, 0},
		{[]int32{8, 0}, 4, lb.NoLook},
		// Savings fall from 5 to 4 before the second helper is there.
		{[]int32{10, 10, 0, 1, 8, 8, 8, 8}, 4, lb.NoLook},
		// 24 tasks on four processors: no savings above 2, ever.
		{[]int32{8, 5, 5, 6}, 2, lb.NoLook},
		{nil, 0, lb.NoLook},
	} {
		if wait := waitFor(c.workload, c.limit); wait != c.want {
			t.Errorf("%v, limit %v: wait %d, want %d", c.workload, c.limit, wait, c.want)
		}
	}
}

// Nearly everybody has 3 to 5 tasks and ten have 50 or 60. After one iteration one
// processor is idle, whose help saves ten iterations; after three a third of
// all are, and one redistribution ends the loop after the fifth.
func TestPostponeKnownAnswer(t *testing.T) {
	workload := make([]int32, 1000)
	for p := range workload {
		workload[p] = int32(3 + p%3)
	}
	for p := range 10 {
		workload[10*p] = 50
	}
	workload[0], workload[1] = 60, 1
	costs := fixedCosts{0.5, 3.5, 1}
	for _, c := range []struct {
		eager           bool
		redistributions int
	}{{false, 1}, {true, 2}} {
		o := run(t, workload, lb.NewCycle(lb.Options{Cost: costs.model(t, 0), Eager: c.eager}))
		if o.Iterations != 5 || o.Counts.Redistributions != c.redistributions {
			t.Errorf("eager %v: %d iterations, %+v", c.eager, o.Iterations, o.Counts)
		}
	}
}

// One processor is idle now and halves the 8; after two iterations there are
// eleven, and everything ends after the third.
func TestPostponeToTheLastIteration(t *testing.T) {
	workload := []int32{8, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
	o := lb.LookAhead(workload, lb.Gather(workload), 3)
	if wait, postpone := o.Wait(0), o.Postpone(); wait != 0 || postpone != 2 {
		t.Errorf("wait %d, postpone %d; want 0, 2", wait, postpone)
	}
}

// However wrong the estimates for large workloads are, a redistribution is put
// off once, and the next may be put off again.
func TestPostponedOnce(t *testing.T) {
	again, twice := false, 0
	for seed := range 300 {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		workload := make([]int32, 100)
		for p := range workload {
			workload[p] = int32(random.ExpFloat64() * 300)
		}
		c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.3, 9, 1}.model(t, 0), Backoff: impatient})
		a, put, before := vp.NewArray(workload), 0, false
		for i := 0; lb.Gather(a.Workload).Active > 0; i++ {
			if c.Due(i) {
				step := c.Look(i, lb.Gather(a.Workload), a.Workload)
				now := step.What == "better later"
				if now && before {
					twice++
				}
				if before = now; now {
					put++
				}
				if step.Plan != nil {
					if err := a.Redistribute(nil, step.Plan); err != nil {
						t.Fatal(err)
					}
				}
			}
			for p := range a.Workload {
				a.Workload[p] = max(a.Workload[p]-1, 0)
			}
		}
		again = again || put > 1
	}
	if twice > 0 || !again {
		t.Errorf("put off twice in a row %d times, put off again later: %v", twice, again)
	}
}

// Waiting pays: over many random loops of all kinds the time is shorter than
// with the paper's rule.
func TestPostponingPays(t *testing.T) {
	costs := fixedCosts{0.3, 2.2, 1}
	var patient, eager float64
	for seed := range 200 {
		workload := sparse(400, seed)
		cycle := func(e bool) *lb.Cycle { return lb.NewCycle(lb.Options{Cost: costs.model(t, 1), Eager: e}) }
		p, e := run(t, workload, cycle(false)), run(t, workload, cycle(true))
		patient, eager = patient+p.time(costs), eager+e.time(costs)
	}
	t.Logf("with the paper's rule %.3f times as long", eager/patient)
	if eager < 1.18*patient {
		t.Errorf("time %v, with the paper's rule %v", patient, eager)
	}
}

// sparse makes workloads around a base of 1 to 8 with a share of up to one in
// twenty that is up to 500, all by the seed.
func sparse(n, seed int) []int32 {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	base, rare, largest := 1+random.IntN(8), 20+random.IntN(100), 20+random.IntN(480)
	workload := make([]int32, n)
	for p := range workload {
		workload[p] = int32(max(base-2+random.IntN(5), 0))
		if random.IntN(rare) == 0 {
			workload[p] = int32(1 + random.IntN(largest))
		}
	}
	return workload
}

// Postpone is the best time for one redistribution, by trying all.
func TestPostponeIsTheBestTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]int32{0, 1, 3, 4, 5, 6, 6, 6, 17, 40, 63})
		workload := rapid.SliceOfN(value, 1, 60).Draw(t, "workload")
		limit := rapid.Float64Range(0, 20).Draw(t, "limit")
		g := lb.Gather(workload)
		o := lb.LookAhead(workload, g, limit)
		if o.Wait(0) != 0 {
			return
		}
		planner, plan := new(lb.Minimax), make([]int32, len(workload))
		best, want, lost := int(planner.Plan(plan, workload, g)), 0, 0.0
		for d := 1; d < int(g.Max); d++ {
			if lost += float64(g.Idle) / float64(len(workload)); lost > limit {
				break
			}
			for p := range workload {
				workload[p] = max(workload[p]-1, 0)
			}
			g = lb.Gather(workload)
			if end := d + int(planner.Plan(plan, workload, g)); end < best {
				best, want = end, d
			}
		}
		if got := o.Postpone(); got != want {
			t.Fatalf("postpone %d, want %d", got, want)
		}
	})
}
