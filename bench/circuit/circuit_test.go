package circuit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/bench/internal/racetest"
	"lockstep/bench/report"
)

var long = flag.Bool("long-circuit", false, "repeat the pair experiment 4,000 times")

// resultLines runs the experiment and returns the JSON objects that it prints.
func resultLines(t *testing.T, c Experiment) []map[string]any {
	t.Helper()
	c.JSON = true
	var out bytes.Buffer
	if err := c.Run(context.Background(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, m)
	}
	return lines
}

// TestPairsKnownAnswers compares the pair experiment with an independent implementation. The results of both are means
// with standard errors, so the difference of two means has the errors of both. Of 190 comparisons, one may differ by
// more than three such errors by chance.
func TestPairsKnownAnswers(t *testing.T) {
	raw, err := os.ReadFile("testdata/pair.json")
	if err != nil {
		t.Fatal(err)
	}
	var known []struct {
		Split, Algorithm          string
		Mobility, Discrepancy, SE float64
		Moves                     float64
		Loads                     int
	}
	if err := json.Unmarshal(raw, &known); err != nil {
		t.Fatal(err)
	}
	repetitions := 400
	if *long {
		repetitions = 4000
	}
	names := []string{"greedy", "sorted-greedy", "gradient", "gradient-improving", "gradient-under", "karmarkar-karp", "gradient-under-1", "gradient-under-2"}
	compared, far := 0, 0
	for _, split := range []string{"even", "one-sided"} {
		for _, mobility := range []float64{1, 0.75} {
			for _, line := range resultLines(t, Experiment{Split: split, Mobility: &mobility, Sizes: []int{2, 10, 20, 60, 100, 200}, Repetitions: repetitions, Algorithms: names, Seed: 1}) {
				for _, k := range known {
					if k.Split != split || k.Mobility != mobility || k.Algorithm != line["algorithm"] || float64(k.Loads) != line["loads"] {
						continue
					}
					compared++
					error := math.Hypot(k.SE, line["discrepancy_se"].(float64))
					// The known numbers of moves have no published standard error. The test uses the standard error of
					// our numbers, scaled to the published number of repetitions.
					se := line["moves_se"].(float64)
					movesError := math.Hypot(se, se*math.Sqrt(float64(repetitions)/4000))
					d, m := line["discrepancy"].(float64)-k.Discrepancy, line["moves"].(float64)-k.Moves
					if math.Abs(d) > 4*error+1e-12 || math.Abs(m) > 4*movesError+1e-9 {
						t.Errorf("%s, %g mobile, %d loads, %s: discrepancy %v, known %v; moves %v, known %v", split, mobility, k.Loads, k.Algorithm, line["discrepancy"], k.Discrepancy, line["moves"], k.Moves)
					}
					if math.Abs(d) > 3*error+1e-12 || math.Abs(m) > 3*movesError+1e-9 {
						far++
					}
				}
			}
		}
	}
	if compared != len(known) || far > len(known)/50 {
		t.Errorf("%d of %d compared, %d beyond three standard errors", compared, len(known), far)
	}
}

func TestOursOnAPair(t *testing.T) {
	racetest.Alone(t)
	for _, mobility := range []float64{0.75, 1} {
		rows := map[string]map[string]any{}
		for _, line := range resultLines(t, Experiment{Sizes: []int{200}, Mobility: &mobility, Repetitions: 60, Algorithms: []string{"sorted-greedy", "ours"}, Seed: 2}) {
			rows[line["algorithm"].(string)] = line
		}
		ours, sorted := rows["ours"], rows["sorted-greedy"]
		if ours["discrepancy"].(float64) > sorted["discrepancy"].(float64)/10 || ours["moves"].(float64) > sorted["moves"].(float64)/10 || ours["s_rel"].(float64) < 400 {
			t.Errorf("%g mobile: ours %v, sorted greedy %v", mobility, ours, sorted)
		}
	}
}

