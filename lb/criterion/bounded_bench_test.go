package criterion

import (
	"fmt"
	"math"
	"testing"
)

// BenchmarkBounded reports the time that Observe and Decide take per iteration. The imbalance grows by 0.1 per
// iteration, and a balancing costs as much as a hundred iterations.
func BenchmarkBounded(b *testing.B) {
	for _, n := range []int{600, 100_000} {
		for _, swing := range []float64{0, 0.5} {
			b.Run(fmt.Sprintf("n=%d/swing=%v", n, swing), func(b *testing.B) {
				for b.Loop() {
					h := &Bounded{Iterations: n}
					age, balanced := 0, 0
					for t := range n {
						s := Sample{Mean: 1 + swing*math.Sin(2*math.Pi*float64(t)/360)}
						s.Balanced, s.Cost = t == 0 || h.Decide().Balance, 100
						if s.Balanced {
							age = 0
							balanced++
						}
						s.Max = s.Mean * (1 + 0.1*float64(age))
						age++
						h.Observe(s)
					}
					if best := n / 45; balanced < best*9/10 || balanced > best*11/10 {
						b.Fatalf("%d balancings, want about %d", balanced, best)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/iteration")
			})
		}
	}
}
