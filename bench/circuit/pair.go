package circuit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
)

// runPairs runs the experiment on a single matching (Demirel and Sbalzarini, Section 2.4): two elements, costs uniform
// in [0, 1), and some loads that may not move.
func (c Experiment) runPairs(ctx context.Context, out report.Output) ([]row, error) {
	algorithms, err := c.pairAlgorithms()
	if err != nil {
		return nil, err
	}
	sizes := c.Sizes
	if sizes == nil {
		sizes = []int{2, 10, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200}
	}
	repetitions := c.repetitionsOr(500)
	out.Begin("pairs", int64(len(sizes)*repetitions))
	defer out.End()
	var rows []row
	for _, n := range sizes {
		tallies, err := c.pairRepetitions(ctx, out, algorithms, n, repetitions)
		if err != nil {
			return nil, err
		}
		found := c.pairRows(algorithms, n, tallies)
		if err := printRows(out, c.JSON, found); err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// pairAlgorithms returns the chosen algorithms that work on pairs, including the baseline of S_rel.
func (c Experiment) pairAlgorithms() ([]algorithm, error) {
	chosen, err := chooseAlgorithms(c.Algorithms)
	if err != nil {
		return nil, err
	}
	chosen = slices.DeleteFunc(chosen, func(a algorithm) bool { return a.pair == nil })
	if len(chosen) == 0 {
		return nil, report.Usagef("none of the algorithms works on a single matching")
	}
	return withBaseline(chosen), nil
}

// withBaseline returns the chosen algorithms, including the baseline.
func withBaseline(chosen []algorithm) []algorithm {
	isBaseline := func(a algorithm) bool { return a.name == baselineAlgorithm }
	if slices.ContainsFunc(chosen, isBaseline) {
		return chosen
	}
	all := allAlgorithms()
	return append(chosen, all[slices.IndexFunc(all, isBaseline)])
}

// A pairResult is the result of one algorithm in one repetition.
type pairResult struct{ initial, final, moves float64 }

// pairRepetitions makes random matchings of n loads, and balances each by all algorithms. The results are ordered by
// matching and by algorithm. So sums over them do not depend on which worker finished first.
func (c Experiment) pairRepetitions(ctx context.Context, out report.Output, algorithms []algorithm, n, repetitions int) ([][]pairResult, error) {
	results := make([][]pairResult, repetitions)
	m := c.newMachine()
	defer m.Close()
	ws := make([]circuit.Workspace, m.Workers())
	m.For(repetitions, 1, func(worker, r int) {
		if ctx.Err() == nil {
			results[r] = c.pairRepetition(algorithms, n, r, &ws[worker])
			out.Step(1)
		}
	})
	return results, ctx.Err()
}

func (c Experiment) pairRepetition(algorithms []algorithm, n, repetition int, ws *circuit.Workspace) []pairResult {
	// Hash the seeds, because generators with neighbouring seeds produce similar numbers.
	stream := mixSeed(c.Seed, uint64(n))
	rng := rand.New(rand.NewPCG(stream, mixSeed(stream, uint64(repetition))))
	p := drawPair(rng, n, c.firstLoads(rng, n), c.mobilityOrDefault(0.75))
	at := slices.Clone(p.Side)
	results := make([]pairResult, len(algorithms))
	for i, a := range algorithms {
		copy(p.Side, at)
		results[i].initial = p.Discrepancy()
		a.pair.Balance(p, ws)
		results[i].final = p.Discrepancy()
		for k, side := range p.Side {
			if side != at[k] {
				results[i].moves++
			}
		}
	}
	return results
}

// firstLoads returns how many of n loads start on the first element.
func (c Experiment) firstLoads(rng *rand.Rand, n int) int {
	switch c.Split {
	case "one-sided":
		return n
	case "uniform":
		return rng.IntN(n + 1)
	}
	return n / 2
}

// drawPair draws n loads. The argument `first` is the number of loads on element 0. The others are on element 1. A
// fraction of 1-mobility of each element's loads, rounded down, may not move.
func drawPair(rng *rand.Rand, n, first int, mobility float64) circuit.Pair {
	var p circuit.Pair
	for side, count := range [2]int{first, n - first} {
		// Add a small number: the product for a tenth of ten loads may be just below 1, and would be rounded down to 0.
		pins := int(math.Floor(float64((1-mobility)*float64(count)) + 1e-9))
		pinned := make([]bool, count)
		for _, i := range rng.Perm(count)[:pins] {
			pinned[i] = true
		}
		for i := range count {
			w := rng.Float64()
			if pinned[i] {
				p.Fixed[side] += w
				continue
			}
			p.Load, p.Side = append(p.Load, w), append(p.Side, uint8(side))
		}
	}
	return p
}

func (c Experiment) pairRows(algorithms []algorithm, n int, results [][]pairResult) []row {
	split := c.Split
	if split == "" {
		split = "even"
	}
	rows := make([]row, len(algorithms))
	for i, a := range algorithms {
		var initial, final, moves meanTally
		for _, r := range results {
			initial.add(r[i].initial)
			final.add(r[i].final)
			moves.add(r[i].moves)
		}
		rows[i] = row{
			Experiment: "circuit-pair", Algorithm: a.name, Loads: n, Mobility: c.mobilityOrDefault(0.75),
			PEs: 2, Topology: "pair", Flow: "none", LoadsPerPE: float64(n) / 2, Round: 1,
			Discrepancy: final.mean(), Moves: moves.mean(), Split: split, Initial: initial.mean(),
			Error: final.standardError(), MovesError: moves.standardError(), Migrated: moves.mean(),
			Repetitions: len(results), Seed: c.Seed,
		}
	}
	setScores(rows)
	return rows
}