// TestOursOnNetworks checks our method in every case of a network. Its discrepancy must be within a hundredth of
// SortedGreedy's. Its number of moves must be at most about Gradient's, and its merit better than Hybrid's.
func TestOursOnNetworks(t *testing.T) {
	racetest.Alone(t)
	type key struct{ topology, flow, loads, round any }
	cases := map[key]map[string]map[string]any{}
	for _, line := range resultLines(t, Experiment{PEs: []int{1024}, Repetitions: 4, Rounds: new(4), Algorithms: []string{"sorted-greedy", "gradient", "hybrid", "ours"}, Seed: 1}) {
		k := key{line["topology"], line["flow"], line["loads_per_pe"], line["round"]}
		if cases[k] == nil {
			cases[k] = map[string]map[string]any{}
		}
		cases[k][line["algorithm"].(string)] = line
	}
	if len(cases) != 3*2*2*4 {
		t.Fatalf("%d cases", len(cases))
	}
	for k, c := range cases {
		get := func(algorithm, what string) float64 { return c[algorithm][what].(float64) }
		if k.round.(float64) < 4 {
			continue // results of single rounds vary too much with few repetitions
		}
		if get("ours", "discrepancy") > 1.01*get("sorted-greedy", "discrepancy") || get("ours", "moves") > 1.2*get("gradient", "moves") || get("ours", "s_rel") <= get("hybrid", "s_rel") {
			t.Errorf("%v: ours %v with %v moves, S_rel %v; sorted greedy %v, gradient %v moves, hybrid S_rel %v", k,
				get("ours", "discrepancy"), get("ours", "moves"), get("ours", "s_rel"), get("sorted-greedy", "discrepancy"), get("gradient", "moves"), get("hybrid", "s_rel"))
		}
	}
}

// TestWorkersDoNotMatter checks that the output has the same bytes for any number of workers. It covers both ways of
// dividing simulations among workers.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, c := range []Experiment{
		{Sizes: []int{10, 31}, Split: "uniform", Repetitions: 50, Seed: 4},
		{PEs: []int{600}, Repetitions: 2, Rounds: new(2), LoadsPerPE: []int{12}, Seed: 4},
	} {
		c.Workers = 1
		one := fmt.Sprint(resultLines(t, c))
		c.Workers = 5
		if five := fmt.Sprint(resultLines(t, c)); five != one {
			t.Errorf("one worker\n%.300s\nfive\n%.300s", one, five)
		}
	}
}

func TestCircuitKeys(t *testing.T) {
	for _, c := range []Experiment{{Sizes: []int{2}, Repetitions: 3}, {PEs: []int{64}, Repetitions: 1, Rounds: new(1), Topology: []string{"8"}, Flow: []string{"even"}, LoadsPerPE: []int{6}}} {
		for _, line := range resultLines(t, c) {
			for _, key := range []string{"experiment", "algorithm", "loads", "mobility", "pes", "topology", "flow", "loads_per_pe", "round", "discrepancy", "moves", "s", "s_rel"} {
				if _, there := line[key]; !there {
					t.Errorf("no %q in %v", key, line)
				}
			}
		}
	}
}

// TestStandardErrorOfRepetitions checks that the standard error of a single repetition is null in JSON and a dash in
// tables.
func TestStandardErrorOfRepetitions(t *testing.T) {
	for _, repetitions := range []int{1, 3} {
		c := Experiment{Sizes: []int{20}, Repetitions: repetitions, Algorithms: []string{"sorted-greedy"}}
		for _, key := range []string{"discrepancy_se", "moves_se"} {
			if _, number := resultLines(t, c)[0][key].(float64); number != (repetitions > 1) {
				t.Errorf("%d repetitions: %s is %v", repetitions, key, resultLines(t, c)[0][key])
			}
		}
		var out bytes.Buffer
		c.JSON = false
		if err := c.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		if dash := slices.Contains(strings.Fields(out.String()), "-"); dash != (repetitions == 1) {
			t.Errorf("%d repetitions:\n%s", repetitions, out.String())
		}
	}
}

