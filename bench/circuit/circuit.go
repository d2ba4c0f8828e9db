// Package circuit compares methods that balance indivisible loads between neighbours on a balancing circuit. A
// balancing circuit is a sequence of matchings of a graph's elements, in which each edge of the graph occurs once. In a
// round of the circuit the matchings are balanced one after the other.
//
// pair.go has the experiment on one matching of two elements, network.go that on whole networks, and loads.go that on
// recorded loads. algorithms.go names the methods of lb/circuit, and field.go draws loads. rows.go and plot.go show the
// results.
package circuit

import (
	"context"
	"math"
	"slices"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb/circuit"
	"lockstep/lb/circuit/simulation"
)

// Experiment runs one or two of these experiments, depending on its flags:
//
//   - "circuit-pair": one matching of two elements (Figures 2 and 3 of Demirel and Sbalzarini, "Balancing indivisible
//     real-valued loads in arbitrary networks");
//   - "circuit-network": whole networks (their Figures 7 to 10);
//   - "circuit-graph": other graphs, with --graph or --law;
//   - "circuit-loads": recorded loads, with --loads.
//
// By default it runs the first two.
type Experiment struct {
	JSON        bool        `name:"json" help:"Print one object a line instead of tables."`
	Plot        report.Path `placeholder:"DIR" help:"Write the figures into this folder, as SVG and PNG."`
	Sizes       []int       `placeholder:"N" help:"Pair: loads in a matching (default 2,10,20,40,60,80,100,120,140,160,180,200)."`
	Split       string      `placeholder:"even|one-sided|uniform" help:"Pair: how a matching's loads lie at first: half on each element (default), all on the first, or a random number on the first."`
	Mobility    *float64    `placeholder:"F" help:"Part of each element's loads that may move; the others are pinned at random (default 0.75 for pairs, 1 for networks)."`
	Repetitions int         `placeholder:"N" help:"Random loads to average over (default 500 for pairs, 5 for networks)."`
	PEs         []int       `name:"pes" placeholder:"N" help:"Network: processing elements, laid out as nearly square as possible (default 4096). With --loads: nodes (default 4)."`
	Topology    []string    `placeholder:"4|8|k" help:"Network: neighbours of an element (default all three)."`
	Flow        []string    `placeholder:"linear-flow|shock-wave|even" help:"Network: field of the cost density (default the first two)."`
	Graph       []string    `placeholder:"NAME" help:"Balance on other graphs: complete, star, path, hypercube, torus, regular-D with D neighbours each, preferential-M whose elements join M earlier ones."`
	Law         []string    `placeholder:"NAME" help:"With --graph: law of the loads, equal, integers, uniform, exponential, lognormal, pareto, bimodal or powers (default all)."`
	LoadsPerPE  []int       `name:"loads-per-pe" placeholder:"N" help:"Network: loads an element starts with (default 10,30)."`
	Rounds      *int        `placeholder:"N" help:"Rounds of the circuit (default 10 for networks, 1 per frame of recorded loads)."`
	FreeGraph   bool        `help:"Network: let loads move even if that changes the communication graph."`
	Algorithms  []string    `placeholder:"NAME" help:"Methods (default greedy,sorted-greedy,gradient,gradient-improving,gradient-under,hybrid,karmarkar-karp,ours; besides hybrid-greedy, gradient-under-1, gradient-under-2, exchange-1, exchange-2, exchange-3, flow; with --graph diffusion, random-matchings, sorted-greedy-oriented)."`
	Loads       report.Path `placeholder:"FILE" help:"Balance the loads recorded in this file, frame after frame."`
	Seed        uint64      `default:"1" placeholder:"S" help:"Seed of all random loads and graphs."`
	Workers     int         `placeholder:"N" help:"Number of workers (default one per core); the results do not depend on it."`
}

// Run implements [report.Experiment].
func (c Experiment) Run(ctx context.Context, out report.Output) error {
	if err := c.check(); err != nil {
		return err
	}
	if c.Loads != "" {
		return c.runLoads(ctx, out)
	}
	pairs := c.Sizes != nil || c.Split != ""
	networks := c.PEs != nil || c.Topology != nil || c.Flow != nil || c.LoadsPerPE != nil || c.FreeGraph
	if !pairs && !networks {
		pairs, networks = true, true
	}
	if c.Graph != nil || c.Law != nil {
		_, err := c.runGraphs(ctx, out)
		return err
	}
	var rows []row
	if pairs {
		found, err := c.runPairs(ctx, out)
		if err != nil {
			return err
		}
		rows = append(rows, found...)
	}
	if networks {
		found, err := c.runNetworks(ctx, out)
		if err != nil {
			return err
		}
		rows = append(rows, found...)
	}
	if c.Plot != "" {
		return drawFigures(out.Folder(string(c.Plot)), rows)
	}
	return nil
}

