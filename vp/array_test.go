package vp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/vp/machine"
	"lockstep/vp/trace"
)

// tally counts how often each task of each problem was solved.
type tally [][]int

func newTally(workloads []int32) tally {
	done := make(tally, len(workloads))
	for p, n := range workloads {
		done[p] = make([]int, n)
	}
	return done
}

func (d tally) solve(_, problem, task int) { d[problem][task]++ }

func (d tally) check(t rapid.TB) {
	t.Helper()
	for p, tasks := range d {
		for task, times := range tasks {
			if times != 1 {
				t.Fatalf("task %d of problem %d was solved %d times", task, p, times)
			}
		}
	}
}

func total64(workloads []int32) (sum int64) {
	for _, w := range workloads {
		sum += int64(w)
	}
	return sum
}

func workloadsOf(t *rapid.T) []int32 {
	shapes := []*rapid.Generator[int32]{
		rapid.Int32Range(0, 30),
		rapid.Just(int32(7)),
		rapid.SampledFrom([]int32{0, 0, 0, 0, 0, 0, 0, 400}),
		rapid.Int32Range(0, 1),
	}
	shape := rapid.SampledFrom(shapes).Draw(t, "shape")
	return rapid.SliceOfN(shape, 0, 60).Draw(t, "workloads")
}

// TestLoopWithoutBalancerIsFigure1 checks the loop of Figure 1 in the paper. In iteration t it must solve task t of
// every problem that has such a task. It must take MAX(workload) iterations.
func TestLoopWithoutBalancerIsFigure1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workloads := workloadsOf(t)
		type call struct{ processor, problem, task int }
		var want, got []call
		longest := 0
		for _, w := range workloads {
			longest = max(longest, int(w))
		}
		for index := range longest {
			for p, w := range workloads {
				if index < int(w) {
					want = append(want, call{p, p, index})
				}
			}
		}
		stats, err := NewArray(workloads).Run(func(processor, problem, task int) {
			got = append(got, call{processor, problem, task})
		}, LoopOptions{})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: got %v, %v; want %v", workloads, got, err, want)
		}
		if stats != (Stats{Processors: len(workloads), Iterations: longest, IterationsNever: longest, Tasks: total64(workloads)}) {
			t.Fatalf("%v: stats %+v", workloads, stats)
		}
	})
}

func TestLaneUse(t *testing.T) {
	stats, _ := NewArray([]int32{4, 1, 1, 0}).Run(func(int, int, int) {}, LoopOptions{})
	if stats.LaneUse() != 6.0/16 || stats.LaneUseNever() != 6.0/16 {
		t.Errorf("6 tasks in 4x4 slots: lane use %v, %v", stats.LaneUse(), stats.LaneUseNever())
	}
	if use := (Stats{Processors: 5}).LaneUse(); use != 1 {
		t.Errorf("lane use of an empty loop = %v", use)
	}
}

// The expected plan is worked out by hand: processor 1 shares its tasks with two helpers, and processor 3 with one.
func TestRedistributeKnownAnswer(t *testing.T) {
	a := NewArray([]int32{0, 12, 0, 6, 0, 0})
	for p := range a.Len() {
		a.advance(p, p, 1, func(int, int, int, int) {})
	} // processors 1 and 3 now have 11 and 5 tasks left, from task 1 on
	if err := a.Redistribute(nil, []int32{0, 2, 0, 1, 0, 0}); err != nil {
		t.Fatal(err)
	}
	// Processor 1 and its helpers divide 11 tasks into 0-2, 3-6 and 7-10; processor 3 and its helper divide 5 tasks
	// into 0-1 and 2-4. The idle processors are, in order of rank, 0, 2, 4 and 5.
	wantProblem := []int32{1, 1, 1, 3, 3, 5}
	wantNext := []int32{1 + 3, 1, 1 + 7, 1, 1 + 2, 0}
	wantWorkload := []int32{4, 3, 4, 2, 3, 0}
	if !slices.Equal(a.Problem, wantProblem) || !slices.Equal(a.Next, wantNext) || !slices.Equal(a.Workload, wantWorkload) {
		t.Errorf("got  %v %v %v\nwant %v %v %v", a.Problem, a.Next, a.Workload, wantProblem, wantNext, wantWorkload)
	}
}

