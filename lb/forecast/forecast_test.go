package forecast_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
	"lockstep/lb/forecast"
	"lockstep/vp"
)

// draw returns random workloads up to a random largest workload. Many of them are equal, small or 0.
func draw(t *rapid.T, largest int32) []int32 {
	top := rapid.Int32Range(2, largest).Draw(t, "top")
	value := rapid.OneOf(rapid.Just(top), rapid.Int32Range(0, top), rapid.Int32Range(0, min(top, 70)),
		rapid.Int32Range(0, min(top, 8)), rapid.Just(int32(0)))
	return rapid.SliceOfN(value, 2, 40).Draw(t, "workload")
}

// The function ends returns the lengths of a loop that redistributes once, before iteration d, for every d.
func ends(workload []int32) (ends []int) {
	left, planner, plan := slices.Clone(workload), new(lb.Minimax), make([]int32, len(workload))
	for d := range int(lb.Gather(workload).Max) {
		ends = append(ends, d+int(planner.Plan(plan, left, lb.Gather(left))))
		for p := range left {
			left[p] = max(left[p]-1, 0)
		}
	}
	return ends
}

// defined computes the result of Wait by its definition: it makes a plan before every iteration.
func defined(workload []int32, threshold float64) int {
	s, ends := lb.Gather(workload), ends(workload)
	first := slices.IndexFunc(ends, func(end int) bool { return float64(int(s.Max)-end) > threshold })
	if first < 0 {
		return lb.NoLook
	}
	slots := s.Sum // least number of processor-iterations, whenever the loop redistributes
	for _, w := range workload {
		slots += int64(max(first-int(w), 0))
	}
	least := (slots + int64(len(workload)) - 1) / int64(len(workload))
	best := first
	for d := first + 1; d < len(ends); d++ {
		if ends[d] < ends[best] && float64(ends[d]) <= float64(least)+math.Floor(threshold) {
			best = d
		}
	}
	return best
}

func wait(h *forecast.Histogram, workload []int32, threshold float64) int {
	return h.Wait(workload, lb.Gather(workload), threshold)
}

func TestWaitIsTheBestIteration(t *testing.T) {
	var reused forecast.Histogram
	put := 0
	rapid.Check(t, func(t *rapid.T) {
		workload := draw(t, rapid.SampledFrom([]int32{9, 70, 1000}).Draw(t, "largest"))
		bound := float64(lb.Gather(workload).SavingsBound())
		if bound == 0 {
			return
		}
		threshold := rapid.OneOf(rapid.Float64Range(0, bound), rapid.Float64Range(0, min(bound, 10))).Draw(t, "threshold")
		want := defined(workload, threshold)
		if got := wait(&reused, workload, threshold); got != want {
			t.Fatalf("%v, threshold %v: %d, want %d", workload, threshold, got, want)
		}
		if want > 0 && want != lb.NoLook {
			put++
		}
	})
	if put == 0 {
		t.Error("every answer was now or never")
	}
}

func TestWaitKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		workload  []int32
		threshold float64
		want      int
	}{
		// The four processors near the top need four idle helpers. The fourth smallest workload is 20, so no earlier
		// iteration gains anything.
		{[]int32{50, 50, 49, 48, 3, 7, 7, 20, 30, 31}, 4, 20},
		{[]int32{900, 65}, 4, 65},
		{[]int32{8, 0}, 3, 0},
		{[]int32{8, 0}, 4, lb.NoLook},
		// The savings fall from 5 to 4 before a second processor is idle.
		{[]int32{10, 10, 0, 1, 8, 8, 8, 8}, 4, lb.NoLook},
		// One processor is idle now and could halve the 8 tasks. After two iterations eleven are idle, and the loop
		// ends after the third.
		{[]int32{8, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 3, 2},
		// A redistribution now ends the loop after 50 iterations, and one in iteration 15 after 44. But two
		// redistributions might end it after ceil(230/6) = 39, which is more than 2 iterations earlier.
		{[]int32{100, 100, 0, 0, 15, 15}, 2, 0},
		{[]int32{100, 100, 0, 0, 15, 15}, 5, 15},
		// No redistribution before iteration 12 is worthwhile, and until then idle processors could have done nine
		// tasks.
		{[]int32{23, 13, 24, 12, 3, 12}, 1, 13},
	} {
		if got := wait(new(forecast.Histogram), c.workload, c.threshold); got != c.want {
			t.Errorf("%v, threshold %v: %d, want %d", c.workload, c.threshold, got, c.want)
		}
	}
}

