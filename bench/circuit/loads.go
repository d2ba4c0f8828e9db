package circuit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
	"lockstep/lb/loads"
)

// runLoads balances the blocks of a recording frame after frame. Before a frame each method moves blocks according to
// their times in the previous frame, because a renderer knows only these. The frame then takes as long as its slowest
// node.
func (c Experiment) runLoads(ctx context.Context, out report.Output) error {
	recording, err := report.ReadLoads(c.Loads)
	if err != nil {
		return err
	}
	chosen, err := chooseAlgorithms(c.Algorithms)
	if err != nil {
		return err
	}
	chosen = withBaseline(slices.DeleteFunc(chosen, func(a algorithm) bool { return a.newSequential != nil }))
	nodes := c.PEs
	if nodes == nil {
		nodes = []int{4}
	}
	out.Begin("frames", int64(len(nodes)*len(chosen)*len(recording.Seconds)))
	defer out.End()
	for _, n := range nodes {
		if n < 2 || n > len(recording.Triangles) {
			return report.Usagef("--pes: %d nodes for %d blocks; there may be 2 to %[2]d", n, len(recording.Triangles))
		}
		byFrame, err := c.replay(ctx, out, recording, n, chosen)
		if err != nil {
			return err
		}
		if err := c.printLoads(out, byFrame); err != nil {
			return err
		}
	}
	return nil
}

// nodeGraph returns a graph of n nodes with a circuit. It is a grid, or a ring if gridSides finds no grid.
func nodeGraph(n int) (*circuit.Graph, circuit.Circuit, error) {
	if width, height, err := gridSides(n); err == nil {
		return circuit.Grid(circuit.FourNeighbour, width, height, 0)
	}
	var ring []circuit.Edge
	for i := range n {
		ring = append(ring, circuit.Edge{U: int32(i), V: int32((i + 1) % n)})
	}
	g, err := circuit.NewGraph(n, ring)
	if err != nil {
		return nil, circuit.Circuit{}, err
	}
	return g, circuit.Colour(g), nil
}

// replay replays the recording with all algorithms. It returns the rows by frame and algorithm.
func (c Experiment) replay(ctx context.Context, out report.Output, recording *loads.Recording, nodes int, algorithms []algorithm) ([][]row, error) {
	g, colours, err := nodeGraph(nodes)
	if err != nil {
		return nil, err
	}
	byFrame := make([][]row, len(recording.Seconds))
	for _, a := range algorithms {
		run := replayRun{graph: g, circuit: colours, algorithm: a, rounds: c.roundsOr(1), owner: firstOwners(len(recording.Triangles), nodes)}
		for frame, seconds := range recording.Seconds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if frame > 0 {
				if err := run.balance(recording.Seconds[frame-1]); err != nil {
					return nil, err
				}
			}
			byFrame[frame] = append(byFrame[frame], run.newRow(frame, seconds))
			out.Step(1)
		}
	}
	for frame, rows := range byFrame {
		// Initial is the discrepancy of the same frame if nothing is balanced.
		start := circuit.Discrepancy(nodeTotals(firstOwners(len(recording.Triangles), nodes), recording.Seconds[frame], nodes))
		for i := range rows {
			rows[i].Initial, rows[i].Seed = start, c.Seed
		}
		setScores(rows)
	}
	return byFrame, nil
}

// firstOwners returns the owner of each block at the start. Each node owns a range of consecutive blocks.
func firstOwners(blocks, nodes int) []int32 {
	owner := make([]int32, blocks)
	for b := range owner {
		owner[b] = int32(b * nodes / blocks)
	}
	return owner
}

func nodeTotals(owner []int32, seconds []float64, nodes int) []float64 {
	totals := make([]float64, nodes)
	for b, n := range owner {
		totals[n] += seconds[b]
	}
	return totals
}