// randomPlan returns a random valid plan for the workload.
func randomPlan(t *rapid.T, workload []int32) []int32 {
	plan := make([]int32, len(workload))
	left := 0
	for _, w := range workload {
		if w == 0 {
			left++
		}
	}
	for p, w := range workload {
		if w > 0 {
			plan[p] = int32(rapid.IntRange(0, left).Draw(t, "allotted"))
			left -= int(plan[p])
		}
	}
	return plan
}

// TestLoopUnderRandomPlans checks that no task is lost or repeated under any number of random plans, and that no
// redistribution makes the loop longer.
func TestLoopUnderRandomPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workloads := workloadsOf(t)
		done := newTally(workloads)
		redistributions := 0
		balancer := func(_ int, workload []int32) Plan {
			if !rapid.Bool().Draw(t, "balance") {
				return Plan{}
			}
			redistributions++
			return Plan{Helpers: randomPlan(t, workload)}
		}
		a := NewArray(workloads)
		stats, err := a.Run(done.solve, LoopOptions{Balance: BalanceFunc(balancer)})
		if err != nil {
			t.Fatal(err)
		}
		done.check(t)
		if stats.Tasks != total64(workloads) || stats.Redistributions != redistributions {
			t.Fatalf("stats %+v: want %d tasks, %d redistributions", stats, total64(workloads), redistributions)
		}
		if stats.Iterations > stats.IterationsNever {
			t.Fatalf("balanced %d iterations, unbalanced %d", stats.Iterations, stats.IterationsNever)
		}
	})
}

// TestRedistributeProperty checks that a redistribution keeps the set of tasks and yields the predicted maximum. The
// caller alone and the scans give the same result.
func TestRedistributeProperty(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	rapid.Check(t, func(t *rapid.T) {
		workloads := workloadsOf(t)
		plan := randomPlan(t, workloads)
		want := NewArray(workloads)
		if err := want.Redistribute(nil, plan); err != nil {
			t.Fatal(err)
		}
		left := newTally(workloads)
		for p := range want.Workload {
			for task := range want.Workload[p] {
				left.solve(p, int(want.Problem[p]), int(want.Next[p]+task))
			}
		}
		left.check(t)
		predicted := int32(0)
		for p, left := range workloads {
			predicted = max(predicted, (left+plan[p])/(plan[p]+1))
		}
		if got := summarize(want.loads()).max; got != predicted {
			t.Fatalf("largest workload %d, predicted %d", got, predicted)
		}
		got := NewArray(workloads)
		if err := got.Redistribute(m, plan); err != nil {
			t.Fatal(err)
		}
		checkSame(t, got, want)
	})
}

// The array is long enough for its scans to be divided among the workers.
func TestRedistributeOfALongArray(t *testing.T) {
	const n = 200_003
	random := rand.New(rand.NewPCG(1, 2))
	workloads, plan := make([]int32, n), make([]int32, n)
	for p := range workloads {
		if p%5 == 0 {
			workloads[p] = 1 + random.Int32N(100)
			plan[p] = random.Int32N(5)
		}
	}
	want := NewArray(workloads)
	if err := want.Redistribute(nil, plan); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 3, 8} {
		m := machine.New(machine.Options{Workers: workers})
		got := NewArray(workloads)
		if err := got.Redistribute(m, plan); err != nil {
			t.Fatal(err)
		}
		m.Close()
		checkSame(t, got, want)
	}
}

