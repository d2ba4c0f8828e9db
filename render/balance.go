package render

import (
	"math"

	"lockstep/lb"
	"lockstep/render/calibration"
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
		e = calibration.Estimate{Sharing: e.Sharing}
	case o.BalanceCost > 0:
		e = calibration.Estimate{Cost: o.BalanceCost, Sharing: e.Sharing}
	}
	e.Cost = math.Ceil(e.Cost)
	r.estimate = e
	for i := range r.workers {
		scan := &r.workers[i].scan
		scan.Policy, scan.Cost = o.Balance, e.Converter()
	}
}

// BalanceStats is what the decisions of the scan-conversion loop reckoned with
// over a frame, and what came of it. It leaves out the polygons that are shared
// between workers because they are large: they are judged by their size.
type BalanceStats struct {
	Cost          float64 // estimated, of redistributing a polygon, in iterations; 0 where the policy asks for none
	Polygons      int64   // whose rows were redistributed
	Predicted     int64   // iterations saved by that
	PredictedCost float64 // iterations that the savings had to exceed for that, at most
	Shared        int64   // polygons too large for one worker
	// Judged counts redistributions that were timed, under the estimate of
	// Options.Costs, and Dearer those that took longer than it allows.
	Judged, Dearer int64
	// TooLow, unless it is 0, is the cost of a polygon that the estimate should be raised
	// to: see calibration.Store.Observe.
	TooLow float64
	// Seconds is the time of redistributions and their iterations, the mean over the
	// workers. Iteration is the shortest time of an iteration of mostly idle lanes, 0 where
	// it was not calibrated. Both in seconds.
	Seconds, Iteration float64
}

func (s *BalanceStats) add(o *BalanceStats) {
	s.Iteration = weighted(s.Iteration, s.Polygons, o.Iteration, o.Polygons)
	s.Cost = o.Cost
	s.Polygons += o.Polygons
	s.Predicted += o.Predicted
	s.PredictedCost += o.PredictedCost
	s.Shared += o.Shared
	s.Judged += o.Judged
	s.Dearer += o.Dearer
	s.Seconds += o.Seconds
	s.TooLow = max(s.TooLow, o.TooLow)
}

// balanceStats adds up the workers' redistributions.
func (r *Renderer) balanceStats() BalanceStats {
	var counts scanline.Counts
	var times scanline.Times
	s := BalanceStats{Cost: r.estimate.Cost}
	scanning := 0.0
	for i := range r.workers {
		w := &r.workers[i]
		counts.Add(&w.scan.Counts)
		times.Add(&w.scan.Times)
		s.Shared += w.shared
		scanning += w.times.Scan.Seconds()
	}
	s.Polygons, s.Predicted, s.PredictedCost = counts.Polygons, counts.Saved, r.estimate.Predicted(&counts)
	s.Judged, s.Dearer = times.Judged, times.Dearer
	if tick := scanning / float64(max(times.Ticks, 1)); times.SpreadTicks > 0 {
		s.Seconds = tick * float64(times.SpreadTicks) / float64(len(r.workers))
		s.Iteration = tick * r.estimate.Ticks
	}
	s.TooLow = r.judge.Frame(&times, r.estimate)
	return s
}
