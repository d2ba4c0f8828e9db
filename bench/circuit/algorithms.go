package circuit

import (
	"context"
	"slices"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
)

// circuitAlgorithm is a balancing method as the experiments name it.
type circuitAlgorithm struct {
	name string
	// pair plans a single matching; nil when the method needs a network.
	pair circuit.Method
	// protocol names the method of each round of a network; nil when a round
	// needs more than its matchings, for which network is.
	protocol circuit.Protocol
	planned  func() roundStarter
	// arrival stores loads as they came, which is what Greedy depends on.
	arrival bool
	extra   bool // only when asked for by name
}

// A roundStarter prepares a round, counted from 1, and returns its matcher.
type roundStarter func(s *circuitSim, round int) (matcher, error)

const (
	baselineAlgorithm = "sorted-greedy" // S is relative to its S
	ourAlgorithm      = "ours"
)

func circuitAlgorithms() []circuitAlgorithm {
	always := func(m circuit.Method) circuit.Protocol { return circuit.Always{Method: m} }
	return []circuitAlgorithm{
		{name: "greedy", pair: circuit.Greedy{}, protocol: always(circuit.Greedy{}), arrival: true},
		{name: baselineAlgorithm, pair: circuit.SortedGreedy{}, protocol: always(circuit.SortedGreedy{})},
		{name: "gradient", pair: circuit.Gradient{}, protocol: always(circuit.Gradient{})},
		{name: "gradient-improving", pair: circuit.Gradient{Rule: circuit.Improving}, protocol: always(circuit.Gradient{Rule: circuit.Improving})},
		{name: "gradient-under", pair: circuit.Gradient{Rule: circuit.Under}, protocol: always(circuit.Gradient{Rule: circuit.Under})},
		{name: "hybrid", pair: circuit.HybridGradient().Round(1), protocol: circuit.HybridGradient()},
		{name: "karmarkar-karp", pair: circuit.Differencing{}, protocol: always(circuit.Differencing{})},
		{name: ourAlgorithm, pair: circuit.Exchange{}, planned: focusRounds},
		{name: "hybrid-greedy", pair: circuit.HybridGreedy().Round(1), protocol: circuit.HybridGreedy(), arrival: true, extra: true},
		{name: "gradient-under-1", pair: circuit.Refine{Steps: 1}, protocol: always(circuit.Refine{Steps: 1}), extra: true},
		{name: "gradient-under-2", pair: circuit.Refine{Steps: 2}, protocol: always(circuit.Refine{Steps: 2}), extra: true},
		{name: "exchange-1", pair: circuit.Exchange{MaxLoads: 1}, protocol: always(circuit.Exchange{MaxLoads: 1}), extra: true},
		{name: "exchange-2", pair: circuit.Exchange{MaxLoads: 2}, protocol: always(circuit.Exchange{MaxLoads: 2}), extra: true},
		{name: "exchange-3", pair: circuit.Exchange{MaxLoads: 3}, protocol: always(circuit.Exchange{MaxLoads: 3}), extra: true},
		{name: "flow", planned: flowRounds, extra: true},
	}
}

// chooseCircuitAlgorithms returns the named algorithms, all but the extra ones
// when none is named.
func chooseCircuitAlgorithms(names []string) ([]circuitAlgorithm, error) {
	all := circuitAlgorithms()
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(a circuitAlgorithm) bool { return a.extra }), nil
	}
	var chosen []circuitAlgorithm
	for _, name := range names {
		i := slices.IndexFunc(all, func(a circuitAlgorithm) bool { return a.name == name })
		if i < 0 {
			return nil, report.Usagef("unknown algorithm %q; there are %s", name, circuitAlgorithmNames())
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func circuitAlgorithmNames() (list string) {
	for i, a := range circuitAlgorithms() {
		if i > 0 {
			list += ", "
		}
		list += a.name
	}
	return list
}

// network returns what every round of a network does.
func (a circuitAlgorithm) network() roundStarter {
	if a.planned != nil {
		return a.planned()
	}
	return func(_ *circuitSim, round int) (matcher, error) { return methodMatcher{a.protocol.Round(round)}, nil }
}

// methodMatcher plans every matching by itself.
type methodMatcher struct{ circuit.Method }

func (methodMatcher) idle(circuit.Edge, [2]float64) bool { return false }

func (m methodMatcher) match(_ int, _ circuit.Edge, p circuit.Pair, ws *circuit.Workspace) {
	m.Balance(p, ws)
}

// focusRounds is circuit.Focus with its scalar exchanges on all workers.
func focusRounds() roundStarter {
	var focus *circuit.Focus
	return func(s *circuitSim, round int) (matcher, error) {
		if focus == nil {
			focus = circuit.NewFocus(len(s.total), 0)
		}
		focus.Start(round, s.total)
		every := func(exchange func(circuit.Edge)) {
			_ = s.eachEdge(context.Background(), func(_, _ int, e circuit.Edge) { exchange(e) })
		}
		every(focus.Predict)
		focus.Limit()
		for range focus.Reach() {
			every(focus.Spread)
		}
		return focusMatcher{focus}, nil
	}
}

type focusMatcher struct{ *circuit.Focus }

func (m focusMatcher) idle(e circuit.Edge, totals [2]float64) bool { return m.Idle(e, totals) }

func (m focusMatcher) match(_ int, e circuit.Edge, p circuit.Pair, ws *circuit.Workspace) {
	m.Balance(e, p, ws)
}

// flowRounds is circuit.Flow, planned before round 1.
func flowRounds() roundStarter {
	var flow *circuit.Flow
	return func(s *circuitSim, round int) (matcher, error) {
		if flow != nil {
			return flowMatcher{flow}, nil
		}
		var err error
		flow, err = circuit.NewFlow(s.graph, circuit.Circuit{Matchings: s.phases}, s.total, 0)
		return flowMatcher{flow}, err
	}
}

type flowMatcher struct{ *circuit.Flow }

func (flowMatcher) idle(circuit.Edge, [2]float64) bool { return false }

func (m flowMatcher) match(at int, _ circuit.Edge, p circuit.Pair, ws *circuit.Workspace) {
	m.Balance(at, p, ws)
}
