package vp

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/vp/machine"
)

// virtual is a race of two workers in virtual time. Each worker has its own clock, and the worker whose clock is behind
// solves the next tasks. For all other steps it calls the methods of loop.
type virtual struct {
	*loop
	cost  func(problem, task int) time.Duration
	phase func() time.Duration // returns the random time of a check of the workload or of a redistribution
	now   time.Duration        // clock of the caller
}

// run returns the virtual time of a loop.
func (v *virtual) run(t *testing.T, tasks []int32, balance Balancer) time.Duration {
	m := machine.New(machine.Options{Workers: 2})
	defer m.Close()
	array := NewArray(tasks)
	if err := array.spread(2); err != nil {
		t.Fatal(err)
	}
	v.now = 0
	v.loop = newLoop(array, nil, LoopOptions{Machine: m, Balance: balance, Clock: func() time.Duration { return v.now }})
	all := summarize(array.loads()).sum
	for v.stats.Tasks < all {
		looked := v.stats.Redistributions
		if balance != nil {
			v.now += v.phase() // time from the last task to the decision
		}
		if err := v.rebalance(); err != nil {
			t.Fatal(err)
		}
		if v.stats.Redistributions > looked {
			v.now += v.phase()
		}
		v.race()
		v.addProgress()
		v.report()
	}
	return v.now
}

// race lets both workers solve their tasks as loop.race does.
func (v *virtual) race() {
	var froms, calls, before [2]int32
	var running [2]bool
	for i := range running {
		w := &v.workers[i]
		w.most, w.tasks, w.began, w.ended = 0, 0, v.now, v.now
		froms[i], running[i] = int32(i*v.array.hosted), v.array.loads()[i] > 0
		if !running[i] {
			w.began, w.ended = 0, 0
		}
	}
	times, dry := [2]time.Duration{v.now, v.now}, !(running[0] && running[1])
	v.now = 0
	for running[0] || running[1] {
		i := 0
		if !running[0] || running[1] && times[1] < times[0] {
			i = 1
		}
		w := &v.workers[i]
		from, done := v.array.advance(i, int(froms[i]), w.tasksPerCheck, func(_, virtual, first, end int) {
			for task := first; task < end; task++ {
				times[i] += v.cost(int(v.array.Problem[virtual]), task)
			}
		})
		froms[i], w.most = int32(from), w.most+done
		left := v.array.loads()[i] > 0
		if calls[i]++; int(calls[i]) >= w.checksPerClock || !left || dry {
			w.addToWindow(times[i]-w.ended, w.most-before[i])
			w.adaptGrain(times[i] - w.ended)
			w.ended, before[i], calls[i] = times[i], w.most, 0
		}
		if !left || dry {
			running[i], w.tasks = false, int64(w.most)
			dry = dry || v.opts.Balance != nil
			v.now = max(v.now, times[i])
		}
	}
}

// virtualLoop is one of the loops that the benchmark in package lb runs, with the times of its tasks.
type virtualLoop struct {
	name  string
	tasks []int32
	cost  func(problem, task int) time.Duration
}

func virtualLoops() []virtualLoop {
	const width, height = 600, 400
	pixels := make([]time.Duration, width*height)
	for i := range pixels {
		x, y := -2+2.6*float64(i%width)/width, 1.6-2*float64(i/width)/height
		n := 0
		for a, b := x, y; n < 500 && a*a+b*b < 4; n++ {
			a, b = a*a-b*b+x, 2*a*b+y
		}
		pixels[i] = time.Duration(2+2*n) * time.Nanosecond
	}
	pixel := func(row, column int) time.Duration { return pixels[row*width+column] }
	busy := func(int, int) time.Duration { return 5 * time.Microsecond }
	return []virtualLoop{
		{"mandelbrot", slices.Repeat([]int32{width}, height), pixel},
		{"readme", []int32{4000, 3, 5, 1, 0, 2, 4, 3}, busy},
		{"even", slices.Repeat([]int32{500}, 8), busy},
	}
}

// TestTwoWorkersInVirtualTime checks that two workers with balancing are at least 1.9 times as fast as one, and at most
// a tenth slower than ideal. Evenly divided work loses at most a fiftieth. Each check of the workload or redistribution
// takes 5 to 60 microseconds, mostly less than 20. If the estimate used the shortest of all windows, however short, the
// Mandelbrot set would gain only a factor of 1.8.
func TestTwoWorkersInVirtualTime(t *testing.T) {
	for _, c := range virtualLoops() {
		r := rand.New(rand.NewPCG(12, 1))
		v := &virtual{cost: c.cost, phase: func() time.Duration {
			return 5*time.Microsecond + time.Duration(min(r.ExpFloat64()*8, 55)*1e3)
		}}
		one := time.Duration(0)
		for p, n := range c.tasks {
			for task := range n {
				one += c.cost(p, int(task))
			}
		}
		never := v.run(t, c.tasks, nil)
		model := lb.NewCostModel(lb.DefaultConstant)
		cycle := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
		looks, redistributions := 0, 0
		for n := range 30 {
			took := v.run(t, c.tasks, cycle)
			looks, redistributions = looks+cycle.Counts().Looks, redistributions+v.stats.Redistributions
			gain, above := one.Seconds()/took.Seconds(), 2*took.Seconds()/one.Seconds()-1
			if n < 2 {
				continue // the first two redistributions happen whatever they cost
			}
			if gain < 1.9 || above > 0.1 {
				t.Errorf("%s, loop %d: %v, one worker %v: %.3f times as fast, %.1f %% above ideal; estimate %.0f", c.name, n, took, one, gain, 100*above, model.Estimate())
			}
			if c.name == "even" && took.Seconds() > 1.02*never.Seconds() {
				t.Errorf("even work: %v, without balancing %v", took, never)
			}
		}
		t.Logf("%s: %d looks, %d redistributions, %d underestimated; one worker %v, never %v, last loop %v", c.name, looks, redistributions, model.Underestimated(), one, never, v.now)
	}
}
