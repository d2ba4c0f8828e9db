package calibration

import (
	"math"

	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// MostIterations bounds every cost that a decision is made by: no picture has as many
// rows, so no savings exceed it.
const MostIterations = 1 << 15

// An Estimate is the cost by which the scan-conversion loop decides, and is judged.
type Estimate struct {
	// Cost is that of a redistribution for each polygon, in iterations of mostly idle
	// lanes.
	Cost float64
	// Full is the longest time of an iteration in which all lanes have a row, in those
	// iterations; 0 where it does not count.
	Full float64
	// First is the cost of the first redistribution of a block beyond that of its polygons, in
	// those iterations.
	First float64
	// Ticks is the shortest time of an iteration; 0 when it was not measured.
	Ticks float64
	// Sharing is the cost of cutting blocks for several workers.
	Sharing Sharing
}

// Estimate returns the estimate for an instruction set. Costs of nil have built-in
// constants, which hold on most processors.
func (c *Costs) Estimate(level isa.Level) Estimate {
	if c == nil {
		return builtIn[level]
	}
	sharing := builtInSharing
	if c.Sharing != nil {
		sharing = *c.Sharing
	}
	return Estimate{Cost: min(c.Model.Estimate(), MostIterations), Full: c.Full, First: min(c.First, MostIterations), Ticks: c.Ticks, Sharing: sharing}
}

// builtIn are estimates for levels, about what is measured on quiet processors.
var builtIn = map[isa.Level]Estimate{
	isa.Generic: {Cost: 24, Full: 5, Sharing: builtInSharing},
	isa.AVX2:    {Cost: 8, Full: 2, Sharing: builtInSharing},
	isa.AVX512:  {Cost: 8, Full: 2, Sharing: builtInSharing},
}

// Converter is the estimate in whole numbers, rounded up.
func (e Estimate) Converter() scanline.Cost {
	return scanline.Cost{
		Polygon: int32(math.Ceil(e.Cost)),
		First:   int32(math.Ceil(e.First)),
		Full:    int32(math.Ceil(min(max(e.Full-1, 0), MostIterations) * 16)),
		Ticks:   int64(e.Ticks * 16),
	}
}

// Predicted is the cost of redistributions, in iterations, by their counts.
func (e Estimate) Predicted(c *scanline.Counts) float64 {
	cost := e.Converter()
	return float64(cost.Polygon)*float64(c.Polygons) + float64(cost.Full)*float64(c.Spread)/16 + float64(cost.First)*float64(c.First)
}

// A Judge finds out from frames whether the cost is underestimated. The zero value is
// ready.
//
// No time is taken for an interruption here: of the redistributions of the unbalanced
// perforator that were dearer, one in a hundred fell into a frame in which the system took the
// processor away. They were dear because they came first after other work, with their code
// and predictions out of the caches. That is a cost, which Estimate.First charges now.
type Judge struct{ times scanline.Times }

const (
	// judgedMost is how many redistributions are judged together, of as many frames as
	// have them.
	judgedMost = 200

	// dearerMost limits the redistributions that may cost more than estimated: at most one in
	// dearerMost.
	dearerMost = 100

	// byChance is how likely as many dearer ones have to be, if one in dearerMost is, not to
	// be too many of fewer than judgedMost. Most frames have few redistributions, and most
	// commands draw one.
	byChance = 0.05

	// raised is how many times the estimate is raised to where too many are dearer.
	raised = 1.25
)

// Frame adds the times of a frame. It returns the cost of a polygon that the stored one
// is to be raised to, 0 if it is high enough.
func (j *Judge) Frame(t *scanline.Times, e Estimate) (tooLow float64) {
	j.times.Add(t)
	sum := j.times
	tooMany := sum.Dearer*dearerMost > sum.Judged
	switch {
	case tooMany && (sum.Judged >= judgedMost || chance(sum.Dearer, sum.Judged) < byChance):
		j.times = scanline.Times{}
		return e.Cost * raised
	case sum.Judged >= judgedMost:
		j.times = scanline.Times{}
	}
	return 0
}

// chance returns the probability of at least some dearer ones of up to judgedMost, each of
// which is dearer with a probability of one in dearerMost.
func chance(dearer, judged int64) float64 {
	const p = 1. / dearerMost
	fewer, exactly := 0., math.Pow(1-p, float64(judged))
	for k := range dearer {
		fewer += exactly
		exactly *= float64(judged-k) / float64(k+1) * p / (1 - p)
	}
	return 1 - fewer
}
