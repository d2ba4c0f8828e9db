package lb_test

import (
	"fmt"
	"slices"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/vp"
)

func workloads(t *rapid.T, longest int) []int32 {
	shapes := map[string]*rapid.Generator[int32]{
		"any":     rapid.Int32Range(0, 40),
		"zero":    rapid.Just(int32(0)),
		"equal":   rapid.Just(int32(9)),
		"giant":   rapid.SampledFrom([]int32{0, 0, 0, 0, 1, 1, 0, 900}),
		"busy":    rapid.SampledFrom([]int32{0, 3, 5, 8, 8, 20, 21, 30}),
		"short":   rapid.Int32Range(0, 2),
		"extreme": rapid.SampledFrom([]int32{0, 1, 1<<31 - 1, 1<<31 - 2, 1 << 30}),
	}
	names := []string{"any", "zero", "equal", "giant", "busy", "short", "extreme"}
	shape := rapid.SampledFrom(names).Draw(t, "shape")
	return rapid.SliceOfN(shapes[shape], 0, longest).Draw(t, "workload")
}

func planners() map[string]lb.Planner {
	return map[string]lb.Planner{"proportional": new(lb.Proportional), "minimax": new(lb.Minimax)}
}

func TestGatherKnownAnswer(t *testing.T) {
	got := lb.Gather([]int32{0, 7, 1, 0, 4})
	if want := (lb.Summary{Max: 7, Sum: 12, Active: 3, Idle: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if bound := got.SavingsBound(); bound != 4 { // 12 tasks take at least 3 iterations on 5 processors
		t.Errorf("savings bound %d, want 4", bound)
	}
	if got := lb.Gather(nil); got != (lb.Summary{}) || got.SavingsBound() != 0 {
		t.Errorf("empty workload: %+v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative workload was accepted")
		}
	}()
	lb.Gather([]int32{3, -1})
}

// The plans are worked out by hand. Proportional divides 4 idle processors by the quotas 4*10/16 = 2.5 and twice 4*3/16
// = 0.75. The whole parts use 2 of the 4 processors, and the two fractions of 0.75 get the other 2. Minimax needs 2
// helpers for a largest workload of 4, 3 helpers for 3, and 6 helpers for 2.
func TestPlansKnownAnswer(t *testing.T) {
	workload := []int32{0, 10, 0, 3, 1, 0, 3, 0}
	for _, c := range []struct {
		planner lb.Planner
		plan    []int32
		newMax  int32
	}{
		{new(lb.Proportional), []int32{0, 2, 0, 1, 0, 0, 1, 0}, 4},
		{new(lb.Minimax), []int32{0, 3, 0, 0, 0, 0, 0, 0}, 3},
	} {
		plan := make([]int32, len(workload))
		newMax := c.planner.Plan(plan, workload, lb.Gather(workload))
		if newMax != c.newMax || !slices.Equal(plan, c.plan) {
			t.Errorf("%T: got %v, %d; want %v, %d", c.planner, plan, newMax, c.plan, c.newMax)
		}
	}
}

func TestPlansAreValidAndTellTheirMax(t *testing.T) {
	for name, planner := range planners() {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			workload := workloads(t, 60)
			g := lb.Gather(workload)
			plan := rapid.SliceOfN(rapid.Int32(), len(workload), len(workload)).Draw(t, "garbage")
			newMax := planner.Plan(plan, workload, g)
			executed := vp.NewArray(workload)
			if err := executed.Redistribute(nil, plan); err != nil {
				t.Fatal(err)
			}
			if want := lb.Gather(executed.Workload).Max; newMax != want || lb.MaxAfter(workload, plan) != want {
				t.Fatalf("new max %d, MaxAfter %d, executed %d", newMax, lb.MaxAfter(workload, plan), want)
			}
			if saved := g.Max - newMax; saved > g.SavingsBound() {
				t.Fatalf("saved %d, bound %d", saved, g.SavingsBound())
			}
			for p, helpers := range plan {
				if helpers > 0 && helpers >= workload[p] {
					t.Fatalf("%d helpers for %d tasks", helpers, workload[p])
				}
			}
		}))
	}
}

// largestRemainder makes a plan by the definition of Proportional: it sorts by the fraction of the quota, then by
// index.
func largestRemainder(workload []int32, idle int) []int32 {
	var tasks, shares uint64
	for _, w := range workload {
		if w >= 2 {
			tasks += uint64(w)
			shares += uint64(w) - 1
		}
	}
	plan := make([]int32, len(workload))
	var order []int
	left := idle
	for p, w := range workload {
		switch {
		case w < 2:
		case uint64(idle) >= shares:
			plan[p] = w - 1
		default:
			plan[p] = int32(uint64(idle) * uint64(w) / tasks)
			left -= int(plan[p])
			if plan[p] < w-1 {
				order = append(order, p)
			}
		}
	}
	fraction := func(p int) uint64 { return uint64(idle) * uint64(workload[p]) % tasks }
	sort.SliceStable(order, func(i, j int) bool { return fraction(order[i]) > fraction(order[j]) })
	for _, p := range order[:min(left, len(order))] {
		plan[p]++
	}
	return plan
}

