package lb_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// mandelbrot counts the iterations of z*z+c until z leaves the circle of radius 2.
func mandelbrot(x, y float64, limit int) (n int) {
	for a, b := x, y; n < limit && a*a+b*b < 4; n++ {
		a, b = a*a-b*b+x, 2*a*b+y
	}
	return n
}

// workloadOf is one loop of the benchmark. The tasks of its problems take equal or different times.
type workloadOf struct {
	name   string
	tasks  []int32
	solve  func(problem *int, first, end int)
	answer func() int // returns the answer of all tasks since its last call
}

func benchmarkLoops() []workloadOf {
	const width, height = 600, 400
	counts := make([]uint16, width*height)
	sum := func() (all int) {
		for _, n := range counts {
			all += int(n)
		}
		clear(counts)
		return all
	}
	var spun atomic.Int64
	// A task takes about 7 microseconds. Its point lies inside the set, so every task runs to the limit. The point is
	// not a constant, because the compiler would then drop the arithmetic.
	busy := func(problem *int, first, end int) {
		spun.Add(int64(mandelbrot(-0.1-1e-3*float64(*problem), 0.1, 2500*(end-first))))
	}
	spins := func() int { return int(spun.Swap(0)) }
	return []workloadOf{
		// The uppermost rows lie outside the set, so their tasks are short.
		{"mandelbrot", slices.Repeat([]int32{width}, height), func(row *int, first, end int) {
			y := 1.6 - 2*float64(*row)/height
			for x := first; x < end; x++ {
				counts[*row*width+x] += uint16(mandelbrot(-2+2.6*float64(x)/width, y, 500))
			}
		}, sum},
		{"readme", []int32{4000, 3, 5, 1, 0, 2, 4, 3}, busy, spins},
		{"even", slices.Repeat([]int32{500}, 8), busy, spins},
	}
}

// BenchmarkLoop reports median times of a loop in milliseconds. Each turn runs the loop four times: by one worker on
// each of two cores, by two workers that never move work, and by two workers that balance. On shared hardware one
// virtual core can be half as fast as the other. So the ideal time assumes that each core works at its own speed, and
// speed-ups are relative to twice the ideal time, the time of one worker on a core of mean speed. Ratios are medians
// over the turns. The benchmark checks that every task is done once.
func BenchmarkLoop(b *testing.B) {
	one, two := machine.New(machine.Options{Workers: 1}), machine.New(machine.Options{Workers: 2})
	defer one.Close()
	defer two.Close()
	for _, w := range benchmarkLoops() {
		b.Run("loop="+w.name, func(b *testing.B) { w.bench(b, one, two) })
	}
}

func (w *workloadOf) bench(b *testing.B, one, two *machine.Machine) {
	problems := make([]int, len(w.tasks))
	for p := range problems {
		problems[p] = p
	}
	model := lb.NewCostModel(lb.DefaultConstant)
	cycle := lb.NewCycle(lb.Options{Cost: model, Calibrate: true})
	var stats vp.Stats
	interrupted := 0
	run := func(opts vp.LoopOptions) {
		var err error
		if stats, err = vp.SolveRanges(problems, w.tasks, w.solve, opts); err != nil {
			b.Error(err)
		}
		interrupted += stats.Interrupted
	}
	alone := func(on int) {
		two.Run(func(worker int) {
			if worker == on {
				run(vp.LoopOptions{Machine: one})
			}
		})
	}
	want := 0
	took := func(way func()) float64 {
		start := time.Now()
		way()
		ms := time.Since(start).Seconds() * 1e3
		got := w.answer()
		if want == 0 {
			want = got
		}
		if got != want {
			b.Fatalf("the tasks give %d, want %d", got, want)
		}
		return ms
	}
	times := turns{}
	for range b.N {
		times.add(
			took(func() { alone(0) }), took(func() { alone(1) }),
			took(func() { run(vp.LoopOptions{Machine: two}) }),
			took(func() { run(vp.LoopOptions{Machine: two, Balance: cycle}) }))
	}
	times.report(b)
	b.ReportMetric(float64(stats.Redistributions), "redistributions")
	b.ReportMetric(model.Estimate(), "estimate")
	b.ReportMetric(float64(model.Underestimated()), "underestimated")
	b.ReportMetric(float64(interrupted), "interrupted")
	b.ReportMetric(0, "ns/op")
}

// The type turns holds the figures of every turn of a benchmark, by unit.
type turns map[string][]float64

// The method add computes the figures of a turn from four times in milliseconds: of the first core, of the second core,
// of both cores without balancing, and of both with balancing.
func (t turns) add(first, second, never, cost float64) {
	ideal := 1 / (1/first + 1/second)
	for unit, v := range map[string]float64{
		"ms/first-core": first, "ms/second-core": second, "ms/ideal": ideal, "ms/never": never, "ms/cost": cost,
		"speedup/never": 2 * ideal / never, "speedup/cost": 2 * ideal / cost, "%above-ideal": 100 * (cost/ideal - 1),
		"%cost-above-never": 100 * (cost/never - 1),
	} {
		t[unit] = append(t[unit], v)
	}
}

func (t turns) report(b *testing.B) {
	for unit, figures := range t {
		slices.Sort(figures)
		b.ReportMetric(figures[len(figures)/2], unit)
	}
}
