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
	return Estimate{Cost: min(c.Model.Estimate(), MostIterations), Full: c.Full, Ticks: c.Ticks, Sharing: sharing}
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
		Full:    int32(math.Ceil(min(max(e.Full-1, 0), MostIterations) * 16)),
		Ticks:   int64(e.Ticks * 16),
	}
}

// Predicted is the cost of redistributions, in iterations, by their counts.
func (e Estimate) Predicted(c *scanline.Counts) float64 {
	cost := e.Converter()
	return float64(cost.Polygon)*float64(c.Polygons) + float64(cost.Full)*float64(c.Spread)/16
}

// A Judge finds out from frames whether the cost is underestimated. The zero value is
// ready.
type Judge struct{ times scanline.Times }

const (
	// judgedLeast is how many redistributions are judged together, of as many frames as
	// have them.
	judgedLeast = 200

	// dearerMost is the part of redistributions, one in so many, that may cost more than
	// estimated.
	dearerMost = 100

	// raised is how many times the estimate is raised to where more do.
	raised = 1.25
)

// Frame adds the times of a frame. It returns the cost of a polygon that the stored one
// is to be raised to, 0 if it is high enough.
func (j *Judge) Frame(t *scanline.Times, e Estimate) (tooLow float64) {
	j.times.Add(t)
	sum := j.times
	if sum.Judged < judgedLeast {
		return 0
	}
	j.times = scanline.Times{}
	if sum.Dearer*dearerMost <= sum.Judged {
		return 0
	}
	return e.Cost * raised
}
