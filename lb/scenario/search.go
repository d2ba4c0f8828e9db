package scenario

import (
	"context"
	"errors"
	"slices"
)

// A Found is the result of Search.
type Found struct {
	// Scenarios are the cheapest scenarios, all different, in order of cost. Scenarios of equal cost are ordered by
	// their balancings, the earlier first.
	Scenarios []Scenario
	// Expanded is the number of nodes that were expanded, which is the number of iterations that were run.
	Expanded int
}

// Search finds the n cheapest scenarios of app, or all if there are fewer. It uses the A* search of Boulmier et al.,
// arXiv:2104.01688, Section 5 and Appendix A.
//
// A node is an iteration together with the history up to it. Its bound is its cost plus the sum of the remaining mean
// loads; the rest of the run cannot cost less. The node with the least bound is expanded: once by running its next
// iteration as it is, and once by balancing first.
//
// All nodes that balance before iteration t behave alike from t on, so only the n cheapest of them are kept. For each
// pair of an iteration and the last balancing before it, at most n nodes are expanded: n i(i-1)/2 in all for i
// iterations. Memory is O(n i), plus the iteration times of runs. If n > 1, paths share these times.
//
// If app is an Ager, a path that has reached iteration t is also dropped as soon as n other paths cost no more and
// balance before t.
//
// The search is exact to the last bit. It ends when no lower bound, minus its own rounding error, is below the cost of
// the n-th scenario.
func Search(ctx context.Context, app Application, n int) (Found, error) {
	if err := checkArgs(ctx, app); err != nil {
		return Found{}, err
	}
	if n < 1 {
		return Found{}, errors.New("search for fewer than one scenario")
	}
	s := newSearch(app, n)
	for steps := 0; s.open.Len() > 0; steps++ {
		if steps%4096 == 0 && ctx.Err() != nil {
			return Found{}, ctx.Err()
		}
		if s.done() {
			break
		}
		s.expand()
	}
	return s.result(), nil
}

// A path is a history up to iteration `at` (see node). Its last balancing was before iteration `start`.
type path struct {
	start  int
	parent *path   // the path up to the last balancing, or nil
	base   float64 // cost up to the last balancing, including it
	node
}

type search struct {
	app             Application
	n               int // number of scenarios wanted
	iters           int
	youngerIsBetter bool
	rest            []float64  // lower bound of the cost from each iteration to the end
	open            heap       // paths, ordered by the lower bound of the whole run
	balancedAt      [][]*path  // by iteration: the cheapest paths that balance before it, cheapest first
	runs            []*runTape // by iteration: the run that follows a balancing before it
	ends            []*path    // at most n whole runs, cheapest first
	slack           float64
	steps           int
}

func newSearch(app Application, n int) *search {
	s := &search{app: app, n: n, iters: app.Iterations()}
	if a, ok := app.(Ager); ok {
		s.youngerIsBetter = a.YoungerIsBetter()
	}
	s.rest = make([]float64, s.iters+1)
	for t := s.iters - 1; t >= 0; t-- {
		s.rest[t] = s.rest[t+1] + app.Mean(t)
	}
	s.balancedAt = make([][]*path, s.iters+1)
	s.runs = make([]*runTape, s.iters+1)
	// The rounding error of a sum of i non-negative terms, in any order, is less than a factor of (1+2^-53)^i.
	// Comparing two sums doubles the relative error, so a margin of 2^-51 i is enough.
	s.slack = float64(s.iters+2) * 0x1p-51
	s.open.push(&path{node: node{bound: s.rest[0]}})
	return s
}

// done reports whether no open path can lead to one of the n cheapest scenarios.
func (s *search) done() bool {
	if len(s.ends) < s.n {
		return false
	}
	most := s.ends[len(s.ends)-1].cost
	return s.open.top().bound > most+float64(most*s.slack)
}

// expand extends the open path with the least bound by one iteration.
func (s *search) expand() {
	p := s.open.top()
	if p.at == s.iters || p.dropped {
		s.open.pop()
		if !p.dropped {
			s.finish(p)
		}
		return
	}
	s.steps++
	tape := s.tape(p.start)
	p.cost += tape.time(p.at - p.start)
	p.at++
	p.bound = p.cost + s.rest[p.at]
	if p.at == s.iters {
		s.open.fix()
		return
	}
	y := s.offer(p, tape.cost(p.at-p.start))
	// The new path y has not been pushed yet, so p is still on top of the heap.
	if s.isDominated(p) {
		s.open.pop()
	} else {
		s.open.fix()
	}
	if y != nil {
		s.open.push(y)
	}
}

// offer adds the path that balances before the iteration that p has reached. It returns nil if n known paths balance
// before that iteration and cost at most as much.
func (s *search) offer(p *path, cost float64) *path {
	g := p.cost + cost
	peers := s.balancedAt[p.at]
	i := len(peers)
	for i > 0 && g < peers[i-1].base {
		i--
	}
	if i == s.n {
		return nil
	}
	parent := *p // a copy, because p is extended further
	y := &path{start: p.at, parent: &parent, base: g}
	y.node = node{at: p.at, cost: g, bound: g + s.rest[p.at]}
	if len(peers) == s.n {
		peers[s.n-1].dropped = true
		peers = peers[:s.n-1]
		if s.n == 1 {
			s.runs[p.at] = nil // a new run will replace this one
		}
	}
	s.balancedAt[p.at] = slices.Insert(peers, i, y)
	return y
}

// isDominated reports whether p can be dropped. That is so if runs that were balanced later are never slower, and if n
// paths balance before the iteration that p has reached and cost at most as much as p.
func (s *search) isDominated(p *path) bool {
	peers := s.balancedAt[p.at]
	return s.youngerIsBetter && len(peers) == s.n && peers[s.n-1].base <= p.cost
}

func (s *search) finish(p *path) {
	i := len(s.ends)
	for i > 0 && p.cost < s.ends[i-1].cost {
		i--
	}
	s.ends = slices.Insert(s.ends, i, p)
	if len(s.ends) > s.n {
		s.ends = s.ends[:s.n]
	}
}

func (s *search) tape(start int) *runTape {
	if s.runs[start] == nil {
		s.runs[start] = &runTape{run: s.app.Balanced(start), keep: s.n > 1}
	}
	return s.runs[start]
}

func (s *search) result() Found {
	f := Found{Expanded: s.steps}
	for _, p := range s.ends {
		f.Scenarios = append(f.Scenarios, p.scenario())
	}
	slices.SortStableFunc(f.Scenarios, func(a, b Scenario) int {
		switch {
		case a.Cost < b.Cost:
			return -1
		case a.Cost > b.Cost:
			return 1
		}
		return slices.Compare(a.Balances, b.Balances)
	})
	return f
}

func (p *path) scenario() Scenario {
	s := Scenario{Cost: p.cost}
	for q := p; q.parent != nil; q = q.parent {
		s.Balances = append(s.Balances, q.start)
	}
	slices.Reverse(s.Balances)
	return s
}
