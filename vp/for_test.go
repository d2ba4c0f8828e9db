package vp

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"lockstep/vp/machine"
)

// TestForDoesEveryTaskOnce checks that a For does every task once, on any number of workers and whatever plans the
// balancer makes. Without a machine it does them in order.
func TestForDoesEveryTaskOnce(t *testing.T) {
	var machines [4]*machine.Machine
	for w := 1; w < len(machines); w++ {
		machines[w] = machine.New(machine.Options{Workers: w})
		t.Cleanup(machines[w].Close)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := machines[rapid.IntRange(0, 3).Draw(t, "workers")]
		f := For{Machine: m}
		if rapid.Bool().Draw(t, "balance") {
			f.Balance = BalanceFunc(func(_ int, workload []int32) Plan { return Plan{Helpers: drawPlan(t, workload)} })
		}
		tasks := 0
		for range rapid.IntRange(1, 3).Draw(t, "loops") {
			n := rapid.IntRange(-1, 200).Draw(t, "tasks")
			done := make([]atomic.Int32, max(n, 0))
			var order []int // without a machine, tasks run on the caller in order
			f.Run(n, func(task int) {
				done[task].Add(1)
				if m == nil {
					order = append(order, task)
				}
			})
			for task := range done {
				if got := done[task].Load(); got != 1 {
					t.Fatalf("task %d of %d was done %d times", task, n, got)
				}
			}
			if m == nil && !slices.IsSorted(order) {
				t.Fatalf("order %v", order)
			}
			tasks += max(n, 0)
		}
		if f.Stats.Tasks != int64(tasks) {
			t.Fatalf("%+v, want %d tasks", f.Stats, tasks)
		}
	})
}

// TestForSharesAndMoves checks that every worker begins with the same number of consecutive tasks. A worker without
// tasks gets half of the other worker's tasks.
func TestForSharesAndMoves(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	half := BalanceFunc(func(_ int, workload []int32) (plan Plan) {
		if workload[0] == 0 && workload[1] > 1 {
			plan.Helpers = []int32{0, 1}
		}
		return plan
	})
	f := For{Machine: m, Balance: half}
	first := make(chan struct{})
	var left atomic.Int32
	f.Run(100, func(task int) {
		switch {
		case task < 50:
			if left.Add(1) == 50 {
				close(first)
			}
		default:
			<-first // the second worker must not finish a task before the first one has no tasks left
		}
	})
	if f.Stats.Redistributions == 0 || f.Stats.Processors != 2 || f.Stats.IterationsNever != 50 {
		t.Errorf("%+v", f.Stats)
	}
	before := f.Stats
	f.Run(4, func(int) {})
	if f.Stats.Tasks != 104 || f.Stats.IterationsNever != before.IterationsNever+2 || f.Stats.Iterations <= before.Iterations {
		t.Errorf("%+v after a second loop, %+v before it", f.Stats, before)
	}
}

// TestForCountsProcessors checks that Stats.Processors is the largest number of processors that any loop used.
func TestForCountsProcessors(t *testing.T) {
	m := machine.New(machine.Options{Workers: 3})
	defer m.Close()
	f := For{Machine: m}
	for _, c := range []struct{ tasks, processors int }{{1, 1}, {2, 2}, {1, 2}, {9, 3}, {2, 3}} {
		if f.Run(c.tasks, func(int) {}); f.Stats.Processors != c.processors {
			t.Errorf("%d tasks: %d processors, want %d", c.tasks, f.Stats.Processors, c.processors)
		}
	}
}

// TestForPanics checks that For panics with a clear message in two cases: a task starts a loop on the same machine, or
// the plan does not fit. The machine must stay usable.
func TestForPanics(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	message := func(run func()) (text string) {
		defer func() { text = fmt.Sprint(recover()) }()
		run()
		return ""
	}
	outer := For{Machine: m}
	if got := message(func() { outer.Run(2, func(int) { outer.Run(2, func(int) {}) }) }); !strings.Contains(got, ErrNested.Error()) {
		t.Errorf("nested: %q", got)
	}
	wrong := For{Machine: m, Balance: BalanceFunc(func(int, []int32) Plan { return Plan{Helpers: []int32{9}} })}
	if got := message(func() { wrong.Run(2, func(int) {}) }); !strings.Contains(got, ErrPlan.Error()) {
		t.Errorf("plan: %q", got)
	}
	if got := message(func() { outer.Run(2, func(int) { panic("a task") }) }); !strings.Contains(got, "a task") {
		t.Errorf("task: %q", got)
	}
	solved(t, m)
}
