package vp

import (
	"math"
	"slices"
	"testing"
	"time"

	"lockstep/vp/machine"
)

// In every iteration each processor does one task, of the first of its virtual processors
// that has any.
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

// rarely is due every 20 iterations.
type rarely struct {
	now   int
	asked []int
}

func (r *rarely) Balance(iteration int, _ []int32) (plan []int32, savings, cost float64, reason string) {
	r.now, r.asked = iteration, append(r.asked, iteration)
	return nil, 0, 0, ""
}
func (r *rarely) Next() int                  { return r.now + 20 }
func (r *rarely) RanDry()                    {}
func (r *rarely) Timed(gather, _, _ float64) {}

// Workers do not wait for each other between two looks.
func TestWorkersRunToTheNextLook(t *testing.T) {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	r := &rarely{}
	_, err := NewArray([]int32{70, 3, 50, 1}).Run(func(int, int, int) {}, LoopOptions{Balance: r, Machine: m, Processors: 4})
	if want := []int{0, 20, 40, 60}; err != nil || !slices.Equal(r.asked, want) {
		t.Errorf("asked in iterations %v, want %v; %v", r.asked, want, err)
	}
}

// The clock is read about every clockEvery, whatever tasks take; at first more often is
// looked at the others, then more tasks are done at once.
func TestRegrain(t *testing.T) {
	for _, c := range []struct {
		grain     int32
		calls     int
		took      time.Duration
		wantGrain int32
		wantCalls int
	}{
		{1, 1, clockEvery / 4, 1, 2},
		{1, looksPerClock, clockEvery / 4, 2, looksPerClock},
		{8, looksPerClock, clockEvery, 8, looksPerClock},
		{8, looksPerClock, 3 * clockEvery, 4, looksPerClock},
		{1, looksPerClock, 3 * clockEvery, 1, looksPerClock / 2},
		{1, 1, 3 * clockEvery, 1, 1},
		{1 << 20, looksPerClock, 0, 1 << 20, looksPerClock},
	} {
		p := progress{grain: c.grain, calls: c.calls}
		if p.regrain(c.took); p.grain != c.wantGrain || p.calls != c.wantCalls {
			t.Errorf("%+v: %d tasks %d times", c, p.grain, p.calls)
		}
	}
	if got := perTask(0, 0); !math.IsInf(got, 1) {
		t.Errorf("the time of no task is %v", got)
	}
}
