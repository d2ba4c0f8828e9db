// Package tables reproduces Tables 1 to 3 of Ahrens and Hansen, "Cost-Effective
// Data-Parallel Load Balancing", ICPP 1995: what the cost-effective cycle saves on
// unbalanced scenes, and what it loses on balanced ones.
//
// The tables' machine is counted (machine.go): its time is iterations times virtual
// processors per processor times the measured cost of a step, plus looks and
// redistributions at theirs. costs.go measures the steps, render.go draws the
// scenes, tables.go counts the cells, paper.go has the paper's numbers. wall.go
// compares the policies on this machine's lanes and cores, in wall time.
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

// LoopWorkloads are the workloads of the renderer's two loops for one picture.
type LoopWorkloads struct {
	Rows   []int32 // scan lines of each polygon; 0 for one that is not in the picture
	Pixels []int32 // pixels of each span
}

// Workloads draws a procedural scene, for example
// "perforator?version=balanced", at 512x512 pixels as seen in a view, and returns
// the workloads of both loops.
type Workloads func(ctx context.Context, scene string, view View) (LoopWorkloads, error)

// Experiment counts the cells of the three tables and measures a fourth, the
// renderer's own loops in wall time.
type Experiment struct {
	JSON       bool          `name:"json" help:"Print one JSON object a line."`
	Breakdown  bool          `help:"Also print where the time of each cell goes."`
	Plot       report.Path   `placeholder:"DIR" help:"Draw the tables into DIR, as SVG and PNG."`
	Processors []int         `placeholder:"N" help:"Processors of the counted machine (32,64,128,256,512)."`
	Planner    string        `default:"minimax" enum:"minimax,proportional" help:"How idle processors are given to active ones: ${enum}."`
	Eager      bool          `help:"Redistribute in the first iteration in which it is worthwhile, as the paper does, not in the best one."`
	Triangles  int           `default:"0" help:"Triangles of the scene; 0 is the scene's own number."`
	Seed       int           `default:"0" help:"Seed of the scene; 0 is the scene's own."`
	Runs       report.Count  `default:"40" help:"Runs in which the costs of a step are measured."`
	Hop        time.Duration `default:"0" help:"Time of one level of the tree that combines processors; 0 takes it to be the gathering of one element."`

	Wall   bool         `default:"true" negatable:"" help:"Also measure the renderer's own loops under each policy, in wall time."`
	Frames report.Count `default:"12" help:"Frames of each policy of which the fastest counts in wall time."`

	// Workloads makes the data sets; nil means RenderWorkloads.
	Workloads Workloads `kong:"-"`
	// Costs, when not nil, takes the place of measuring.
	Costs *StepCosts `kong:"-"`
}

// A cell is one of Table 2 or 3. Iterations, redistributions and times
// are those of both loops together.
type cell struct {
	Experiment         string      `json:"experiment"`
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
	Speedup            float64     `json:"speedup"`
	PaperSpeedup       paperNumber `json:"paper_speedup"`

	view          int     // index into views
	looks         int     // in both loops
	lookSeconds   float64 // time of looks without a redistribution
	secondsAlways float64 // with the policy Always
	loops         [2]loopCell
}

// A loopCell has the counts and times of one loop of a cell.
type loopCell struct {
	name      string
	result    counts
	original  float64 // ns
	balanced  phaseTime
	iteration float64 // ns
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
	costs, err := t.measure(ctx)
	if err != nil {
		return err
	}
	datasets, err := t.datasets(ctx, out)
	if err != nil {
		return err
	}
	cells, err := t.cells(ctx, out, costs, datasets)
	if err != nil {
		return err
	}
	var wall []wallCell
	if t.Wall {
		if wall, err = t.wall(ctx, out, cache); err != nil {
			return err
		}
	}
	if t.Plot != "" {
		if err := drawTables(out.Folder(string(t.Plot)), t.processors(), cells); err != nil {
			return err
		}
		if err := drawWall(out.Folder(string(t.Plot)), wall); err != nil {
			return err
		}
	}
	if t.JSON {
		return writeJSON(out.Stdout, cells, wall)
	}
	return t.writeText(out.Stdout, costs, datasets, cells, wall)
}

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
	case t.Planner != "" && t.Planner != "minimax" && t.Planner != "proportional":
		return report.Usagef("--planner: %q is not minimax or proportional", t.Planner)
	}
	return nil
}

func (t *Experiment) processors() []int {
	if len(t.Processors) == 0 {
		return paperProcessors
	}
	return t.Processors
}

// measure returns the costs of a step. 40 runs take about half a second.
func (t *Experiment) measure(ctx context.Context) (StepCosts, error) {
	if t.Costs != nil {
		return *t.Costs, nil
	}
	runs := int(t.Runs)
	if runs == 0 {
		runs = 40
	}
	return MeasureSteps(ctx, runs)
}

// dataset is one version of the data set in one view.
type dataset struct {
	version string
	view    int // index into views
	loops   [2]loop
}

// loop is one loop of a data set.
type loop struct {
	workload []int32
	lb.Summary
}

func (l loop) virtual() int     { return len(l.workload) }
func (l loop) average() float64 { return float64(l.Sum) / float64(l.virtual()) }

func (t *Experiment) scene(version string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "perforator?version=%s", version)
	if t.Triangles > 0 {
		fmt.Fprintf(&s, "&triangles=%d", t.Triangles)
	}
	if t.Seed > 0 {
		fmt.Fprintf(&s, "&seed=%d", t.Seed)
	}
	return s.String()
}

