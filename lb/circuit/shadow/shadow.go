// Package shadow balances a network in which every load may move, on any connected graph: as evenly as
// [circuit.SortedGreedy], with few moves.
//
// SortedGreedy evens out loads of any distribution, but moves half of the loads of every matching. A [Shadow] is a
// simulation of SortedGreedy in which no load moves. In each round the package searches for a plan that reaches the
// simulation's discrepancy with few moves. For that, each element must know the weight and the place of every load at
// the start, which takes 8 bytes per load. All elements compute the same plan independently.
//
// [circuit.Focus] needs only its neighbours' totals. But it does not reach SortedGreedy's discrepancy on graphs with
// few edges or for loads of very different sizes.
//
// A Shadow is for networks of up to some thousand elements, because each element holds all weights and the shortest
// paths between all pairs. [New] refuses more than 8,192 elements. It also refuses networks in which loads can move
// between more than a million pairs of elements within a round, for example 1,025 elements that are all joined with
// each other. A round takes about one search step per load. The time of a step is O(elements + k*k), where k is the
// number of loads of one element.
//
// The files are shadow.go, the rounds; plan.go, the search for a plan; relay.go, loads that are handed on from element
// to element; and paths.go, the paths of loads within a round.
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
	network *circuit.Network // the network as SortedGreedy would have balanced it
	edges   []circuit.Edge   // edges of a round, in the order in which the round visits them
	paths   *paths
}

const (
	// A window is a range into which method plan tries to bring the totals of all elements. After enoughPlans windows,
	// method plan stops if at least one of them gave a plan. On four graphs with four distributions of loads and seed
	// 501, ten rounds take 5,741 moves if one window is tried, 5,387 with three windows and 5,078 with six. The time is
	// proportional to the number of windows.
	enoughPlans = 3
	// mostWindows is the number of windows after which method plan stops even if none gave a plan. It was measured in
	// 480 rounds of loads of two sizes on four graphs. With 12 windows, 11 rounds are less even than SortedGreedy's.
	// With 40 windows, 5 are.
	mostWindows = 40
)

// New returns a Shadow for a network that has been started. It returns an error if some loads may not move or the
// network is too large, see the comment of the package. It costs O(elements times edges).
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
	found, err := newPaths(n.Graph.Elements(), edges)
	if err != nil {
		return nil, err
	}
	return &Shadow{network: own, edges: edges, paths: found}, nil
}

// Round does the next round on n, the network that New got, and returns the number of moves. If it finds no plan as
// even as SortedGreedy's, it takes the most even plan that it has found.
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

// plan searches once for each of several windows, which are ranges for the totals. Of the plans with all totals in
// their window it returns the one with the fewest moves. If there is none, it returns the most even plan.
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
		p := newPlan(s.paths, n.Load, n.Owner, low, low+width)
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

// windows returns the lower ends of windows to try. Every window is as wide as the discrepancy of aim, contains the
// mean total, and reaches up to at least the heaviest load. The first window starts at the smallest total of aim. Each
// later one has the present total of some element at one end. Later windows are sorted by the amount of load that has
// to move to bring all totals into the window.
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
