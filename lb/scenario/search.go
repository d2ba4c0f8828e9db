package scenario

import (
	"context"
	"errors"
	"slices"
)

// A Found is the outcome of Search.
type Found struct {
	// Scenarios are the cheapest ones, cheapest first, all different. Equal
	// costs are ordered by the iterations, the earlier balancing first.
	Scenarios []Scenario
	// Expanded counts the nodes whose successors were made: the iterations that
	// were run.
	Expanded int
}

// Search finds the n cheapest scenarios of app, or all if there are fewer, with
// the A* search of Boulmier et al., Section 5 and Appendix A.
//
// A node is an iteration together with the history up to it. A node's cost is
// extended by a lower bound of what is left, the sum of the mean loads, and the
// least node is expanded: by running its next iteration as it is, and by
// balancing first. Nodes that balance before the same iteration are merged, as
// they behave alike from there: of the paths that lead to them only the n
// cheapest are kept. So at most n nodes per last balancing and iteration are
// expanded, n i(i-1)/2 in all for i iterations, and memory is O(n i) beside the
// times of runs that n > 1 shares between paths. An Ager saves more: a path
// ends where balancing, by n paths, costs no more than having gone on.
//
// The search is exact to the last bit: it goes on past the n-th scenario until
// no lower bound, less its own rounding error, is under that scenario's cost.
func Search(ctx context.Context, app Application, n int) (Found, error) {
	if err := given(ctx, app); err != nil {
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

// A path is a history that ends with a balancing before iteration start and
// has since gone on without.
type path struct {
	start  int
	parent *path   // the balancing before; nil for the first
	base   float64 // cost just after the balancing
	node
}

type search struct {
	app   Application
	n     int // scenarios wanted
	iters int
	ager  bool
	rest  []float64  // lower bound from every iteration on
	open  heap       // paths by lower bound of the whole
	yes   [][]*path  // per iteration: the cheapest balancing nodes, cheapest first
	runs  []*runTape // per iteration: what follows a balancing there
	ends  []*path    // whole runs, cheapest first, at most n
	slack float64
	steps int
}

func newSearch(app Application, n int) *search {
	s := &search{app: app, n: n, iters: app.Iterations()}
	if a, ok := app.(Ager); ok {
		s.ager = a.YoungerIsBetter()
	}
	s.rest = make([]float64, s.iters+1)
	for t := s.iters - 1; t >= 0; t-- {
		s.rest[t] = s.rest[t+1] + app.Mean(t)
	}
	s.yes = make([][]*path, s.iters+1)
	s.runs = make([]*runTape, s.iters+1)
	// A sum of i non-negative terms, in any order, errs by a factor of less
	// than (1+2^-53)^i; two are compared, so 2^-51 i is ample.
	s.slack = float64(s.iters+2) * 0x1p-51
	s.open.push(&path{node: node{bound: s.rest[0]}})
	return s
}

// done reports that nothing open can lead to one of the n cheapest.
func (s *search) done() bool {
	if len(s.ends) < s.n {
		return false
	}
	most := s.ends[len(s.ends)-1].cost
	return s.open.top().bound > most+float64(most*s.slack)
}

// expand takes the least open path one iteration further.
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
	// p is still on top: y, whose bound may be less by rounding, comes after.
	if s.hopeless(p) {
		s.open.pop()
	} else {
		s.open.fix()
	}
	if y != nil {
		s.open.push(y)
	}
}

// offer makes the node that balances where p has arrived, unless n paths to
// such nodes are known that are as cheap; then it returns nil.
func (s *search) offer(p *path, cost float64) *path {
	g := p.cost + cost
	peers := s.yes[p.at]
	i := len(peers)
	for i > 0 && g < peers[i-1].base {
		i--
	}
	if i == s.n {
		return nil
	}
	parent := *p // p moves on
	y := &path{start: p.at, parent: &parent, base: g}
	y.node = node{at: p.at, cost: g, bound: g + s.rest[p.at]}
	if len(peers) == s.n {
		peers[s.n-1].dropped = true
		peers = peers[:s.n-1]
		if s.n == 1 {
			s.runs[p.at] = nil // its successor starts again
		}
	}
	s.yes[p.at] = slices.Insert(peers, i, y)
	return y
}

// hopeless reports that n nodes balance where p has arrived and are no dearer,
// in an application in which they never fall behind.
func (s *search) hopeless(p *path) bool {
	peers := s.yes[p.at]
	return s.ager && len(peers) == s.n && peers[s.n-1].base <= p.cost
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
