package nbody

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/vp"
	"lockstep/vp/machine"
)

// together runs tasks on as many goroutines as there are processors. Each goroutine fetches the next task when it is
// free.
func together(n int, body func(int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				body(int(i))
			}
		})
	}
	all.Wait()
}

// BenchmarkForces compares three ways of computing the forces of all particles: goroutines that fetch tasks, workers
// with fixed shares of the tasks, and workers that balance their shares. The three take turns, and their accelerations
// must be equal. Figures are medians in milliseconds.
func BenchmarkForces(b *testing.B) {
	m := machine.New(machine.Options{})
	defer m.Close()
	for _, name := range []string{"contraction", "gravity", "contraction3d"} {
		b.Run(name, func(b *testing.B) {
			y := worked(b, name)
			y.setup.Force.Epsilon = setupOf(b, name).Force.Epsilon
			never, cost := &vp.For{Machine: m}, newBalancedLoop(m)
			ways := []string{"goroutines", "never", "cost"}
			loops := []func(int, func(int)){together, never.Run, cost.Run}
			taken := make([][]float64, len(loops))
			y.Interact(runInOrder)
			want := y.Clone()
			for b.Loop() {
				for i, loop := range loops {
					began := time.Now()
					y.Interact(loop)
					taken[i] = append(taken[i], time.Since(began).Seconds()*1e3)
					if !reflect.DeepEqual(y.Acceleration, want.Acceleration) {
						b.Fatalf("%s: other accelerations", ways[i])
					}
				}
			}
			for i, t := range taken {
				slices.Sort(t)
				b.ReportMetric(t[len(t)/2], "ms/"+ways[i])
			}
			b.ReportMetric(float64(cost.Stats.Redistributions)/float64(b.N), "moves/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}
