package circuit

import (
	"slices"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
	"lockstep/lb/circuit/simulation"
)

// An algorithm is a method of balancing and its name on the command line.
type algorithm struct {
	name string
	// pair balances a single matching of two elements. It is nil if the method needs a network.
	pair circuit.Method

	// protocol, newPlanned and newSequential say how the method balances a network. One of them is set. protocol names
	// the method of each round. newPlanned makes a method that looks at more than single matchings. newSequential is
	// for methods that do not use the network's circuit; it returns a function that does a round.
	protocol      circuit.Protocol
	newPlanned    func() simulation.Method
	newSequential func(n *circuit.Network, seed uint64, ws *circuit.Workspace) func(round int) int

	inArrivalOrder bool // elements keep loads in the order of their arrival, as circuit.Greedy needs
	optional       bool // the method is used only if the user names it
}

// newMethod returns a method for one simulation of a network. newSequential must not be set.
func (a algorithm) newMethod() simulation.Method {
	if a.newPlanned != nil {
		return a.newPlanned()
	}
	return simulation.Each(a.protocol)
}

const (
	baselineAlgorithm = "sorted-greedy" // s_rel is S divided by the S of this method, see circuit.S
	ourAlgorithm      = "ours"
)

func allAlgorithms() []algorithm {
	always := func(m circuit.Method) circuit.Protocol { return circuit.Always{Method: m} }
	return []algorithm{
		{name: "greedy", pair: circuit.Greedy{}, protocol: always(circuit.Greedy{}), inArrivalOrder: true},
		{name: baselineAlgorithm, pair: circuit.SortedGreedy{}, protocol: always(circuit.SortedGreedy{})},
		{name: "gradient", pair: circuit.Gradient{}, protocol: always(circuit.Gradient{})},
		{name: "gradient-improving", pair: circuit.Gradient{Rule: circuit.Improving}, protocol: always(circuit.Gradient{Rule: circuit.Improving})},
		{name: "gradient-under", pair: circuit.Gradient{Rule: circuit.Under}, protocol: always(circuit.Gradient{Rule: circuit.Under})},
		{name: "hybrid", pair: circuit.HybridGradient().Round(1), protocol: circuit.HybridGradient()},
		{name: "karmarkar-karp", pair: circuit.Differencing{}, protocol: always(circuit.Differencing{})},
		{name: ourAlgorithm, pair: circuit.Exchange{}, newPlanned: simulation.Focus},
		{name: "hybrid-greedy", pair: circuit.HybridGreedy().Round(1), protocol: circuit.HybridGreedy(), inArrivalOrder: true, optional: true},
		{name: "gradient-under-1", pair: circuit.Refine{Steps: 1}, protocol: always(circuit.Refine{Steps: 1}), optional: true},
		{name: "gradient-under-2", pair: circuit.Refine{Steps: 2}, protocol: always(circuit.Refine{Steps: 2}), optional: true},
		{name: "exchange-1", pair: circuit.Exchange{MaxLoads: 1}, protocol: always(circuit.Exchange{MaxLoads: 1}), optional: true},
		{name: "exchange-2", pair: circuit.Exchange{MaxLoads: 2}, protocol: always(circuit.Exchange{MaxLoads: 2}), optional: true},
		{name: "exchange-3", pair: circuit.Exchange{MaxLoads: 3}, protocol: always(circuit.Exchange{MaxLoads: 3}), optional: true},
		{name: "flow", newPlanned: simulation.Flow, optional: true},
		{name: "diffusion", newSequential: newDiffusion, optional: true},
		{name: "random-matchings", newSequential: newRandomMatchings, optional: true},
		{name: "sorted-greedy-oriented", newSequential: newOrientedGreedy, optional: true},
	}
}

// chooseAlgorithms returns the named algorithms, or all that are not optional if names is empty.
func chooseAlgorithms(names []string) ([]algorithm, error) {
	all := allAlgorithms()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(a algorithm) bool { return a.optional }), nil
	}
	var chosen []algorithm
	for _, name := range names {
		i := slices.IndexFunc(all, func(a algorithm) bool { return a.name == name })
		if i < 0 {
			return nil, report.Usagef("unknown algorithm %q; there are %s", name, algorithmNames())
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func algorithmNames() (list string) {
	for i, a := range allAlgorithms() {
		if i > 0 {
			list += ", "
		}
		list += a.name
	}
	return list
}

// newDiffusion returns a function that does a round of diffusion.
func newDiffusion(n *circuit.Network, _ uint64, ws *circuit.Workspace) func(int) int {
	return func(int) int { return n.Diffuse(ws) }
}

// newRandomMatchings returns a function that balances random matchings with SortedGreedy. Each round has as many
// matchings as the circuit.
func newRandomMatchings(n *circuit.Network, seed uint64, ws *circuit.Workspace) func(int) int {
	return func(round int) (moves int) {
		for m := range n.Circuit.Matchings {
			edges := n.Graph.RandomMatching(mixSeed(mixSeed(seed, uint64(round)), uint64(m)))
			moves += n.Visit(edges, func(_ int, _ circuit.Edge, p circuit.Pair) { circuit.SortedGreedy{}.Balance(p, ws) })
		}
		return moves
	}
}

// newOrientedGreedy returns a function that does a round of SortedGreedy with oriented edges, see circuit.Oriented.
func newOrientedGreedy(n *circuit.Network, seed uint64, ws *circuit.Workspace) func(int) int {
	return func(round int) int { return n.RoundOf(circuit.Oriented(circuit.SortedGreedy{}, seed, round, ws)) }
}
