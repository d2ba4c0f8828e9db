// Package tables reproduces Tables 1 to 3 of Ahrens and Hansen, "Cost-Effective Data-Parallel Load Balancing", ICPP
// 1995: what the cost-effective cycle saves on unbalanced scenes, and what it loses on balanced ones.
//
// The machines are simulated by counting (machine.go). A check gathers the workloads of all virtual processors and
// decides whether to redistribute. The time of a loop is computed from the numbers of its iterations, checks, plans and
// redistributions, and from the time of each:
//
//   - The machine "this" (this.go) has processors like the cores of this machine, which costs.go and cores.go measure.
//   - The machine "cm5" (cm5.go) is the paper's own, which fit.go fits to the paper's times.
//
// render.go draws the scenes. cells.go counts them with our rule and the paper's, and paper.go has the paper's numbers.
// wall.go measures the policies on this machine's lanes and cores, in wall time.
//
// # Lines of JSON
//
// With --json the experiment prints a line for each cell of Tables 2 and 3, "experiment":"tables":
//
//   - machine: this or cm5.
//   - dataset: unbalanced or balanced; in the second experiment vortices, shear or particles.
//   - view: as in Table 1.
//   - processors: the number of processors of the simulated machine.
//   - max_workload, avg_workload: the largest and the mean number of scan lines of a polygon.
//   - iterations_original, iterations_balanced, redistributions: of both loops together, without balancing and with the
//     policy cost.
//   - seconds_original, seconds_balanced, speedup: computed time of both loops, and the first divided by the second.
//   - seconds_paper_rule, gain: the computed time with the paper's rule, and this time divided by seconds_balanced.
//   - speedup_interval, gain_interval: over all samples, the low end of the 95 % interval, the geometric mean and the
//     high end; null for one sample.
//   - idle_original, idle_balanced: the fraction of the time in which a processor solves no task: the least, the mean
//     and the largest of all processors.
//   - paper_speedup: the paper's speedup; null if the paper does not have the data set or the number of processors, or
//     if --triangles or --seed change the scene.
//
// Then, unless --no-wall, a line for each scene, number of workers and policy in wall time, "experiment":"tables-wall":
//
//   - dataset: unbalanced, balanced, slivers or bumpy.
//   - view: as in Table 1.
//   - workers, isa, policy: worker threads; instruction set; never, cost or always.
//   - seconds_scan, seconds_zbuffer, seconds_frame: the times of the two loops, as the mean over the workers, and of
//     the whole frame. Each is the shortest of all frames.
//   - lane_use, lane_use_zbuffer: fraction of the lanes in use in each loop, 0 to 1.
//   - iterations, redistributions: iterations of scan conversion; redistributions in both loops.
package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/bench/report"
	"lockstep/lb"
)

// LoopWorkloads holds the workloads of the renderer's two loops for one picture.
type LoopWorkloads struct {
	Rows   []int32 // scan lines of each polygon; 0 for a polygon that is not in the picture
	Pixels []int32 // pixels of each span
}

// Workloads is a function that draws a procedural scene at 512x512 pixels as seen in a view, and returns the workloads
// of both loops. A scene is for example "perforator?version=balanced".
type Workloads func(ctx context.Context, scene string, view View) (LoopWorkloads, error)

// Experiment computes the cells of the three tables and of the paper's second experiment. It also measures the
// renderer's own loops in wall time, and prints them as another table.
type Experiment struct {
	JSON       bool          `name:"json" help:"Print one JSON object a line."`
	Breakdown  bool          `help:"Also print where the time of each cell goes."`
	Plot       report.Path   `placeholder:"DIR" help:"Draw the tables into DIR, as SVG and PNG."`
	Machine    string        `default:"this" enum:"this,cm5" help:"Simulated machine: ${enum}. It has processors like the cores of this machine, or those of the paper's machine."`
	Processors []int         `placeholder:"N" help:"Numbers of processors of the simulated machine (32,64,128,256,512)."`
	Planner    string        `default:"minimax" enum:"minimax,proportional" help:"How idle processors are given to active ones: ${enum}."`
	Eager      bool          `help:"Redistribute in the first iteration in which it is worthwhile, as the paper does, not in the best one."`
	Threshold  float64       `default:"0" help:"Number of iterations that savings must exceed; 0 takes the number from a calibration on the machine."`
	Triangles  int           `default:"0" help:"Triangles of the scene; 0 is the scene's own number."`
	Seed       int           `default:"0" help:"Seed of the scene; 0 is the scene's own."`
	Samples    report.Count  `default:"5" help:"Number of samples for confidence intervals. Each has a scene with another seed, and its own measurements."`
	Runs       report.Count  `default:"40" help:"Runs in which the costs of a step are measured."`
	Second     bool          `default:"true" negatable:"" help:"Also count scenes like those of the paper's second experiment."`
	Hop        time.Duration `default:"0" help:"Time of a message between processors of the machine this; 0 measures it between two cores."`

	Wall   bool         `default:"true" negatable:"" help:"Also measure the renderer's own loops under each policy, in wall time."`
	Frames report.Count `default:"12" help:"In wall time: number of frames drawn under each policy. The fastest frame counts."`

	// Workloads draws scenes and returns their workloads. nil means the function RenderWorkloads.
	Workloads Workloads `kong:"-"`
	// Costs replaces measured costs if it is not nil.
	Costs *StepCosts `kong:"-"`
}

