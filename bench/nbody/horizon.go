package nbody

import "math"

// firstHorizon is the least number of iterations for which the first partition is made. Later partitions are made for
// the length of the previous interval. Intervals of the papers' set-ups take 10 to 300 iterations.
const firstHorizon = 100

// rest returns the number of iterations until the run ends, +Inf if it is not known.
func (p *Player) rest(iteration int) float64 {
	if p.Iterations == 0 {
		return math.Inf(1)
	}
	return float64(p.Iterations - iteration)
}

// growth returns by how many seconds per iteration the imbalance time has grown since middle. middle is the age for
// whose forecast particles the partition was made, and is returned as well. lasted is the partition's present age. Ages
// are in iterations.
func (p *Player) growth(lasted, step float64) (slope, middle float64) {
	middle = p.partitioner.Lead * p.horizon / step
	if lasted <= middle {
		return 0, middle
	}
	return max(0, p.imbalanceNow-p.leastImbalance) / (lasted - middle), middle
}

// nextHorizon returns for how long the next partition is made, after a partition that lasted for the time lasted.
// Mostly the result is lasted again. But if the last partition was made for the middle of its horizon, and imbalance
// has grown by a in every iteration since then, the result is 2 sqrt(C/a), the length of least effort, limited to
// between half and twice of lasted. This matters because a criterion cannot end an interval before the imbalance grows.
// If the length were only copied from interval to interval, it would become shorter too slowly.
func (p *Player) nextHorizon(lasted, step float64) float64 {
	slope, middle := p.growth(lasted/step, step)
	if middle == 0 || lasted/step <= 1.2*middle || slope == 0 {
		return lasted
	}
	best := 2 * math.Sqrt(p.plainCost/slope) * step
	return min(max(best, lasted/2), 2*lasted)
}

// repays reports whether a balancing saves more than it costs before the run ends, if imbalance goes on growing as
// before. lasted is the partition's age and rest the number of iterations left. Let u be the imbalance above the least
// imbalance, a its growth and R the rest. Then going on costs u*R + a*R*R/2. n balancings that divide these iterations
// evenly cost n*C plus the growth from 0 in each interval, which adds up to a*R*R/2/n, or half of that if partitions
// are made for the middle of an interval.
func (p *Player) repays(lasted, rest, step float64) bool {
	if math.IsInf(rest, 1) {
		return true
	}
	slope, middle := p.growth(lasted, step)
	grown := slope * rest * rest / 2
	stay := max(0, p.imbalanceNow-p.leastImbalance)*rest + grown
	if middle > 0 {
		grown /= 2
	}
	n := max(1, math.Round(math.Sqrt(grown/p.plainCost)))
	return stay > n*p.plainCost+grown/n
}

// mostBias bounds the factor by which a forecast may be too high or too low and still be corrected. Beyond this factor
// the forecast is an outlier.
const mostBias = 3

// learn corrects the bias of forecasts by the ratio of the ending interval's imbalance time to the forecast. Forecasts
// leave out the forces, so they are mostly too low. The last interval has a weight of one half.
func (p *Player) learn(lasted float64) {
	if len(p.currentForecast.Age) == 0 || p.partition == nil {
		return
	}
	was, came := p.currentForecast.Until(lasted), p.Meter.Open()
	if was > 0 {
		off := (came.Residual + came.Growth) / was // relative to the forecast after its correction by the bias
		p.bias *= math.Sqrt(min(max(off, 1.0/mostBias), mostBias))
	}
	p.bias = min(max(p.bias, 1.0/mostBias), mostBias)
}
