package vp

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/vp/machine"
	"lockstep/vp/trace"
)

// timed is a balancer with fixed plans that records the times reported to it.
type timed struct {
	plans   [][]int32     // plan of each call of Balance
	gather  time.Duration // time that each call of Balance takes
	now     *time.Duration
	looks   int
	reports [][3]float64
}

func (b *timed) Balance(int, []int32) (plan Plan) {
	*b.now += b.gather
	if b.looks++; b.looks <= len(b.plans) {
		plan.Helpers = b.plans[b.looks-1]
	}
	return plan
}
func (b *timed) Next() int { return 0 }
func (b *timed) RanDry()   {}
func (b *timed) Timed(t Timing) {
	b.reports = append(b.reports, [3]float64{t.Gather, t.Redistribution, t.Solution})
}

// Only the phases advance the clock of this test. The time of a check of the workload leaves out the redistribution.
// The time of a redistribution is the time of its copies. Idle processors add nothing to the time of an iteration.
func TestPhasesAreTimed(t *testing.T) {
	now := time.Duration(0)
	b := &timed{plans: [][]int32{nil, {2, 0, 0}}, gather: 3 * time.Second, now: &now}
	a := NewArray([]int32{7, 1, 1})
	a.deliver = func(int, int) { now += 10 * time.Second }
	_, err := a.Run(func(_, _, task int) { now += time.Second }, LoopOptions{
		Balance: b, Clock: func() time.Duration { return now }})
	if err != nil {
		t.Fatal(err)
	}
	// The first iteration solves three tasks, and so does every iteration after the two copies.
	want := [][3]float64{{3, 0, 3}, {3, 20, 3}, {3, 0, 3}}
	if !slices.Equal(b.reports, want) {
		t.Errorf("gather, redistribution, solution: %v, want %v", b.reports, want)
	}
}

// TestInterruptedLooksAreNotTimed checks that no time of a check of the workload is reported if the system took a
// worker off its core between two phases. The time is reported if that happened within a phase, or if the worker's
// thread has changed since.
func TestInterruptedLooksAreNotTimed(t *testing.T) {
	calls := [][2]int{
		{7, 5},         // (thread, preemptions) before the loop
		{7, 5}, {7, 5}, // undisturbed
		{7, 6}, {7, 6}, // one preemption before the second phase
		{7, 6}, {7, 9}, // three preemptions within the third phase
		{7, 9}, {7, 9}, // undisturbed
		{8, 2}, {8, 2}, {8, 2}, // the worker has moved to another thread
	}
	now := time.Duration(0)
	b := &timed{gather: 3 * time.Second, now: &now}
	stats, err := NewArray([]int32{5}).Run(func(_, _, task int) { now += time.Second }, LoopOptions{
		Balance: b, Clock: func() time.Duration { return now },
		Preempted: func() (thread, times int) {
			next := calls[0]
			calls = calls[1:]
			return next[0], next[1]
		}})
	if err != nil {
		t.Fatal(err)
	}
	want := [][3]float64{{3, 0, 1}, {0, 0, 1}, {3, 0, 1}, {3, 0, 1}, {3, 0, 1}}
	if !slices.Equal(b.reports, want) || stats.Interrupted != 1 {
		t.Errorf("gather, redistribution, solution: %v, %d interrupted; want %v", b.reports, stats.Interrupted, want)
	}
}

// TestIdleProcessorsAreNotTimed checks that a processor without tasks does not shorten the time of an iteration.
func TestIdleProcessorsAreNotTimed(t *testing.T) {
	m := machine.New(machine.Options{Workers: 3})
	defer m.Close()
	for _, processors := range []int{3, 6} {
		var now atomic.Int64 // the time in seconds; each reading of the clock adds one
		b := &timed{now: new(time.Duration)}
		_, err := NewArray([]int32{0, 0, 0, 0, 0, 40}).Run(func(int, int, int) {}, LoopOptions{Machine: m, Processors: processors,
			Balance: b, Clock: func() time.Duration { return time.Duration(now.Add(1)) * time.Second }})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range b.reports {
			if r[0] < 1 || r[1] != 0 || r[2] < 1 {
				t.Errorf("%d processors: gather, redistribution, solution %v", processors, r)
			}
		}
	}
}

func drawPlan(t *rapid.T, workload []int32) []int32 {
	if !rapid.Bool().Draw(t, "balance") {
		return nil
	}
	return randomPlan(t, workload)
}

