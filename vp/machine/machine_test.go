package machine

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// teams are the numbers of workers with which every parallel test runs: one, the number of cores of a small machine,
// odd numbers, and more than there are cores.
var teams = []int{1, 2, 3, 5, 8}

func newMachine(t testing.TB, workers int) *Machine {
	t.Helper()
	m := New(Options{Workers: workers})
	t.Cleanup(m.Close)
	return m
}

func TestRunCallsEveryWorkerOnce(t *testing.T) {
	for _, workers := range teams {
		m := newMachine(t, workers)
		if m.Workers() != workers {
			t.Fatalf("Workers() = %d, want %d", m.Workers(), workers)
		}
		calls := make([]int, workers) // unsynchronised: Run orders the accesses
		for range 100 {
			m.Run(func(worker int) { calls[worker]++ })
		}
		for worker, n := range calls {
			if n != 100 {
				t.Errorf("%d workers: worker %d was called %d times in 100 Runs", workers, worker, n)
			}
		}
	}
}

// TestRunIsConcurrent checks that all workers run at the same time, even on fewer cores, because each worker waits
// for all others.
func TestRunIsConcurrent(t *testing.T) {
	for _, workers := range teams {
		m := newMachine(t, workers)
		var present sync.WaitGroup
		present.Add(workers)
		m.Run(func(int) { present.Done(); present.Wait() })
	}
}

func TestRunAfterSleep(t *testing.T) {
	for _, workers := range teams {
		m := newMachine(t, workers)
		var calls atomic.Int32
		for range 5 {
			time.Sleep(2 * time.Millisecond) // much longer than workers spin, so that they go to sleep
			m.Run(func(worker int) {
				if worker == workers-1 {
					time.Sleep(2 * time.Millisecond) // the caller sleeps at the end as well
				}
				calls.Add(1)
			})
		}
		if got := calls.Load(); got != int32(5*workers) {
			t.Errorf("%d workers: %d calls in 5 Runs", workers, got)
		}
	}
}

func TestRunUnderSmallGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := newMachine(t, 4)
	sum := new(atomic.Int64)
	for range 50 {
		m.Run(func(worker int) {
			m.Sync()
			sum.Add(int64(worker))
			m.Sync()
		})
	}
	if sum.Load() != 50*(0+1+2+3) {
		t.Errorf("sum of worker indices = %d", sum.Load())
	}
}

func TestConcurrentRunsTakeTurns(t *testing.T) {
	m := newMachine(t, 3)
	inside, total := 0, 0
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for range 50 {
				m.Run(func(worker int) {
					if worker == 0 {
						inside++
						total += inside // inside must be 1, because only one Run is active at a time
						inside--
					}
				})
			}
		})
	}
	callers.Wait()
	if total != 200 {
		t.Errorf("total = %d, want 200", total)
	}
}