func (c Experiment) check() error {
	if m := c.Mobility; m != nil && !(*m >= 0 && *m <= 1) {
		return report.Usagef("--mobility is a part of the loads, from 0 to 1, not %g", *m)
	}
	for _, n := range c.Sizes {
		if n < 1 || n > 1<<20 {
			return report.Usagef("--sizes: a matching of %d loads; there may be 1 to %d", n, 1<<20)
		}
	}
	if !slices.Contains([]string{"", "even", "one-sided", "uniform"}, c.Split) {
		return report.Usagef("--split is even, one-sided or uniform, not %q", c.Split)
	}
	if c.Repetitions < 0 || c.Workers < 0 {
		return report.Usagef("--repetitions and --workers must not be negative")
	}
	if r := c.Rounds; r != nil && *r < 1 {
		return report.Usagef("--rounds %d: expected at least 1", *r)
	}
	for _, n := range c.PEs {
		if c.Loads == "" && (n < 8 || n > 1<<24) {
			return report.Usagef("--pes: %d elements; a network has 8 to %d", n, 1<<24)
		}
	}
	for _, n := range c.LoadsPerPE {
		if n < 1 || n > simulation.MaxLoads {
			return report.Usagef("--loads-per-pe: %d; an element starts with 1 to %d", n, simulation.MaxLoads)
		}
	}
	for _, l := range []struct {
		flag  string
		empty bool
	}{
		{"--sizes", c.Sizes != nil && len(c.Sizes) == 0}, {"--pes", c.PEs != nil && len(c.PEs) == 0},
		{"--topology", c.Topology != nil && len(c.Topology) == 0}, {"--flow", c.Flow != nil && len(c.Flow) == 0},
		{"--graph", c.Graph != nil && len(c.Graph) == 0}, {"--law", c.Law != nil && len(c.Law) == 0},
		{"--loads-per-pe", c.LoadsPerPE != nil && len(c.LoadsPerPE) == 0},
		{"--algorithms", c.Algorithms != nil && len(c.Algorithms) == 0},
	} {
		if l.empty {
			return report.Usagef("%s: expected at least one", l.flag)
		}
	}
	if (c.Graph != nil || c.Law != nil) && len(c.LoadsPerPE) > 1 {
		return report.Usagef("--loads-per-pe: expected one number with --graph, not %d", len(c.LoadsPerPE))
	}
	_, err := chooseAlgorithms(c.Algorithms)
	return err
}

func (c Experiment) mobilityOrDefault(fallback float64) float64 {
	if c.Mobility == nil {
		return fallback
	}
	return *c.Mobility
}

func (c Experiment) repetitionsOr(fallback int) int {
	if c.Repetitions == 0 {
		return fallback
	}
	return c.Repetitions
}

func (c Experiment) roundsOr(fallback int) int {
	if c.Rounds == nil {
		return fallback
	}
	return *c.Rounds
}

func (c Experiment) topologies() ([]circuit.Topology, error) {
	if c.Topology == nil {
		return []circuit.Topology{circuit.FourNeighbour, circuit.EightNeighbour, circuit.KNeighbour}, nil
	}
	var list []circuit.Topology
	for _, name := range c.Topology {
		switch strings.TrimSuffix(strings.ToLower(name), "-neighbour") {
		case "4", "four":
			list = append(list, circuit.FourNeighbour)
		case "8", "eight":
			list = append(list, circuit.EightNeighbour)
		case "k":
			list = append(list, circuit.KNeighbour)
		default:
			return nil, report.Usagef("--topology is 4, 8 or k, not %q", name)
		}
	}
	return list, nil
}

func (c Experiment) costFields() ([]costField, error) {
	if c.Flow == nil {
		return []costField{linearFlow, shockWave}, nil
	}
	var list []costField
	for _, name := range c.Flow {
		switch strings.ToLower(name) {
		case "linear-flow", "linear", "flow":
			list = append(list, linearFlow)
		case "shock-wave", "shock", "shockwave":
			list = append(list, shockWave)
		case "even":
			list = append(list, evenField)
		default:
			return nil, report.Usagef("--flow is linear-flow, shock-wave or even, not %q", name)
		}
	}
	return list, nil
}

// gridSides returns the sides of the most nearly square grid of n elements that is at least four wide and two high. It
// returns an error if there is none.
func gridSides(n int) (width, height int, err error) {
	for h := int(math.Sqrt(float64(n))); h >= 2; h-- {
		if n%h == 0 && n/h >= 4 {
			return n / h, h, nil
		}
	}
	return 0, 0, report.Usagef("--pes: %d elements make no grid of at least 4 by 2", n)
}
