package flowshop

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Heuristic finds good permutations by NEH (Nawaz, Enscore and Ham, Omega 11(1), 1983), improved by iterated greedy
// search (Ruiz and Stuetzle, European Journal of Operational Research 177(3), 2007).
type Heuristic struct {
	in         *Instance
	random     *rand.Rand
	head, tail [][]int // by position, then machine, for Taillard's acceleration
	completion []int
}

// NewHeuristic returns a heuristic whose result is determined by seed.
func (in *Instance) NewHeuristic(seed uint64) *Heuristic {
	h := &Heuristic{in: in, random: rand.New(rand.NewPCG(seed, 3)), completion: make([]int, in.Machines)}
	for range in.Jobs + 2 {
		h.head = append(h.head, make([]int, in.Machines))
		h.tail = append(h.tail, make([]int, in.Machines+1))
	}
	return h
}

// NEH inserts the jobs one after the other, the longest first, each where the makespan becomes least.
func (h *Heuristic) NEH() (order []int, makespan int) {
	total := make([]int, h.in.Jobs)
	for _, row := range h.in.Times {
		for j, t := range row {
			total[j] += t
		}
	}
	jobs := h.in.identity()
	slices.SortStableFunc(jobs, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	for _, j := range jobs {
		order, makespan = h.insert(order, j)
	}
	return order, makespan
}

// insert puts a job at the first position where the makespan is least, and returns the new order and its makespan. With
// heads and tails of the partial order every position costs one pass over the machines.
func (h *Heuristic) insert(order []int, job int) ([]int, int) {
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

// destroyed is the number of jobs that an iteration takes out. temperature says how readily a worse order is accepted,
// as a fraction of a tenth of the mean time. Ruiz and Stuetzle found these values best.
const (
	destroyed   = 4
	temperature = 0.4
)

// Improve runs iterations of the iterated greedy search, starting with the order of NEH, and returns the best order
// found. It ends early if the makespan is at most target, or if ctx ends.
func (h *Heuristic) Improve(ctx context.Context, iterations, target int) (best []int, makespan int) {
	order, span := h.NEH()
	order, span = h.descend(order, span)
	best, makespan = slices.Clone(order), span
	heat := temperature / 10 * h.meanTime()
	trial := make([]int, 0, len(order))
	for i := 0; i < iterations && makespan > target && ctx.Err() == nil; i++ {
		trial = append(trial[:0], order...)
		out := make([]int, 0, destroyed)
		for range min(destroyed, len(trial)) {
			at := h.random.IntN(len(trial))
			out = append(out, trial[at])
			trial = slices.Delete(trial, at, at+1)
		}
		newSpan := span
		for _, j := range out {
			trial, newSpan = h.insert(trial, j)
		}
		trial, newSpan = h.descend(trial, newSpan)
		if newSpan < makespan {
			best, makespan = append(best[:0], trial...), newSpan
		}
		if newSpan < span || h.random.Float64() <= math.Exp(float64(span-newSpan)/heat) {
			order, span = append(order[:0], trial...), newSpan
		}
	}
	return best, makespan
}

// descend takes out every job in random order and inserts it where it fits best. It repeats this until nothing
// improves.
func (h *Heuristic) descend(order []int, span int) ([]int, int) {
	for improved := true; improved; {
		improved = false
		for _, j := range h.random.Perm(h.in.Jobs) {
			at := slices.Index(order, j)
			var newSpan int
			order, newSpan = h.insert(slices.Delete(order, at, at+1), j)
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
