package flowshop

import (
	"cmp"
	"slices"
)

// A johnsonBounds computes two-machine bounds of a node's children. For every pair of machines it takes the best order
// of the free jobs on these two machines alone, with a time lag for each job between the two. The bound is the makespan
// of this order, together with the jobs that are fixed at the front and at the back.
//
// Sources: S. M. Johnson, "Optimal two- and three-stage production schedules with setup times included", Naval Research
// Logistics Quarterly 1(1), 1954; Lageweg, Lenstra and Rinnooy Kan, Operations Research 26(1), 1978.
type johnsonBounds struct {
	search *Search
	pairs  []machinePair
}

// A machinePair is a pair of machines, u before v.
type machinePair struct {
	u, v  int
	order []int   // all jobs, in the order that is best for this pair
	lag   []int16 // by job: its time on the machines between u and v
}

func newJohnsonBounds(s *Search) *johnsonBounds {
	j := &johnsonBounds{search: s}
	for u := range s.in.Machines {
		for v := u + 1; v < s.in.Machines; v++ {
			j.pairs = append(j.pairs, s.newMachinePair(u, v))
		}
	}
	return j
}

// newMachinePair returns the pair of machines u and v with Johnson's order. For the comparison, a job's lag is added to
// its times on both machines. Jobs with less time on u than on v come first, in ascending order of their times on u.
// The others follow in descending order of their times on v.
func (s *Search) newMachinePair(u, v int) machinePair {
	p := machinePair{u: u, v: v, order: s.in.jobsInOrder(), lag: make([]int16, s.in.Jobs)}
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

// bound is a boundFunc. The bound of a child is the larger of its one-machine and its two-machine bound.
func (j *johnsonBounds) bound(n *node, times []row, limits *limits, out *children) {
	bound(n, times, limits, out)
	var child node
	for job := range j.search.in.Jobs {
		if n.free>>job&1 == 0 {
			continue
		}
		for end := range out.bounds {
			n.fixJob(end, job, &j.search.byJob[job], len(times), &child)
			out.bounds[end][job] = max(out.bounds[end][job], j.twoMachineBound(&child))
		}
	}
	out.compareBounds(limits)
}

// twoMachineBound returns the largest bound of a sub-problem over all pairs of machines. Of a pair it considers only
// the time when the second machine finishes, because the one-machine bound covers the first machine.
func (j *johnsonBounds) twoMachineBound(n *node) int16 {
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
