package vp

import (
	"fmt"
	"math"

	"lockstep/vp/machine"
)

// Array is a set of virtual processors. Its three slices are equally long and indexed by virtual processor. Virtual
// processor v still has to solve tasks Next[v] to Next[v]+Workload[v]-1 of problem Problem[v]. It is active while it
// has tasks left, and otherwise idle.
//
// With [LoopOptions.Processors], fewer processors host the virtual processors. Processor p then hosts virtual
// processors p*Hosted() to (p+1)*Hosted()-1, and its workload is the sum of theirs. Without it, each virtual processor
// is a processor of its own.
type Array struct {
	Problem  []int32 // index of the problem that the virtual processor works on
	Next     []int32 // index of the virtual processor's next task, counted from 0 within the problem
	Workload []int32 // number of tasks that the virtual processor has left

	hosted  int                // number of virtual processors per processor
	deliver func(to, from int) // copies problem data between virtual processors; may be nil
	scratch planScratch
}

// NewArray returns one virtual processor for each problem, with all tasks of that problem: virtual processor p works
// on problem p, which has workloads[p] tasks. It copies workloads. It panics if a workload is negative or there are
// more than 2^31-1 workloads.
func NewArray(workloads []int32) *Array {
	if uint64(len(workloads)) > math.MaxInt32 {
		panic(fmt.Sprintf("vp: NewArray: %d problems", len(workloads)))
	}
	a := newArray(len(workloads), 1)
	for p, tasks := range workloads {
		if tasks < 0 {
			panic(fmt.Sprintf("vp: NewArray: problem %d has %d tasks", p, tasks))
		}
		a.Problem[p] = int32(p)
		a.Workload[p] = tasks
	}
	return a
}

func newArray(processors, hosted int) *Array {
	n := processors * hosted
	return &Array{Problem: make([]int32, n), Next: make([]int32, n), Workload: make([]int32, n), hosted: hosted}
}

// Len returns the number of processors.
func (a *Array) Len() int { return len(a.Workload) / a.hosted }

// Hosted returns the number of virtual processors per processor.
func (a *Array) Hosted() int { return a.hosted }

// spread divides the virtual processors among the given number of processors, in order and as evenly as possible. If a
// processor would host fewer virtual processors than others, idle virtual processors are added to it.
func (a *Array) spread(processors int) error {
	if processors == a.Len() {
		return nil
	}
	n := len(a.Workload)
	s := newArray(processors, max(1, (n+processors-1)/processors))
	for p := range processors {
		lo, hi := machine.Part(p, processors, n)
		at := p * s.hosted
		copy(s.Problem[at:], a.Problem[lo:hi])
		copy(s.Next[at:], a.Next[lo:hi])
		copy(s.Workload[at:], a.Workload[lo:hi])
		sum := int64(0)
		for _, tasks := range a.Workload[lo:hi] {
			sum += int64(tasks)
		}
		if sum > math.MaxInt32 {
			return fmt.Errorf("vp: processor %d of %d has %d tasks, expected at most %d", p, processors, sum, math.MaxInt32)
		}
	}
	a.Problem, a.Next, a.Workload, a.hosted = s.Problem, s.Next, s.Workload, s.hosted
	return nil
}

// loads returns the workload of every processor.
func (a *Array) loads() []int32 {
	if a.hosted == 1 {
		return a.Workload
	}
	a.scratch.loads = a.scratch.loads[:0]
	for lo := 0; lo < len(a.Workload); lo += a.hosted {
		load := int32(0)
		for _, tasks := range a.Workload[lo : lo+a.hosted] {
			load += tasks
		}
		a.scratch.loads = append(a.scratch.loads, load)
	}
	return a.scratch.loads
}

// solver solves tasks first to end-1 of the problem of a virtual processor.
type solver func(processor, virtual, first, end int)

// advance solves up to limit tasks of a processor, one virtual processor after the other, beginning with virtual
// processor `start`. It returns the virtual processor to continue with and the number of tasks solved.
func (a *Array) advance(processor, start int, limit int32, solve solver) (next int, done int32) {
	for end := (processor + 1) * a.hosted; start < end; start++ {
		n := min(limit-done, a.Workload[start])
		if n > 0 {
			first := a.Next[start]
			solve(processor, start, int(first), int(first+n))
			a.Next[start], a.Workload[start] = first+n, a.Workload[start]-n
			done += n
		}
		if done == limit && a.Workload[start] > 0 {
			break
		}
	}
	return start, done
}

// summary holds the counts of a workload that the loop and its trace need.
type summary struct {
	active int   // number of processors with tasks
	max    int32 // largest workload
	sum    int64 // number of tasks left
}

func summarize(workload []int32) (s summary) {
	for _, left := range workload {
		if left > 0 {
			s.active++
			s.sum += int64(left)
			s.max = max(s.max, left)
		}
	}
	return s
}
