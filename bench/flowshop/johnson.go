package flowshop

import (
	"cmp"
	"slices"
)

// johnson computes two-machine bounds. For every pair of machines it takes the jobs that are not fixed, in the order
// that is optimal for these two machines with time lags between them. The bound is the makespan of this order if the
// jobs fixed at the front come before it and the jobs fixed at the back after it. Sources: S. M. Johnson, "Optimal two-
// and three-stage production schedules with setup times included", Naval Research Logistics Quarterly 1(1), 1954;
// Lageweg, Lenstra and Rinnooy Kan, Operations Research 26(1), 1978.
type johnson struct {
	search *Search
	pairs  []machinePair
}

// machinePair is two machines, u before v, with the jobs in Johnson's order and the time that each job needs between
// the two machines.
type machinePair struct {
	u, v  int
	order []int
	lag   []int16 // time lag of each job
}

func newJohnson(s *Search) *johnson {
	j := &johnson{search: s}
	for u := range s.in.Machines {
		for v := u + 1; v < s.in.Machines; v++ {
			j.pairs = append(j.pairs, s.pair(u, v))
		}
	}
	return j
}

// pair computes Johnson's order for machines u and v. The time that counts for a job on either machine includes the
// job's lag. Jobs that take less time on the first machine than on the second come first, in ascending order of the
// time on the first; the others follow in descending order of the time on the second.
func (s *Search) pair(u, v int) machinePair {
	p := machinePair{u: u, v: v, order: s.in.identity(), lag: make([]int16, s.in.Jobs)}
	for job := range p.lag {
		for k := u + 1; k < v; k++ {
			p.lag[job] += s.times[k][job]
		}
	}
	slices.SortStableFunc(p.order, func(a, b int) int {
		a1, a2 := s.times[u][a]+p.lag[a], s.times[v][a]+p.lag[a]
		b1, b2 := s.times[u][b]+p.lag[b], s.times[v][b]+p.lag[b]
		switch aFirst, bFirst := a1 < a2, b1 < b2; {
		case aFirst && !bFirst:
			return -1
		case bFirst && !aFirst:
			return 1
		case aFirst:
			return cmp.Compare(a1, b1)
		default:
			return cmp.Compare(b2, a2)
		}
	})
	return p
}

// bound is a bounder. It takes the larger of the one-machine bound and the bounds of all pairs.
func (j *johnson) bound(n *node, times []row, limits *limits, out *children) {
	bound(n, times, limits, out)
	var child node
	for job := range j.search.in.Jobs {
		if n.free>>job&1 == 0 {
			continue
		}
		for end := range out.bounds {
			n.place(end, job, &j.search.byJob[job], len(times), &child)
			out.bounds[end][job] = max(out.bounds[end][job], j.both(&child))
		}
	}
	out.compare(limits)
}

// both returns the largest bound of a sub-problem over all pairs of machines: the time when the second machine
// finishes. The first machine's finish is not compared, because it is the one-machine bound.
func (j *johnson) both(n *node) int16 {
	most := int16(0)
	for i := range j.pairs {
		p := &j.pairs[i]
		first, second := n.front[p.u], n.front[p.v]
		for _, job := range p.order {
			if n.free>>job&1 == 0 {
				continue
			}
			first += j.search.times[p.u][job]
			second = max(second, first+p.lag[job]) + j.search.times[p.v][job]
		}
		most = max(most, second+n.back[p.v])
	}
	return most
}
