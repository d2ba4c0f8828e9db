package criterion_test

import (
	"fmt"
	"sync"

	"lockstep/lb/criterion"
)

// The example balances a simulation. Particles drift to one end of a tube whose cells belong to four processing
// elements, so the last element gets more and more work. A balancing moves the borders between elements and takes as
// long as three iterations. The criterion receives the times of every iteration and decides when a balancing pays.
func Example() {
	const elements, iterations, balancing = 4, 60, 3.0
	c := &criterion.Bounded{Iterations: iterations} // has no parameter that must be tuned
	drift, total := 0.0, 0.0
	times := make([]float64, elements)
	for i := range iterations {
		balanced := i == 0 // the first distribution also has a cost
		if i > 0 && c.Decide().Balance {
			fmt.Println("balance before iteration", i)
			balanced, drift, total = true, 0, total+balancing
		}
		for e := range times { // work of the simulation; its sum stays constant
			times[e] = 1 - drift/3
		}
		times[elements-1] = 1 + drift
		drift += 0.02

		sample := criterion.Of(times)
		if balanced {
			sample.Balanced, sample.Cost = true, balancing
		}
		c.Observe(sample)
		total += sample.Max
	}
	fmt.Printf("%.1f in all, %.1f without balancing\n", total, iterations+0.02*iterations*(iterations-1)/2)
	// Output:
	// balance before iteration 18
	// balance before iteration 35
	// 77.8 in all, 95.4 without balancing
}

// The example balances a real loop on goroutines. Heat spreads along a rod, and a moving flame makes some cells take
// more steps than others. Each goroutine owns a run of neighbouring cells and counts its steps. The controller gets
// the steps instead of seconds, and moving the borders counts as 2000 steps.
func ExampleController() {
	const workers, cells, iterations = 4, 400, 300
	weight := func(cell, iteration int) int { // number of steps of a cell
		if d := cell - iteration; d*d < 900 {
			return 20
		}
		return 1
	}
	border := make([]int, workers+1) // worker w owns cells border[w] to border[w+1]-1
	cut := func(iteration int) {
		total, sum, w := 0, 0, 1
		for c := range cells {
			total += weight(c, iteration)
		}
		for c := range cells {
			if sum += weight(c, iteration); w < workers && sum*workers >= w*total {
				border[w], w = c+1, w+1
			}
		}
		border[workers] = cells
	}
	run := func(controlled bool) (balancings int, steps float64) {
		var control criterion.Controller
		heat := make([]float64, cells)
		cut(0)
		for i := range iterations {
			if d := control.Decide(); controlled && d.Balance {
				cut(i)
				control.Balanced(2000)
				balancings, steps = balancings+1, steps+2000
			}
			times := make([]float64, workers)
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					for c := border[w]; c < border[w+1]; c++ {
						for range weight(c, i) {
							heat[c] += 0.01 * (1 - heat[c])
							times[w]++
						}
					}
				})
			}
			wg.Wait()
			if err := control.Observe(times...); err != nil {
				fmt.Println(err)
			}
			steps += max(times[0], times[1], times[2], times[3])
		}
		return balancings, steps
	}
	balancings, with := run(true)
	_, without := run(false)
	fmt.Printf("%d balancings, %.0f steps; %.0f without\n", balancings, with, without)
	// Output:
	// 19 balancings, 186792 steps; 347134 without
}

// threshold is a rule that programs often use: balance if the slowest time exceeds ratio times the mean. If ratio is
// too small it balances all the time, and if ratio is too large it never does.
type threshold struct {
	ratio float64
	last  criterion.Sample
}

func (t *threshold) Observe(s criterion.Sample) { t.last = s }

func (t *threshold) Decide() criterion.Decision {
	d := criterion.Decision{Value: t.last.Max, Limit: t.ratio * t.last.Mean, What: "time of the slowest against the tolerated one"}
	d.Balance = d.Value > d.Limit
	return d
}

// A guard follows the program's own criterion and bounds the cost of doing so. Here the excess is at most three times
// that of the best schedule, and 1.5 times that of following the criterion alone. In each iteration the slowest
// element falls behind by a hundredth of the mean, and a balancing takes as long as two iterations.
func ExampleGuard() {
	const iterations, balancing, growth = 400, 2.0, 0.01
	run := func(c criterion.Criterion) (balancings int, excess float64) {
		age := 0
		for i := range iterations {
			balanced := i > 0 && c.Decide().Balance
			if balanced {
				age, balancings, excess = 0, balancings+1, excess+balancing
			}
			late := growth * float64(age)
			c.Observe(criterion.Sample{Mean: 1, Max: 1 + late, Balanced: balanced || i == 0, Cost: balancing})
			age++
			excess += late
		}
		return balancings, excess
	}
	for _, ratio := range []float64{1.001, 1.2, 9} {
		alone, cost := run(&threshold{ratio: ratio})
		guard, err := criterion.Guard(&threshold{ratio: ratio}, 3)
		if err != nil {
			fmt.Println(err)
			return
		}
		guarded, kept := run(guard)
		fmt.Printf("threshold %v: %d balancings, excess %.0f; guarded %d, %.0f\n", ratio, alone, cost, guarded, kept)
	}
	// Output:
	// threshold 1.001: 199 balancings, excess 400; guarded 27, 81
	// threshold 1.2: 18 balancings, excess 78; guarded 18, 78
	// threshold 9: 0 balancings, excess 798; guarded 13, 81
}
