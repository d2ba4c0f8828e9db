package render

import (
	"math"

	"lockstep/render/internal/kernel"
	"lockstep/vp/isa"
)

// maxCost is a cost that no savings exceed: no picture has as many rows.
const maxCost = MaxPixels

// redistributionCost returns what it costs at most, for each polygon that is set
// aside, to deal its rows afresh, in iterations of the scan-conversion loop, where
// nobody has calibrated.
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

// fullIteration is Costs.Full where nobody has calibrated: what a Zen 5 and a
// Sapphire Rapids have in common.
func fullIteration(level isa.Level) float64 {
	switch level {
	case isa.AVX512:
		return 1.2
	case isa.AVX2:
		return 2.5
	}
	return 2
}

// estimate is what the policy takes redistributions to cost.
type estimate struct {
	cost int32   // for a polygon set aside, in iterations; kernel.Never
	dear float64 // what a part may take, see kernel.Scan; 0: it is not judged
	full float64 // see Costs.Full
	look float64 // see Costs.Model
}

// estimate returns what the options come to.
func (o *Options) estimate(level isa.Level) estimate {
	e := estimate{full: fullIteration(level)}
	switch {
	case o.Balance == BalanceNever:
		e.cost = kernel.Never
	case o.Balance == BalanceAlways:
		e.cost = 0
	case o.BalanceCost > 0:
		e.cost = int32(math.Ceil(o.BalanceCost))
	case o.Costs != nil:
		m := o.Costs.Model
		e.cost = int32(math.Ceil(min(m.Estimate(), maxCost)))
		e.look, e.full = m.Look(), o.Costs.Full
		e.dear = (m.Estimate() - e.look) / e.full
	default:
		e.cost = int32(math.Ceil(redistributionCost(level)))
	}
	return e
}

// SetBalance changes the policy of the frames to come, Options.Balance. Measurements
// of several policies share one renderer by it: where in memory the frames of each
// lie would make them differ by some per cent. The error is that of New.
func (r *Renderer) SetBalance(policy Balance) error {
	o := r.options
	o.Balance = policy
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	r.options.Balance = policy
	r.setEstimate(o.estimate(r.kernels.Level))
	return nil
}

// setEstimate gives an estimate to all workers.
func (r *Renderer) setEstimate(e estimate) {
	r.estimate = e
	for i := range r.workers {
		r.workers[i].scan.Cost, r.workers[i].scan.Dear = e.cost, e.dear
	}
}

// BalanceStats is what the decisions of the scan-conversion loop reckoned with
// over a frame, and what came of it. The polygons that are shared between workers
// because they are large are not part of it: they are judged by their size.
type BalanceStats struct {
	Cost          float64 // estimated, of setting one polygon aside, in iterations; 0 where the policy asks for none
	SetAside      int64   // polygons
	Predicted     int64   // iterations saved by that
	PredictedCost float64 // what the savings had to exceed for that, in iterations
	Shared        int64   // polygons too large for one worker
	Underrated    int     // 1 when redistributions were dearer than Options.Costs says
	// Measured is what they then cost for a polygon, in iterations, else 0.
	Measured float64
	// Seconds is the time of planning redistributions and dealing rows, the mean over
	// the workers; Iteration the time of an iteration of the loop that is left
	// alone, judged by those on dealt rows, 0 without any. Both in seconds.
	Seconds, Iteration float64
}

// batchesLeast is how many batches of redistributions make a judgement, of which
// most have to be dearer than estimated: an interruption makes one so.
const batchesLeast = 3

// balanceStats adds up the workers' redistributions.
func (r *Renderer) balanceStats() BalanceStats {
	var d kernel.Dealing
	s := BalanceStats{Cost: float64(max(r.estimate.cost, 0))}
	for i := range r.workers {
		w := &r.workers[i]
		d.Add(&w.scan.Dealing)
		s.Shared += w.shared
	}
	s.SetAside, s.Predicted = d.Aside, d.Saved
	s.PredictedCost = s.Cost * float64(d.Aside+kernel.DealCost*d.Deals)
	s.Seconds = d.Times.Dealing.Seconds() / float64(len(r.workers))
	if d.Iterations > 0 {
		s.Iteration = d.Times.Parts.Seconds() / float64(d.Iterations) / r.estimate.full
	}
	r.judged.Add(&kernel.Dealing{Times: d.Times})
	if t := &r.judged.Times; t.Batches >= batchesLeast {
		if 2*t.Dear > t.Batches {
			s.Underrated = 1
			s.Measured = r.estimate.look + t.LeastDear*r.estimate.full
		}
		r.judged = kernel.Dealing{}
	}
	return s
}
