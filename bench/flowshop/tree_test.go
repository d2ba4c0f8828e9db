package flowshop

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// plain is a search of small instances. It implements the definitions directly and slowly.
type plain struct {
	in          *Instance
	rule        Rule
	reference   int
	best, nodes int
}

// least returns the one-machine bound of the orders that begin with first and end with last.
func (p *plain) least(first, free, last []int) int {
	m := p.in.Machines
	front, back := p.in.minHeadsAndTails()
	for i, j := range first {
		for k := range m {
			if i == 0 && k == 0 {
				front = make([]int, m)
			}
			front[k] = max(front[k], front[max(0, k-1)]) + p.in.Times[k][j]
		}
	}
	for i := len(last) - 1; i >= 0; i-- {
		for k := m - 1; k >= 0; k-- {
			if i == len(last)-1 && k == m-1 {
				back = make([]int, m)
			}
			back[k] = max(back[k], back[min(m-1, k+1)]) + p.in.Times[k][last[i]]
		}
	}
	bound := 0
	for k, times := range p.in.Times {
		sum := front[k] + back[k]
		for _, j := range free {
			sum += times[j]
		}
		bound = max(bound, sum)
	}
	return bound
}

// search visits a sub-problem and all sub-problems below it.
func (p *plain) search(first, free, last []int) {
	p.nodes++
	var bounds [2][]int
	for i, j := range free {
		rest := slices.Delete(slices.Clone(free), i, i+1)
		bounds[atFront] = append(bounds[atFront], p.least(append(slices.Clone(first), j), rest, last))
		bounds[atBack] = append(bounds[atBack], p.least(first, rest, append([]int{j}, last...)))
	}
	end := p.choose(bounds)
	prune := p.best // the best makespan when the bounds were computed
	for i, j := range free {
		if b := bounds[end][i]; b >= p.best || b >= prune {
			continue
		}
		rest := slices.Delete(slices.Clone(free), i, i+1)
		switch {
		case len(rest) == 0:
			p.best = bounds[end][i]
		case end == atFront:
			p.search(append(slices.Clone(first), j), rest, last)
		default:
			p.search(first, rest, append([]int{j}, last...))
		}
	}
}

// choose applies the rule as the rule's comment defines it.
func (p *plain) choose(bounds [2][]int) int {
	var survivors, sum, all, rare [2]int
	least := min(slices.Min(bounds[atFront]), slices.Min(bounds[atBack]))
	for end := range bounds {
		for _, b := range bounds[end] {
			all[end] += b
			if b < p.reference {
				survivors[end]++
				sum[end] += b
			}
			if b == least {
				rare[end]++
			}
		}
	}
	switch {
	case p.rule == Forward,
		p.rule == MaxSum && all[0] >= all[1],
		p.rule == MinBranch && (survivors[0] < survivors[1] || survivors[0] == survivors[1] && sum[0] >= sum[1]),
		p.rule == MinMin && (rare[0] < rare[1] || rare[0] == rare[1] && survivors[0] < survivors[1]):
		return atFront
	}
	return atBack
}

// TestTreesByDefinition checks that every rule decomposes the sub-problems that its definition decomposes, with and
// without a starting bound.
func TestTreesByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t, 7)
		o := Options{Rule: Rule(rapid.IntRange(0, 3).Draw(t, "rule"))}
		if rapid.Bool().Draw(t, "bounded") {
			o.Bound = in.LowerBound() + 1 + rapid.IntRange(0, 60).Draw(t, "above")
		}
		s, err := NewSearch(in, o)
		if err != nil {
			t.Fatal(err)
		}
		want := plain{in: in, rule: o.Rule, reference: int(s.reference), best: int(s.start)}
		want.search(nil, in.jobsInOrder(), nil)
		got, steps := s.NewPool(), 0
		got.Plant()
		for !got.Empty() {
			steps += got.Work(7)
		}
		if got.Nodes() != int64(want.nodes) || steps != want.nodes || got.Bound() != int64(want.best) {
			t.Fatalf("%d sub-problems in %d steps, best %d; want %d and %d", got.Nodes(), steps, got.Bound(), want.nodes, want.best)
		}
	})
}

// TestOpenAtBoundary checks that a pool keeps no pending sub-problem that lies before its interval.
func TestOpenAtBoundary(t *testing.T) {
	in := Generate(8, 5, 77)
	s := search(t, in, Options{})
	for child := range uint64(8) {
		p := s.NewPool()
		p.Merge(interval{child * s.factorial[7], s.factorial[8]}.encode(nil))
		p.openInterval()
		for job := range in.Jobs {
			if part := p.childInterval(0, job); p.frames[0].pending>>job&1 == 1 && part.begin == part.end {
				t.Errorf("from child %d on: job %d has nothing of the interval", child, job)
			}
		}
	}
}

// TestImproveBound checks that a pool adopts a better bound of another peer. The pool's own order is then no longer the
// best.
func TestImproveBound(t *testing.T) {
	in := Generate(6, 4, 9)
	p := search(t, in, Options{}).Solve()
	best := p.Bound()
	p.Improve(best)
	p.Improve(math.MaxInt16)
	if p.Bound() != best || p.Order() == nil {
		t.Errorf("bound %d, order %v after no better bound than %d", p.Bound(), p.Order(), best)
	}
	p.Improve(best - 1)
	if p.Bound() != best-1 || p.Order() != nil {
		t.Errorf("bound %d, order %v, want %d and none", p.Bound(), p.Order(), best-1)
	}
}
