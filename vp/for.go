package vp

import "lockstep/vp/machine"

// A For runs parallel loops over independent tasks, one loop after the other. Every worker starts with the same number
// of consecutive tasks. When a worker runs out of tasks, the balancer decides whether to give it tasks of other
// workers, see [Array.Run]. The zero value runs tasks on the caller, in order.
//
// Run has the type func(n int, do func(task int)), which other packages accept as a parallel loop. Loops of one For
// must not run at the same time.
type For struct {
	Machine *machine.Machine // nil: the caller is the only worker
	Balance Balancer         // nil: no tasks move between workers

	// Stats are the sums over all loops so far, except that Processors is the largest number in any loop.
	Stats Stats

	firsts []int // first task of each worker
	tasks  []int32
}

// Run does tasks 0 to n-1, each once, and returns when all are done. Run panics if the balancer's plan does not fit the
// workload. It also panics if a task on the same machine calls it, because such a loop would wait for itself. If a task
// panics or calls runtime.Goexit, the loop ends as [machine.Machine.Run] describes.
func (f *For) Run(n int, do func(task int)) {
	if f.Machine == nil || n <= 1 {
		for task := range n { // no task if n is negative
			do(task)
		}
		f.Stats.add(Stats{Processors: 1, Tasks: int64(max(n, 0)), Iterations: max(n, 0), IterationsNever: max(n, 0)})
		return
	}
	if f.Machine.Inside() {
		// This check comes before any change of f, because an enclosing loop may be using f.firsts and f.tasks.
		panic(ErrNested)
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

// add adds the counts of a loop to s.
func (s *Stats) add(loop Stats) {
	s.Processors = max(s.Processors, loop.Processors)
	s.Iterations += loop.Iterations
	s.IterationsNever += loop.IterationsNever
	s.Tasks += loop.Tasks
	s.Redistributions += loop.Redistributions
	s.Interrupted += loop.Interrupted
}
