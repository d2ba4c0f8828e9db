package nbody

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lockstep/lb/partition"
)

// worked returns the particles of a set-up after two fifths of the run, which the benchmark partitions.
func worked(b *testing.B, name string) *System {
	s := setupOf(b, name)
	s.Force.Epsilon = 0 // has little effect on the motion
	y := s.New(2021)
	for range s.Iterations * 2 / 5 {
		y.Drift()
		y.Prepare(runInOrder, false)
		y.Kick()
	}
	y.Prepare(runInOrder, true)
	return y
}

// BenchmarkWorks measures relativeWork, forecastWork and locateWork on one goroutine. These are the times of every
// method, of computing the loads at an age and of locating all particles, divided by the time of RCB. It also measures
// the time of RCB per particle and level, which is Costs.Cut. The candidates take turns, so that a change of the
// machine's speed affects all of them, and their medians are compared.
func BenchmarkWorks(b *testing.B) {
	for _, name := range []string{"contraction", "gravity", "rotation", "expansion3d", "contraction3d"} {
		b.Run(name, func(b *testing.B) {
			y := worked(b, name)
			points := partition.Points{At: y.coordinates(), Velocity: y.Velocity[:y.Dim], Weight: y.weights(&PlainCosts)}
			options := partition.Options{Horizon: firstHorizon * y.setup.Step}
			const pes = 128
			var made *partition.Partition
			names := []string{"forecast", "locate"}
			jobs := []func(){
				func() {
					made.Loads(points.At, points.Weight, 0, options)
				},
				func() { made.LocateAll(made.Owner, points.At, 0, options) },
			}
			for _, m := range partition.Methods {
				names = append(names, m.Name)
				jobs = append(jobs, func() {
					var err error
					if made, err = m.Method(points, pes, options); err != nil {
						b.Fatal(err)
					}
				})
			}
			jobs[slices.Index(names, "rcb")]()
			taken := make([][]float64, len(jobs))
			for b.Loop() {
				for i, job := range jobs {
					began := time.Now()
					job()
					taken[i] = append(taken[i], time.Since(began).Seconds())
				}
			}
			median := func(name string) float64 {
				t := taken[slices.Index(names, name)]
				slices.Sort(t)
				return t[len(t)/2]
			}
			rcb := median("rcb")
			for _, name := range names {
				b.ReportMetric(median(name)/rcb, fmt.Sprintf("%s/rcb", name))
			}
			b.ReportMetric(rcb*1e9/float64(y.Len())/7, "ns/particle/level")
			b.ReportMetric(0, "ns/op")
		})
	}
}
