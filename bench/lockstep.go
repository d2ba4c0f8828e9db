package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/scenes"
	"lockstep/vp"
)

// Lockstep draws one picture with arrays of virtual processors that step together,
// as the machine of Ahrens and Hansen did ("Cost-Effective Data-Parallel Load
// Balancing", ICPP 1995, Figures 1 and 2), under each policy, and says what the two
// loops took. It is the specification at work: it counts iterations and checks that
// the pictures are equal, and its own time means nothing.
type Lockstep struct {
	Mesh       string  `arg:"" optional:"" default:"scene:perforator?version=unbalanced" help:"A binary STL file or a procedural scene."`
	JSON       bool    `name:"json" help:"Print one JSON object a line."`
	Width      int     `default:"512" help:"Width and height of the picture in pixels."`
	Azimuth    float64 `default:"0" placeholder:"DEG" help:"Azimuth of the eye in degrees."`
	Elevation  float64 `default:"0" placeholder:"DEG" help:"Elevation of the eye in degrees."`
	Zoom       float64 `default:"1" help:"Magnification of the picture about its centre."`
	Processors int     `default:"0" placeholder:"N" help:"Virtual processors of each loop; problems beyond are worked on in further turns. 0 is one a problem."`
	Task       int     `default:"1" placeholder:"N" help:"Pixels in a task of the z-buffer loop."`
	Policy     string  `default:"all" enum:"never,cost,always,all" help:"When a loop is balanced: ${enum}."`
	Planner    string  `default:"minimax" enum:"minimax,proportional" help:"How idle processors are given to active ones: ${enum}."`
	Eager      bool    `help:"Redistribute in the first iteration in which it is worthwhile, as the paper does, not in the best one."`
	Trace      string  `placeholder:"FILE" type:"path" help:"Write every iteration of the loops under one policy, of all policies under cost, to FILE, for bench trace."`
	Cost       float64 `default:"0" placeholder:"N" help:"Cost of a look and a redistribution in iterations; 0 takes the measured cost of a machine with a processor for each virtual one."`
}

// lockstepRow is what one loop did under one policy.
type lockstepRow struct {
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
	Cost            float64 `json:"cost"` // iterations, 0 where it plays no part
}

func (l *Lockstep) check() error {
	switch {
	case l.Width < 1 || l.Width > 4096:
		return Usagef("--width %d: want 1 to 4096 pixels", l.Width)
	case l.Processors < 0 || l.Processors > 1<<24:
		return Usagef("--processors %d: want 0 to %d", l.Processors, 1<<24)
	case l.Task < 0 || l.Task > 4096:
		return Usagef("--task %d: want 1 to 4096 pixels", l.Task)
	case !(l.Cost >= 0) || math.IsInf(l.Cost, 1):
		return Usagef("--cost %v: want a number of iterations", l.Cost)
	}
	return nil
}

// Run implements [Experiment].
func (l *Lockstep) Run(ctx context.Context, out Output) error {
	if err := l.check(); err != nil {
		return err
	}
	scene, err := l.open(ctx)
	if err != nil {
		return err
	}
	defer scene.close()
	models, err := l.models(ctx)
	if err != nil {
		return err
	}
	var rows []lockstepRow
	var first render.Picture
	for _, policy := range lockstepPolicies {
		if l.Policy != "" && l.Policy != "all" && l.Policy != policy {
			continue
		}
		var pic render.Picture
		var trace *lockstepTrace
		if l.Trace != "" && (policy == l.Policy || policy == "cost") {
			trace = &lockstepTrace{}
		}
		some, err := l.draw(ctx, scene, policy, models, trace, &pic)
		if err != nil {
			return err
		}
		if err := trace.write(l, policy); err != nil {
			return err
		}
		rows = append(rows, some...)
		if first.Pix == nil {
			first = pic
		}
		if !bytes.Equal(first.Pix, pic.Pix) {
			return fmt.Errorf("bench: lockstep: %s draws another picture than %s", policy, rows[0].Policy)
		}
	}
	return l.write(out, rows)
}

// lockstepLoops are the names of the two loops.
var lockstepLoops = [2]string{render.TraceScan, render.TraceZBuffer}

// lockstepPolicies are the policies in the order in which they are tried.
var lockstepPolicies = []string{"never", "cost", "always"}

// lockstepScene is a mesh and how it is seen.
type lockstepScene struct {
	scenes.Source
	camera render.Camera
	close  func()
}

func (l *Lockstep) open(ctx context.Context) (s lockstepScene, err error) {
	s.close = func() {}
	if scenes.IsScene(l.Mesh) {
		scene, err := scenes.ParseScene(l.Mesh)
		if err != nil {
			return s, Usagef("%v", err)
		}
		s.Source = scene
	} else {
		file, _, err := scenes.OpenSTL(ctx, l.Mesh, scenes.ReadOptions{})
		if err != nil {
			return s, &InputError{File: l.Mesh, Err: err}
		}
		s.Source, s.close = file, func() { file.Close() }
	}
	if s.camera, err = l.look(ctx, s.Source); err != nil {
		s.close()
		return s, err
	}
	return s, nil
}

