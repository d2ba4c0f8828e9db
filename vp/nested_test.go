package vp

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"lockstep/vp/machine"
)

// solved fails the test unless the machine runs a loop to its end, and can then be closed.
func solved(t *testing.T, m *machine.Machine) {
	t.Helper()
	var tasks atomic.Int32
	stats, err := Solve(make([]int, 3), []int32{5, 1, 2}, func(*int, int) { tasks.Add(1) }, LoopOptions{Machine: m})
	if err != nil || stats.Tasks != 8 || tasks.Load() != 8 {
		t.Errorf("%d tasks, %v: the machine solves no more", tasks.Load(), err)
	}
	m.Close()
}

// TestNestedLoopsAreErrors checks that a solving function or Stop gets an error if it starts a loop on the same
// machine. That holds on every worker, with more processors than workers and in a race. The outer loop continues.
func TestNestedLoopsAreErrors(t *testing.T) {
	one := []int32{1, 1}
	inner := map[string]func(m *machine.Machine) error{
		"Solve": func(m *machine.Machine) error {
			_, err := Solve(make([]int, 2), one, func(*int, int) {}, LoopOptions{Machine: m})
			return err
		},
		"SolveRanges": func(m *machine.Machine) error {
			_, err := SolveRanges(make([]int, 2), one, func(*int, int, int) {}, LoopOptions{Machine: m})
			return err
		},
		"Run": func(m *machine.Machine) error {
			_, err := NewArray(one).Run(func(int, int, int) {}, LoopOptions{Machine: m})
			return err
		},
		"RunRanges": func(m *machine.Machine) error {
			_, err := NewArray(one).RunRanges(func(int, int, int, int) {}, LoopOptions{Machine: m})
			return err
		},
	}
	for name, nested := range inner {
		for _, workers := range []int{1, 2, 3} {
			for _, processors := range []int{0, 7} {
				m := machine.New(machine.Options{Workers: workers})
				var refused atomic.Int32
				stats, err := Solve(make([]int, 5), []int32{1, 1, 1, 1, 1}, func(*int, int) {
					if errors.Is(nested(m), ErrNested) {
						refused.Add(1)
					}
				}, LoopOptions{Machine: m, Processors: processors})
				if err != nil || stats.Tasks != 5 || refused.Load() != 5 {
					t.Errorf("%s on %d workers, %d processors: %d of 5 refused, %d tasks, %v", name, workers, processors, refused.Load(), stats.Tasks, err)
				}
				solved(t, m)
			}
		}
	}
}

// TestOtherLoopsInsideLoopsRun checks that a loop may contain loops without a machine, loops on other machines, and
// loops of the balancer. Loops of other goroutines wait for their turn.
func TestOtherLoopsInsideLoopsRun(t *testing.T) {
	m, other := machine.New(machine.Options{Workers: 2}), machine.New(machine.Options{Workers: 2})
	var tasks atomic.Int32
	count := func(*int, int) { tasks.Add(1) }
	solve := func(o LoopOptions) {
		if _, err := Solve(make([]int, 2), []int32{1, 1}, count, o); err != nil {
			t.Error(err)
		}
	}
	var turns sync.WaitGroup
	outer := func(*int, int) {
		solve(LoopOptions{})
		solve(LoopOptions{Machine: other})
		turns.Go(func() { solve(LoopOptions{Machine: m}) })
	}
	looks := 0
	balance := BalanceFunc(func(int, []int32) Plan {
		if looks++; looks == 1 {
			solve(LoopOptions{Machine: m})
		}
		return Plan{}
	})
	if _, err := Solve(make([]int, 2), []int32{1, 1}, outer, LoopOptions{Machine: m, Balance: balance}); err != nil {
		t.Error(err)
	}
	turns.Wait()
	if tasks.Load() != 2+2*6 {
		t.Errorf("%d tasks of inner loops, want 14", tasks.Load())
	}
	solved(t, m)
	solved(t, other)
}

// TestMachineIsUsableAfterAnyEnd checks that the machine can run another loop however a solving function ends.
func TestMachineIsUsableAfterAnyEnd(t *testing.T) {
	stopped := errors.New("stopped")
	ends := map[string]struct {
		solve func(*int, int)
		stop  func() error
	}{
		"panic":      {solve: func(*int, int) { panic("no") }},
		"nil panic":  {solve: func(*int, int) { var p *int; *p = 1 }},
		"Goexit":     {solve: func(*int, int) { runtime.Goexit() }},
		"Stop":       {solve: func(*int, int) {}, stop: func() error { return stopped }},
		"Close":      {},
		"stop panic": {solve: func(*int, int) {}, stop: func() error { panic("no") }},
	}
	for name, end := range ends {
		for _, workers := range []int{1, 3} {
			m := machine.New(machine.Options{Workers: workers})
			if name == "Close" {
				end.solve = func(*int, int) { m.Close() }
			}
			ended := make(chan error) // receives the error from a goroutine of its own, because Goexit ends the goroutine
			go func() {
				var err error
				defer func() { ended <- errors.Join(err, asError(recover())) }()
				_, err = Solve(make([]int, 4), []int32{1, 1, 1, 1}, end.solve, LoopOptions{Machine: m, Stop: end.stop})
			}()
			if err := <-ended; err == nil && name != "Goexit" {
				t.Errorf("%s on %d workers: no error and no panic", name, workers)
			}
			solved(t, m)
		}
	}
}

func asError(value any) error {
	if value == nil {
		return nil
	}
	if err, ok := value.(error); ok {
		return err
	}
	return errors.New("a panic")
}

func TestLoopOptionsAreChecked(t *testing.T) {
	for _, processors := range []int{-1, math.MinInt, MaxProcessors + 1, math.MaxInt32, math.MaxInt} {
		ran := false
		a := NewArray([]int32{3})
		_, err := a.Run(func(int, int, int) { ran = true }, LoopOptions{Processors: processors})
		_, also := Solve(make([]int, 1), []int32{3}, func(*int, int) { ran = true }, LoopOptions{Processors: processors})
		if err == nil || also == nil || ran || a.Len() != 1 {
			t.Errorf("%d processors: %v, %v, want errors and no task", processors, err, also)
		}
	}
	if s, err := NewArray([]int32{3}).Run(func(int, int, int) {}, LoopOptions{Processors: MaxProcessors}); err != nil || s.Tasks != 3 {
		t.Errorf("%d processors: %v", MaxProcessors, err)
	}
	a := NewArray([]int32{3})
	for name, run := range map[string]func() (Stats, error){
		"Run":         func() (Stats, error) { return a.Run(nil, LoopOptions{}) },
		"RunRanges":   func() (Stats, error) { return a.RunRanges(nil, LoopOptions{}) },
		"Solve":       func() (Stats, error) { return Solve[int](make([]int, 1), []int32{1}, nil, LoopOptions{}) },
		"SolveRanges": func() (Stats, error) { return SolveRanges[int](make([]int, 1), []int32{1}, nil, LoopOptions{}) },
	} {
		if _, err := run(); err == nil {
			t.Errorf("%s without a function: no error", name)
		}
	}
}
