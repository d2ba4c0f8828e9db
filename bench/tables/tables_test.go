package tables

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/bench/internal/racetest"
	"lockstep/bench/report"
	"lockstep/lb"
)

var long = flag.Bool("long", false, "also run tests that take seconds and whose subjects shorter ones share")

var measureTables = flag.Bool("tables", false, "measure the steps' costs in the tests of the tables")

// tailed returns n workloads from 0 or 1 to largest with about the given mean. They follow a power law. With a larger
// exponent, fewer workloads are large.
func tailed(n int, largest, mean, zeros float64) []int32 {
	workload := make([]int32, n)
	exponent := largest/max(mean/(1-zeros)-0.4, 0.5) - 1
	for i := range workload {
		_, u := math.Modf(float64(i) * math.Phi)
		if _, v := math.Modf(float64(i) * math.Sqrt2); v >= zeros {
			workload[i] = int32(math.Ceil(largest * math.Pow(u, exponent)))
		}
	}
	workload[n/3] = int32(largest)
	return workload
}

// slivers returns n workloads. Most differ from a base by at most one, and a few are spread evenly up to largest.
func slivers(n int, largest, mean, zeros float64) []int32 {
	workload := make([]int32, n)
	mean /= 1 - zeros
	base := math.Round(max(mean-min(2, largest/100), 1))
	share := max((mean-base)/(largest/2-base), 0.01)
	for i := range workload {
		_, u := math.Modf(float64(i) * math.Phi)
		switch _, v := math.Modf(float64(i) * math.Sqrt2); {
		case v < zeros:
		case v < zeros+share*(1-zeros):
			workload[i] = int32(1 + u*(largest-1))
		default:
			workload[i] = int32(max(base-1+math.Round(2*u), 1))
		}
	}
	workload[n/3] = int32(largest)
	return workload
}

// likeTable1 makes workloads of the given number of polygons with about the maxima and averages of Table 1. shape is
// their distribution. Lengths of spans have the distribution of the polygons' heights, because a picture has no
// preferred direction.
func likeTable1(polygons int, shape func(n int, largest, mean, zeros float64) []int32) Workloads {
	return func(_ context.Context, scene string, view View) (LoopWorkloads, error) {
		_, version, _ := strings.Cut(scene, "version=")
		version, _, _ = strings.Cut(version, "&")
		v := slices.IndexFunc(views, func(other View) bool { return other == view })
		cell := paperWorkloads[version][v]
		zeros := 0.0
		if cell.avg < 2 {
			zeros = 0.8 // most polygons lie outside the picture
		}
		w := LoopWorkloads{Rows: shape(polygons, float64(cell.max), float64(cell.avg), zeros)}
		spans := lb.Gather(w.Rows).Sum
		w.Pixels = shape(int(spans), float64(cell.max), max(float64(cell.avg), 4), 0)
		return w, nil
	}
}

// fixedStepCosts returns rounded costs that are similar to those of a core of an EPYC. In each cost the shortest,
// typical and longest time differ.
func fixedStepCosts() *StepCosts {
	same := func(ns float64) PhaseCost { return PhaseCost{ns * 0.9, ns, ns * 1.5} }
	loop := func(ns float64) LoopCosts {
		return LoopCosts{Solution: same(ns), Max: same(0.5), Gather: same(0.8), Forecast: same(2.7), Search: same(3), Trial: same(2.7), Redistribution: same(3.3)}
	}
	return &StepCosts{Scan: loop(50), ZBuffer: loop(6), Hop: same(0.8)}
}

// asManyAsThePaper is about the number of polygons of the paper's data sets. few is for tests whose answers do not
// depend on that number.
const asManyAsThePaper, few = 20_000, 1500

func syntheticTables(t *testing.T) *Experiment {
	tables := &Experiment{Workloads: likeTable1(few, tailed), Costs: fixedStepCosts()}
	if *measureTables {
		tables.Costs = nil
	}
	return tables
}

func jsonCells(t *testing.T, tables *Experiment) []cell {
	t.Helper()
	var out bytes.Buffer
	tables.JSON = true
	if err := tables.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	var cells []cell
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var c cell
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&c); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		cells = append(cells, c)
	}
	return cells
}

// TestPaperTables checks two statements of the paper: balancing is up to 33 times as fast, and loses at most 27 per
// cent.
func TestPaperTables(t *testing.T) {
	for view, want := range []float64{10.9, 10.2, 16.4, 33.4} {
		if got := paperSpeedup("unbalanced", view, 512); math.Abs(float64(got)-want) > 0.05 {
			t.Errorf("%s: speed-up %v, want %v", views[view].Name, got, want)
		}
	}
	worst := 0.0
	for view := range views {
		for _, p := range paperProcessors {
			worst = max(worst, 1/float64(paperSpeedup("balanced", view, p))-1)
		}
	}
	if math.Abs(worst-0.2613) > 1e-4 {
		t.Errorf("worst loss %v", worst)
	}
	if s := paperSpeedup("balanced", 0, 48); s != 0 {
		t.Errorf("the paper has no 48 processors: %v", s)
	}
}

