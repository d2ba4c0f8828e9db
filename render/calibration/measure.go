package calibration

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// Measure finds the costs of redistributions on this processor. set is the name of the instruction set, as in
// render.Options.ISA. Measure takes some 50 milliseconds and keeps one core busy. If ctx ends, Measure stops with the
// context's error.
func Measure(ctx context.Context, set string) (*Costs, error) {
	if ctx == nil {
		return nil, errors.New("calibrate: expected a context, not nil")
	}
	level, err := isa.Select(set)
	if err != nil {
		return nil, err
	}
	loop := scanline.Select(level)
	all, iteration, err := measureTimings(ctx, loop)
	if err != nil {
		return nil, fmt.Errorf("calibrate %v: %w", level, err)
	}
	c, err := newCosts(all, iteration)
	if err != nil {
		return nil, fmt.Errorf("calibrate %v: %w", level, err)
	}
	c.First = c.firstExcess(timeFirst(loop, func() { time.Sleep(idleTime) }))
	sharing, err := measureSharing(ctx, kernel.Select(level))
	if err != nil {
		return nil, fmt.Errorf("calibrate %v: bands: %w", level, err)
	}
	c.Sharing = &sharing
	return c, nil
}

// newCosts makes a cost model from the times of redistributions. iteration is the shortest time of an iteration. Over
// all kinds of groups of polygons, the model's estimate is the largest value of
//
//	(longest time of a redistribution - longest time of the iterations after it)
//	    / (iteration * redistributed polygons)
//
// plus a constant, see lb.NewCostModel.
func newCosts(all []timings, iteration float64) (*Costs, error) {
	c := &Costs{Model: lb.NewCostModel(lb.DefaultConstant), Full: fullIteration(all, iteration), Ticks: iteration}
	for i := range all {
		t := &all[i]
		if len(t.ticks) == 0 {
			continue
		}
		s := t.sample(iteration)
		c.Samples = append(c.Samples, s)
		rest := math.Max(s.Cost-(c.Full-1)*s.Iterations, 1e-3) // positive, because Calibrate returns an error for 0
		if err := c.Model.Calibrate([]lb.Timing{{Redistribution: rest, Solution: 1}}); err != nil {
			return nil, err
		}
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	for i := range all {
		if len(all[i].ticks) > 0 {
			n := slices.IndexFunc(c.Samples, func(s Sample) bool { return s.Tall == all[i].tall && s.Rows == all[i].rows })
			c.Samples[n].Dearer = all[i].dearerShare(c.Estimate(isa.Generic))
		}
	}
	return c, nil
}