// TestMachineIsTheSpecification checks that a loop on several workers has the same counts as the sequential loop, and
// the same workloads whenever the balancer is called. Every task must be done once.
func TestMachineIsTheSpecification(t *testing.T) {
	machines := []*machine.Machine{nil}
	for _, workers := range []int{1, 2, 3, 5} {
		m := machine.New(machine.Options{Workers: workers})
		t.Cleanup(m.Close)
		machines = append(machines, m)
	}
	rapid.Check(t, func(t *rapid.T) {
		workloads := workloadsOf(t)
		processors := rapid.IntRange(6, 70).Draw(t, "processors")
		var want [][]int32 // workloads that the balancer of the sequential loop gets
		var plans [][]int32
		var wantStats Stats
		var wantSteps []trace.Step
		for _, m := range machines {
			done := newTally(workloads)
			look := 0
			var steps []trace.Step
			balancer := BalanceFunc(func(_ int, workload []int32) Plan {
				if m == nil {
					want, plans = append(want, slices.Clone(workload)), append(plans, drawPlan(t, workload))
				} else if !slices.Equal(workload, want[look]) {
					t.Fatalf("%d workers, look %d: %v, want %v", m.Workers(), look, workload, want[look])
				}
				look++
				return Plan{Helpers: plans[look-1]}
			})
			// Different workers solve different tasks, so the tally has no race.
			stats, err := NewArray(workloads).Run(done.solve, LoopOptions{Balance: balancer, Machine: m, Processors: processors,
				Trace: func(s trace.Step) { steps = append(steps, s) }})
			if err != nil {
				t.Fatal(err)
			}
			done.check(t)
			stats.Interrupted = 0 // depends on the system's scheduler
			if m == nil {
				wantStats, wantSteps = stats, steps
			}
			if stats != wantStats || !slices.Equal(steps, wantSteps) {
				t.Fatalf("%d workers: %+v, want %+v", m.Workers(), stats, wantStats)
			}
		}
	})
}

// TestRacesUnderRandomPlans checks a race, with a worker for every processor and tasks of uneven times. No plan may
// lose a task or repeat one.
func TestRacesUnderRandomPlans(t *testing.T) {
	machines := []*machine.Machine{nil, machine.New(machine.Options{Workers: 2}), machine.New(machine.Options{Workers: 3})}
	t.Cleanup(machines[1].Close)
	t.Cleanup(machines[2].Close)
	rapid.Check(t, func(t *rapid.T) {
		m := machines[rapid.IntRange(1, 2).Draw(t, "machine")]
		workloads := workloadsOf(t)
		for p := range workloads {
			workloads[p] *= rapid.Int32Range(1, 100).Draw(t, "times")
		}
		done := newTally(workloads)
		looks := 0
		stats, err := NewArray(workloads).Run(done.solve, LoopOptions{Machine: m,
			Balance: BalanceFunc(func(_ int, workload []int32) Plan {
				looks++
				return Plan{Helpers: drawPlan(t, workload)}
			})})
		if err != nil {
			t.Fatal(err)
		}
		done.check(t)
		if stats.Tasks != total64(workloads) || stats.Processors != m.Workers() {
			t.Fatalf("%+v", stats)
		}
	})
}

// TestRedistributeHosted checks that if processors host several virtual processors, a redistribution still gives each
// processor its share of the tasks.
func TestRedistributeHosted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workloads := workloadsOf(t)
		a := NewArray(workloads)
		if err := a.spread(rapid.IntRange(1, 9).Draw(t, "processors")); err != nil {
			t.Fatal(err)
		}
		copied := 0
		a.deliver = func(int, int) { copied++ }
		for range 3 {
			before := slices.Clone(a.loads())
			plan := randomPlan(t, before)
			if err := a.Redistribute(nil, plan); err != nil {
				t.Fatal(err)
			}
			want, left := NewArray(before), newTally(workloads)
			if err := want.Redistribute(nil, plan); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.loads(), want.Workload) {
				t.Fatalf("loads %v, want %v", a.loads(), want.Workload)
			}
			for v, n := range a.Workload {
				for task := range n {
					left.solve(0, int(a.Problem[v]), int(a.Next[v]+task))
				}
			}
			left.check(t)
		}
	})
}

// TestWorkersShare checks that if only one of two workers has tasks, the other worker solves some of them.
func TestWorkersShare(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	var solved [2]atomic.Int64
	half := BalanceFunc(func(_ int, workload []int32) (plan Plan) {
		switch {
		case workload[0] == 0 && workload[1] > 1:
			plan.Helpers = []int32{0, 1}
		case workload[1] == 0 && workload[0] > 1:
			plan.Helpers = []int32{1, 0}
		}
		return plan
	})
	stats, err := NewArray([]int32{50_000, 0}).Run(func(processor, _, _ int) {
		// Wait until the other worker has solved a task, even if the system gives it a core late.
		for start := time.Now(); processor == 0 && solved[1].Load() == 0 && time.Since(start) < time.Minute; {
			runtime.Gosched()
		}
		solved[processor].Add(1)
	}, LoopOptions{Machine: m, Balance: half})
	if err != nil || stats.Redistributions == 0 || solved[0].Load() == 0 || solved[1].Load() == 0 || stats.Iterations > 50_000 { // high, because the system may let only one worker run at a time
		t.Errorf("%+v, %v: solved %d and %d", stats, err, solved[0].Load(), solved[1].Load())
	}
}

// TestStopOnAMachine checks that Stop ends the loop on all workers, and Run returns Stop's error.
func TestStopOnAMachine(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	enough := errors.New("enough")
	var solved atomic.Int64
	stats, err := NewArray([]int32{1 << 30, 1 << 30}).Run(func(int, int, int) { solved.Add(1) }, LoopOptions{Machine: m, Stop: func() error {
		if solved.Load() > 1000 {
			return enough
		}
		return nil
	}})
	if err != enough || stats.Tasks != solved.Load() {
		t.Errorf("%v, %+v, %d solved", err, stats, solved.Load())
	}
}

