package vp

import "lockstep/vp/machine"

// A For runs parallel loops over independent tasks, one loop after the other. Every worker
// begins with as many neighbouring tasks as the others. When one runs dry, because its tasks
// took less time, the balancer decides whether it is worth giving it some of those that are
// left: see [Array.Run]. The zero value runs tasks on the caller, in order.
//
// Its method Run is a parallel loop as other packages ask for one, a func(n int, do func(task
// int)). Loops of one For may not run at the same time.
type For struct {
	Machine *machine.Machine // nil: the caller is the only worker
	Balance Balancer         // nil: no task moves

	// Stats are the sums over all loops so far; Processors is the most of one loop.
	Stats Stats

	firsts []int // by worker: the first of its tasks
	tasks  []int32
}

// Run does tasks 0 to n-1, each once, and returns when all are done. It panics inside a task of
// the same machine, which would wait for itself, and where the balancer's plan does not fit. A
// task that panics or calls runtime.Goexit ends the loop as [machine.Machine.Run] says.
func (f *For) Run(n int, do func(task int)) {
	if f.Machine == nil || n <= 1 {
		for task := range n { // none, where n is negative
			do(task)
		}
		f.Stats.add(Stats{Processors: 1, Tasks: int64(max(n, 0)), Iterations: max(n, 0), IterationsNever: max(n, 0)})
		return
	}
	if f.Machine.Inside() {
		panic(ErrNested) // before the memory of the loop around it changes
	}
	workers := min(f.Machine.Workers(), n)
	f.firsts, f.tasks = f.firsts[:0], f.tasks[:0]
	for w := range workers {
		lo, hi := machine.Part(w, workers, n)
		f.firsts, f.tasks = append(f.firsts, lo), append(f.tasks, int32(hi-lo))
	}
	stats, err := Solve(f.firsts, f.tasks, func(first *int, task int) { do(*first + task) },
		LoopOptions{Machine: f.Machine, Balance: f.Balance, Processors: workers})
	if err != nil {
		panic(err)
	}
	f.Stats.add(stats)
}

// add sums up the counts of loops.
func (s *Stats) add(loop Stats) {
	s.Processors = max(s.Processors, loop.Processors)
	s.Iterations += loop.Iterations
	s.IterationsNever += loop.IterationsNever
	s.Tasks += loop.Tasks
	s.Redistributions += loop.Redistributions
	s.Interrupted += loop.Interrupted
}
