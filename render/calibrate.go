package render

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"lockstep/lb"
	"lockstep/render/internal/kernel"
	"lockstep/vp/isa"
)

// KernelVersion changes with whatever the costs of a redistribution depend on in
// this package: stored ones are worth nothing to another version.
const KernelVersion = kernel.Version

// A CostSample is what redistributing cost on one calibration data set.
type CostSample = kernel.CostSample

// Costs are what redistributions of the scan-conversion loop cost on one
// processor with one instruction set. They marshal to JSON and back without loss.
type Costs struct {
	// Model estimates, in iterations of the loop that is left alone, what it costs to
	// deal the rows of one polygon afresh; its Look is the part of that which no
	// renderer can measure later: looks, setting up parts, full iterations.
	Model *lb.CostModel `json:"model"`
	// Full is the time of an iteration on dealt parts, in iterations of the loop that
	// is left alone.
	Full float64 `json:"full"`
	// Deal is what dealing takes however little there is to be dealt, in the same
	// iterations. When a polygon is set aside nobody knows how many will share it; the
	// first is charged for some more. What that lacks is lost once in a block of
	// triangles at most.
	Deal float64 `json:"deal"`
	// Samples are the measurements behind the model.
	Samples []CostSample `json:"samples"`
}

// Calibrate measures the costs for an instruction set, "" or "auto" being the best
// there is, within some 50 milliseconds. It returns ctx's error when that
// ends first, and wraps lb.ErrTiming when the clock is of no use.
//
// On synthetic data with 1, 2, 4 and 8 busy lanes in a group, the loop that is left
// alone and the one that redistributes whatever it costs are timed in turn, the
// shortest times count. With few rows redistributing loses, with many it
// pays. Where it breaks even the savings are what it costs; the largest of the
// four plus lb.DefaultConstant is the estimate. Costs of redistributions that
// are worthwhile beyond doubt are left out: they are higher, because more rows
// take more full iterations, but no decision hangs on them.
func Calibrate(ctx context.Context, set string) (*Costs, error) {
	level, err := isa.Select(set)
	if err != nil {
		return nil, err
	}
	samples, deal, err := kernel.MeasureCosts(ctx, kernel.Select(level))
	if err != nil {
		return nil, fmt.Errorf("calibrate %v: %w", level, err)
	}
	c, err := newCosts(samples, deal)
	if err != nil {
		return nil, fmt.Errorf("calibrate %v: %w", level, err)
	}
	return c, nil
}

// newCosts makes costs of a deal's and of samples, in which those with the same number of tall
// polygons stand together, in the order of their savings.
func newCosts(samples []CostSample, deal float64) (*Costs, error) {
	c := &Costs{Model: lb.NewCostModel(lb.DefaultConstant), Deal: deal, Samples: samples}
	dearest := math.Inf(-1)
	for _, s := range BreakEven(samples) {
		run := []lb.Timing{{Gather: s.Cost - s.Dealing, Redistribution: s.Dealing, Solution: 1}}
		run[0].Gather = max(run[0].Gather, 0) // the shortest times are not of one attempt
		if err := c.Model.Calibrate(run); err != nil {
			return nil, err
		}
		if s.Cost > dearest {
			dearest, c.Full = s.Cost, s.Full
		}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// BreakEven returns, for every number of tall polygons, the sample for which
// redistributing would break even: between the last that lost and the next. Where
// none lost it is the first, where the last did that one.
func BreakEven(samples []CostSample) (even []CostSample) {
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
func between(lost, pays CostSample) CostSample {
	loss, gain := lost.Cost-lost.Saved, pays.Saved-pays.Cost
	at := loss / (loss + gain)
	mix := func(a, b float64) float64 { return a + (b-a)*at }
	return CostSample{
		Tall: lost.Tall, Rows: int(math.Round(mix(float64(lost.Rows), float64(pays.Rows)))),
		Saved: mix(lost.Saved, pays.Saved), Cost: mix(lost.Cost, pays.Cost),
		Dealing: mix(lost.Dealing, pays.Dealing), Full: mix(lost.Full, pays.Full),
		Iteration: mix(lost.Iteration, pays.Iteration),
	}
}

// UnmarshalJSON implements json.Unmarshaler. It refuses costs that no
// calibration gives; the error wraps lb.ErrCostModel.
func (c *Costs) UnmarshalJSON(text []byte) error {
	type plain Costs
	var p plain
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	costs := Costs(p)
	if err := costs.check(); err != nil {
		return err
	}
	*c = costs
	return nil
}

// costMost bounds what a calibration gives, in iterations and in nanoseconds an
// iteration: far more than any machine takes, and far from where sums overflow.
const costMost = 1e6

// check returns why these are no costs.
func (c *Costs) check() error {
	switch {
	case c.Model == nil || c.Model.Runs() == 0:
		return fmt.Errorf("%w: no calibration", lb.ErrCostModel)
	case !(c.Model.Estimate() <= costMost) || !(c.Full > 0 && c.Full <= costMost) || !(c.Deal >= 0 && c.Deal <= costMost):
		return fmt.Errorf("%w: an estimate of %g, a full iteration of %g others, a deal of %g", lb.ErrCostModel, c.Model.Estimate(), c.Full, c.Deal)
	}
	for i, s := range c.Samples {
		// A cost may come out below 0 where nothing is to be measured.
		least, most := min(s.Saved, s.Cost, s.Dealing, s.Full, s.Iteration), max(s.Saved, s.Cost, s.Dealing, s.Full, s.Iteration)
		if s.Tall < 1 || s.Tall > kernel.Lanes || s.Rows < 1 || s.Rows > MaxPixels || !(least >= -costMost) || !(most <= costMost) {
			return fmt.Errorf("%w: sample %d: %+v", lb.ErrCostModel, i, s)
		}
	}
	return nil
}