// A cell is a cell of Table 2 or 3, or of the second experiment. Iterations, redistributions and times are sums over
// both loops.
type cell struct {
	Experiment         string      `json:"experiment"`
	Machine            string      `json:"machine"`
	Dataset            string      `json:"dataset"`
	View               string      `json:"view"`
	Processors         int         `json:"processors"`
	MaxWorkload        int         `json:"max_workload"`
	AvgWorkload        float64     `json:"avg_workload"`
	IterationsOriginal int         `json:"iterations_original"`
	IterationsBalanced int         `json:"iterations_balanced"`
	Redistributions    int         `json:"redistributions"`
	SecondsOriginal    float64     `json:"seconds_original"`
	SecondsBalanced    float64     `json:"seconds_balanced"`
	SecondsPaperRule   float64     `json:"seconds_paper_rule"`
	Speedup            float64     `json:"speedup"`
	SpeedupInterval    interval    `json:"speedup_interval"`
	Gain               float64     `json:"gain"` // seconds with the paper's rule divided by seconds_balanced
	GainInterval       interval    `json:"gain_interval"`
	PaperSpeedup       paperNumber `json:"paper_speedup"`
	IdleOriginal       minMeanMax  `json:"idle_original"`
	IdleBalanced       minMeanMax  `json:"idle_balanced"`

	view  int // index into views
	looks int // number of checks of the workload in both loops
	// wastedSeconds is the time of checks, forecasts and trial plans that led to no redistribution.
	wastedSeconds float64
	loops         [2]loopCell
}

// A loopCell holds the counts and times of one loop of a cell.
type loopCell struct {
	name      string
	result    counts
	original  float64 // in ns
	balanced  phaseTime
	iteration float64 // in ns
}

// Run implements [report.Experiment].
func (t *Experiment) Run(ctx context.Context, out report.Output) error {
	cache := new(sceneCache)
	if t.Workloads == nil {
		t.Workloads = cache.workloads
	}
	if err := t.check(); err != nil {
		return err
	}
	r, err := t.countSamples(ctx, out)
	if err != nil {
		return err
	}
	if t.Wall {
		if r.wall, err = t.measureWall(ctx, out, cache); err != nil {
			return err
		}
	}
	if t.Plot != "" {
		if err := drawTables(out.Folder(string(t.Plot)), t.processorCounts(), r.cells); err != nil {
			return err
		}
		if err := drawWall(out.Folder(string(t.Plot)), r.wall); err != nil {
			return err
		}
	}
	if t.JSON {
		return writeJSON(out.Stdout, r.cells, r.wall)
	}
	return t.writeText(out.Stdout, r)
}

// A result is everything that the experiment prints.
type result struct {
	costs    StepCosts // costs of the machine "this" in the first sample, see countSamples
	fit      *fitted   // fit of the machine "cm5"; nil for "this"
	datasets []dataset // data sets of the first sample
	cells    []cell    // cells of the first sample, with the intervals over all samples
	gain     gain      // gain over the cells of Tables 2 and 3
	wall     []wallCell
}

// countSamples computes the cells of all samples. Each sample has scenes of another seed and costs of another
// measurement.
func (t *Experiment) countSamples(ctx context.Context, out report.Output) (result, error) {
	var r result
	var samples [][]cell
	for i := range t.sampleCount() {
		sets, err := t.datasets(ctx, out, i)
		if err != nil {
			return r, err
		}
		if t.isOnCM5() {
			sets = stretchSets(sets)
		}
		if i == 0 {
			r.datasets = sets
		}
		costs, err := t.measureCosts(ctx)
		if err != nil {
			return r, err
		}
		if i == 0 {
			r.costs = costs
		}
		if t.isOnCM5() && i == 0 {
			if r.fit, err = fitTables(sets); err != nil {
				return r, err
			}
		}
		cells, err := t.countCells(ctx, out, r.machineMaker(costs), sets)
		if err != nil {
			return r, err
		}
		samples = append(samples, cells)
	}
	r.cells, r.gain = withIntervals(samples), meanGain(samples)
	return r, nil
}

// machineMaker returns a function that makes the machines for the two loops of a data set. They are cm5 if it was
// fitted, and otherwise this machine with the given costs.
func (r result) machineMaker(costs StepCosts) machineMaker {
	if r.fit != nil {
		return r.fit.machine.newLoops
	}
	return func(_ dataset, processors int) (m [2]machine) {
		for i, c := range []LoopCosts{costs.Scan, costs.ZBuffer} {
			m[i] = thisMachine{processors: processors, hop: costs.Hop, barrier: costs.Barrier, costs: c}
		}
		return m
	}
}

