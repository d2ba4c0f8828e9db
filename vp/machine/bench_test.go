package machine

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkDispatch measures an empty Run, from the call to the return, with one worker for each processor that -cpu
// gives. The hot case calls Run back to back. The idle case first pauses until workers and caller sleep. The spawn
// case starts a new goroutine for every worker and waits for a WaitGroup.
//
// The benchmarks of this package loop to b.N, because with b.Loop the testing package measures the first value of
// -cpu with the GOMAXPROCS of the last value.
func BenchmarkDispatch(b *testing.B) {
	for _, state := range []string{"hot", "idle"} {
		pause := time.Duration(0)
		if state == "idle" {
			pause = 2 * time.Millisecond
		}
		b.Run(state+"/pin=yes", func(b *testing.B) { benchmarkRun(b, Options{Workers: runtime.GOMAXPROCS(0)}, pause) })
		b.Run(state+"/pin=no", func(b *testing.B) {
			benchmarkRun(b, Options{Workers: runtime.GOMAXPROCS(0), NoPin: true}, pause)
		})
		b.Run(state+"/spawn", func(b *testing.B) {
			benchmarkTeam(b, runtime.GOMAXPROCS(0), pause, func(f func(worker int)) {
				var team sync.WaitGroup
				for worker := range runtime.GOMAXPROCS(0) {
					team.Go(func() { f(worker) })
				}
				team.Wait()
			})
		})
	}
}

func benchmarkRun(b *testing.B, opts Options, pause time.Duration) {
	m := New(opts)
	defer m.Close()
	benchmarkTeam(b, m.Workers(), pause, m.Run)
}

type padded struct {
	n int
	_ [falseSharing - 8]byte
}

// benchmarkTeam reports the median over samples, because on a shared machine the time slices of other users dominate
// the mean. A hot sample is a batch of Runs, and an idle sample is a single Run after a pause.
func benchmarkTeam(b *testing.B, workers int, pause time.Duration, run func(func(worker int))) {
	calls := make([]padded, workers)
	f := func(worker int) { calls[worker].n++ }
	batch := 1
	if pause == 0 {
		batch = min(b.N, 100)
	}
	samples := make([]time.Duration, 0, b.N/batch+1)
	for done := 0; done < b.N; {
		size := min(batch, b.N-done)
		time.Sleep(pause)
		start := time.Now()
		for range size {
			run(f)
		}
		samples = append(samples, time.Since(start)/time.Duration(size))
		done += size
	}
	for worker := range calls {
		if calls[worker].n != b.N {
			b.Fatalf("worker %d was called %d times in %d rounds", worker, calls[worker].n, b.N)
		}
	}
	slices.Sort(samples)
	b.ReportMetric(float64(samples[len(samples)/2].Nanoseconds()), "ns/dispatch")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSync measures the barrier between the phases of one Run.
func BenchmarkSync(b *testing.B) {
	m := New(Options{Workers: runtime.GOMAXPROCS(0)})
	defer m.Close()
	calls := make([]padded, m.Workers())
	rounds := b.N
	b.ResetTimer()
	m.Run(func(worker int) {
		for range rounds {
			calls[worker].n++
			m.Sync()
		}
	})
	for worker := range calls {
		if calls[worker].n != rounds {
			b.Fatalf("worker %d passed %d of %d phases", worker, calls[worker].n, rounds)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/phase")
	b.ReportMetric(0, "ns/op")
}
