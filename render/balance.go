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
// iterations take more than nearly empty ones together. On a Zen 5, AVX-512,
// balancing broke even at 5 iterations saved a polygon with one active lane, 5 with
// two, 4.5 with four and 8 with eight; AVX2 at 5 to 15. The plain loop pays for
// lanes, not for iterations, and gains little in any case.
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
