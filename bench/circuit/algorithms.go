package circuit

import (
	"slices"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
	"lockstep/lb/circuit/simulation"
)

// algorithm is a balancing method under the name that the experiments use.
type algorithm struct {
	name string
	// pair plans a single matching; nil if the method needs a network.
	pair circuit.Method
	// protocol names the method of each round of a network. It is nil if planned or sequential is set. planned makes a
	// method that plans more than single matchings.
	protocol circuit.Protocol
	planned  func() simulation.Method
	// sequential returns a function that does a round of a network. It is set for methods that do not follow the
	// circuit; see onNetwork.
	sequential func(n *circuit.Network, seed uint64, ws *circuit.Workspace) func(round int) int
	// inArrivalOrder keeps loads in the order of their arrival, on which Greedy depends.
	inArrivalOrder bool
	extra          bool // used only if the user names it
}

// network returns a method for one simulation of a network.
func (a algorithm) network() simulation.Method {
	if a.planned != nil {
		return a.planned()
	}
	return simulation.Each(a.protocol)
}

const (
	baselineAlgorithm = "sorted-greedy" // method whose S is the denominator of S_rel
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
		{name: ourAlgorithm, pair: circuit.Exchange{}, planned: simulation.Focus},
		{name: "hybrid-greedy", pair: circuit.HybridGreedy().Round(1), protocol: circuit.HybridGreedy(), inArrivalOrder: true, extra: true},
		{name: "gradient-under-1", pair: circuit.Refine{Steps: 1}, protocol: always(circuit.Refine{Steps: 1}), extra: true},
		{name: "gradient-under-2", pair: circuit.Refine{Steps: 2}, protocol: always(circuit.Refine{Steps: 2}), extra: true},
		{name: "exchange-1", pair: circuit.Exchange{MaxLoads: 1}, protocol: always(circuit.Exchange{MaxLoads: 1}), extra: true},
		{name: "exchange-2", pair: circuit.Exchange{MaxLoads: 2}, protocol: always(circuit.Exchange{MaxLoads: 2}), extra: true},
		{name: "exchange-3", pair: circuit.Exchange{MaxLoads: 3}, protocol: always(circuit.Exchange{MaxLoads: 3}), extra: true},
		{name: "flow", planned: simulation.Flow, extra: true},
		{name: "diffusion", sequential: diffusion, extra: true},
		{name: "random-matchings", sequential: randomMatchings, extra: true},
		{name: "sorted-greedy-oriented", sequential: oriented, extra: true},
	}
}

// chooseAlgorithms returns the named algorithms, or all but the extra ones if names is empty. It fails for unknown
// names.
func chooseAlgorithms(names []string) ([]algorithm, error) {
	all := allAlgorithms()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(a algorithm) bool { return a.extra }), nil
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

func diffusion(n *circuit.Network, _ uint64, ws *circuit.Workspace) func(int) int {
	return func(int) int { return n.Diffuse(ws) }
}

// randomMatchings balances with SortedGreedy on random matchings, as many per round as the circuit has.
func randomMatchings(n *circuit.Network, seed uint64, ws *circuit.Workspace) func(int) int {
	return func(round int) (moves int) {
		for m := range n.Circuit.Matchings {
			edges := n.Graph.RandomMatching(mixSeed(mixSeed(seed, uint64(round)), uint64(m)))
			moves += n.Visit(edges, func(_ int, _ circuit.Edge, p circuit.Pair) { circuit.SortedGreedy{}.Balance(p, ws) })
		}
		return moves
	}
}

func oriented(n *circuit.Network, seed uint64, ws *circuit.Workspace) func(int) int {
	return func(round int) int { return n.RoundOf(circuit.Oriented(circuit.SortedGreedy{}, seed, round, ws)) }
}