// TestTablesBeatThePaper checks workloads as in Table 1, with several distributions. Every speed-up of Table 2 must be
// reached. At most 5 per cent may be lost in every cell of Table 3.
func TestTablesBeatThePaper(t *testing.T) {
	for name, workloads := range map[string]Workloads{"tailed": likeTable1(asManyAsThePaper, tailed), "slivers": likeTable1(asManyAsThePaper, slivers)} {
		for _, planner := range []string{"minimax", "proportional"} {
			if (name == "tailed") != (planner == "minimax") && !*long {
				continue
			}
			t.Run(name+"/"+planner, func(t *testing.T) {
				tables := syntheticTables(t)
				tables.Workloads, tables.Planner = workloads, planner
				if !*long { // the skipped numbers lie between these two
					tables.Processors = []int{paperProcessors[0], paperProcessors[len(paperProcessors)-1]}
				}
				checkTables(t, jsonCells(t, tables), tables.processorCounts())
			})
		}
	}
}

func checkTables(t *testing.T, cells []cell, processors []int) {
	t.Helper()
	if len(cells) != 2*len(views)*len(processors) {
		t.Fatalf("%d cells", len(cells))
	}
	for _, c := range cells {
		paper := paperWorkloads[c.Dataset][slices.IndexFunc(views, func(v View) bool { return v.Name == c.View })]
		if c.Experiment != "tables" || c.PaperSpeedup == 0 || c.MaxWorkload != paper.max || math.Abs(c.AvgWorkload-float64(paper.avg)) > 1 {
			t.Errorf("%+v, Table 1 has %+v", c, paper)
		}
		if c.Dataset == "unbalanced" && c.Speedup < float64(c.PaperSpeedup) {
			t.Errorf("unbalanced %s on %d: speed-up %.1f, the paper's %.1f", c.View, c.Processors, c.Speedup, c.PaperSpeedup)
		}
		if c.Dataset == "balanced" && c.Speedup < 1/1.05 {
			t.Errorf("balanced %s on %d: %.1f %% lost", c.View, c.Processors, 100*(1/c.Speedup-1))
		}
		if c.Processors == 512 {
			t.Logf("%-10s %-8s max %3d avg %.1f: %4d -> %2d iterations, %d redistributions, %.1f times (%.1f), %+.1f %%", c.Dataset, c.View,
				c.MaxWorkload, c.AvgWorkload, c.IterationsOriginal, c.IterationsBalanced, c.Redistributions, c.Speedup, c.PaperSpeedup, 100*(1/c.Speedup-1))
		}
	}
}

