package circuit

import (
	"context"
	"sync"
	"sync/atomic"

	"lockstep/bench/report"
)

// networkRounds is how many rounds the paper's networks are balanced.
const networkRounds = 10

// A networkCase is one network of the experiment.
type networkCase struct {
	pes   int
	setup simSetup
}

// runNetworks does the paper's experiment on whole networks (Section 3).
func (c Experiment) runNetworks(ctx context.Context, out report.Output) ([]circuitRow, error) {
	chosen, err := chooseCircuitAlgorithms(c.Algorithms)
	if err != nil {
		return nil, err
	}
	chosen = withBaseline(chosen)
	cases, err := c.networkCases()
	if err != nil {
		return nil, err
	}
	repetitions := c.repetitions(5)
	out.Begin("networks", int64(len(cases)*repetitions*len(chosen)*c.rounds(networkRounds)))
	defer out.End()
	var rows []circuitRow
	for _, nc := range cases {
		graph, err := newSimGraph(nc.setup)
		if err != nil {
			return nil, report.Usagef("%v", err)
		}
		results, err := c.simulate(ctx, out, graph, nc, chosen, repetitions)
		if err != nil {
			return nil, err
		}
		found := c.networkRows(nc, chosen, results)
		if err := printCircuit(out, c.JSON, found); err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

func (c Experiment) networkCases() (cases []networkCase, err error) {
	topologies, err := c.topologies()
	if err != nil {
		return nil, err
	}
	fields, err := c.fields()
	if err != nil {
		return nil, err
	}
	pes, loads := c.PEs, c.LoadsPerPE
	if pes == nil {
		pes = []int{4096}
	}
	if loads == nil {
		loads = []int{10, 30}
	}
	for _, n := range pes {
		width, height, err := gridSides(n)
		if err != nil {
			return nil, err
		}
		for _, field := range fields {
			for _, topology := range topologies {
				for _, l := range loads {
					cases = append(cases, networkCase{pes: n, setup: simSetup{
						topology: topology, width: width, height: height, loads: l, field: field,
						mobility: c.mobility(1), keepGraph: !c.FreeGraph, graphSeed: c.Seed,
					}})
				}
			}
		}
	}
	return cases, nil
}

// bigNetwork is the size from which one simulation takes all workers; below,
// each worker has its own, which saves the waiting between phases.
const bigNetwork = 1 << 17

// A roundResult is the state after a round.
type roundResult struct{ initial, discrepancy, moves, migrated float64 }

// simulate returns results by algorithm, repetition and round.
func (c Experiment) simulate(ctx context.Context, out report.Output, g *simGraph, nc networkCase, algorithms []circuitAlgorithm, repetitions int) ([][][]roundResult, error) {
	results := make([][][]roundResult, len(algorithms))
	for i := range results {
		results[i] = make([][]roundResult, repetitions)
	}
	jobs, workers := len(algorithms)*repetitions, c.workers()
	nc.setup.workers = 1
	if nc.pes >= bigNetwork {
		nc.setup.workers, workers = workers, 1
	}
	errs := make([]error, jobs)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(workers, jobs) {
		wait.Go(func() {
			for ctx.Err() == nil {
				job := int(next.Add(1)) - 1
				if job >= jobs {
					return
				}
				a, r := job%len(algorithms), job/len(algorithms)
				setup := nc.setup
				setup.seed = mixSeed(c.Seed, uint64(r))
				results[a][r], errs[job] = runRounds(ctx, out, newCircuitSim(g, withStorage(setup, algorithms[a])), algorithms[a], c.rounds(networkRounds))
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, ctx.Err()
}

func withStorage(s simSetup, a circuitAlgorithm) simSetup {
	s.arrival = a.arrival
	return s
}

func runRounds(ctx context.Context, out report.Output, s *circuitSim, a circuitAlgorithm, rounds int) ([]roundResult, error) {
	start := a.network()
	initial, moves := s.discrepancy(), int64(0)
	var results []roundResult
	for round := 1; round <= rounds; round++ {
		m, err := start(s, round)
		if err != nil {
			return nil, err
		}
		moved, err := s.round(ctx, m)
		if err != nil {
			return nil, err
		}
		moves += moved
		results = append(results, roundResult{initial, s.discrepancy(), float64(moves), float64(s.migrated())})
		out.Step(1)
	}
	return results, nil
}

func (c Experiment) networkRows(nc networkCase, algorithms []circuitAlgorithm, results [][][]roundResult) (rows []circuitRow) {
	byRound := make([][]circuitRow, c.rounds(networkRounds))
	for round := range byRound {
		for i, a := range algorithms {
			var initial, discrepancy, moves, migrated meanOf
			for _, r := range results[i] {
				initial.add(r[round].initial)
				discrepancy.add(r[round].discrepancy)
				moves.add(r[round].moves)
				migrated.add(r[round].migrated)
			}
			byRound[round] = append(byRound[round], circuitRow{
				Experiment: "circuit-network", Algorithm: a.name, Loads: nc.pes * nc.setup.loads,
				Mobility: nc.setup.mobility, PEs: nc.pes, Topology: nc.setup.topology.String(), Flow: nc.setup.field.String(),
				LoadsPerPE: float64(nc.setup.loads), Round: round + 1, Discrepancy: discrepancy.mean(), Moves: moves.mean(),
				GraphKept: nc.setup.keepGraph, Initial: initial.mean(), Error: discrepancy.standardError(),
				MovesError: moves.standardError(), Migrated: migrated.mean(), Repetitions: len(results[i]), Seed: c.Seed,
			})
		}
		rate(byRound[round])
	}
	for i := range algorithms {
		for round := range byRound {
			rows = append(rows, byRound[round][i])
		}
	}
	return rows
}
