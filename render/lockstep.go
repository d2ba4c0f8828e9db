package render

import (
	"context"
	"fmt"

	"lockstep/lb"
	"lockstep/render/internal/kernel"
	"lockstep/scenes"
	"lockstep/vp"
)

// LockstepOptions configure the machine of [DrawLockstep]. The zero value has a
// virtual processor for every problem and never balances.
type LockstepOptions struct {
	// Processors is the number of virtual processors. Where there are more problems,
	// so many are worked on at a time, one after the other. 0: as many as there are
	// problems, as in the paper.
	Processors int
	// Run is the number of samples in a task of the z-buffer loop; 0: one, the
	// paper's task.
	Run int
	// Scan and ZBuffer are the options of the two loops. A balancer is told
	// iteration 0 whenever other problems begin.
	Scan, ZBuffer vp.LoopOptions
}

// DrawLockstep draws a frame as the paper's machine does (Ahrens and Hansen 1995,
// Figures 1 and 2): a loop over all polygons of the mesh in which every virtual
// processor emits the span of one scan line an iteration, then a loop over all spans
// in which each does one run of samples, both by vp.Array.Run. It is the specification
// of a Renderer: the picture is the same to the last bit, whatever the number of
// processors and the balancers. Options.Workers, BlockSize, Balance and ISA have no
// effect. It returns what the two loops did.
//
// Cost: processors times iterations, and some 300 bytes a polygon and a span.
func DrawLockstep(ctx context.Context, source scenes.Source, cam Camera, o Options, l LockstepOptions, pic *Picture) (loops [2]vp.Stats, err error) {
	if l.Processors < 0 || l.Run < 0 {
		return loops, fmt.Errorf("draw in lockstep: %d processors, runs of %d samples: want 0 or more", l.Processors, l.Run)
	}
	o.Workers, o.NoPin, o.ISA, o.TimeBlocks, o.BlockSize = 1, true, "generic", false, scenes.BlockSize
	r, err := New(o)
	if err != nil {
		return loops, err
	}
	defer r.Close()
	if err := cam.check(); err != nil {
		return loops, err
	}
	r.begin(ctx, source, &cam, pic)
	d := lockstepFrame{ctx: ctx, renderer: r, options: l, problems: kernel.NewLockstep()}
	if err := d.collect(source); err != nil {
		return loops, fmt.Errorf("draw in lockstep: %w", err)
	}
	if loops[0], err = d.scan(); err != nil {
		return loops, fmt.Errorf("draw in lockstep: scan conversion: %w", err)
	}
	if loops[1], err = d.zbuffer(); err != nil {
		return loops, fmt.Errorf("draw in lockstep: z-buffer: %w", err)
	}
	r.merge(0)
	return loops, ctx.Err()
}

// lockstepFrame is a frame under DrawLockstep.
type lockstepFrame struct {
	ctx      context.Context
	renderer *Renderer
	options  LockstepOptions
	problems *kernel.Lockstep
}

// collect makes polygons of the whole mesh.
func (d *lockstepFrame) collect(source scenes.Source) error {
	w, view := &d.renderer.workers[0], &d.renderer.job.view
	for i := range scenes.NumBlocks(source) {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if err := source.ReadBlock(i, &w.block); err != nil {
			return err
		}
		if d.renderer.options.Color != nil {
			w.block.Colors = nil
		}
		w.polys.Reset()
		slow := kernel.Geometry(view, &w.block, w.polys, w.slow, &w.counts)
		for {
			slow = kernel.Slow(view, &w.block, slow, w.polys, &w.counts)
			kernel.Shade(d.renderer.shader, w.polys, w.block.Colors)
			w.frame.touch(w.polys)
			d.problems.Add(w.polys)
			w.polys.Reset()
			if len(slow) == 0 {
				break
			}
		}
	}
	return nil
}

// scan is the loop of scan conversion.
func (d *lockstepFrame) scan() (vp.Stats, error) {
	width, stride := d.renderer.job.view.Width, int32(d.renderer.workers[0].frame.stride)
	return d.loop(d.problems.Rows(), d.options.Scan, func(problem, task int) {
		d.problems.ScanRow(problem, task, width, stride)
	})
}

// zbuffer is the loop of the z-buffer.
func (d *lockstepFrame) zbuffer() (vp.Stats, error) {
	keys, run := d.renderer.workers[0].frame.keys, int32(min(max(d.options.Run, 1), MaxPixels))
	return d.loop(d.problems.Runs(run), d.options.ZBuffer, func(problem, task int) {
		d.problems.MergeRun(keys, problem, task, run)
	})
}

// loop does all tasks of the problems, as many problems at a time as there are
// processors.
func (d *lockstepFrame) loop(workload []int32, o vp.LoopOptions, solve func(problem, task int)) (sum vp.Stats, err error) {
	sum.Processors = d.options.Processors
	if sum.Processors == 0 {
		sum.Processors = len(workload)
	}
	if o.Stop == nil {
		o.Stop = d.ctx.Err
	}
	some := make([]int32, sum.Processors)
	for first := 0; first < len(workload); first += sum.Processors {
		clear(some[copy(some, workload[first:]):])
		s, err := vp.NewArray(some).Run(func(_, problem, task int) { solve(first+problem, task) }, o)
		sum.Iterations += s.Iterations
		sum.IterationsNever += s.IterationsNever
		sum.Tasks += s.Tasks
		sum.Redistributions += s.Redistributions
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// NewBalancer joins the cost-effective cycle to a loop of virtual processors: the
// cycle decides, the loop executes. It serves one loop at a time, and others after
// it.
func NewBalancer(cycle *lb.Cycle) vp.Balancer { return &cycleBalancer{cycle} }

type cycleBalancer struct{ cycle *lb.Cycle }

// Decide implements vp.Balancer.
func (b *cycleBalancer) Decide(g vp.Gathered) vp.Decision {
	if g.Iteration == 0 {
		b.cycle.Reset()
	}
	if !b.cycle.Due(g.Iteration) {
		return vp.Decision{}
	}
	step := b.cycle.Look(g.Iteration, lb.Gather(g.Workload), g.Workload)
	return vp.Decision{Allotted: step.Plan, Savings: step.Savings, Cost: step.Cost, Why: step.What}
}
