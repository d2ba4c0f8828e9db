package simulation

import (
	"context"

	"lockstep/lb/circuit"
)

// A Method plans the rounds of one simulation. It may remember what it has planned, so two simulations must not share
// one.
type Method interface {
	// start prepares a round and returns its planner. Rounds are counted from 1.
	start(s *Simulation, round int) (planner, error)
}

// A planner plans the matchings of one round, several of them at the same time if need be. A matching is an edge whose
// two elements divide their loads.
type planner interface {
	// idle reports whether the totals of e's elements alone show that the matching changes nothing.
	idle(e circuit.Edge, totals [2]float64) bool
	// plan plans the matching of edge e. at is the index of e in the round.
	plan(at int, e circuit.Edge, p circuit.Pair, ws *circuit.Workspace)
}

// A fewPlanner plans matchings of at most two moves. It costs less than method plan.
type fewPlanner interface {
	// few is like circuit.Focus.Few.
	few(l circuit.Lead) (moves int, at [2]int, ok bool)
}

// Each returns a Method that plans every matching on its own, by the method that p names for each round.
func Each(p circuit.Protocol) Method { return each{p} }

type each struct{ circuit.Protocol }

func (m each) start(_ *Simulation, round int) (planner, error) { return single{m.Round(round)}, nil }

type single struct{ circuit.Method }

func (single) idle(circuit.Edge, [2]float64) bool { return false }

func (m single) plan(_ int, _ circuit.Edge, p circuit.Pair, ws *circuit.Workspace) { m.Balance(p, ws) }

// Focus returns a Method that uses [circuit.Focus]. The simulation's loop computes the predictions.
func Focus() Method { return new(focus) }

type focus struct{ *circuit.Focus }

func (m *focus) start(s *Simulation, round int) (planner, error) {
	if m.Focus == nil {
		m.Focus = circuit.NewFocus(len(s.total))
	}
	m.Start(round, s.total, nil)
	predict := func(_ int, tile []int32) {
		for _, at := range tile {
			m.Predict(s.tiling.edges[at])
		}
	}
	if err := s.eachTile(context.Background(), predict); err != nil {
		return nil, err
	}
	m.Limit()
	return m, nil
}

func (m *focus) idle(_ circuit.Edge, totals [2]float64) bool { return m.Idle(totals) }

func (m *focus) few(l circuit.Lead) (moves int, at [2]int, ok bool) { return m.Few(l) }

func (m *focus) plan(_ int, _ circuit.Edge, p circuit.Pair, ws *circuit.Workspace) {
	m.Balance(p, ws)
}

// Flow returns a Method that uses [circuit.Flow]. It plans the flow before round 1.
func Flow() Method { return new(flow) }

type flow struct{ *circuit.Flow }

func (m *flow) start(s *Simulation, _ int) (_ planner, err error) {
	if m.Flow == nil {
		m.Flow, err = circuit.NewFlow(s.graph, circuit.Circuit{Matchings: s.phases}, s.total, 0)
	}
	return m, err
}

func (*flow) idle(circuit.Edge, [2]float64) bool { return false }

func (m *flow) plan(at int, _ circuit.Edge, p circuit.Pair, ws *circuit.Workspace) {
	m.Balance(at, p, ws)
}