// checkSame compares workloads. It compares problems and next tasks only where tasks are left.
func checkSame(t rapid.TB, got, want *Array) {
	t.Helper()
	same := slices.Equal(got.Workload, want.Workload)
	for v := 0; same && v < len(want.Workload); v++ {
		same = want.Workload[v] == 0 || got.Problem[v] == want.Problem[v] && got.Next[v] == want.Next[v]
	}
	if !same {
		n := min(len(got.Workload), len(want.Workload), 50)
		t.Fatalf("got  %v %v %v\nwant %v %v %v", got.Problem[:n], got.Next[:n], got.Workload[:n], want.Problem[:n], want.Next[:n], want.Workload[:n])
	}
}

func TestInvalidPlans(t *testing.T) {
	workloads := []int32{5, 0, 3, 0}
	for name, plan := range map[string][]int32{
		"short":      {1, 0, 0},
		"long":       {1, 0, 0, 0, 0},
		"negative":   {-1, 0, 1, 0},
		"to an idle": {0, 1, 0, 0},
		"too many":   {2, 0, 1, 0},
	} {
		a := NewArray(workloads)
		err := a.Redistribute(nil, plan)
		if !errors.Is(err, ErrPlan) {
			t.Errorf("%s: error %v", name, err)
		}
		if !slices.Equal(a.Workload, workloads) {
			t.Errorf("%s: the array was changed to %v", name, a.Workload)
		}
		stats, err := a.Run(func(int, int, int) {}, LoopOptions{Balance: BalanceFunc(func(int, []int32) Plan {
			return Plan{Helpers: plan}
		})})
		if !errors.Is(err, ErrPlan) || stats.Tasks != 0 {
			t.Errorf("%s: Run returned %+v, %v", name, stats, err)
		}
	}
	if err := CheckPlan(workloads, []int32{1, 0, 1, 0}); err != nil {
		t.Errorf("a valid plan: %v", err)
	}
}

func TestShare(t *testing.T) {
	for workload := range int32(40) {
		for copies := 1; copies < 12; copies++ {
			next, small, large := int32(0), workload, int32(0)
			for c := range copies {
				lo, hi := Share(workload, copies, c)
				if lo != next || hi < lo {
					t.Fatalf("%d tasks, part %d of %d: %d to %d, the part before ends at %d", workload, c, copies, lo, hi, next)
				}
				next, small, large = hi, min(small, hi-lo), max(large, hi-lo)
			}
			if next != workload || large-small > 1 {
				t.Fatalf("%d tasks in %d parts: end %d, sizes %d to %d", workload, copies, next, small, large)
			}
		}
	}
	if lo, hi := Share(1<<31-1, 1<<20, 1<<20-1); hi != 1<<31-1 || hi-lo != 2048 {
		t.Errorf("the last part of the largest workload: %d to %d", lo, hi)
	}
}