func (t *Experiment) isOnCM5() bool { return t.Machine == "cm5" }

func (t *Experiment) sampleCount() int { return max(int(t.Samples), 1) }

func (t *Experiment) check() error {
	for _, p := range t.Processors {
		if p < 1 || p > 1<<20 {
			return report.Usagef("--processors: %d is not between 1 and 1048576", p)
		}
	}
	switch {
	case t.Hop < 0:
		return report.Usagef("--hop: %v is negative", t.Hop)
	case t.Triangles < 0 || t.Seed < 0:
		return report.Usagef("--triangles and --seed may not be negative")
	case t.Runs != 0 && t.Runs < 3:
		return report.Usagef("--runs: %d are too few to tell the shortest from the longest", t.Runs)
	case t.Frames < 0 || t.Frames > 1_000_000:
		return report.Usagef("--frames: %d is not between 1 and 1000000", t.Frames)
	case t.Machine != "" && t.Machine != "this" && !t.isOnCM5():
		return report.Usagef("--machine: %q is not this or cm5", t.Machine)
	case t.isOnCM5() && !t.usesPaperScenes():
		return report.Usagef("--machine cm5 is fitted to the paper's data sets; --triangles and --seed are for this")
	case t.isOnCM5() && t.Hop > 0:
		return report.Usagef("--hop: --machine cm5 has its own")
	case !(t.Threshold >= 0 && t.Threshold < 1<<31):
		return report.Usagef("--threshold: %v is not from 0 to 2147483647", t.Threshold)
	case t.Samples < 0 || int(t.Samples) > len(report.Student):
		return report.Usagef("--samples: %d is not between 1 and %d", t.Samples, len(report.Student))
	case t.Planner != "" && t.Planner != "minimax" && t.Planner != "proportional":
		return report.Usagef("--planner: %q is not minimax or proportional", t.Planner)
	}
	return nil
}

func (t *Experiment) processorCounts() []int {
	if len(t.Processors) == 0 {
		return paperProcessors
	}
	return t.Processors
}

// measureCosts returns the costs of the machine "this". For cm5 they are 0. A measurement of 40 runs takes about half a
// second.
func (t *Experiment) measureCosts(ctx context.Context) (StepCosts, error) {
	if t.Costs != nil || t.isOnCM5() {
		if t.Costs == nil {
			return StepCosts{}, nil
		}
		return *t.Costs, nil
	}
	runs := int(t.Runs)
	if runs == 0 {
		runs = 40
	}
	c, err := MeasureSteps(ctx, runs)
	if err != nil {
		return c, err
	}
	return c, c.measureCores(ctx, runs, t.Hop)
}

// A dataset is one version of the paper's scene, or a scene of the second experiment, in one view.
type dataset struct {
	version string
	view    int // index into views
	loops   [2]loop
}

// A loop is one loop of a data set.
type loop struct {
	workload []int32
	lb.Summary
}

func (l loop) virtualProcessors() int { return len(l.workload) }
func (l loop) average() float64       { return float64(l.Sum) / float64(l.virtualProcessors()) }

// sceneName returns the name of the scene of a version of the data set. Each sample has its own scene.
func (t *Experiment) sceneName(version string, sample int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s", sceneOf(version))
	add := func(key string, value int) {
		separator := "&"
		if !strings.Contains(s.String(), "?") {
			separator = "?"
		}
		fmt.Fprintf(&s, "%s%s=%d", separator, key, value)
	}
	if t.Triangles > 0 {
		add("triangles", t.Triangles)
	}
	switch {
	case sample > 0:
		add("seed", max(t.Seed, paperSeed)+sample)
	case t.Seed > 0:
		add("seed", t.Seed)
	}
	return s.String()
}

func (t *Experiment) datasets(ctx context.Context, out report.Output, sample int) ([]dataset, error) {
	all := slices.Clone(versions)
	if t.Second {
		all = append(all, secondSets...)
	}
	out.Begin("scenes", int64(len(all)*len(views)))
	defer out.End()
	var sets []dataset
	for _, version := range all {
		for v, view := range views {
			scene := t.sceneName(version, sample)
			w, err := t.Workloads(ctx, scene, view)
			if err != nil {
				return nil, sceneError(scene, view, err)
			}
			if len(w.Rows) == 0 || len(w.Pixels) == 0 {
				return nil, fmt.Errorf("tables: %s from %s: nothing is visible", scene, view.Name)
			}
			set := dataset{version: version, view: v}
			for i, workload := range [][]int32{w.Rows, w.Pixels} {
				set.loops[i] = loop{workload, lb.Gather(workload)}
			}
			sets = append(sets, set)
			out.Step(1)
		}
	}
	return sets, nil
}

// sceneError adds the data set to an error, unless the error is about flags.
func sceneError(scene string, view View, err error) error {
	var usage *report.UsageError
	if errors.As(err, &usage) {
		return usage
	}
	return fmt.Errorf("tables: %s from %s: %w", scene, view.Name, err)
}