// A replayRun is the state of a recording that is replayed with one algorithm.
type replayRun struct {
	graph     *circuit.Graph
	circuit   circuit.Circuit
	algorithm algorithm
	rounds    int
	owner     []int32
	moves     int // number of moves so far
	done      int // number of rounds so far
	ws        circuit.Workspace
}

// balance does the rounds before a frame, which move blocks between nodes. The load of a block is its time in seconds.
func (r *replayRun) balance(seconds []float64) error {
	n := &circuit.Network{Graph: r.graph, Circuit: r.circuit, Load: seconds, Owner: r.owner, InArrivalOrder: r.algorithm.inArrivalOrder}
	if err := n.Start(); err != nil {
		return err
	}
	switch {
	case r.algorithm.protocol != nil:
		for range r.rounds {
			r.done++
			r.moves += n.Round(r.algorithm.protocol.Round(r.done), &r.ws)
		}
	case r.algorithm.name == ourAlgorithm:
		focus := circuit.NewFocus(r.graph.Elements())
		for round := range r.rounds {
			focus.Prepare(r.circuit, round+1, n.Totals(), n.Heaviest())
			r.moves += n.RoundOf(func(_ int, _ circuit.Edge, p circuit.Pair) { focus.Balance(p, &r.ws) })
		}
	default:
		flow, err := circuit.NewFlow(r.graph, circuit.Circuit{Matchings: [][]circuit.Edge{n.Edges()}}, n.Totals(), 0)
		if err != nil {
			return err
		}
		for range r.rounds {
			r.moves += n.RoundOf(func(at int, _ circuit.Edge, p circuit.Pair) { flow.Balance(at, p, &r.ws) })
		}
	}
	return nil
}

func (r *replayRun) newRow(frame int, seconds []float64) row {
	nodes := r.graph.Elements()
	totals := nodeTotals(r.owner, seconds, nodes)
	sum, migrated := 0.0, 0
	for _, t := range totals {
		sum += t
	}
	for b, first := range firstOwners(len(r.owner), nodes) {
		if r.owner[b] != first {
			migrated++
		}
	}
	return row{
		Experiment: "circuit-loads", Algorithm: r.algorithm.name, Loads: len(r.owner), Mobility: 1, PEs: nodes,
		Topology: circuit.FourNeighbour.String(), Flow: "recorded", LoadsPerPE: float64(len(r.owner)) / float64(nodes),
		Round: frame, Discrepancy: circuit.Discrepancy(totals), Moves: float64(r.moves), Migrated: float64(migrated),
		Repetitions: 1, Frame: &frame, FrameSeconds: slices.Max(totals), MeanSeconds: sum / float64(nodes),
	}
}

// printLoads prints every frame as a JSON object, or the sums over the recording as a table.
func (c Experiment) printLoads(out report.Output, byFrame [][]row) error {
	if c.JSON {
		for _, rows := range byFrame {
			if err := printRows(out, true, rows); err != nil {
				return err
			}
		}
		return nil
	}
	first := byFrame[0]
	w := tabwriter.NewWriter(out.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%d blocks on %d nodes, %d frames\n", first[0].Loads, first[0].PEs, len(byFrame))
	fmt.Fprintln(w, "algorithm\tall frames s\tof perfect\tmean discrepancy ms\tmoves")
	for i, head := range first {
		seconds, perfect, discrepancy := 0.0, 0.0, 0.0
		for _, rows := range byFrame {
			seconds += rows[i].FrameSeconds
			perfect += rows[i].MeanSeconds
			discrepancy += 1000 * rows[i].Discrepancy / float64(len(byFrame))
		}
		last := byFrame[len(byFrame)-1][i]
		share := seconds / perfect
		if math.IsNaN(share) {
			share = 1 // all times are 0
		}
		fmt.Fprintf(w, "%s\t%.4g\t%.3f\t%.4g\t%.0f\n", head.Algorithm, seconds, share, discrepancy, last.Moves)
	}
	return w.Flush()
}
