package lb_test

import (
	"math"
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

// Whatever the histogram knows, a redistribution is put off once: what it was put off
// to is done.
func TestPostponedOnce(t *testing.T) {
	once, twice := 0, 0
	for seed := range 300 {
		workload := sparse(400, seed)
		c := lb.NewCycle(lb.Options{Cost: fixedCosts{0.3, 2.2, 1}.model(t, 0), Backoff: impatient})
		a, before := vp.NewArray(workload), false
		for i := 0; lb.Gather(a.Workload).Active > 0; i++ {
			if c.Due(i) {
				step := c.Look(i, lb.Gather(a.Workload), a.Workload)
				now := step.What == "better later"
				if before && step.Plan == nil {
					twice++
				}
				if before = now; now {
					once++
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
	}
	if twice > 0 || once < 10 {
		t.Errorf("put off %d times, and in vain %d times", once, twice)
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

// Postpone is the best time for one redistribution by its rule, by trying all, where
// the histogram is exact.
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
		ends := endsAfter(workload)
		// The least of any way to go on, and a redistribution.
		bound := float64((g.Sum+int64(len(workload))-1)/int64(len(workload))) + limit
		want := 0
		for d, end := range ends {
			if end < ends[want] && float64(end) <= bound {
				want = d
			}
		}
		if got := o.Postpone(); got != want {
			t.Fatalf("postpone %d, want %d", got, want)
		}
	})
}

// endsAfter returns when a loop ends that redistributes once, before each iteration.
func endsAfter(workload []int32) (ends []int) {
	left, planner, plan := slices.Clone(workload), new(lb.Minimax), make([]int32, len(workload))
	for d := range int(lb.Gather(workload).Max) {
		ends = append(ends, d+int(planner.Plan(plan, left, lb.Gather(left))))
		for p := range left {
			left[p] = max(left[p]-1, 0)
		}
	}
	return ends
}

// Whatever the histogram knows, a redistribution is put off only to one that ends
// the loop earlier, is worthwhile, and loses no more than a redistribution costs.
func TestPostponedIsBetter(t *testing.T) {
	put := 0
	rapid.Check(t, func(t *rapid.T) {
		workload := mixed(t, 1000)
		g := lb.Gather(workload)
		limit := rapid.Float64Range(0, max(1, 0.7*float64(g.SavingsBound()))).Draw(t, "limit")
		var o lb.Outlook
		o.Look(workload, g, limit, rapid.SampledFrom([]int{8, 16, 64}).Draw(t, "exact"))
		if !(float64(g.SavingsBound()) > limit) {
			return
		}
		d := o.Postpone()
		if d == 0 {
			return
		}
		put++
		ends, mean := endsAfter(workload), float64(g.Sum)/float64(len(workload))
		if ends[d] >= ends[0] || float64(int(g.Max)-ends[d]) <= limit || float64(ends[d]) > mean+1+limit {
			t.Fatalf("%v, limit %v: put off from %d to %d, which ends at %d", workload, limit, ends[0], d, ends[d])
		}
	})
	if put == 0 {
		t.Error("nothing was ever put off")
	}
}

// mixed draws workloads up to a largest one, of which many are equal, small or none.
func mixed(t *rapid.T, largest int32) []int32 {
	top := rapid.Int32Range(2, largest).Draw(t, "top")
	value := rapid.OneOf(rapid.Just(top), rapid.Int32Range(0, top), rapid.Int32Range(0, min(top, 70)),
		rapid.Int32Range(0, min(top, 8)), rapid.Just(int32(0)))
	return rapid.SliceOfN(value, 2, 40).Draw(t, "workload")
}

// Waiting for a better time never makes a loop end later than under the paper's
// rule, a redistribution counted with its cost. That is exact, without a tolerance
// but for rounding: one is put off only where it ends the loop earlier than one at
// once, and at most a redistribution later than two could. Pauses are turned off,
// since they depend on how many looks were in vain.
func TestPatienceNeverLoses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload := mixed(t, 1000)
		bound := max(1, float64(lb.Gather(workload).SavingsBound()))
		costs := fixedCosts{0.01, rapid.OneOf(rapid.Float64Range(0.1, 12), rapid.Float64Range(0.1, bound)).Draw(t, "cost"), 1}
		exact := rapid.SampledFrom([]int{0, 8, 16}).Draw(t, "exact")
		patient, eager := bothWays(t, workload, costs, lb.Options{Exact: exact, Backoff: impatient})
		if patient > eager+1e-9 {
			t.Fatalf("%v, %+v: %v, by the paper's rule %v", workload, costs, patient, eager)
		}
	})
}

// bothWays returns the iterations and the cost of the redistributions of a loop with
// and without waiting for a better time.
func bothWays(t rapid.TB, workload []int32, costs fixedCosts, opts lb.Options) (patient, eager float64) {
	opts.Cost = costs.model(t, 0)
	total := func() float64 {
		o := run(t, workload, lb.NewCycle(opts))
		return float64(o.Iterations) + float64(o.Counts.Redistributions)*opts.Cost.Estimate()
	}
	patient = total()
	opts.Eager = true
	return patient, total()
}

// Workloads whose histogram is too coarse to say that a later time is better.
func TestPatienceKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		workload []int32
		cost     float64
		exact    int
		want     float64 // iterations
	}{
		{[]int32{122, 0, 122, 122, 45, 0, 0}, 30.5, 0, 61},
		{[]int32{124, 0, 116, 0, 124, 0}, 40.5, 0, 62},
		{[]int32{149, 149, 77, 7, 59, 149, 64, 7, 5}, 42.12, 0, 78},
		{[]int32{0, 0, 34, 29, 0, 34, 16, 34, 0}, 7.79, 16, 17},
	} {
		patient, eager := bothWays(t, c.workload, fixedCosts{0.01, c.cost - 0.01, 1}, lb.Options{Exact: c.exact})
		if math.Abs(patient-c.want-c.cost) > 1e-9 || patient != eager {
			t.Errorf("%v: %v, by the paper's rule %v, want %v", c.workload, patient, eager, c.want+c.cost)
		}
	}
}