func TestTrace(t *testing.T) {
	var steps []trace.Step
	balancer := func(iteration int, workload []int32) (plan Plan) {
		plan.Savings, plan.Cost = float64(slices.Max(workload))/2, 3
		switch iteration {
		case 0:
			plan.Reason = trace.Kept
		case 1:
			plan.Helpers = []int32{2, 0, 0}
		case 2:
			plan.Reason = "too late"
		}
		return plan
	}
	stats, err := NewArray([]int32{7, 1, 1}).Run(func(int, int, int) {}, LoopOptions{
		Balance: BalanceFunc(balancer),
		Trace:   func(s trace.Step) { steps = append(steps, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []trace.Step{
		{Iteration: 0, Iterations: 1, Unbalanced: 1, Processors: 3, Active: 3, Max: 7, Sum: 9, Tasks: 3,
			Savings: 3.5, Cost: 3, Decision: trace.Kept},
		// One iteration after the redistribution replaces five iterations, because six remaining iterations become
		// two.
		{Iteration: 1, Iterations: 1, Unbalanced: 5, Processors: 3, Active: 1, Max: 6, Sum: 6, Tasks: 3,
			Savings: 3, Cost: 3, Decision: trace.Redistributed, Redistributed: true},
		{Iteration: 2, Iterations: 1, Unbalanced: 1, Processors: 3, Active: 3, Max: 1, Sum: 3, Tasks: 3,
			Savings: 0.5, Cost: 3, Decision: "too late"},
	}
	if !slices.Equal(steps, want) {
		t.Errorf("trace %+v\nwant  %+v", steps, want)
	}
	if stats.Iterations != 3 || stats.IterationsNever != 7 || stats.Redistributions != 1 {
		t.Errorf("stats %+v", stats)
	}
	line, err := json.Marshal(steps[1])
	if err != nil || string(line) != `{"iteration":1,"unbalanced":5,"processors":3,"active":1,"max":6,"sum":6,"tasks":3,`+
		`"savings":3,"cost":3,"decision":"redistributed","redistributed":true}` {
		t.Errorf("JSON %s, %v", line, err)
	}
}

func TestNewArrayCopiesAndChecks(t *testing.T) {
	workloads := []int32{2, 1}
	a := NewArray(workloads)
	if _, err := a.Run(func(int, int, int) {}, LoopOptions{}); err != nil || workloads[0] != 2 {
		t.Errorf("the caller's workloads are now %v (%v)", workloads, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative workload did not panic")
		}
	}()
	NewArray([]int32{1, -1})
}

func TestRedistributeAllocatesNothingWhenWarm(t *testing.T) {
	a := NewArray(slices.Repeat([]int32{1 << 20, 0, 0, 0}, 50))
	plan := slices.Repeat([]int32{1, 0, 0, 0}, 50)
	if err := a.Redistribute(nil, plan); err != nil {
		t.Fatal(err)
	}
	clear(plan)
	if n := testing.AllocsPerRun(20, func() { _ = a.Redistribute(nil, plan) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// After one iteration processor 0 has six tasks left, and the two other processors are idle. The idle processors join
// processor 0, so the loop takes three iterations instead of seven.
func ExampleArray_Run() {
	workloads := []int32{7, 1, 1}
	once := func(iteration int, workload []int32) Plan {
		if iteration != 1 {
			return Plan{}
		}
		return Plan{Helpers: []int32{2, 0, 0}, Savings: 4, Cost: 1} // saves 6-2 iterations
	}
	stats, err := NewArray(workloads).Run(func(processor, problem, task int) {
		fmt.Printf("processor %d: task %d of problem %d\n", processor, task, problem)
	}, LoopOptions{Balance: BalanceFunc(once)})
	fmt.Println(stats.Iterations, "iterations instead of", stats.IterationsNever, err)
	// Output:
	// processor 0: task 0 of problem 0
	// processor 1: task 0 of problem 1
	// processor 2: task 0 of problem 2
	// processor 0: task 1 of problem 0
	// processor 1: task 3 of problem 0
	// processor 2: task 5 of problem 0
	// processor 0: task 2 of problem 0
	// processor 1: task 4 of problem 0
	// processor 2: task 6 of problem 0
	// 3 iterations instead of 7 <nil>
}

// TestStop checks that Stop ends a loop before an iteration. Run then returns Stop's error and the counts so far.
func TestStop(t *testing.T) {
	called, enough := 0, errors.New("enough")
	solved := 0
	stats, err := NewArray([]int32{5, 3}).Run(func(_, _, _ int) { solved++ }, LoopOptions{Stop: func() error {
		if called++; called > 2 {
			return enough
		}
		return nil
	}})
	if want := (Stats{Processors: 2, Iterations: 2, IterationsNever: 5, Tasks: 4}); err != enough || stats != want || solved != 4 {
		t.Errorf("%+v, %d tasks solved, %v; want %+v and %v", stats, solved, err, want, enough)
	}
}
