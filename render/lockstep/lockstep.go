// Package lockstep draws a frame as the machine of Ahrens and Hansen does ("Cost-Effective Data-Parallel Load
// Balancing", ICPP 1995, Figures 1 and 2): with arrays of virtual processors that step together. It specifies the
// result of a render.Renderer, and serves for experiments. Its running time says nothing about a Renderer.
//
// [Collect] turns a frame into [Problems], whose tasks may be carried out by any kind of loop. [Draw] uses the loop
// and the balancers of package vp.
package lockstep

import (
	"context"
	"errors"
	"fmt"

	"lockstep/render"
	"lockstep/scenes"
	"lockstep/vp"
)

// Options configure the machine of [Draw]. The zero value has a virtual processor for every problem, and never moves
// tasks between processors.
type Options struct {
	// Processors is the number of virtual processors. More problems than that are solved in turns, one problem per
	// processor and turn. 0 means a processor for every problem, as in Ahrens and Hansen (1995).
	Processors int
	// Run is the number of samples in a task of the z-buffer loop. 0 means one sample, as in Ahrens and Hansen (1995).
	Run int
	// Scan configures the loop over scan lines, and ZBuffer the loop over runs. In each turn, iterations are counted
	// from 0.
	Scan, ZBuffer vp.LoopOptions
}

// Draw draws a frame in two loops, and returns the counts of both. In the first loop, every virtual processor has a
// polygon and emits the span of one scan line per iteration. In the second loop, every processor has a span and merges
// one run of samples per iteration.
//
// The picture equals that of a Renderer to the last bit, for any number of processors and any balancers. The fields
// Workers, BlockSize, Balance and ISA of o have no effect. The time is proportional to the number of processors times
// the number of iterations. Draw takes some 300 bytes per polygon and per span.
func Draw(ctx context.Context, source scenes.Source, cam render.Camera, o render.Options, l Options, pic *render.Picture) (loops [2]vp.Stats, err error) {
	if l.Processors < 0 || l.Processors > vp.MaxProcessors || l.Run < 0 {
		return loops, fmt.Errorf("draw in lockstep: %d processors, expected 0 to %d; runs of %d samples, expected 0 or more", l.Processors, vp.MaxProcessors, l.Run)
	}
	if pic == nil {
		return loops, errors.New("draw in lockstep: expected a picture")
	}
	p, err := Collect(ctx, source, cam, o)
	if err != nil {
		return loops, fmt.Errorf("draw in lockstep: %w", err)
	}
	if loops[0], err = l.solveAll(ctx, p.Rows(), l.Scan, p.ScanRow); err != nil {
		return loops, fmt.Errorf("draw in lockstep: scan conversion: %w", err)
	}
	merge := func(span, task int) { p.MergeRun(span, task, l.Run) }
	if loops[1], err = l.solveAll(ctx, p.Runs(l.Run), l.ZBuffer, merge); err != nil {
		return loops, fmt.Errorf("draw in lockstep: z-buffer: %w", err)
	}
	p.Resolve(pic)
	return loops, nil
}

// solveAll solves all problems, as many at a time as there are processors. solve carries out one task. workload holds
// the number of tasks of each problem.
func (l *Options) solveAll(ctx context.Context, workload []int32, o vp.LoopOptions, solve func(problem, task int)) (sum vp.Stats, err error) {
	sum.Processors = l.Processors
	if sum.Processors == 0 {
		sum.Processors = len(workload)
	}
	if o.Stop == nil {
		o.Stop = ctx.Err
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