func (t *Experiment) datasets(ctx context.Context, out report.Output) ([]dataset, error) {
	out.Begin("scenes", int64(len(versions)*len(views)))
	defer out.End()
	var all []dataset
	for _, version := range versions {
		for v, view := range views {
			w, err := t.Workloads(ctx, t.scene(version), view)
			if err != nil {
				return nil, sceneError(t.scene(version), view, err)
			}
			if len(w.Rows) == 0 || len(w.Pixels) == 0 {
				return nil, fmt.Errorf("tables: %s from %s: nothing is visible", t.scene(version), view.Name)
			}
			set := dataset{version: version, view: v}
			for i, workload := range [][]int32{w.Rows, w.Pixels} {
				set.loops[i] = loop{workload, lb.Gather(workload)}
			}
			all = append(all, set)
			out.Step(1)
		}
	}
	return all, nil
}

// sceneError names the data set of an error, unless the flags are to blame.
func sceneError(scene string, view View, err error) error {
	var usage *report.UsageError
	if errors.As(err, &usage) {
		return usage
	}
	return fmt.Errorf("tables: %s from %s: %w", scene, view.Name, err)
}

// cells counts every cell of Tables 2 and 3.
func (t *Experiment) cells(ctx context.Context, out report.Output, costs StepCosts, datasets []dataset) ([]cell, error) {
	out.Begin("tables", int64(len(datasets)*(1+len(t.processors()))))
	defer out.End()
	always, err := t.always(ctx, out, datasets)
	if err != nil {
		return nil, err
	}
	var cells []cell
	for _, processors := range t.processors() {
		machines := t.machines(processors, costs)
		models, err := calibrate(machines, datasets)
		if err != nil {
			return nil, err
		}
		for d, set := range datasets {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			cell, err := t.cell(set, machines, models, always[d])
			if err != nil {
				return nil, err
			}
			cells = append(cells, cell)
			out.Step(1)
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int {
		if a.Dataset != b.Dataset {
			return strings.Compare(b.Dataset, a.Dataset) // Table 2 comes first
		}
		return a.view - b.view
	})
	return cells, nil
}

// machines returns the counted machine under each of the loops.
func (t *Experiment) machines(processors int, costs StepCosts) [2]machine {
	var m [2]machine
	for i, c := range []LoopCosts{costs.Scan, costs.ZBuffer} {
		m[i] = machine{processors: processors, hop: float64(t.Hop.Nanoseconds()), costs: c}
		if t.Hop == 0 {
			m[i].hop = c.Gather.Typical
		}
	}
	return m
}

// calibrate returns each loop's cost model: a run on every data set, the
// largest cost of all.
func calibrate(machines [2]machine, datasets []dataset) ([2]*lb.CostModel, error) {
	var models [2]*lb.CostModel
	for i, m := range machines {
		models[i] = lb.NewCostModel(lb.DefaultConstant)
		for _, set := range datasets {
			l := set.loops[i]
			if err := models[i].Calibrate([]lb.Timing{m.timing(l)}); err != nil {
				return models, fmt.Errorf("tables: %w", err)
			}
		}
	}
	return models, nil
}

// always runs both loops of every data set with the policy Always, whose
// decisions do not depend on the machine.
func (t *Experiment) always(ctx context.Context, out report.Output, datasets []dataset) ([][2]counts, error) {
	results := make([][2]counts, len(datasets))
	for d, set := range datasets {
		for i, l := range set.loops {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var err error
			opts := lb.Options{Policy: lb.Always}
			if results[d][i], err = t.run(l, opts); err != nil {
				return nil, err
			}
		}
		out.Step(1)
	}
	return results, nil
}

// cell counts one data set on one machine.
func (t *Experiment) cell(set dataset, machines [2]machine, models [2]*lb.CostModel, always [2]counts) (cell, error) {
	rows := set.loops[0]
	c := cell{
		Experiment: "tables", Dataset: set.version, View: views[set.view].Name, view: set.view,
		Processors: machines[0].processors, MaxWorkload: int(rows.Max), AvgWorkload: rows.average(),
	}
	if t.ofPaper() {
		c.PaperSpeedup = paperSpeedup(set.version, set.view, machines[0].processors)
	}
	var original, balanced, eachTime, inVain float64 // ns
	for i, l := range set.loops {
		m := machines[i]
		r, err := t.run(l, lb.Options{Cost: models[i]})
		if err != nil {
			return c, err
		}
		loop := loopCell{name: loopNames[i], result: r, original: m.original(l.virtual(), int(l.Max)),
			balanced: m.balanced(l.virtual(), r), iteration: m.solution(l.virtual(), typicalCost)}
		c.loops[i] = loop
		c.IterationsOriginal += int(l.Max)
		c.IterationsBalanced += r.iterations
		c.Redistributions += r.redistributions
		c.looks += r.looks
		original += loop.original
		balanced += loop.balanced.total()
		eachTime += m.balanced(l.virtual(), always[i]).total()
		inVain += m.inVain(l.virtual(), r)
	}
	c.SecondsOriginal, c.SecondsBalanced = original/1e9, balanced/1e9
	c.secondsAlways, c.lookSeconds = eachTime/1e9, inVain/1e9
	c.Speedup = c.SecondsOriginal / c.SecondsBalanced
	return c, nil
}

// loopNames are those of the renderer's loops.
var loopNames = [2]string{"scan", "z-buffer"}
