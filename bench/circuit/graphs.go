package circuit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
	"lockstep/lb/circuit/shadow"
)

// Defaults of the experiment on graphs other than grids. At this size ten rounds are enough for loads to spread over
// all graphs but the path.
const (
	graphElements    = 64
	graphLoads       = 15 // loads per element
	graphRepetitions = 10
	// maxComplete limits the number of elements of the complete graph, which then has 33 million edges.
	maxComplete = 1 << 13
)

// graphNames are the names of the graphs. In regular-3, regular-8 and preferential-2 the user may replace the number.
var graphNames = []string{"complete", "star", "path", "hypercube", "torus", "regular-3", "regular-8", "preferential-2"}

// namedGraph returns the named graph of n elements.
func namedGraph(name string, n int, seed uint64) (*circuit.Graph, error) {
	kind, text, numbered := strings.Cut(name, "-")
	number, err := strconv.Atoi(text)
	if numbered && err != nil {
		return nil, report.Usagef("--graph %q: expected a number after the dash", name)
	}
	var g *circuit.Graph
	switch {
	case name == "complete" && n > maxComplete:
		return nil, report.Usagef("--graph complete: %d elements; expected at most %d", n, maxComplete)
	case name == "complete":
		g, err = circuit.Complete(n)
	case name == "star":
		g, err = circuit.Star(n)
	case name == "path":
		g, err = circuit.Path(n)
	case name == "hypercube":
		g, err = circuit.Hypercube(n)
	case name == "torus":
		var width, height int
		if width, height, err = gridSides(n); err == nil {
			g, err = circuit.Torus(width, height)
		}
	case kind == "regular" && numbered:
		g, err = circuit.RandomRegular(n, number, seed)
	case kind == "preferential" && numbered:
		g, err = circuit.Preferential(n, number, seed)
	default:
		return nil, report.Usagef("--graph is complete, star, path, hypercube, torus, regular-D or preferential-M, not %q", name)
	}
	if err != nil {
		return nil, report.Usagef("--graph %s: %v", name, err)
	}
	return g, nil
}

// A loadLaw is a probability distribution of loads.
type loadLaw struct {
	name string
	draw func(r *rand.Rand) float64
}

func loadLaws() []loadLaw {
	return []loadLaw{
		{"equal", func(*rand.Rand) float64 { return 1 }},
		{"integers", func(r *rand.Rand) float64 { return float64(1 + r.IntN(10)) }},
		{"uniform", func(r *rand.Rand) float64 { return 1 - r.Float64() }},
		{"exponential", func(r *rand.Rand) float64 { return r.ExpFloat64() }},
		{"lognormal", func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) }},
		{"pareto", func(r *rand.Rand) float64 { return math.Pow(1-r.Float64(), -1/1.5) }},
		{"bimodal", func(r *rand.Rand) float64 { // one load in ten is about twenty-five times as heavy as the others
			if r.IntN(10) == 0 {
				return 20 - 2*r.Float64()
			}
			return 1 - 0.5*r.Float64()
		}},
		{"powers", func(r *rand.Rand) float64 { return math.Ldexp(1, r.IntN(8)) }},
	}
}

// chosenLoadLaws returns the distributions that the flag --law names, or all of them without the flag.
func (c Experiment) chosenLoadLaws() ([]loadLaw, error) {
	all := loadLaws()
	if c.Law == nil {
		return all, nil
	}
	var list []loadLaw
	for _, name := range c.Law {
		i := slices.IndexFunc(all, func(l loadLaw) bool { return l.name == name })
		if i < 0 {
			return nil, report.Usagef("--law is equal, integers, uniform, exponential, lognormal, pareto, bimodal or powers, not %q", name)
		}
		list = append(list, all[i])
	}
	return list, nil
}

// runGraphs runs the experiment on graphs that are not grids. All loads may move.
func (c Experiment) runGraphs(ctx context.Context, out report.Output) ([]row, error) {
	chosen, err := chooseAlgorithms(c.Algorithms)
	if err != nil {
		return nil, err
	}
	chosen = withBaseline(chosen)
	laws, err := c.chosenLoadLaws()
	if err != nil {
		return nil, err
	}
	graphs, sizes := c.Graph, c.PEs
	if graphs == nil {
		graphs = graphNames
	}
	if sizes == nil {
		sizes = []int{graphElements}
	}
	repetitions := c.repetitionsOr(graphRepetitions)
	out.Begin("graphs", int64(len(graphs)*len(sizes)*len(laws)*repetitions))
	defer out.End()
	var rows []row
	for _, n := range sizes {
		for _, graph := range graphs {
			for _, law := range laws {
				k := graphCase{graph, n, law}
				results, err := c.balanceGraphs(ctx, out, k, chosen, repetitions)
				if err != nil {
					return nil, err
				}
				found := c.graphRows(k, chosen, results)
				if err := printRows(out, c.JSON, found); err != nil {
					return nil, err
				}
				rows = append(rows, found...)
			}
		}
	}
	return rows, nil
}