// look returns the camera.
func (l *Lockstep) look(ctx context.Context, source scenes.Source) (render.Camera, error) {
	box, err := scenes.Bounds(ctx, source, 0)
	if err != nil {
		return render.Camera{}, &InputError{File: l.Mesh, Err: err}
	}
	if box.Empty() {
		return render.Camera{}, &InputError{File: l.Mesh, Err: errors.New("no triangle has finite coordinates")}
	}
	o := render.CameraOptions{Up: source.Info().Up, Azimuth: l.Azimuth, Elevation: l.Elevation, Zoom: l.Zoom}
	camera, err := render.Fit(box, l.Width, l.Width, o)
	if err != nil {
		return camera, Usagef("%v", err)
	}
	return camera, nil
}

// models returns the cost models of the two loops: those of a machine in which
// every virtual processor is one of its own, so that what is combined from all of
// them weighs most, or the number that was asked for.
func (l *Lockstep) models(ctx context.Context) (models [2]*lb.CostModel, err error) {
	for i := range models {
		models[i] = lb.NewCostModel(0)
		if l.Cost > 0 {
			if err := models[i].Calibrate([]lb.Timing{{Redistribution: l.Cost, Solution: 1}}); err != nil {
				return models, Usagef("--cost: %v", err)
			}
		}
	}
	if l.Cost > 0 {
		return models, nil
	}
	costs, err := MeasureSteps(ctx, 200)
	if err != nil {
		return models, err
	}
	for i, c := range []LoopCosts{costs.Scan, costs.ZBuffer} {
		const processors = 1024 // of the paper's machine
		m := lockstepMachine{processors: processors, hop: c.Gather.Typical, costs: c}
		models[i] = lb.NewCostModel(lb.DefaultConstant)
		// The tallest workload that the picture can have, and many small ones.
		loop := tableLoop{make([]int32, processors), lb.Information{Max: int32(l.Width), Sum: 8 * processors, Active: processors}}
		if err := models[i].Calibrate([]lb.Timing{m.timing(loop)}); err != nil {
			return models, fmt.Errorf("bench: lockstep: %w", err)
		}
	}
	return models, nil
}

// draw draws under one policy and returns what the two loops did.
func (l *Lockstep) draw(ctx context.Context, s lockstepScene, policy string, models [2]*lb.CostModel, trace *lockstepTrace, pic *render.Picture) ([]lockstepRow, error) {
	o := render.LockstepOptions{Processors: l.Processors, Run: l.Task}
	for i, loop := range []*vp.LoopOptions{&o.Scan, &o.ZBuffer} {
		loop.Balancer = render.NewBalancer(newLockstepCycle(policy, l, models[i]))
		loop.Trace = trace.loop(lockstepLoops[i])
	}
	loops, err := render.DrawLockstep(ctx, s.Source, s.camera, render.Options{Width: l.Width, Height: l.Width}, o, pic)
	if err != nil {
		return nil, fmt.Errorf("bench: lockstep: %s: %w", l.Mesh, err)
	}
	var rows []lockstepRow
	for i, loop := range loops {
		row := lockstepRow{
			Experiment: "lockstep", Mesh: l.Mesh, Policy: policy, Loop: lockstepLoops[i],
			Processors: loop.Processors, Tasks: loop.Tasks,
			Iterations: loop.Iterations, IterationsNever: loop.IterationsNever, Redistributions: loop.Redistributions,
			Use: loop.LaneUse(), UseNever: loop.LaneUseNever(),
		}
		if policy == "cost" {
			row.Cost = models[i].Estimate()
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// newLockstepCycle returns the cycle of a policy.
func newLockstepCycle(policy string, l *Lockstep, model *lb.CostModel) *lb.Cycle {
	o := lb.Options{Planner: newPlanner(l.Planner), Cost: model, Eager: l.Eager}
	switch policy {
	case "never":
		o.Policy = lb.Never{}
	case "always":
		o.Policy = lb.Always{}
	}
	return lb.NewCycle(o)
}

// newPlanner returns the planner of a name.
func newPlanner(name string) lb.Planner {
	if name == "proportional" {
		return new(lb.Proportional)
	}
	return new(lb.Minimax)
}

// write prints the rows.
func (l *Lockstep) write(out Output, rows []lockstepRow) error {
	var text strings.Builder
	if l.JSON {
		encoder := json.NewEncoder(&text)
		for _, r := range rows {
			if err := encoder.Encode(r); err != nil {
				return fmt.Errorf("bench: lockstep: %w", err)
			}
		}
	} else {
		t := columns(&text)
		fmt.Fprintln(t, "loop\tpolicy\tprocessors\ttasks\titerations\tleft alone\tredistributions\tin use\tleft alone\tcost\t")
		for _, r := range rows {
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.3f\t%.3f\t%.1f\t\n", r.Loop, r.Policy, r.Processors, r.Tasks,
				r.Iterations, r.IterationsNever, r.Redistributions, r.Use, r.UseNever, r.Cost)
		}
		t.Flush()
	}
	if _, err := io.WriteString(out.Stdout, text.String()); err != nil {
		return fmt.Errorf("bench: lockstep: %w", err)
	}
	return nil
}
