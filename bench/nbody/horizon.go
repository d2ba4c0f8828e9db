package nbody

import "math"

// firstHorizon is the number of iterations for which makeFirstPartition first makes a partition. It may then choose
// another number. Later partitions are made for about the length of the previous interval. Intervals of the papers'
// set-ups take 10 to 300 iterations.
const firstHorizon = 100

// iterationsLeft returns the number of iterations until the run ends, or +Inf if it is not known.
func (p *Player) iterationsLeft(iteration int) float64 {
	if p.Iterations == 0 {
		return math.Inf(1)
	}
	return float64(p.Iterations - iteration)
}

// imbalanceGrowth returns how fast the imbalance grows. middle is an age, in iterations since the partition was made.
// The partition was made for the particles as forecast for that age. So the imbalance is least at that age. slope is
// the growth of the imbalance time since that age, in seconds per iteration. lasted is the present age.
func (p *Player) imbalanceGrowth(lasted, step float64) (slope, middle float64) {
	middle = p.partitioner.Lead * p.horizon / step
	if lasted <= middle {
		return 0, middle
	}
	return max(0, p.imbalanceNow-p.leastImbalance) / (lasted - middle), middle
}

// nextHorizon returns the time for which the next partition is made. In general the result is `lasted`, the time that
// the previous partition lasted.
//
// If the previous partition was made for the middle of its horizon, the result is different. Let a be the growth of the
// imbalance time per iteration since that middle, and C the cost of a balancing. The result is then the length of an
// interval with the least effort,
//
//	2*sqrt(C/a)
//
// but at least lasted/2 and at most 2*lasted. If the result were always lasted, intervals would become shorter too
// slowly, because a criterion cannot end an interval before the imbalance grows.
func (p *Player) nextHorizon(lasted, step float64) float64 {
	slope, middle := p.imbalanceGrowth(lasted/step, step)
	if middle == 0 || lasted/step <= 1.2*middle || slope == 0 {
		return lasted
	}
	best := 2 * math.Sqrt(p.plainCost/slope) * step
	return min(max(best, lasted/2), 2*lasted)
}

// isBalancingWorthwhile reports whether a balancing saves more than it costs before the run ends, if the imbalance goes
// on growing as before. lasted is the partition's age. isBalancingWorthwhile compares
//
//	u*R + a*R*R/2      without another balancing
//	n*C + a*R*R/2/n    with n balancings at equal distances
//
// for the best n, where
//
//	R = rest  number of remaining iterations
//	u         imbalance time above the least since the last balancing
//	a         growth of the imbalance time per iteration
//	C         cost of a balancing
//
// The second growth term is half as large if partitions are made for the middle of an interval.
func (p *Player) isBalancingWorthwhile(lasted, rest, step float64) bool {
	if math.IsInf(rest, 1) {
		return true
	}
	slope, middle := p.imbalanceGrowth(lasted, step)
	grown := slope * rest * rest / 2
	stay := max(0, p.imbalanceNow-p.leastImbalance)*rest + grown
	if middle > 0 {
		grown /= 2
	}
	n := max(1, math.Round(math.Sqrt(grown/p.plainCost)))
	return stay > n*p.plainCost+grown/n
}

// maxBias limits the factor that corrects forecasts, up or down. A forecast that is wrong by more is an outlier.
const maxBias = 3

// updateBias updates p.bias, the factor that corrects forecasts of imbalance times, at the end of an interval. lasted
// is the number of iterations of the interval. It multiplies the factor by sqrt(t/f), where t is the imbalance time of
// the interval, and f its forecast. Uncorrected forecasts are mostly too low, because they ignore the forces between
// particles.
func (p *Player) updateBias(lasted float64) {
	if len(p.currentForecast.Age) == 0 || p.partition == nil {
		return
	}
	was, came := p.currentForecast.Until(lasted), p.Meter.Open()
	if was > 0 {
		off := (came.Residual + came.Growth) / was // imbalance time divided by its corrected forecast
		p.bias *= math.Sqrt(min(max(off, 1.0/maxBias), maxBias))
	}
	p.bias = min(max(p.bias, 1.0/maxBias), maxBias)
}
