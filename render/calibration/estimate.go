package calibration

import (
	"math"

	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// MostIterations limits every cost on which a decision depends. A redistribution never saves more iterations than a
// picture has rows, and no picture has more rows than this.
const MostIterations = 1 << 15

// An Estimate is the estimated cost of redistributions. The scan-conversion loop uses it to decide whether to
// redistribute. A [Judge] compares it with measured times.
type Estimate struct {
	// Cost is what a redistribution costs per redistributed polygon. The unit of Cost, Full and First is an iteration
	// of the loop in which most lanes are idle.
	Cost float64
	// Full is the longest time of an iteration in which all lanes have a row. If Full is 0, such an iteration costs
	// no more than other iterations.
	Full float64
	// First is the additional cost of the first redistribution of a block.
	First float64
	// Ticks is the shortest time of an iteration, in ticks of the instruction set's clock, or 0 if it was not measured.
	Ticks float64
	// Sharing is the cost of cutting a block's polygons into row ranges for several workers.
	Sharing Sharing
}

// Estimate returns the estimate for level. If c is nil, it returns built-in constants, which suit most processors.
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

// builtIn holds the built-in estimates by level. They are close to measurements on quiet processors.
var builtIn = map[isa.Level]Estimate{
	isa.Generic: {Cost: 24, Full: 5, Sharing: builtInSharing},
	isa.AVX2:    {Cost: 8, Full: 2, Sharing: builtInSharing},
	isa.AVX512:  {Cost: 8, Full: 2, Sharing: builtInSharing},
}

// Converter returns the estimate in the form for the scan-conversion loop, as whole numbers that are rounded up.
func (e Estimate) Converter() scanline.Cost {
	return scanline.Cost{
		Polygon: int32(math.Ceil(e.Cost)),
		First:   int32(math.Ceil(e.First)),
		Full:    int32(math.Ceil(min(max(e.Full-1, 0), MostIterations) * 16)),
		Ticks:   int64(e.Ticks * 16),
	}
}

// Predicted returns the estimated cost, in iterations, of the redistributions in c.
func (e Estimate) Predicted(c *scanline.Counts) float64 {
	cost := e.Converter()
	return float64(cost.Polygon)*float64(c.Polygons) + float64(cost.Full)*float64(c.Spread)/16 + float64(cost.First)*float64(c.First)
}

// A Judge determines from the times of frames whether the cost is underestimated. The zero value is ready for use.
//
// A Judge also counts frames that the system interrupted, because interruptions matter little. In a measurement (scene
// perforator?version=unbalanced), interrupted frames held only one in a hundred of the redistributions that cost more
// than estimated. The others were slow because other work had just replaced the code and data of redistributions in the
// caches. That delay is part of the cost, see Estimate.First.
type Judge struct{ times scanline.Times }

const (
	// maxJudged is the number of redistributions after which a Judge decides and starts again. These redistributions
	// may be spread over several frames.
	maxJudged = 200

	// dearerOdds limits how many redistributions may cost more than estimated: 1 in dearerOdds.
	dearerOdds = 100

	// chanceLimit is the significance level of a test. With this test, a Judge may decide before maxJudged
	// redistributions, because most commands draw one frame with far fewer. The test assumes that a redistribution
	// costs more than estimated with probability 1/dearerOdds. It computes how likely the observed number of too
	// expensive redistributions, or a larger number, then is. If that probability is below chanceLimit, the cost is
	// underestimated.
	chanceLimit = 0.05

	// raiseFactor is the factor by which an underestimated cost is raised.
	raiseFactor = 1.25
)

// Frame adds the times of a frame. If the cost in e is too low, Frame returns the cost per polygon to which the stored
// cost should be raised. Otherwise it returns 0.
func (j *Judge) Frame(t *scanline.Times, e Estimate) (tooLow float64) {
	j.times.Add(t)
	sum := j.times
	tooMany := sum.Dearer*dearerOdds > sum.Judged
	switch {
	case tooMany && (sum.Judged >= maxJudged || binomialTail(sum.Dearer, sum.Judged) < chanceLimit):
		j.times = scanline.Times{}
		return e.Cost * raiseFactor
	case sum.Judged >= maxJudged:
		j.times = scanline.Times{}
	}
	return 0
}

// binomialTail returns the probability that at least `dearer` of `judged` redistributions cost more than estimated. It
// assumes that each of them does so with probability 1/dearerOdds. judged must not exceed maxJudged.
func binomialTail(dearer, judged int64) float64 {
	const p = 1. / dearerOdds
	fewer, exactly := 0., math.Pow(1-p, float64(judged))
	for k := range dearer {
		fewer += exactly
		exactly *= float64(judged-k) / float64(k+1) * p / (1 - p)
	}
	return 1 - fewer
}
