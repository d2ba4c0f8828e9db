package calibration

import (
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// MostIterations bounds every cost that a decision is made by: no picture has as many
// rows, so no savings exceed it.
const MostIterations = 1 << 15

// An Estimate is the cost by which the scan-conversion loop decides, with the numbers
// by which frames find out whether it is too low.
type Estimate struct {
	// Cost is that of a redistribution for each deferred polygon, in iterations of the
	// unbalanced loop.
	Cost float64
	// Full is the time of an iteration on row ranges, in iterations of that loop.
	Full float64
	// Planning is the part of Cost that frames measure, planning row ranges, in
	// iterations on row ranges; 0 when Cost does not come from a calibration.
	Planning float64
	// Sharing is the cost of cutting blocks for several workers.
	Sharing Sharing

	look float64 // the rest of Cost
}

// Estimate returns the estimate for an instruction set. Costs of nil have built-in
// constants, which hold on most processors.
func (c *Costs) Estimate(level isa.Level) Estimate {
	if c == nil {
		return Estimate{Cost: redistributionCost(level), Full: fullIteration(level), Sharing: builtInSharing}
	}
	m, sharing := c.Model, builtInSharing
	if c.Sharing != nil {
		sharing = *c.Sharing
	}
	return Estimate{
		Cost: min(m.Estimate(), MostIterations), Full: c.Full,
		Planning: (m.Estimate() - m.Look()) / c.Full, look: m.Look(),
		Sharing: sharing,
	}
}

// redistributionCost returns the built-in cost of a redistribution for each deferred
// polygon.
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

// fullIteration is the built-in Costs.Full: about that of a Zen 5 and of a Sapphire
// Rapids.
func fullIteration(level isa.Level) float64 {
	switch level {
	case isa.AVX512:
		return 1.2
	case isa.AVX2:
		return 2.5
	}
	return 2
}

// A Judge finds out from frames whether an estimate is too low.
type Judge struct{ times scanline.RedistributionTimes }

// batchesLeast is how many batches of redistributions make a judgement. Most of them
// have to cost more than estimated: one interruption makes one batch so.
const batchesLeast = 3

// Frame takes in the times of one frame, whose loops decided by e. It returns the
// measured cost in iterations when that is above the estimate, else 0. Frames with
// few redistributions are judged together.
func (j *Judge) Frame(t *scanline.RedistributionTimes, e Estimate) (tooLow float64) {
	j.times.Add(t)
	sum := j.times
	if sum.Batches < batchesLeast {
		return 0
	}
	j.times = scanline.RedistributionTimes{}
	if 2*sum.Underestimated <= sum.Batches {
		return 0
	}
	return e.look + sum.LeastUnderestimated*e.Full
}