func TestProportionalIsLargestRemainder(t *testing.T) {
	planner := new(lb.Proportional)
	rapid.Check(t, func(t *rapid.T) {
		workload := workloads(t, 300)
		g := lb.Gather(workload)
		got := make([]int32, len(workload))
		planner.Plan(got, workload, g)
		if want := largestRemainder(workload, g.Idle); !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	})
}

// Ten processors with two tasks each can use one helper, but their quotas are 1.5. One of the five helpers left over
// goes to the only processor that can use more.
func TestProportionalLeavesIdleWhatNobodyCanUse(t *testing.T) {
	workload := append(make([]int32, 90), 100)
	want := append(make([]int32, 90), 76)
	for range 10 {
		workload, want = append(workload, 2), append(want, 1)
	}
	plan := make([]int32, len(workload))
	newMax := new(lb.Proportional).Plan(plan, workload, lb.Gather(workload))
	if newMax != 2 || !slices.Equal(plan, want) || !slices.Equal(plan, largestRemainder(workload, 90)) {
		t.Errorf("plan %v leaves %d", plan, newMax)
	}
}

// bruteForce tries all plans and returns the smallest possible largest workload.
func bruteForce(workload []int32, idle int) int32 {
	if len(workload) == 0 {
		return 0
	}
	best := int32(1<<31 - 1)
	for helpers := 0; helpers <= idle && (helpers == 0 || workload[0] > 0); helpers++ {
		own := (workload[0] + int32(helpers)) / int32(helpers+1)
		best = min(best, max(own, bruteForce(workload[1:], idle-helpers)))
	}
	return best
}

func TestMinimaxIsOptimal(t *testing.T) {
	planner := new(lb.Minimax)
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]int32{0, 0, 0, 1, 2, 3, 5, 7, 12, 13, 40})
		workload := rapid.SliceOfN(value, 0, 9).Draw(t, "workload")
		g := lb.Gather(workload)
		plan := make([]int32, len(workload))
		if got, want := planner.Plan(plan, workload, g), bruteForce(workload, g.Idle); got != want {
			t.Fatalf("plan %v leaves %d, the best leaves %d", plan, got, want)
		}
	})
}

// The quotas are 2*9/12 = 1.5 and 2*3/12 = 0.5. Their fractions are equal, so Proportional gives the second helper to
// the processor with the smaller index, where it does not shorten the loop.
func TestMinimaxBeatsProportional(t *testing.T) {
	workload := []int32{0, 3, 9, 0}
	g := lb.Gather(workload)
	plan := make([]int32, len(workload))
	if newMax := new(lb.Proportional).Plan(plan, workload, g); newMax != 5 || !slices.Equal(plan, []int32{0, 1, 1, 0}) {
		t.Errorf("proportional: %v leaves %d", plan, newMax)
	}
	if newMax := new(lb.Minimax).Plan(plan, workload, g); newMax != 3 || !slices.Equal(plan, []int32{0, 0, 2, 0}) {
		t.Errorf("minimax: %v leaves %d", plan, newMax)
	}
}

func BenchmarkPlan(b *testing.B) {
	workload := unbalanced(100_000, 231)
	g := lb.Gather(workload)
	plan := make([]int32, len(workload))
	for name, planner := range planners() {
		b.Run(fmt.Sprintf("n=100000/planner=%s", name), func(b *testing.B) {
			for b.Loop() {
				newMax := planner.Plan(plan, workload, g)
				if newMax >= g.Max || newMax < 1 {
					b.Fatal(newMax)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(workload)), "ns/processor")
		})
	}
}

func BenchmarkGather(b *testing.B) {
	workload := unbalanced(100_000, 231)
	for b.Loop() {
		if g := lb.Gather(workload); g.Max != 231 {
			b.Fatal(g)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(workload)), "ns/processor")
}

// unbalanced makes mostly small workloads. A fifth of them are 0, and one in sixty may be as large as largest.
func unbalanced(n int, largest int32) []int32 {
	workload := make([]int32, n)
	state := uint32(1)
	for i := range workload {
		state = state*1664525 + 1013904223
		r := int32(state >> 8 & 0xffff)
		switch {
		case i%60 == 0:
			workload[i] = 1 + r%largest
		case i%5 != 0:
			workload[i] = 1 + r%8
		}
	}
	workload[n/2] = largest
	return workload
}
