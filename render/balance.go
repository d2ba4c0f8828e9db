package render

import (
	"math"

	"lockstep/lb"
	"lockstep/render/internal/kernel"
	"lockstep/vp/isa"
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

// maxCost is a cost that no savings exceed: no picture has as many rows.
const maxCost = MaxPixels

// redistributionCost returns the cost of a redistribution for each deferred polygon,
// in iterations of the scan-conversion loop, where Options.Costs is nil.
//
// BenchmarkScanCost of package kernel measures it, fixed costs and what full
// iterations take more than nearly empty ones together. On an Emerald Rapids,
// AVX-512, balancing broke even at 3.5 iterations saved a polygon with one active
// lane, 2.2 with two, 1.9 with four and 1.5 with eight; AVX2 at 5 with one, 4 with
// two and four and, when the eight lie in one half of the lanes, which is then all
// that an iteration takes, at 24. In a frame a redistribution finds its code and data
// out of the first-level cache: on scene:bumpy?triangles=10000 the loop took 3 %
// longer with a cost of 4 than without balancing, 1 % with 8. The plain loop pays
// for lanes, not for iterations, and gains little in any case.
func redistributionCost(level isa.Level) float64 {
	switch level {
	case isa.AVX512:
		return 8
	case isa.AVX2:
		return 16
	}
	return 24
}

// fullIteration is Costs.Full where Options.Costs is nil: about that of a Zen 5 and of
// a Sapphire Rapids.
func fullIteration(level isa.Level) float64 {
	switch level {
	case isa.AVX512:
		return 1.2
	case isa.AVX2:
		return 2.5
	}
	return 2
}

// estimate is what the lanes decide by.
type estimate struct {
	policy   lb.Policy
	cost     int32   // of a redistribution for each deferred polygon, in iterations
	planning float64 // see kernel.ScanConverter.PlanningEstimate
	full     float64 // see Costs.Full
	look     float64 // see Costs.Model
}

// estimate returns what the options come to.
func (o *Options) estimate(level isa.Level) estimate {
	e := estimate{policy: o.Balance, full: fullIteration(level)}
	switch {
	case o.Balance != BalanceCost:
	case o.BalanceCost > 0:
		e.cost = int32(math.Ceil(o.BalanceCost))
	case o.Costs != nil:
		m := o.Costs.Model
		e.cost = int32(math.Ceil(min(m.Estimate(), maxCost)))
		e.look, e.full = m.Look(), o.Costs.Full
		e.planning = (m.Estimate() - e.look) / e.full
	default:
		e.cost = int32(math.Ceil(redistributionCost(level)))
	}
	return e
}

// setEstimate gives an estimate to all workers.
func (r *Renderer) setEstimate(e estimate) {
	r.estimate = e
	for i := range r.workers {
		scan := &r.workers[i].scan
		scan.Policy, scan.Cost, scan.PlanningEstimate = e.policy, e.cost, e.planning
	}
}

// BalanceStats is what the decisions of the scan-conversion loop reckoned with
// over a frame, and what came of it. It leaves out the polygons that are shared
// between workers because they are large: they are judged by their size.
type BalanceStats struct {
	Cost           float64 // estimated, of deferring one polygon, in iterations; 0 where the policy asks for none
	Deferred       int64   // polygons whose rows were redistributed
	Predicted      int64   // iterations saved by that
	PredictedCost  float64 // iterations that the savings had to exceed for that
	Shared         int64   // polygons too large for one worker
	Underestimated int     // 1 when redistributions cost more than Options.Costs says
	// Measured is what they then cost for a polygon, in iterations, else 0.
	Measured float64
	// Seconds is the time of planning redistributions, the mean over the workers.
	// Iteration is the time of an iteration of the loop that is left alone, judged by
	// those on row ranges, 0 without any. Both in seconds.
	Seconds, Iteration float64
}

// batchesLeast is how many batches of redistributions make a judgement. Most of them
// have to cost more than estimated: one interruption makes one batch so.
const batchesLeast = 3

// balanceStats adds up the workers' redistributions.
func (r *Renderer) balanceStats() BalanceStats {
	var d kernel.RedistributionStats
	s := BalanceStats{Cost: float64(r.estimate.cost)}
	for i := range r.workers {
		w := &r.workers[i]
		d.Add(&w.scan.Stats)
		s.Shared += w.shared
	}
	s.Deferred, s.Predicted = d.Deferred, d.Saved
	s.PredictedCost = s.Cost * float64(d.Deferred+kernel.RedistributionCost*d.Count)
	s.Seconds = d.Times.Planning.Seconds() / float64(len(r.workers))
	if d.Iterations > 0 {
		s.Iteration = d.Times.Ranges.Seconds() / float64(d.Iterations) / r.estimate.full
	}
	r.judged.Add(&d.Times)
	if t := &r.judged; t.Batches >= batchesLeast {
		if 2*t.Underestimated > t.Batches {
			s.Underestimated = 1
			s.Measured = r.estimate.look + t.LeastUnderestimated*r.estimate.full
		}
		r.judged = kernel.RedistributionTimes{}
	}
	return s
}
