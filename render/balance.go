package render

import (
	"math"

	"lockstep/lb"
	"lockstep/render/internal/kernel/scanline"
)

// Balance is the policy that decides when a loop redistributes its tasks.
// Pictures do not depend on it.
type Balance = lb.Policy

// The balancing policies. They are those of package lb, by which the lanes decide.
const (
	BalanceCost   = lb.CostEffective // where the savings exceed the cost
	BalanceNever  = lb.Never         // the loops of the paper's Figure 1
	BalanceAlways = lb.Always        // where it saves an iteration, whatever it costs
)

// setEstimate tells all workers what to decide by.
func (r *Renderer) setEstimate() {
	o := &r.options
	e := o.Costs.Estimate(r.kernels.Level)
	switch {
	case o.Balance != BalanceCost:
		e.Cost, e.Planning = 0, 0
	case o.BalanceCost > 0:
		e.Cost, e.Planning = o.BalanceCost, 0
	}
	e.Cost = math.Ceil(e.Cost)
	r.estimate = e
	for i := range r.workers {
		scan := &r.workers[i].scan
		scan.Policy, scan.Cost, scan.PlanningEstimate = o.Balance, int32(e.Cost), e.Planning
	}
}

// BalanceStats is what the decisions of the scan-conversion loop reckoned with
// over a frame, and what came of it. It leaves out the polygons that are shared
// between workers because they are large: they are judged by their size.
type BalanceStats struct {
	Cost          float64 // estimated, of deferring one polygon, in iterations; 0 where the policy asks for none
	Deferred      int64   // polygons whose rows were redistributed
	Predicted     int64   // iterations saved by that
	PredictedCost float64 // iterations that the savings had to exceed for that
	Shared        int64   // polygons too large for one worker
	// Measured is the cost of a redistribution for a polygon, in iterations, when it
	// was above the estimate of Options.Costs, else 0: see calibration.Store.Observe.
	Measured       float64
	Underestimated int // frames of which Measured was not 0
	// Seconds is the time of planning redistributions, the mean over the workers.
	// Iteration is the time of an iteration of the loop that is left alone, judged by
	// those on row ranges, 0 without any. Both in seconds.
	Seconds, Iteration float64
}

func (s *BalanceStats) add(o *BalanceStats) {
	s.Iteration = weighted(s.Iteration, s.Deferred, o.Iteration, o.Deferred)
	s.Cost = o.Cost
	s.Deferred += o.Deferred
	s.Predicted += o.Predicted
	s.PredictedCost += o.PredictedCost
	s.Shared += o.Shared
	s.Seconds += o.Seconds
	s.Measured = max(s.Measured, o.Measured)
	s.Underestimated += o.Underestimated
}

// balanceStats adds up the workers' redistributions.
func (r *Renderer) balanceStats() BalanceStats {
	var d scanline.RedistributionStats
	s := BalanceStats{Cost: r.estimate.Cost}
	for i := range r.workers {
		w := &r.workers[i]
		d.Add(&w.scan.Stats)
		s.Shared += w.shared
	}
	s.Deferred, s.Predicted = d.Deferred, d.Saved
	s.PredictedCost = s.Cost * float64(d.Deferred+scanline.RedistributionCost*d.Count)
	s.Seconds = d.Times.Planning.Seconds() / float64(len(r.workers))
	if d.Iterations > 0 {
		s.Iteration = d.Times.Ranges.Seconds() / float64(d.Iterations) / r.estimate.Full
	}
	if s.Measured = r.judge.Frame(&d.Times, r.estimate); s.Measured > 0 {
		s.Underestimated = 1
	}
	return s
}
