// Package shadow balances a network in which every load may move, on any connected
// graph: as evenly as [circuit.SortedGreedy], with few moves.
//
// SortedGreedy evens out loads of any distribution, but moves half of those that it looks at. The
// elements of a [Shadow] know the weight and the place of every load at the start, 8
// bytes a load gathered from all, and play SortedGreedy through in mind, which moves
// nothing. The discrepancy that it would have reached in a round is what the round has
// to reach, with the fewest moves that are found. All elements come to the same
// plan by themselves.
//
// [circuit.Focus] needs its neighbours' totals alone; on graphs of few edges or for loads
// of very different sizes it does not reach SortedGreedy's discrepancy. A Shadow is for
// networks of up to some thousand elements: each holds all weights and the ways between
// all pairs. [New] refuses more than 8,192 elements, and networks in which loads can move
// between more than a million pairs within a round, as all those of 1,025 elements that are
// joined with each other. A round takes one step for a load or a few; a step takes O(elements), and
// for the pairs of one element the square of the loads an element has.
//
// The files: shadow.go has the rounds, plan.go the search for a plan, relay.go loads
// that are handed on from element to element, ways.go the ways of loads within a round.
package shadow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"lockstep/lb/circuit"
)

// A Shadow plans the rounds of one network.
type Shadow struct {
	network *circuit.Network // what SortedGreedy would have made of it
	edges   []circuit.Edge   // of a round, in its order
	ways    *ways
}

const (
	// Windows that a round compares once it has a plan. On four graphs with four laws,
	// seed 501, ten rounds take 5,741 moves with one, 5,387 with three and 5,078 with
	// six; the time is in proportion.
	enoughPlans = 3
	// Windows that are tried for the first plan. Of 480 rounds of loads of two sizes on
	// four graphs 11 are less even than SortedGreedy's with 12, and 5 with 40.
	mostWindows = 40
)

// New returns a Shadow for a network that has been started, in which all loads may move
// and that is not too large; see the comment of the package. O(elements times edges).
func New(n *circuit.Network) (*Shadow, error) {
	if n.Pinned != nil || n.Mobility.Stencil != nil {
		return nil, errors.New("shadow: some loads of the network may not move")
	}
	if n.Graph.Elements() > mostElements {
		return nil, fmt.Errorf("shadow: %d elements; expected at most %d", n.Graph.Elements(), mostElements)
	}
	own := &circuit.Network{Graph: n.Graph, Circuit: n.Circuit, Load: n.Load, Owner: slices.Clone(n.Owner), Mobility: n.Mobility}
	if err := own.Start(); err != nil {
		return nil, fmt.Errorf("shadow: %w", err)
	}
	edges := n.Edges()
	ways, err := newWays(n.Graph.Elements(), edges)
	if err != nil {
		return nil, err
	}
	return &Shadow{network: own, edges: edges, ways: ways}, nil
}

// Round does the next round on n, the network that New was given, and returns the
// number of moves. Where it finds no plan that is as even as SortedGreedy's it takes the
// most even one that it has found.
func (s *Shadow) Round(n *circuit.Network, ws *circuit.Workspace) (moves int, err error) {
	s.network.Round(circuit.SortedGreedy{}, ws)
	now, aim := n.Totals(), s.network.Totals()
	if circuit.Discrepancy(now) <= circuit.Discrepancy(aim) {
		return 0, nil
	}
	p := s.plan(n, now, aim)
	if circuit.Discrepancy(p.total) >= circuit.Discrepancy(now) {
		return 0, nil
	}
	hops := p.hops(s.edges)
	return len(hops), n.Carry(hops)
}

// plan returns the plan with the fewest moves, or the most even one where none
// comes into its window.
func (s *Shadow) plan(n *circuit.Network, now, aim []float64) *plan {
	width := circuit.Discrepancy(aim)
	heaviest := 0.0
	for _, w := range n.Load {
		heaviest = max(heaviest, w)
	}
	var best, nearest *plan
	for k, low := range windows(now, aim, heaviest) {
		if k >= enoughPlans && best != nil {
			break
		}
		p := newPlan(s.ways, n.Load, n.Owner, low, low+width)
		switch within := p.run(best); {
		case within && (best == nil || p.moves < best.moves):
			best = p
		case !within && (nearest == nil || circuit.Discrepancy(p.total) < circuit.Discrepancy(nearest.total)):
			nearest = p
		}
	}
	if best != nil {
		return best
	}
	return nearest
}

// windows returns the lower ends of windows as wide as aim's discrepancy: first aim's
// own, then those with an element at an end, by how much has to leave or enter them.
// The mean lies in each, and none ends below the heaviest load.
func windows(now, aim []float64, heaviest float64) (lows []float64) {
	width, mean := circuit.Discrepancy(aim), 0.0
	for _, x := range now {
		mean += x / float64(len(now))
	}
	type window struct{ low, off float64 }
	var all []window
	for _, x := range now {
		for _, low := range [2]float64{x, x - width} {
			if low > mean || low+width < max(mean, heaviest) {
				continue
			}
			w := window{low: low}
			for _, y := range now {
				w.off += max(0, low-y, y-low-width)
			}
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(a, b window) int { return cmp.Or(cmp.Compare(a.off, b.off), cmp.Compare(a.low, b.low)) })
	lows = append(lows, slices.Min(aim))
	for _, w := range slices.Compact(all) {
		if len(lows) < mostWindows && w.low != lows[0] {
			lows = append(lows, w.low)
		}
	}
	return lows
}
