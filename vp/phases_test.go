package vp

import (
	"math"
	"slices"
	"testing"
	"time"

	"lockstep/vp/machine"
)

// TestEveryProcessorDoesOneTaskAnIteration checks that in every iteration each processor does one task of its first
// virtual processor that has tasks left.
func TestEveryProcessorDoesOneTaskAnIteration(t *testing.T) {
	var got [][3]int
	stats, err := NewArray([]int32{2, 1, 0, 3}).Run(func(processor, problem, task int) {
		got = append(got, [3]int{processor, problem, task})
	}, LoopOptions{Processors: 2})
	want := [][3]int{{0, 0, 0}, {1, 3, 0}, {0, 0, 1}, {1, 3, 1}, {0, 1, 0}, {1, 3, 2}}
	if err != nil || !slices.Equal(got, want) || stats.Iterations != 3 {
		t.Errorf("tasks %v in %d iterations, want %v; %v", got, stats.Iterations, want, err)
	}
}

// rarely is a balancer that checks the workload every 20 iterations.
type rarely struct {
	now   int
	asked []int
}

func (r *rarely) Balance(iteration int, _ []int32) Plan {
	r.now, r.asked = iteration, append(r.asked, iteration)
	return Plan{}
}
func (r *rarely) Next() int    { return r.now + 20 }
func (r *rarely) RanDry()      {}
func (r *rarely) Timed(Timing) {}

// TestWorkersRunToTheNextLook checks that workers do not wait for each other between two checks of the workload.
func TestWorkersRunToTheNextLook(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	r := &rarely{}
	_, err := NewArray([]int32{70, 3, 50, 1}).Run(func(int, int, int) {}, LoopOptions{Balance: r, Machine: m, Processors: 4})
	if want := []int{0, 20, 40, 60}; err != nil || !slices.Equal(r.asked, want) {
		t.Errorf("asked in iterations %v, want %v; %v", r.asked, want, err)
	}
}

// TestRegrain checks that the clock is read about every clockEvery, however long tasks take. While tasks are short,
// the number of checks between two readings grows first, and then the number of tasks between two checks.
func TestRegrain(t *testing.T) {
	for _, c := range []struct {
		grain     int32
		calls     int
		took      time.Duration
		wantGrain int32
		wantCalls int
	}{
		{1, 1, clockEvery / 4, 1, 2},
		{1, checksPerClock, clockEvery / 4, 2, checksPerClock},
		{8, checksPerClock, clockEvery, 8, checksPerClock},
		{8, checksPerClock, 3 * clockEvery, 4, checksPerClock},
		{1, checksPerClock, 3 * clockEvery, 1, checksPerClock / 2},
		{1, 1, 3 * clockEvery, 1, 1},
		{1 << 20, checksPerClock, 0, 1 << 20, checksPerClock},
	} {
		p := progress{tasksPerCheck: c.grain, checksPerClock: c.calls}
		if p.adaptGrain(c.took); p.tasksPerCheck != c.wantGrain || p.checksPerClock != c.wantCalls {
			t.Errorf("%+v: %d tasks %d times", c, p.tasksPerCheck, p.checksPerClock)
		}
	}
	if got := perTask(0, 0); !math.IsInf(got, 1) {
		t.Errorf("the time of no task is %v", got)
	}
}

// TestLeftIsOfTheWorkersWithTasks checks the iteration time in a race of two workers. It comes from the worker that has
// tasks left, and from windows of at least windowLeast since the last redistribution.
func TestLeftIsOfTheWorkersWithTasks(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	l := newLoop(NewArray([]int32{0, 9}), nil, LoopOptions{Machine: m})
	want := func(what string, seconds float64) {
		t.Helper()
		if got := l.leftIterationTime(); math.Abs(got-seconds) > 1e-15 && got != seconds {
			t.Errorf("%s: %v seconds a task, want %v", what, got, seconds)
		}
	}
	idle, busy := &l.workers[0], &l.workers[1]
	want("no task", math.Inf(1))
	idle.addToWindow(windowLeast, 1000)
	want("nothing done by the busy one", windowLeast.Seconds()/1000)
	l.shortest = math.Inf(1)
	busy.addToWindow(windowLeast/4, 1)
	want("a window has begun", windowLeast.Seconds()/4)
	busy.addToWindow(windowLeast/4, 100) // still shorter than a window
	want("a window goes on", windowLeast.Seconds()/2/101)
	busy.addToWindow(windowLeast/2, 1)
	want("a window", windowLeast.Seconds()/102)
	busy.addToWindow(2*windowLeast, 2)
	want("a longer one", windowLeast.Seconds()/102)
	busy.addToWindow(windowLeast/2, 1000)
	want("and a part", windowLeast.Seconds()/102)
	l.newWindows()
	want("redistributed", windowLeast.Seconds()/102)
	busy.addToWindow(windowLeast/2, 1000)
	want("redistributed, a part of a window", windowLeast.Seconds()/102)
	busy.addToWindow(windowLeast/2, 1000)
	want("redistributed, a window", windowLeast.Seconds()/2000)
	idle.addToWindow(windowLeast, 5000)
	want("of the other one", windowLeast.Seconds()/2000)
	l.array.Workload[0] = 1
	want("both have tasks", windowLeast.Seconds()/5000)
	clear(l.array.Workload)
	l.newWindows()
	idle.addToWindow(windowLeast, 3000)
	want("nobody has", windowLeast.Seconds()/3000)
}

// TestLeftInLockstep checks that in lockstep the shortest of all iterations counts, whichever worker did it.
func TestLeftInLockstep(t *testing.T) {
	l := newLoop(NewArray([]int32{0, 9}), nil, LoopOptions{})
	for _, c := range [][2]float64{{5, 5}, {3, 3}, {4, 3}} {
		l.workers[0].shortest = c[0]
		if l.newWindows(); l.leftIterationTime() != c[1] {
			t.Errorf("%v seconds an iteration, want %v", l.leftIterationTime(), c[1])
		}
	}
}

// TestWorkersWithoutTasksAreNotTimed checks that a worker without tasks neither delays the end of a redistribution
// nor starts the next check, and its interruptions do not count.
func TestWorkersWithoutTasksAreNotTimed(t *testing.T) {
	b := &timed{now: new(time.Duration)}
	l := newLoop(NewArray([]int32{5, 0}), nil, LoopOptions{Balance: b})
	l.workers = []progress{
		{tasks: 5, began: 3 * time.Second, ended: 13 * time.Second, shortest: 2},
		{began: 7 * time.Second, ended: 90 * time.Second, shortest: math.Inf(1), interrupted: true},
	}
	l.looked, l.step.Redistributed, l.stopped, l.decided = true, true, 0, time.Second
	l.report()
	if want := [][3]float64{{1, 2, 2}}; !slices.Equal(b.reports, want) || l.stopped != 13*time.Second || l.stats.Interrupted != 0 {
		t.Errorf("gather, redistribution, solution %v, want %v; stopped at %v, %d interrupted", b.reports, want, l.stopped, l.stats.Interrupted)
	}
}
