package criterion_test

import (
	"fmt"
	"sync"

	"lockstep/lb/criterion"
)

// A meeting merges the reports of all ranks, as MPI_Allreduce does: each rank gives its report, and all ranks get the
// merged report.
type meeting struct {
	ranks   int
	mu      sync.Mutex
	given   []criterion.Report // report of each rank
	missing int
	all     chan criterion.Report
}

func newMeeting(ranks int) *meeting {
	return &meeting{ranks: ranks, given: make([]criterion.Report, ranks), missing: ranks, all: make(chan criterion.Report, ranks)}
}

// reduce returns the function that a rank gives to its controller.
func (m *meeting) reduce(rank int) func(criterion.Report) (criterion.Report, error) {
	return func(mine criterion.Report) (criterion.Report, error) {
		m.mu.Lock()
		m.given[rank] = mine
		all := m.all
		if m.missing--; m.missing == 0 { // the last rank merges the reports in the order of the ranks
			merged := m.given[0]
			for _, r := range m.given[1:] {
				merged = merged.Merge(r)
			}
			for range m.ranks {
				all <- merged
			}
			m.missing, m.all = m.ranks, make(chan criterion.Report, m.ranks)
		}
		m.mu.Unlock()
		return <-all, nil
	}
}

// Each rank of a distributed program has its own controller and sees only its own times. With Reduce the ranks
// exchange their reports once per iteration and make equal decisions. No rank has to tell the others what to do.
func ExampleController_ranks() {
	const ranks, iterations, balancing = 4, 60, 3.0
	together := newMeeting(ranks)
	before := make([][]int, ranks) // iterations before which a rank balanced
	var wg sync.WaitGroup
	for rank := range ranks {
		wg.Go(func() {
			control := criterion.Controller{
				Criterion: &criterion.Bounded{Iterations: iterations}, Reduce: together.reduce(rank),
			}
			drift := 0.0
			for i := range iterations {
				if i > 0 && control.Decide().Balance {
					before[rank] = append(before[rank], i)
					drift = 0 // stands for the program's own way to divide the work
					control.Balanced(balancing)
				}
				time := 1 - drift/3
				if rank == ranks-1 { // the last rank gets more and more work
					time = 1 + drift
				}
				drift += 0.02
				if err := control.Observe(time); err != nil {
					panic(err)
				}
			}
		})
	}
	wg.Wait()
	for rank := range ranks {
		fmt.Println("rank", rank, "balances before iterations", before[rank])
	}
	// Output:
	// rank 0 balances before iterations [11 29 46]
	// rank 1 balances before iterations [11 29 46]
	// rank 2 balances before iterations [11 29 46]
	// rank 3 balances before iterations [11 29 46]
}
