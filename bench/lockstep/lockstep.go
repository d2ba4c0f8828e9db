// Package lockstep runs the specification of the renderer: it draws a picture with arrays of virtual processors that
// work in lockstep. It does so under each policy for when to redistribute tasks. It counts the iterations of the two
// loops, scan conversion and z-buffer, and checks that the pictures are equal. Its running time means nothing, because
// the processors are simulated.
//
// lockstep.go runs package render/lockstep under the policies. trace.go writes the iterations to a file.
//
// With --json it prints a line for each policy and loop, "experiment":"lockstep", with the keys mesh, policy, loop,
// processors, tasks, iterations, iterations_unbalanced, redistributions, lane_use, lane_use_unbalanced and cost. The
// cost is in iterations, and 0 if the policy does not depend on it.
package lockstep

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"

	"lockstep/bench/report"
	"lockstep/bench/tables"
	"lockstep/lb"
	"lockstep/lb/forecast"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/lockstep"
	"lockstep/vp"
)

// Experiment draws one picture, under one policy or all of them.
type Experiment struct {
	Mesh       report.Path   `arg:"" optional:"" default:"scene:perforator?version=unbalanced" help:"Mesh file, - for standard input, or a procedural scene."`
	JSON       bool          `name:"json" help:"Print one JSON object a line."`
	Width      int           `default:"512" help:"Width and height of the picture in pixels."`
	Azimuth    float64       `default:"0" placeholder:"DEG" help:"Azimuth of the eye in degrees."`
	Elevation  float64       `default:"0" placeholder:"DEG" help:"Elevation of the eye in degrees."`
	Zoom       report.Factor `default:"1" help:"Magnification of the picture about its centre."`
	Processors int           `default:"0" placeholder:"N" help:"Virtual processors of each loop. They solve more problems than processors in several batches. 0 means a processor for each problem."`
	Task       report.Count  `default:"1" placeholder:"N" help:"Pixels in a task of the z-buffer loop."`
	Policy     string        `default:"all" enum:"never,cost,always,all" help:"When a loop is balanced: ${enum}."`
	Planner    string        `default:"minimax" enum:"minimax,proportional" help:"How idle processors are given to active ones: ${enum}."`
	Eager      bool          `help:"Redistribute in the first iteration in which it is worthwhile, as the paper does, not in the best one."`
	Trace      report.Path   `placeholder:"FILE" help:"Also write every iteration of the loops to FILE, for lockstep-bench trace. If all policies are run, only the iterations under the policy cost are written. - is standard output, in place of the table."`
	Cost       float64       `default:"0" placeholder:"N" help:"Cost of a check and a redistribution in iterations; 0 takes the measured cost of a machine with a processor for each virtual processor."`
}

// A row holds the counts of one loop under one policy.
type row struct {
	Experiment      string  `json:"experiment"`
	Mesh            string  `json:"mesh"`
	Policy          string  `json:"policy"`
	Loop            string  `json:"loop"`
	Processors      int     `json:"processors"`
	Tasks           int64   `json:"tasks"`
	Iterations      int     `json:"iterations"`
	IterationsNever int     `json:"iterations_unbalanced"`
	Redistributions int     `json:"redistributions"`
	Use             float64 `json:"lane_use"`
	UseNever        float64 `json:"lane_use_unbalanced"`
	Cost            float64 `json:"cost"` // in iterations; 0 if the policy does not depend on it
}

func (l *Experiment) check() error {
	switch {
	case l.Width < 1 || l.Width > 4096:
		return report.Usagef("--width %d: expected 1 to 4096 pixels", l.Width)
	case l.Processors < 0 || l.Processors > 1<<24:
		return report.Usagef("--processors %d: expected 0 to %d", l.Processors, 1<<24)
	case l.Task < 0 || l.Task > 4096:
		return report.Usagef("--task %d: expected 1 to 4096 pixels", l.Task)
	case !(l.Cost >= 0 && l.Cost <= math.MaxInt32):
		return report.Usagef("--cost %v: expected 0 to %d iterations", l.Cost, math.MaxInt32)
	case l.Trace == "-" && l.JSON:
		return report.Usagef("--trace - and --json both need standard output: give the trace a name")
	}
	return nil
}

// Run implements [report.Experiment].
func (l *Experiment) Run(ctx context.Context, out report.Output) error {
	if err := l.check(); err != nil {
		return err
	}
	trace, err := l.newTrace(out)
	if err != nil {
		return err
	}
	defer trace.abort()
	scene, err := l.open(ctx, out)
	if err != nil {
		return err
	}
	defer scene.Close()
	models, err := l.newCostModels(ctx)
	if err != nil {
		return err
	}
	rows, err := l.drawAll(ctx, scene, models, trace)
	if err != nil {
		return err
	}
	if err := trace.commit(); err != nil || l.Trace == "-" {
		return err
	}
	return l.printRows(out, rows)
}

// drawAll draws the picture under every policy in the flags, and compares the pictures.
func (l *Experiment) drawAll(ctx context.Context, scene scene, models [2]*lb.CostModel, trace *traceFile) ([]row, error) {
	var rows []row
	var first render.Picture
	for _, policy := range policies {
		if l.Policy != "" && l.Policy != "all" && l.Policy != policy.String() {
			continue
		}
		var pic render.Picture
		traced := trace
		if policy.String() != l.Policy && policy != lb.CostEffective {
			traced = nil
		}
		some, err := l.draw(ctx, scene, policy, models, traced, &pic)
		if err != nil {
			return nil, err
		}
		rows = append(rows, some...)
		if first.Pix == nil {
			first = pic
		}
		if !bytes.Equal(first.Pix, pic.Pix) {
			return nil, fmt.Errorf("lockstep: %s draws another picture than %s", policy, rows[0].Policy)
		}
	}
	return rows, nil
}