// TestSolveDeliversProblemData checks that a redistribution copies the problem's data with the tasks, for any type of
// data, and no two processors share a copy.
func TestSolveDeliversProblemData(t *testing.T) {
	type problem struct{ square, calls int }
	problems, tasks := make([]problem, 40), make([]int32, 40)
	for p := range problems {
		problems[p].square, tasks[p] = p*p, rand.Int32N(200)
	}
	tasks[5] = 5000
	for _, workers := range []int{0, 1, 2, 4} {
		var m *machine.Machine
		if workers > 0 {
			m = machine.New(machine.Options{Workers: workers})
			defer m.Close()
		}
		var sum atomic.Int64
		spread := BalanceFunc(func(_ int, workload []int32) Plan {
			busiest := slices.Index(workload, slices.Max(workload))
			plan := make([]int32, len(workload))
			for _, left := range workload {
				if left == 0 && plan[busiest] < workload[busiest]-1 {
					plan[busiest]++
				}
			}
			return Plan{Helpers: plan}
		})
		stats, err := Solve(problems, tasks, func(p *problem, task int) {
			p.calls++
			sum.Add(int64(p.square + task))
		}, LoopOptions{Machine: m, Balance: spread})
		want := int64(0)
		for p, n := range tasks {
			want += int64(n)*int64(p*p) + int64(n)*int64(n-1)/2
		}
		if err != nil || sum.Load() != want || stats.Redistributions == 0 && workers != 1 {
			t.Errorf("%d workers: %+v, %v, sum %d, want %d", workers, stats, err, sum.Load(), want)
		}
	}
	if problems[5].calls != 0 {
		t.Error("the caller's problems were written to")
	}
	if _, err := Solve(problems, tasks[1:], nil, LoopOptions{}); err == nil {
		t.Error("39 task counts for 40 problems were accepted")
	}
	if _, err := Solve(problems[:1], []int32{-1}, nil, LoopOptions{}); err == nil {
		t.Error("a negative task count was accepted")
	}
}

// TestSpread checks that Run refuses more tasks than a workload can count. There may be more processors than
// problems.
func TestSpread(t *testing.T) {
	if _, err := NewArray([]int32{1 << 30, 1 << 30, 1 << 30}).Run(func(int, int, int) {}, LoopOptions{Processors: 1}); err == nil {
		t.Error("3*2^30 tasks of one processor were accepted")
	}
	stats, err := NewArray([]int32{4}).Run(func(int, int, int) {}, LoopOptions{Processors: 3})
	if err != nil || stats != (Stats{Processors: 3, Iterations: 4, IterationsNever: 4, Tasks: 4}) {
		t.Errorf("%+v, %v", stats, err)
	}
}

// TestDryWorkerMakesALook checks that a worker without tasks makes the other worker stop, so that the workload is
// checked, long before the other worker has solved its tasks.
func TestDryWorkerMakesALook(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	other := make(chan struct{})
	half := BalanceFunc(func(_ int, workload []int32) (plan Plan) {
		if workload[0] > 1 && workload[1] == 0 {
			plan.Helpers = []int32{1, 0}
		}
		return plan
	})
	stats, err := NewArray([]int32{300, 1}).Run(func(_, problem, task int) {
		switch {
		case problem == 1:
			close(other)
		case task == 0:
			<-other
		default:
			time.Sleep(time.Millisecond)
		}
	}, LoopOptions{Machine: m, Balance: half})
	if err != nil || stats.Redistributions == 0 {
		t.Errorf("%+v, %v: nothing was shared", stats, err)
	}
}

// TestShortTasksOfOthersDoNotCount checks that quick tasks of one worker do not count toward the estimate for slow
// tasks of the other worker. They must not count when the first worker has no tasks left, nor after it has taken over
// slow tasks. By the clock of this test a quick task takes a second, and a slow task takes a thousand seconds.
func TestShortTasksOfOthersDoNotCount(t *testing.T) {
	const quick, slow = 20, 60
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	var now atomic.Int64
	begun, done := make(chan struct{}), make(chan struct{})
	b := &timed{plans: [][]int32{nil, {0, 1}}, now: new(time.Duration)}
	stats, err := NewArray([]int32{quick, slow}).Run(func(_, problem, task int) {
		switch {
		case problem == 0:
			<-begun
			if now.Add(1); task == quick-1 {
				close(done)
			}
			return
		case task == 0:
			close(begun)
			<-done
		}
		now.Add(1000)
	}, LoopOptions{Machine: m, Balance: b, Clock: func() time.Duration { return time.Duration(now.Load()) * time.Second }})
	if err != nil || stats.Redistributions != 1 || len(b.reports) < 2 {
		t.Fatalf("%+v, %v, %d reports", stats, err, len(b.reports))
	}
	for i, r := range b.reports {
		if r[2] < 1000 {
			t.Errorf("report %d: %v seconds an iteration, want 1000 or more", i, r[2])
		}
	}
}
