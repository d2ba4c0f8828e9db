package calibration

import (
	"context"
	"fmt"
	"math"

	"lockstep/lb"
	"lockstep/render/internal/kernel"
	"lockstep/vp/isa"
)

// Measure measures the costs for an instruction set, "" or "auto" being the best
// there is, within some 50 milliseconds. It returns ctx's error when that
// ends first, and wraps lb.ErrTiming when the clock is of no use.
//
// On synthetic data with 1, 2, 4 and 8 busy lanes in a group, the unbalanced loop and
// the one that always redistributes are timed in turn; the shortest times count. With
// few rows redistributing loses, with many it pays. Where it breaks even, its cost
// equals its savings; the largest of the four plus lb.DefaultConstant is the estimate.
// Costs of redistributions that clearly pay are left out: they are higher, because
// more rows take more full iterations, but no decision depends on them.
func Measure(ctx context.Context, set string) (*Costs, error) {
	level, err := isa.Select(set)
	if err != nil {
		return nil, err
	}
	samples, err := measureSamples(ctx, kernel.Select(level))
	if err != nil {
		return nil, fmt.Errorf("calibrate %v: %w", level, err)
	}
	c, err := newCosts(samples)
	if err != nil {
		return nil, fmt.Errorf("calibrate %v: %w", level, err)
	}
	sharing, err := measureSharing(ctx, kernel.Select(level))
	if err != nil {
		return nil, fmt.Errorf("calibrate %v: bands: %w", level, err)
	}
	c.Sharing = &sharing
	return c, nil
}

// newCosts makes costs of samples, in which those with the same number of tall
// polygons stand together, in the order of their savings.
func newCosts(samples []Sample) (*Costs, error) {
	c := &Costs{Model: lb.NewCostModel(lb.DefaultConstant), Samples: samples}
	dearest := math.Inf(-1)
	for _, s := range BreakEven(samples) {
		run := []lb.Timing{{Gather: s.Cost - s.Planning, Redistribution: s.Planning, Solution: 1}}
		run[0].Gather = max(run[0].Gather, 0) // the shortest times are not of one attempt
		if err := c.Model.Calibrate(run); err != nil {
			return nil, err
		}
		if s.Cost > dearest {
			dearest, c.Full = s.Cost, s.Full
		}
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	return c, nil
}

// BreakEven returns, for every number of tall polygons, the sample for which
// redistributing would break even: between the last that lost and the next. Where
// none lost it is the first, where the last did that one.
func BreakEven(samples []Sample) (even []Sample) {
	for len(samples) > 0 {
		n, lost := 0, -1
		for n < len(samples) && samples[n].Tall == samples[0].Tall {
			if !samples[n].Pays() {
				lost = n
			}
			n++
		}
		switch {
		case lost < 0:
			even = append(even, samples[0])
		case lost == n-1:
			even = append(even, samples[lost])
		default:
			even = append(even, between(samples[lost], samples[lost+1]))
		}
		samples = samples[n:]
	}
	return even
}

// between returns the sample between one that lost and one that pays at which
// the cost is what is saved.
func between(lost, pays Sample) Sample {
	loss, gain := lost.Cost-lost.Saved, pays.Saved-pays.Cost
	at := loss / (loss + gain)
	mix := func(a, b float64) float64 { return a + (b-a)*at }
	return Sample{
		Tall: lost.Tall, Rows: int(math.Round(mix(float64(lost.Rows), float64(pays.Rows)))),
		Saved: mix(lost.Saved, pays.Saved), Cost: mix(lost.Cost, pays.Cost),
		Planning: mix(lost.Planning, pays.Planning), Full: mix(lost.Full, pays.Full),
		Iteration: mix(lost.Iteration, pays.Iteration),
	}
}
