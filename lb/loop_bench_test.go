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

// workloadOf is a loop of the benchmark: problems with tasks whose times are even or not.
type workloadOf struct {
	name   string
	tasks  []int32
	solve  func(problem *int, first, end int)
	answer func() int // of all tasks since it was last asked
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
	busy := func(problem *int, first, end int) { spun.Add(int64(mandelbrot(0, 0, 16_000*(end-first)))) }
	spins := func() int { return int(spun.Swap(0)) }
	return []workloadOf{
		// The upper part lies outside the set.
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

// BenchmarkLoop reports milliseconds a loop, medians: of its tasks alone, one after the
// other, on one worker, on two that never move work and on two that do, all in turn. Ideal is
// the time of the tasks over two workers. It checks that every task is done once.
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
	var tasks, loss []float64
	var times [3][]float64
	var stats vp.Stats
	for range b.N {
		start := time.Now()
		for p := range problems {
			w.solve(&problems[p], 0, int(w.tasks[p]))
		}
		tasks = append(tasks, time.Since(start).Seconds()*1e3)
		want := w.answer()
		for i, opts := range []vp.LoopOptions{{Machine: one}, {Machine: two}, {Machine: two, Balance: cycle}} {
			start := time.Now()
			s, err := vp.SolveRanges(problems, w.tasks, w.solve, opts)
			if err != nil {
				b.Fatal(err)
			}
			times[i], stats = append(times[i], time.Since(start).Seconds()*1e3), s
			if got := w.answer(); got != want {
				b.Fatalf("way %d: the tasks give %d, want %d", i, got, want)
			}
		}
		last := len(tasks) - 1
		loss = append(loss, 100*(times[2][last]/times[1][last]-1))
	}
	alone, never, cost, ideal := median(times[0]), median(times[1]), median(times[2]), median(tasks)/2
	b.ReportMetric(ideal, "ms/ideal")
	b.ReportMetric(alone, "ms/one")
	b.ReportMetric(never, "ms/never")
	b.ReportMetric(cost, "ms/cost")
	b.ReportMetric(alone/never, "speedup/never")
	b.ReportMetric(alone/cost, "speedup/cost")
	b.ReportMetric(100*(cost/ideal-1), "%above-ideal")
	b.ReportMetric(median(loss), "%cost-above-never")
	b.ReportMetric(float64(stats.Redistributions), "redistributions")
	b.ReportMetric(model.Estimate(), "estimate")
	b.ReportMetric(float64(model.Underestimated()), "underestimated")
	b.ReportMetric(0, "ns/op")
}

func median(times []float64) float64 {
	slices.Sort(times)
	return times[len(times)/2]
}
