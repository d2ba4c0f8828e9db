package circuit

import (
	"context"
	"slices"

	"lockstep/bench/report"
	"lockstep/lb/circuit/simulation"
	"lockstep/vp/machine"
)

// gridRounds is the default number of rounds for which networks are balanced. Demirel and Sbalzarini use the same.
const gridRounds = 10

// A networkCase is a grid of elements, and the field that the costs of its loads are drawn from.
type networkCase struct {
	pes      int
	field    costField
	mobility float64 // fraction of each element's loads that may move
	grid     simulation.GridOptions
}

// runNetworks runs the experiment on whole networks (Demirel and Sbalzarini, Section 3).
func (c Experiment) runNetworks(ctx context.Context, out report.Output) ([]row, error) {
	chosen, err := chooseAlgorithms(c.Algorithms)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(chosen, func(a algorithm) bool { return a.newSequential != nil }); i >= 0 {
		return nil, report.Usagef("%s goes with --graph; grids have a simulator of their own", chosen[i].name)
	}
	chosen = withBaseline(chosen)
	cases, err := c.networkCases()
	if err != nil {
		return nil, err
	}
	repetitions := c.repetitionsOr(5)
	out.Begin("networks", int64(len(cases)*repetitions*len(chosen)*c.roundsOr(gridRounds)))
	defer out.End()
	var rows []row
	for _, nc := range cases {
		grid, err := simulation.NewGrid(nc.grid)
		if err != nil {
			return nil, report.Usagef("%v", err)
		}
		results, err := c.simulate(ctx, out, grid, nc, chosen, repetitions)
		if err != nil {
			return nil, err
		}
		found := c.networkRows(nc, chosen, results)
		if err := printRows(out, c.JSON, found); err != nil {
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
	fields, err := c.costFields()
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
					cases = append(cases, networkCase{pes: n, field: field, mobility: c.mobilityOrDefault(1), grid: simulation.GridOptions{
						Topology: topology, Width: width, Height: height, Loads: l, KeepGraph: !c.FreeGraph, Seed: c.Seed,
					}})
				}
			}
		}
	}
	return cases, nil
}

// sharedNetwork is the least number of elements of a network that all workers simulate together. Smaller networks are
// simulated at the same time, each by one worker, because workers then need not wait for each other.
const sharedNetwork = 1 << 17

// A roundResult describes the network after a round: the discrepancy at the start and now, the number of moves so far,
// and the number of loads that are not on the element on which they started.
type roundResult struct{ initial, discrepancy, moves, migrated float64 }

// simulate simulates a network with all algorithms. It returns results by algorithm, repetition and round.
func (c Experiment) simulate(ctx context.Context, out report.Output, g *simulation.Grid, nc networkCase, algorithms []algorithm, repetitions int) ([][][]roundResult, error) {
	results := make([][][]roundResult, len(algorithms))
	for i := range results {
		results[i] = make([][]roundResult, repetitions)
	}
	m := c.newMachine()
	defer m.Close()
	jobs := len(algorithms) * repetitions
	run, loop := m.For, simulation.Loop{}
	if nc.pes >= sharedNetwork {
		run, loop = runSequentially, simulation.Loop{Workers: m.Workers(), For: m.For}
	}
	errs := make([]error, jobs)
	run(jobs, 1, func(_, job int) {
		a, r := job%len(algorithms), job/len(algorithms)
		if errs[job] = ctx.Err(); errs[job] != nil {
			return
		}
		seed := mixSeed(c.Seed, uint64(r))
		s := simulation.New(g, simulation.Options{
			Cost: nc.field.costFunc(g.Blocks(), seed), Pinned: pinnedLoads(nc.grid.Loads, nc.mobility, seed),
			InArrivalOrder: algorithms[a].inArrivalOrder, Loop: loop,
		})
		results[a][r], errs[job] = runRounds(ctx, out, s, algorithms[a].newMethod(), c.roundsOr(gridRounds))
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// newMachine returns a machine with the number of workers that --workers says. They are not pinned to cores, because
// several experiments may run at once on the same cores.
func (c Experiment) newMachine() *machine.Machine {
	return machine.New(machine.Options{Workers: c.Workers, NoPin: true})
}

// runSequentially calls do(0, i) for i from 0 to n-1, in order. It replaces machine.Machine.For.
func runSequentially(n, _ int, do func(worker, i int)) {
	for i := range n {
		do(0, i)
	}
}

func runRounds(ctx context.Context, out report.Output, s *simulation.Simulation, m simulation.Method, rounds int) ([]roundResult, error) {
	initial, moves := s.Discrepancy(), int64(0)
	var results []roundResult
	for range rounds {
		moved, err := s.Round(ctx, m)
		if err != nil {
			return nil, err
		}
		moves += moved
		results = append(results, roundResult{initial, s.Discrepancy(), float64(moves), float64(s.Migrated())})
		out.Step(1)
	}
	return results, nil
}

func (c Experiment) networkRows(nc networkCase, algorithms []algorithm, results [][][]roundResult) []row {
	return c.roundRows(algorithms, results, row{
		Experiment: "circuit-network", Loads: nc.pes * nc.grid.Loads, Mobility: nc.mobility, PEs: nc.pes,
		Topology: nc.grid.Topology.String(), Flow: nc.field.String(), LoadsPerPE: float64(nc.grid.Loads),
		GraphKept: nc.grid.KeepGraph, Seed: c.Seed,
	})
}

// roundRows returns a row for every algorithm and round. Each is a copy of template, with the means over the
// repetitions.
func (c Experiment) roundRows(algorithms []algorithm, results [][][]roundResult, template row) (rows []row) {
	byRound := make([][]row, c.roundsOr(gridRounds))
	for round := range byRound {
		for i, a := range algorithms {
			var initial, discrepancy, moves, migrated meanTally
			for _, r := range results[i] {
				initial.add(r[round].initial)
				discrepancy.add(r[round].discrepancy)
				moves.add(r[round].moves)
				migrated.add(r[round].migrated)
			}
			one := template
			one.Algorithm, one.Round, one.Repetitions = a.name, round+1, len(results[i])
			one.Discrepancy, one.Moves, one.Initial, one.Migrated = discrepancy.mean(), moves.mean(), initial.mean(), migrated.mean()
			one.Error, one.MovesError = discrepancy.standardError(), moves.standardError()
			byRound[round] = append(byRound[round], one)
		}
		setScores(byRound[round])
	}
	for i := range algorithms {
		for round := range byRound {
			rows = append(rows, byRound[round][i])
		}
	}
	return rows
}
