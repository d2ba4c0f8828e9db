package machine

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// usable fails the test unless the machine runs a function on all of its workers, and can then be closed.
func usable(t *testing.T, m *Machine) {
	t.Helper()
	var calls atomic.Int32
	m.Run(func(int) { calls.Add(1); m.Sync() })
	if int(calls.Load()) != m.Workers() {
		t.Errorf("the machine called %d of %d workers", calls.Load(), m.Workers())
	}
	m.Close()
	m.Close()
}

// TestNestedCallsPanic checks that a call that would wait for the Run around it panics with a clear message, on every
// worker, and the machine stays usable.
func TestNestedCallsPanic(t *testing.T) {
	nothing := func(int) {}
	nested := map[string]func(m *Machine){
		"Run":   func(m *Machine) { m.Run(nothing) },
		"For":   func(m *Machine) { m.For(2, 1, func(_, _ int) {}) },
		"Close": func(m *Machine) { m.Close() },
	}
	for method, call := range nested {
		for _, workers := range []int{1, 2, 3} {
			for guilty := range workers {
				m := newMachine(t, workers)
				failure, _ := catch(func() {
					m.Run(func(worker int) {
						if worker == guilty {
							call(m)
						}
					})
				}).(*PanicError)
				if failure == nil || failure.Worker != guilty || !strings.Contains(failure.Error(), method+" inside the function of a Run") {
					t.Errorf("%s by worker %d of %d: %v", method, guilty, workers, failure)
				}
				usable(t, m)
			}
		}
	}
}

// TestNestedCallIsFoundAtAnyDepth checks that a nested call is detected at any depth of the stack, even through the
// Run of another machine.
func TestNestedCallIsFoundAtAnyDepth(t *testing.T) {
	m, other := newMachine(t, 2), newMachine(t, 2)
	var deep func(n int, do func())
	deep = func(n int, do func()) {
		if n == 0 {
			do()
			return
		}
		deep(n-1, do)
	}
	for _, depth := range []int{0, 40, 70, 200} {
		for guilty := range 2 {
			value := catch(func() {
				m.Run(func(worker int) {
					if worker == guilty {
						other.Run(func(worker int) {
							if worker == 0 { // this goroutine works for both machines
								deep(depth, func() { m.Run(func(int) {}) })
							}
						})
					}
				})
			})
			if !strings.Contains(fmt.Sprint(value), "inside the function of a Run") {
				t.Errorf("worker %d, %d calls deep: %v", guilty, depth, value)
			}
		}
	}
	usable(t, m)
	usable(t, other)
}

// TestOthersWaitForTheirTurn checks that a worker of another machine waits until this machine is free. A goroutine that
// a worker started must wait, too.
func TestOthersWaitForTheirTurn(t *testing.T) {
	m, other := newMachine(t, 2), newMachine(t, 2)
	var others sync.WaitGroup
	started, calls := make(chan bool, 2), new(atomic.Int32)
	late := func() {
		started <- true
		m.Run(func(int) { calls.Add(1) })
	}
	m.Run(func(worker int) {
		if worker != 0 {
			return
		}
		if !m.Inside() || other.Inside() {
			t.Error("inside the Run of a machine, not of another one")
		}
		others.Go(late)
		others.Go(func() {
			other.Run(func(worker int) {
				if worker == 0 {
					late()
				}
			})
		})
		<-started
		<-started
		for range 10 {
			runtime.Gosched() // so that the goroutines mostly find the machine busy
		}
	})
	others.Wait()
	if calls.Load() != 4 {
		t.Errorf("%d calls by those who waited, want 4", calls.Load())
	}
	if m.Inside() {
		t.Error("inside a Run that has ended")
	}
	usable(t, m)
}

// TestForOfOneBatchMayBeNested checks that a For of one batch runs on the caller alone, so it may be nested on any
// number of workers.
func TestForOfOneBatchMayBeNested(t *testing.T) {
	m := newMachine(t, 2)
	var sum atomic.Int32
	m.Run(func(int) { m.For(3, 3, func(_, i int) { sum.Add(int32(i)) }) })
	if sum.Load() != 6 {
		t.Errorf("two loops over 0, 1, 2 add up to %d", sum.Load())
	}
}

func TestMisuseOutsideOfARunPanics(t *testing.T) {
	m := newMachine(t, 2)
	for want, misuse := range map[string]func(){
		"Sync outside":            m.Sync,
		"65537 workers, expected": func() { New(Options{Workers: MaxWorkers + 1}) },
		"Run without a function":  func() { m.Run(nil) },
		"For without a function":  func() { m.For(9, 1, nil) },
		"For on a closed Machine": func() { c := New(Options{Workers: 1}); c.Close(); c.For(9, 1, func(_, _ int) {}) },
	} {
		if value := fmt.Sprint(catch(misuse)); !strings.Contains(value, want) {
			t.Errorf("want a panic %q, got %s", want, value)
		}
	}
	usable(t, m)
}