func TestCircuitRefuses(t *testing.T) {
	two := 2.0
	for _, c := range []Experiment{
		{Mobility: &two}, {Sizes: []int{0}}, {Split: "odd"}, {Repetitions: -1}, {PEs: []int{1}}, {PEs: []int{13}},
		{Topology: []string{"5"}}, {Flow: []string{"up"}}, {LoadsPerPE: []int{0}}, {Algorithms: []string{"magic"}}, {Sizes: []int{3}, Algorithms: []string{"flow"}},
		{Rounds: new(0)}, {Rounds: new(-1)}, {Graph: []string{"tree"}}, {Graph: []string{"regular-x"}}, {Graph: []string{"hypercube"}, PEs: []int{12}},
		{Graph: []string{"star"}, Law: []string{"odd"}}, {Graph: []string{}}, {Algorithms: []string{}}, {Law: []string{}},
		{Graph: []string{"path"}, LoadsPerPE: []int{10, 30}}, {Graph: []string{"complete"}, PEs: []int{100000}}, {Graph: []string{"path"}, PEs: []int{9000}}, {PEs: []int{64}, Algorithms: []string{"diffusion"}},
	} {
		var usage *report.UsageError
		if err := c.Run(context.Background(), report.Output{Stdout: new(bytes.Buffer)}); !errors.As(err, &usage) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	var input *report.InputError
	if err := (Experiment{Loads: report.Path(filepath.Join(t.TempDir(), "none"))}).Run(context.Background(), report.Output{}); !errors.As(err, &input) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestCircuitStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []Experiment{{Sizes: []int{200}}, {PEs: []int{4096}}} {
		if err := c.Run(ctx, report.Output{Stdout: new(bytes.Buffer)}); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCircuitFigures(t *testing.T) {
	dir := t.TempDir()
	c := Experiment{Plot: report.Path(dir), Sizes: []int{2, 10}, PEs: []int{64}, Topology: []string{"4"}, Flow: []string{"shock"}, LoadsPerPE: []int{10}, Repetitions: 2, Rounds: new(2)}
	if err := c.Run(context.Background(), report.Output{Stdout: new(bytes.Buffer)}); err != nil {
		t.Fatal(err)
	}
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for _, want := range []string{"pair-discrepancy.svg", "pair-moves.png", "pair-srel.svg", "network-64-shock-wave-4-neighbour-10-discrepancy.png"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s among %v", want, names)
		}
	}
}

// TestGraphs checks other graphs than grids. Every algorithm must have a row, and our method must need at most about as
// many moves as Gradient. Random matchings and oriented edges must balance loads as well as the circuit.
func TestGraphs(t *testing.T) {
	names := []string{"sorted-greedy", "gradient", "ours", "flow", "diffusion", "random-matchings", "sorted-greedy-oriented"}
	for _, graph := range []string{"complete", "hypercube"} {
		last := map[string]map[string]any{}
		c := Experiment{Graph: []string{graph}, Law: []string{"uniform"}, PEs: []int{16}, Repetitions: 5, Algorithms: names, Seed: 3}
		for _, line := range resultLines(t, c) {
			if line["experiment"] != "circuit-graph" || line["topology"] != graph || line["flow"] != "uniform" {
				t.Fatalf("%v", line)
			}
			last[line["algorithm"].(string)] = line
		}
		get := func(name, what string) float64 { return last[name][what].(float64) }
		if len(last) != len(names) || get("ours", "round") != 10 {
			t.Fatalf("%d algorithms", len(last))
		}
		for _, name := range []string{"ours", "random-matchings", "sorted-greedy-oriented"} {
			if get(name, "discrepancy") > 0.1 {
				t.Errorf("%s: %s leaves %v", graph, name, get(name, "discrepancy"))
			}
		}
		if get("ours", "moves") > 1.2*get("gradient", "moves") || get("diffusion", "discrepancy") > get("diffusion", "initial_discrepancy")/2 {
			t.Errorf("%s: %v", graph, last)
		}
	}
}

func TestRecordedLoads(t *testing.T) {
	name := filepath.Join(t.TempDir(), "recording")
	recording := `{"format":"lockstep-loads","version":1,"blockSize":10,"triangles":[10,10,10,10,10,10,10,4]}
{"frame":0,"seconds":[8,1,1,1,1,1,1,1]}
{"frame":1,"seconds":[8,1,1,1,1,1,1,1]}
{"frame":2,"seconds":[8,1,1,1,1,1,1,1]}
`
	if err := os.WriteFile(name, []byte(recording), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range resultLines(t, Experiment{Loads: report.Path(name), PEs: []int{2}}) {
		seconds, frame := line["frame_seconds"].(float64), line["frame"].(float64)
		if frame == 0 && seconds != 11 {
			t.Errorf("before balancing %v", line)
		}
		if name := line["algorithm"]; frame == 1 && (name == "sorted-greedy" || name == "karmarkar-karp" || name == "gradient-under") && seconds != 8 {
			t.Errorf("the best is 8 seconds: %v", line)
		}
		if line["mean_seconds"] != 7.5 {
			t.Errorf("mean of %v", line)
		}
	}
	if err := os.WriteFile(name, []byte(recording[:len(recording)-9]), 0o666); err != nil {
		t.Fatal(err)
	}
	var input *report.InputError
	if err := (Experiment{Loads: report.Path(name)}).Run(context.Background(), report.Output{Stdout: new(bytes.Buffer)}); !errors.As(err, &input) || input.Line != 4 {
		t.Errorf("a damaged file: %v", err)
	}
}