// TestUnits checks that if the average exceeds a quarter of the buckets, the histogram equals the exact histogram of
// the workloads in larger units.
func TestUnits(t *testing.T) {
	coarser := 0
	rapid.Check(t, func(t *rapid.T) {
		workload := draw(t, 1000)
		s := lb.Gather(workload)
		coarse := forecast.Histogram{Buckets: rapid.IntRange(8, 300).Draw(t, "buckets")}
		unit := max((4*int(s.Balanced())+coarse.Buckets-1)/coarse.Buckets, 1)
		rounded := make([]int32, len(workload))
		for p, w := range workload {
			rounded[p] = int32((int(w) + unit - 1) / unit)
		}
		if unit == 1 || int(slices.Max(rounded)) > coarse.Buckets {
			return
		}
		coarser++
		threshold := rapid.Float64Range(0, float64(s.Max)).Draw(t, "threshold")
		want := defined(rounded, threshold/float64(unit))
		if want != lb.NoLook {
			want *= unit
		}
		if got := wait(&coarse, workload, threshold); got != want {
			t.Fatalf("%v, units of %d, threshold %v: %d, want %d", workload, unit, threshold, got, want)
		}
	})
	if coarser == 0 {
		t.Error("all histograms were exact")
	}
}

// TestTail uses a histogram that knows only the number and the sum of the workloads in the tail. The loop, with the
// cost of its redistributions, takes hardly longer than with an exact histogram.
func TestTail(t *testing.T) {
	tails := 0
	rapid.Check(t, func(t *rapid.T) {
		workload := sparse(300, rapid.IntRange(0, 1000).Draw(t, "seed"))
		s := lb.Gather(workload)
		few := counted{Histogram: forecast.Histogram{Buckets: 4 * int(s.Balanced())}}
		few.Wait(workload, s, 0)
		if int(s.Max) <= few.Buckets {
			return
		}
		tails++
		if few.VectorLen() != few.Buckets+3 {
			t.Fatalf("%d words, want %d workloads, a number and a sum", few.VectorLen(), few.Buckets+1)
		}
		cost := rapid.Float64Range(1, 20).Draw(t, "cost")
		exact, _ := loop(t, workload, cost, new(forecast.Histogram))
		got, _ := loop(t, workload, cost, &few)
		if took, least := took(got, cost), took(exact, cost); took > 1.25*least+cost {
			t.Fatalf("cost %v: %v, with all workloads known %v", cost, took, least)
		}
	})
	if tails == 0 {
		t.Error("all histograms were exact")
	}
	var exact forecast.Histogram
	if wait(&exact, []int32{40, 3, 0}, 3); exact.VectorLen() != 41 {
		t.Errorf("%d words, want those of 0 to 40 tasks", exact.VectorLen())
	}
}

// took returns the length of a loop in iterations, including the cost of its redistributions.
func took(s vp.Stats, cost float64) float64 {
	return float64(s.Iterations) + cost*float64(s.Redistributions)
}

