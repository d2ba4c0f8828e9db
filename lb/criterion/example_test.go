package criterion_test

import (
	"fmt"

	"lockstep/lb/criterion"
)

// When to balance a simulation of one's own. Particles drift to one end of a tube, whose
// cells belong to four processing elements, so that the last of these gets ever more
// work; balancing moves the borders and takes as long as three iterations. The criterion
// is told what every iteration took and says when that is worth it.
func Example() {
	const elements, iterations, balancing = 4, 60, 3.0
	c := &criterion.Bounded{Iterations: iterations} // no parameter to tune
	drift, total := 0.0, 0.0
	times := make([]float64, elements)
	for i := range iterations {
		balanced := i == 0 // the first distribution has its cost, too
		if i > 0 && c.Decide().Balance {
			fmt.Println("balance before iteration", i)
			balanced, drift, total = true, 0, total+balancing
		}
		for e := range times { // the simulation's work, of which the sum stays the same
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
	// balance before iteration 22
	// balance before iteration 41
	// 77.5 in all, 95.4 without balancing
}
