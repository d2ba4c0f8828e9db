package flowshop

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// A Heuristic finds good permutations by NEH (Nawaz, Enscore and Ham, Omega 11(1), 1983). It improves them by iterated
// greedy search (Ruiz and Stuetzle, European Journal of Operational Research 177(3), 2007).
type Heuristic struct {
	in         *Instance
	random     *rand.Rand
	head, tail [][]int // times by position in the order and by machine, see insert
	completion []int
}

// NewHeuristic returns a heuristic. Its result depends on seed alone.
func (in *Instance) NewHeuristic(seed uint64) *Heuristic {
	h := &Heuristic{in: in, random: rand.New(rand.NewPCG(seed, 3)), completion: make([]int, in.Machines)}
	for range in.Jobs + 2 {
		h.head = append(h.head, make([]int, in.Machines))
		h.tail = append(h.tail, make([]int, in.Machines+1))
	}
	return h
}

// NEH returns an order and its makespan, the time when the last job is done. It inserts the jobs one after the other,
// the longest first, each at the position with the least makespan.
func (h *Heuristic) NEH() (order []int, makespan int) {
	total := make([]int, h.in.Jobs)
	for _, row := range h.in.Times {
		for j, t := range row {
			total[j] += t
		}
	}
	jobs := h.in.jobsInOrder()
	slices.SortStableFunc(jobs, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	for _, j := range jobs {
		order, makespan = h.insertJob(order, j)
	}
	return order, makespan
}

// insertJob puts a job at the first position where the makespan is least. It returns the new order and its makespan. It
// first computes two times for each position and machine. h.head is the time when the machine has done the jobs before
// the position. h.tail is the time from when the machine starts the jobs after the position until all jobs are done.
// With these times, trying a position takes only one pass over the machines. This is called Taillard's acceleration.
func (h *Heuristic) insertJob(order []int, job int) ([]int, int) {
	m, times := h.in.Machines, h.in.Times
	for i, j := range order {
		last := 0
		for k := range m {
			last = max(last, h.head[i][k]) + times[k][j]
			h.head[i+1][k] = last
		}
	}
	clear(h.tail[len(order)])
	for i := len(order) - 1; i >= 0; i-- {
		last := 0
		for k := m - 1; k >= 0; k-- {
			last = max(last, h.tail[i+1][k]) + times[k][order[i]]
			h.tail[i][k] = last
		}
	}
	place, best := 0, math.MaxInt
	for i := range len(order) + 1 {
		last, span := 0, 0
		for k := range m {
			last = max(last, h.head[i][k]) + times[k][job]
			span = max(span, last+h.tail[i][k])
		}
		if span < best {
			place, best = i, span
		}
	}
	return slices.Insert(order, place, job), best
}

// removedJobs is the number of jobs that an iteration of the iterated greedy search removes and inserts again. Worse
// orders are accepted as in simulated annealing. Its temperature is given in tenths of the mean time of a job on a
// machine. Ruiz and Stuetzle (2007) found these values best.
const (
	removedJobs = 4
	temperature = 0.4
)

// Improve returns the best order of an iterated greedy search that starts with NEH, and its makespan. It runs a number
// of iterations. It ends early if ctx ends, or if it finds a makespan of at most target.
func (h *Heuristic) Improve(ctx context.Context, iterations, target int) (best []int, makespan int) {
	order, span := h.NEH()
	order, span = h.localSearch(order, span)
	best, makespan = slices.Clone(order), span
	heat := temperature / 10 * h.meanTime()
	trial := make([]int, 0, len(order))
	for i := 0; i < iterations && makespan > target && ctx.Err() == nil; i++ {
		trial = append(trial[:0], order...)
		out := make([]int, 0, removedJobs)
		for range min(removedJobs, len(trial)) {
			at := h.random.IntN(len(trial))
			out = append(out, trial[at])
			trial = slices.Delete(trial, at, at+1)
		}
		newSpan := span
		for _, j := range out {
			trial, newSpan = h.insertJob(trial, j)
		}
		trial, newSpan = h.localSearch(trial, newSpan)
		if newSpan < makespan {
			best, makespan = append(best[:0], trial...), newSpan
		}
		if newSpan < span || h.random.Float64() <= math.Exp(float64(span-newSpan)/heat) {
			order, span = append(order[:0], trial...), newSpan
		}
	}
	return best, makespan
}

// localSearch removes each job, in random order, and inserts it at the best position. It repeats this until the
// makespan does not decrease any more. It returns the order and its makespan.
func (h *Heuristic) localSearch(order []int, span int) ([]int, int) {
	for improved := true; improved; {
		improved = false
		for _, j := range h.random.Perm(h.in.Jobs) {
			at := slices.Index(order, j)
			var newSpan int
			order, newSpan = h.insertJob(slices.Delete(order, at, at+1), j)
			if newSpan < span {
				span, improved = newSpan, true
			}
		}
	}
	return order, span
}

func (h *Heuristic) meanTime() float64 {
	sum := 0
	for _, row := range h.in.Times {
		for _, t := range row {
			sum += t
		}
	}
	return float64(sum) / float64(h.in.Jobs*h.in.Machines)
}