// costOf returns a model in which a redistribution costs the given number of iterations.
func costOf(t rapid.TB, iterations float64) *lb.CostModel {
	model := lb.NewCostModel(0)
	if err := model.Calibrate([]lb.Timing{{Redistribution: iterations, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	return model
}

// loop runs a loop and returns its counts.
func loop(t rapid.TB, workload []int32, cost float64, ahead lb.Forecaster) (vp.Stats, lb.Counts) {
	c := lb.NewCycle(lb.Options{Cost: costOf(t, cost), Forecast: ahead})
	stats, err := vp.NewArray(workload).Run(func(int, int, int) {}, vp.LoopOptions{Balance: c})
	if err != nil {
		t.Fatal(err)
	}
	return stats, c.Counts()
}

// TestPatienceNeverLoses checks that waiting for a better iteration never makes a loop longer than the paper's rule
// does, if the cost of redistributions is counted. A loop that redistributes under the paper's rule also redistributes
// when it waits.
func TestPatienceNeverLoses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workload := draw(t, 1000)
		bound := max(1, float64(lb.Gather(workload).SavingsBound()))
		cost := rapid.OneOf(rapid.Float64Range(0.1, 12), rapid.Float64Range(0.1, bound)).Draw(t, "cost")
		var ahead counted
		patient, counts := loop(t, workload, cost, &ahead)
		eager, _ := loop(t, workload, cost, nil)
		if took(patient, cost) > took(eager, cost)+1e-9 {
			t.Fatalf("%v, cost %v: %+v, by the paper's rule %+v", workload, cost, patient, eager)
		}
		if (patient.Redistributions > 0) != (eager.Redistributions > 0) {
			t.Fatalf("%v, cost %v: %+v, by the paper's rule %+v", workload, cost, patient, eager)
		}
		// The first check of the workload comes at the beginning. Each redistribution adds a check with a trial plan
		// and a check after it.
		if counts.Trials != counts.Redistributions || counts.Looks > 1+2*counts.Redistributions || ahead.calls > 1+counts.Redistributions {
			t.Fatalf("%v, cost %v: %+v, %d forecasts", workload, cost, counts, ahead.calls)
		}
	})
}

// counted is a histogram that counts the calls of Wait.
type counted struct {
	forecast.Histogram
	calls int
}

func (c *counted) Wait(workload []int32, s lb.Summary, threshold float64) int {
	c.calls++
	return c.Histogram.Wait(workload, s, threshold)
}

// Nearly all processors have 3 to 5 tasks, and ten have 50 or 60. After one iteration one processor is idle, whose
// help saves ten iterations. After three iterations a third of the processors are idle, and a single redistribution
// then ends the loop after the fifth iteration.
func TestPatienceKnownAnswer(t *testing.T) {
	workload := make([]int32, 1000)
	for p := range workload {
		workload[p] = int32(3 + p%3)
	}
	for p := range 10 {
		workload[10*p] = 50
	}
	workload[0], workload[1] = 60, 1
	for _, c := range []struct {
		ahead           lb.Forecaster
		redistributions int
	}{{new(forecast.Histogram), 1}, {nil, 2}} {
		stats, counts := loop(t, workload, 4, c.ahead)
		if stats.Iterations != 5 || stats.Redistributions != c.redistributions {
			t.Errorf("%T: %+v, %+v", c.ahead, stats, counts)
		}
	}
}

// TestPatiencePays checks many random loops. In sum waiting takes less time than the paper's rule, even if the
// histogram is so short that it knows little more than the average.
func TestPatiencePays(t *testing.T) {
	const look, redistribution = 0.3, 3.2
	total := func(buckets int) (time float64) {
		for seed := range 200 {
			var ahead lb.Forecaster
			if buckets > 0 {
				ahead = &forecast.Histogram{Buckets: buckets}
			}
			stats, counts := loop(t, sparse(400, seed), look+redistribution, ahead)
			time += float64(stats.Iterations) + look*float64(counts.Looks) + redistribution*float64(stats.Redistributions)
		}
		return time
	}
	paper, exact, coarse := total(0), total(4096), total(40)
	t.Logf("with the paper's rule %.3f times as long, with 40 buckets %.3f times", paper/exact, coarse/exact)
	if paper < 1.18*exact || coarse > 1.02*exact {
		t.Errorf("time %v, with 40 buckets %v, with the paper's rule %v", exact, coarse, paper)
	}
}

// sparse returns n workloads that are determined by seed. Most are near a base of 1 to 8. At most one in twenty is
// larger, up to 500.
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

func TestWaitAllocatesNothingWhenWarm(t *testing.T) {
	var h forecast.Histogram
	workload := sparse(5000, 1)
	s := lb.Gather(workload)
	h.Wait(workload, s, 3)
	if n := testing.AllocsPerRun(10, func() { h.Wait(workload, s, 3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkWait(b *testing.B) {
	workload := sparse(100_000, 1)
	s := lb.Gather(workload)
	var h forecast.Histogram
	for b.Loop() {
		if h.Wait(workload, s, 3) == lb.NoLook {
			b.Fatal("no redistribution")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(workload)), "ns/processor")
}