// A graphCase is a graph of a certain size with a distribution of loads.
type graphCase struct {
	graph    string
	elements int
	law      loadLaw
}

// loadsPerElement returns the mean number of loads per element of a graph.
func (c Experiment) loadsPerElement() int {
	if c.LoadsPerPE == nil {
		return graphLoads
	}
	return c.LoadsPerPE[0]
}

// balanceGraphs balances a graph with all algorithms. It returns results by algorithm, repetition and round. Each
// repetition has new loads, which start on random elements. If the graph is random, each repetition has a new one.
func (c Experiment) balanceGraphs(ctx context.Context, out report.Output, k graphCase, algorithms []algorithm, repetitions int) ([][][]roundResult, error) {
	results := make([][][]roundResult, len(algorithms))
	for a := range results {
		results[a] = make([][]roundResult, repetitions)
	}
	for r := range repetitions {
		seed := mixSeed(c.Seed, uint64(r))
		g, err := namedGraph(k.graph, k.elements, seed)
		if err != nil {
			return nil, err
		}
		colours := circuit.Colour(g)
		random := rand.New(rand.NewPCG(seed, 1))
		load, owner := make([]float64, k.elements*c.loadsPerElement()), make([]int32, k.elements*c.loadsPerElement())
		for i := range load {
			load[i], owner[i] = k.law.draw(random), int32(random.IntN(k.elements))
		}
		if r == 0 && slices.ContainsFunc(algorithms, func(a algorithm) bool { return a.name == ourAlgorithm }) {
			// Fail now if the graph is too large, not after the other algorithms.
			n := &circuit.Network{Graph: g, Circuit: colours}
			if _, err := shadow.New(n); err != nil {
				return nil, report.Usagef("--graph %s with %d elements is too large for ours, so name other --algorithms: %v", k.graph, k.elements, err)
			}
		}
		for a, method := range algorithms {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			n := &circuit.Network{Graph: g, Circuit: colours, Load: load, Owner: slices.Clone(owner),
				Mobility: circuit.Mobility{Graph: g}, InArrivalOrder: method.inArrivalOrder}
			if err := n.Start(); err != nil {
				return nil, err
			}
			if results[a][r], err = networkRounds(n, method, seed, c.roundsOr(gridRounds)); err != nil {
				return nil, err
			}
		}
		out.Step(1)
	}
	return results, nil
}

// networkRounds balances a network in a number of rounds. It returns the result after each round.
func networkRounds(n *circuit.Network, a algorithm, seed uint64, rounds int) ([]roundResult, error) {
	first := slices.Clone(n.Owner)
	initial, moves := circuit.Discrepancy(n.Totals()), 0
	step, err := a.newRound(n, seed)
	if err != nil {
		return nil, err
	}
	var results []roundResult
	for round := range rounds {
		moved, err := step(round + 1)
		if err != nil {
			return nil, err
		}
		moves += moved
		migrated := 0.0
		for i, u := range n.Owner {
			if u != first[i] {
				migrated++
			}
		}
		results = append(results, roundResult{initial, circuit.Discrepancy(n.Totals()), float64(moves), migrated})
	}
	return results, nil
}

// newRound returns a function. Each call of this function does a round on the network n and returns the number of
// moves. Its argument is the number of the round, from 1.
func (a algorithm) newRound(n *circuit.Network, seed uint64) (func(round int) (int, error), error) {
	ws := new(circuit.Workspace)
	switch {
	case a.newSequential != nil:
		step := a.newSequential(n, seed, ws)
		return func(round int) (int, error) { return step(round), nil }, nil
	case a.protocol != nil:
		return func(round int) (int, error) { return n.Round(a.protocol.Round(round), ws), nil }, nil
	case a.name == ourAlgorithm:
		plan, err := shadow.New(n)
		if err != nil {
			return nil, err
		}
		return func(int) (int, error) { return plan.Round(n, ws) }, nil
	}
	flow, err := circuit.NewFlow(n.Graph, circuit.Circuit{Matchings: [][]circuit.Edge{n.Edges()}}, n.Totals(), 0)
	if err != nil {
		return nil, err
	}
	return func(int) (int, error) {
		return n.RoundOf(func(at int, _ circuit.Edge, p circuit.Pair) { flow.Balance(at, p, ws) }), nil
	}, nil
}

func (c Experiment) graphRows(k graphCase, algorithms []algorithm, results [][][]roundResult) []row {
	loads := k.elements * c.loadsPerElement()
	return c.roundRows(algorithms, results, row{
		Experiment: "circuit-graph", Loads: loads, Mobility: 1, PEs: k.elements, Topology: k.graph,
		Flow: k.law.name, LoadsPerPE: float64(c.loadsPerElement()), Seed: c.Seed,
	})
}
