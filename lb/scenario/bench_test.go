package scenario

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkOptimum(b *testing.B) {
	for _, n := range []int{600, 100_000} {
		for _, g := range Growths {
			for _, irregular := range []bool{false, true} {
				b.Run(fmt.Sprintf("n=%d/%v/irregular=%v", n, g, irregular), func(b *testing.B) {
					app := synthetic(b, g, irregular, n)
					b.ReportAllocs()
					for b.Loop() {
						s, err := Optimum(context.Background(), app)
						if err != nil {
							b.Fatal(err)
						}
						if c, err := Evaluate(app, s.Balances); err != nil || c != s.Cost {
							b.Fatalf("the scenario costs %v, not %v: %v", c, s.Cost, err)
						}
					}
				})
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1, 10} {
		for _, g := range Growths {
			for _, irregular := range []bool{false, true} {
				b.Run(fmt.Sprintf("best=%d/%v/irregular=%v", n, g, irregular), func(b *testing.B) {
					app := synthetic(b, g, irregular, PaperIterations)
					want, _ := Optimum(context.Background(), app)
					b.ReportAllocs()
					for b.Loop() {
						f, err := Search(context.Background(), app, n)
						if err != nil || f.Scenarios[0].Cost != want.Cost {
							b.Fatalf("%v, %v; want %v", f.Scenarios, err, want)
						}
						b.ReportMetric(float64(f.Expanded), "nodes")
					}
				})
			}
		}
	}
}

// BenchmarkOptimumUnstructured uses an imbalance that never returns to earlier values. So no row can be pruned, and the
// dynamic programme takes n^2/2 steps.
func BenchmarkOptimumUnstructured(b *testing.B) {
	for _, n := range []int{600, 10_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			mean, growth := make([]float64, n), make([]float64, n)
			for i := range mean {
				mean[i], growth[i] = 1, 0.2*r.NormFloat64()
			}
			app, err := NewCurves(1000, mean, growth)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				s, err := Optimum(context.Background(), app)
				if err != nil {
					b.Fatal(err)
				}
				if c, err := Evaluate(app, s.Balances); err != nil || c != s.Cost {
					b.Fatalf("the scenario costs %v, not %v: %v", c, s.Cost, err)
				}
			}
			steps := float64(n) * float64(n) / 2
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
		})
	}
}
