package render

import (
	"math"

	"lockstep/render/internal/kernel"
	"lockstep/vp/isa"
)

// maxCost is a cost that no savings exceed: no picture has as many rows.
const maxCost = MaxPixels

// redistributionCost returns what it costs at most, for each polygon that is set
// aside, to deal its rows afresh, in iterations of the scan-conversion loop.
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

// cost returns how many iterations savings have to exceed.
func (o *Options) cost(level isa.Level) int32 {
	switch {
	case o.Balance == BalanceNever:
		return kernel.Never
	case o.Balance == BalanceAlways:
		return 0
	case o.BalanceCost > 0:
		return int32(math.Ceil(o.BalanceCost))
	}
	return int32(math.Ceil(redistributionCost(level)))
}