// TestTablesJSONKeys checks that a line has exactly the documented keys.
func TestTablesJSONKeys(t *testing.T) {
	var out bytes.Buffer
	if err := writeJSON(&out, []cell{{}}, nil); err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(out.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields("experiment dataset view processors max_workload avg_workload iterations_original iterations_balanced redistributions seconds_original seconds_balanced seconds_paper_rule speedup speedup_interval gain gain_interval paper_speedup machine idle_original idle_balanced")
	for _, key := range want {
		if _, ok := object[key]; !ok {
			t.Errorf("no key %q", key)
		}
	}
	if len(object) != len(want) {
		t.Errorf("keys %v", object)
	}
}

// TestTablesLoseLooksAtMost checks the paper's guarantee on the simulated machine: because costs are overestimated, a
// loop can lose only the time of checks that led to no redistribution.
func TestTablesLoseLooksAtMost(t *testing.T) {
	tables := syntheticTables(t)
	sets, err := tables.datasets(t.Context(), report.Output{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	costs, err := tables.measureCosts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cells, err := tables.countCells(t.Context(), report.Output{}, result{}.machineMaker(costs), sets)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if c.SecondsBalanced > c.SecondsOriginal+c.wastedSeconds {
			t.Errorf("%s %s on %d: %v s, without balancing %v, looks in vain %v", c.Dataset, c.View, c.Processors,
				c.SecondsBalanced, c.SecondsOriginal, c.wastedSeconds)
		}
	}
}

// TestCountedLoop checks that the counts of a loop equal the counts of its cycle and of its forecasts.
func TestCountedLoop(t *testing.T) {
	model := lb.NewCostModel(0)
	if err := model.Calibrate([]lb.Timing{{Redistribution: 3, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	// One processor is idle now, and could take half of the 8 tasks. After two iterations eleven are idle, and all tasks
	// end in the third.
	workload := []int32{8, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
	l := loop{workload, lb.Gather(workload)}
	for _, c := range []struct {
		experiment Experiment
		want       counts
	}{
		{Experiment{}, counts{iterations: 3, looks: 2, forecasts: 1, words: 9, trials: 1, levels: 4, redistributions: 1}},
		{Experiment{Eager: true}, counts{iterations: 4, looks: 1, trials: 1, levels: 4, redistributions: 1}},
		{Experiment{Planner: "proportional"}, counts{iterations: 3, looks: 2, forecasts: 1, words: 9, trials: 1, levels: 5, redistributions: 1}},
	} {
		got, err := c.experiment.rule().countPhases(l, model)
		if err != nil || got.counts != c.want || lb.Gather(got.solved).Sum != l.Sum {
			t.Errorf("%+v: %+v, want %+v, error %v", c.experiment, got, c.want, err)
		}
	}
	// The paper's rule checks the workloads and makes a plan before every iteration, though only one plan is carried
	// out.
	got, err := paperRule.countPhases(l, model)
	if want := (counts{iterations: 4, looks: 4, trials: 4, levels: 2, redistributions: 1}); err != nil || got.counts != want {
		t.Errorf("the paper's rule: %+v, want %+v, error %v", got, want, err)
	}
}

// With 1000 virtual processors on 32 processors, a processor has 32 virtual processors, and the tree has five levels.
func TestMachineKnownAnswer(t *testing.T) {
	m := thisMachine{processors: 32, hop: PhaseCost{90, 100, 110}, barrier: PhaseCost{20, 30, 40}, costs: LoopCosts{
		Solution: PhaseCost{9, 10, 11}, Max: PhaseCost{1, 1, 1}, Gather: PhaseCost{1, 2, 3},
		Forecast: PhaseCost{1, 1, 2}, Search: PhaseCost{4, 5, 6}, Trial: PhaseCost{5, 6, 7},
		Redistribution: PhaseCost{7, 8, 9}, Data: PhaseCost{3, 4, 5},
	}}
	l := loop{make([]int32, 1000), lb.Summary{Max: 40, Sum: 30_000, Active: 1000}}
	want := phases{
		start: 32 + 500, iteration: 320 + 5*30, gather: 64 + 500,
		// One pass through the tree combines the histograms, and another finds the best iteration. Sixteen words travel
		// together.
		forecast: 32 + 1000, word: 2 + 5 + 6.25,
		trial: 192, level: 500, redistribution: 32*(8+4) + 1500,
	}
	p := m.phases(l, typicalCost)
	if p != want {
		t.Errorf("phases %+v, want %+v", p, want)
	}
	if got := originalTime(p, 40); got != 532+40*470 {
		t.Errorf("original %v", got)
	}
	r := counts{iterations: 12, looks: 5, forecasts: 4, words: 60, trials: 3, levels: 7, redistributions: 2}
	time := phaseTime{iterations: 12 * 470, looks: 5 * 564, forecasts: 4*1032 + 60*13.25, trials: 3 * (192 + 7*500), redistributions: 2 * 1884}
	if got := balancedTime(p, r); got != time {
		t.Errorf("balanced %+v, want %+v", got, time)
	}
	if got := time.total(); got != 5640+2820+4923+11076+3768 {
		t.Errorf("total %v", got)
	}
	// Two checks, forecasts and trial plans led to the two redistributions. Words are assumed to be divided evenly
	// among forecasts.
	if got, want := wastedTime(p, r), float64(3*564+2*1032+30*13.25+3692); got != want {
		t.Errorf("in vain %v, want %v", got, want)
	}
	// Histograms of workloads up to 40 have 41 words, and a bisection of 40 values takes at most 6 steps. The estimate
	// uses the longest times of the phases and the shortest iteration.
	longest := lb.Timing{Gather: 96 + 550 + 64 + 1100 + 41*(3+6+110.0/16) + 224 + 6*550, Redistribution: 32*(9+5) + 1650, Solution: 288 + 5*20}
	if got := (rule{}).timing(m, l); got != longest {
		t.Errorf("timing %+v, want %+v", got, longest)
	}
	// The paper's rule makes no histogram, and its plan combines data twice.
	longest.Gather = 96 + 550 + 224 + 2*550
	if got := paperRule.timing(m, l); got != longest {
		t.Errorf("timing of the paper's rule %+v, want %+v", got, longest)
	}
	// Histograms have four times 30 buckets, and a number and a sum for larger workloads.
	if l.Max = 100_000; (rule{}).timing(m, l).Gather != 96+550+64+1100+123*(3+6+110.0/16)+224+17*550 {
		t.Errorf("the histogram is not limited: %+v", (rule{}).timing(m, l))
	}
}

// TestMeasuredSteps checks that the specification itself is timed: as many tasks as there are virtual processors, on
// the polygons and spans of the scene.
func TestMeasuredSteps(t *testing.T) {
	racetest.Alone(t)
	m, err := newMeasurement(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.timeIterations(0)
	if spans := len(m.problems.Runs(1)); spans < measuredArray*measuredTasks*3/4 || spans > measuredArray*measuredTasks {
		t.Errorf("%d spans of %d scan lines", spans, measuredArray*measuredTasks)
	}
	m.timeBalancing(3, 0)
	if len(m.scanRow[7]) != 1 || len(m.mergeRun[0]) != 1 || len(m.trial[3]) != 1 || len(m.trial[2]) != 0 {
		t.Error("samples are not where they belong")
	}
	if after := lb.Gather(m.array.Workload); after.Idle >= lb.Gather(m.uneven).Idle {
		t.Errorf("nothing was redistributed: %+v", after)
	}
}

func TestMeasureSteps(t *testing.T) {
	costs, err := MeasureSteps(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []LoopCosts{costs.Scan, costs.ZBuffer} {
		for i, c := range l.phases() {
			if last := len(l.phases()) - 1; i == last { // the last phase is measured between two cores
				continue
			}
			if !(c.Shortest >= 0 && c.Shortest <= c.Typical && c.Typical <= c.Longest && c.Longest > 0) {
				t.Errorf("phase %d: %+v", i, c)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureSteps(ended, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestTablesText(t *testing.T) {
	var out bytes.Buffer
	tables := syntheticTables(t)
	tables.Processors, tables.Planner, tables.Plot = []int{32, 48}, "proportional", report.Path(t.TempDir())
	if err := tables.Run(t.Context(), report.Output{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &out)
	for _, want := range []string{"Table 1", "Table 2", "Table 3", "M(45,45)", "(7.9)", "(+9.6 %)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	for _, name := range []string{"table2.svg", "table2.png", "table3.svg", "table3.png"} {
		if info, err := os.Stat(filepath.Join(string(tables.Plot), name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTablesRefuse(t *testing.T) {
	for _, tables := range []*Experiment{
		{Processors: []int{0}}, {Hop: -1}, {Triangles: -1}, {Seed: -1}, {Runs: 2}, {Planner: "random"},
		{Machine: "cm6"}, {Machine: "cm5", Seed: 2}, {Machine: "cm5", Hop: 1}, {Threshold: -1}, {Samples: 99},
	} {
		tables.Workloads = likeTable1(few, tailed)
		var usage *report.UsageError
		if err := tables.Run(t.Context(), report.Output{Stdout: new(bytes.Buffer)}); !errors.As(err, &usage) {
			t.Errorf("%+v: error %v", tables, err)
		}
	}
	broken := errors.New("broken")
	tables := &Experiment{Costs: fixedStepCosts(), Workloads: func(context.Context, string, View) (LoopWorkloads, error) {
		return LoopWorkloads{}, broken
	}}
	if err := tables.Run(t.Context(), report.Output{}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestScenesOfTables(t *testing.T) {
	for _, c := range []struct {
		experiment    Experiment
		sample        int
		version, want string
	}{
		{Experiment{}, 0, "balanced", "perforator?version=balanced"},
		{Experiment{}, 2, "balanced", "perforator?version=balanced&seed=3"},
		{Experiment{Triangles: 5000, Seed: 3}, 0, "unbalanced", "perforator?version=unbalanced&triangles=5000&seed=3"},
		{Experiment{Seed: 3}, 1, "unbalanced", "perforator?version=unbalanced&seed=4"},
		{Experiment{}, 0, "shear", "shear"},
		{Experiment{}, 1, "shear", "shear?seed=2"},
	} {
		if got := c.experiment.sceneName(c.version, c.sample); got != c.want {
			t.Errorf("%s, sample %d: %s, want %s", c.version, c.sample, got, c.want)
		}
	}
}

// There are ten samples of each of three kinds. The typical time is the median of three times: the second shortest
// sample of each kind. The longest time is the longest of all samples.
func TestCostsOfSamples(t *testing.T) {
	var phase samples
	for i := range 10 {
		for kind, ns := range []float64{100, 300, 200} {
			phase[kind] = append(phase[kind], ns+float64(i*7%10))
		}
	}
	if got, want := phase.cost(), (PhaseCost{100, 201, 309}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// The clock did not advance during these samples.
	phase = samples{{0, 0, 0}}
	if got := phase.cost(); got != (PhaseCost{}) {
		t.Errorf("%+v", got)
	}
}

// TestAttempts checks that the fastest attempt of a sample counts.
func TestAttempts(t *testing.T) {
	var phase samples
	for attempt, ns := range []float64{30, 20, 25} {
		phase.add(2, attempt, ns)
	}
	phase.add(2, 0, 40)
	if !slices.Equal(phase[2], []float64{20, 40}) {
		t.Errorf("%v", phase[2])
	}
}