// The function catch returns the value with which f panics.
func catch(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func TestPanicReachesTheCaller(t *testing.T) {
	cause := errors.New("a cause")
	for _, workers := range teams {
		m := newMachine(t, workers)
		for guilty := range workers {
			finished := new(atomic.Int32)
			value := catch(func() {
				m.Run(func(worker int) {
					if worker == guilty {
						panic(cause)
					}
					finished.Add(1)
				})
			})
			failure, ok := value.(*PanicError)
			if !ok {
				t.Fatalf("%d workers: Run panicked with %v, want a *PanicError", workers, value)
			}
			if failure.Worker != guilty || !errors.Is(failure, cause) {
				t.Errorf("%d workers: got %v, want worker %d", workers, failure, guilty)
			}
			if !strings.Contains(string(failure.Stack), "TestPanicReachesTheCaller") {
				t.Errorf("the stack does not show where the worker panicked:\n%s", failure.Stack)
			}
			if got := finished.Load(); got != int32(workers-1) {
				t.Errorf("%d workers: %d others finished before Run returned", workers, got)
			}
		}
		ok := new(atomic.Int32)
		m.Run(func(int) { m.Sync(); ok.Add(1) })
		if ok.Load() != int32(workers) {
			t.Errorf("%d workers: after a panic only %d run", workers, ok.Load())
		}
	}
}

// TestPanicBreaksTheBarrier checks that a worker that panics before a barrier does not leave the others waiting.
func TestPanicBreaksTheBarrier(t *testing.T) {
	for _, workers := range teams {
		m := newMachine(t, workers)
		for guilty := range workers {
			value := catch(func() {
				m.Run(func(worker int) {
					if worker == guilty {
						panic("guilty")
					}
					m.Sync()
					t.Error("a worker passed the barrier without the others")
				})
			})
			if failure, ok := value.(*PanicError); !ok || failure.Worker != guilty {
				t.Errorf("got %v, want the panic of worker %d", value, guilty)
			}
		}
		m.Run(func(int) { m.Sync() })
	}
}

// Functions such as t.FailNow end the goroutine that calls them.
func TestGoexitOfAWorker(t *testing.T) {
	m := newMachine(t, 3)
	pinned := m.Pinned()
	for guilty := range 3 {
		ended := make(chan any, 1)
		go func() {
			defer func() { ended <- recover() }()
			m.Run(func(worker int) {
				if worker == guilty {
					runtime.Goexit()
				}
				m.Sync()
			})
		}()
		value := <-ended
		if _, ok := value.(*PanicError); !ok && guilty != 0 {
			t.Errorf("Goexit of worker %d: Run ended with %v", guilty, value)
		}
		calls := new(atomic.Int32)
		m.Run(func(int) { m.Sync(); calls.Add(1) })
		if calls.Load() != 3 || m.Pinned() != pinned {
			t.Errorf("after Goexit of worker %d: %d workers run, %d are pinned", guilty, calls.Load(), m.Pinned())
		}
	}
}

func TestClose(t *testing.T) {
	for _, workers := range teams {
		before := runtime.NumGoroutine()
		for range 20 {
			m := New(Options{Workers: workers})
			m.Run(func(int) {})
			m.Close()
			m.Close()
			if value := catch(func() { m.Run(func(int) {}) }); value == nil {
				t.Fatal("Run on a closed Machine did not panic")
			}
		}
		idle := New(Options{Workers: workers})
		time.Sleep(time.Millisecond)
		idle.Close()
		if after := goroutines(before); after > before {
			t.Errorf("%d workers: %d goroutines before, %d after Close", workers, before, after)
		}
	}
}

// goroutines returns the number of goroutines once it has fallen to want, or after some time. It waits because a
// goroutine that has called Done still has to return.
func goroutines(want int) int {
	for range 100 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine()
}

func TestNewPanicsOnNegativeWorkers(t *testing.T) {
	if catch(func() { New(Options{Workers: -1}) }) == nil {
		t.Error("no panic")
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	for _, workers := range teams {
		m := newMachine(t, workers)
		ranges := new(Ranges)
		ranges.Reset(workers, 1)
		f := func(worker int) {
			m.Sync()
			for {
				if _, ok := ranges.Next(worker); !ok {
					return
				}
			}
		}
		allocations := testing.AllocsPerRun(100, func() {
			ranges.Reset(workers, 100)
			m.Run(f)
		})
		if allocations != 0 {
			t.Errorf("%d workers: %v allocations per Run", workers, allocations)
		}
	}
}

func TestForTakesEveryIndexOnce(t *testing.T) {
	for _, workers := range teams {
		m := newMachine(t, workers)
		for _, c := range []struct{ n, batch int }{{0, 1}, {1, 1}, {7, 7}, {7, 8}, {1000, 1}, {1000, 33}} {
			calls := make([]atomic.Int32, c.n)
			busy := make([]atomic.Bool, workers)
			m.For(c.n, c.batch, func(worker, i int) {
				if busy[worker].Swap(true) {
					t.Errorf("two calls of worker %d at a time", worker)
				}
				calls[i].Add(1)
				busy[worker].Store(false)
			})
			for i := range calls {
				if n := calls[i].Load(); n != 1 {
					t.Fatalf("%d workers, %d in batches of %d: index %d was taken %d times", workers, c.n, c.batch, i, n)
				}
			}
		}
	}
}