// loopNames are the names of the two loops, in the order of drawing.
var loopNames = [2]string{render.TraceScan, render.TraceZBuffer}

// policies lists the policies in the order in which they are tried.
var policies = []lb.Policy{lb.Never, lb.CostEffective, lb.Always}

// A scene is a mesh and a camera.
type scene struct {
	report.Mesh
	camera render.Camera
}

func (l *Experiment) open(ctx context.Context, out report.Output) (s scene, err error) {
	if s.Mesh, err = out.OpenMesh(ctx, string(l.Mesh)); err != nil {
		return s, err
	}
	if s.Box.Empty() {
		err = &report.BlankError{Mesh: l.Mesh.Label()}
	} else if s.camera, err = camera.Fit(s.Box, l.Width, l.Width, camera.Options{
		Up: s.Info().Up, Azimuth: l.Azimuth, Elevation: l.Elevation, Zoom: float64(l.Zoom),
	}); err != nil {
		err = report.Usagef("%v", err)
	}
	if err != nil {
		s.Close()
	}
	return s, err
}

// averageWorkload is the assumed number of tasks of a polygon or a span, for computing costs and lengths of histograms.
// It is about the average of the default scene, the perforator, and above the average of most meshes.
const averageWorkload = 8

// newCostModels returns the cost models of the two loops. Without --cost their costs are those of a machine with one
// processor for each virtual processor. On such a machine combining data of all processors costs most.
func (l *Experiment) newCostModels(ctx context.Context) (models [2]*lb.CostModel, err error) {
	for i := range models {
		models[i] = lb.NewCostModel(0)
		if l.Cost > 0 {
			if err := models[i].Calibrate([]lb.Timing{{Redistribution: l.Cost, Solution: 1}}); err != nil {
				return models, report.Usagef("--cost: %v", err)
			}
		}
	}
	if l.Cost > 0 {
		return models, nil
	}
	costs, err := tables.MeasureSteps(ctx, 40)
	if err != nil {
		return models, err
	}
	for i, c := range []tables.LoopCosts{costs.Scan, costs.ZBuffer} {
		const processors = 1024 // the number of processors of the machine of Ahrens and Hansen, ICPP 1995
		models[i] = lb.NewCostModel(lb.DefaultConstant)
		// The largest workload is one task for each row of the picture, because no polygon can have more tasks.
		workload := lb.Summary{Max: int32(l.Width), Sum: averageWorkload * processors, Active: processors}
		if err := models[i].Calibrate([]lb.Timing{c.Timing(processors, workload)}); err != nil {
			return models, fmt.Errorf("lockstep: %w", err)
		}
	}
	return models, nil
}

// draw draws the picture under one policy and returns the counts of the two loops.
func (l *Experiment) draw(ctx context.Context, s scene, policy lb.Policy, models [2]*lb.CostModel, trace *traceFile, pic *render.Picture) ([]row, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	trace.beginPolicy(l, policy.String(), stop)
	o := lockstep.Options{Processors: l.Processors, Run: int(l.Task)}
	for i, loop := range []*vp.LoopOptions{&o.Scan, &o.ZBuffer} {
		loop.Balance = newCycle(policy, l, models[i])
		loop.Trace = trace.loopWriter(loopNames[i])
	}
	loops, err := lockstep.Draw(ctx, s.Source, s.camera, render.Options{Width: l.Width, Height: l.Width}, o, pic)
	if failed := trace.firstError(); failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Mesh.Label(), err)
	}
	if loops[1].Tasks == 0 { // no sample of the mesh reached the z-buffer
		return nil, &report.BlankError{Mesh: l.Mesh.Label()}
	}
	var rows []row
	for i, loop := range loops {
		row := row{
			Experiment: "lockstep", Mesh: string(l.Mesh), Policy: policy.String(), Loop: loopNames[i],
			Processors: loop.Processors, Tasks: loop.Tasks,
			Iterations: loop.Iterations, IterationsNever: loop.IterationsNever, Redistributions: loop.Redistributions,
			Use: loop.LaneUse(), UseNever: loop.LaneUseNever(),
		}
		if policy == lb.CostEffective {
			row.Cost = models[i].Estimate()
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// newCycle returns a cycle with the given policy and cost model.
func newCycle(policy lb.Policy, l *Experiment, model *lb.CostModel) *lb.Cycle {
	o := lb.Options{Policy: policy, Cost: model}
	if l.Planner == "proportional" {
		o.Planner = new(lb.Proportional)
	}
	if !l.Eager {
		o.Forecast = &forecast.Histogram{Buckets: tables.Buckets(lb.Summary{Sum: averageWorkload, Active: 1})}
	}
	return lb.NewCycle(o)
}

// printRows prints the rows.
func (l *Experiment) printRows(out report.Output, rows []row) error {
	if l.JSON {
		return report.WriteJSON(out.Stdout, rows...)
	}
	var text strings.Builder
	t := report.NewTable(&text)
	fmt.Fprintln(t, "loop\tpolicy\tprocessors\ttasks\titerations\tleft alone\tredistributions\tin use\tleft alone\tcost\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t%.1f\t\n", r.Loop, r.Policy, r.Processors, r.Tasks,
			r.Iterations, r.IterationsNever, r.Redistributions, r.Use, r.UseNever, r.Cost)
	}
	t.Flush()
	return report.WriteText(out.Stdout, &text)
}
