package nbody

import "math"

// firstHorizon is how long the first partition is made to last at least, in iterations; later ones are
// made for the length of the interval before. Intervals of the papers' set-ups take 10 to 300.
const firstHorizon = 100

// rest returns the number of iterations until the run ends, +Inf if it is not known.
func (p *Player) rest(iteration int) float64 {
	if p.Iterations == 0 {
		return math.Inf(1)
	}
	return float64(p.Iterations - iteration)
}

// growth returns by how many seconds the imbalance time of an iteration grew in every iteration after the one
// that the partition was made for, which is also returned. lasted is the partition's age. All are in iterations.
func (p *Player) growth(lasted, step float64) (slope, middle float64) {
	middle = p.partitioner.Lead * p.horizon / step
	if lasted <= middle {
		return 0, middle
	}
	return max(0, p.imbalanceNow-p.leastImbalance) / (lasted - middle), middle
}

// nextHorizon returns for how long the next partition is made, after one that lasted some time. Mostly
// that is as long again. Where the last partition was made for the middle of its horizon, and imbalance has
// grown by a in every iteration since, it is 2 sqrt(C/a), the length of least effort. A criterion cannot end
// an interval before the imbalance grows, so intervals as long as the last one would shorten too slowly.
func (p *Player) nextHorizon(lasted, step float64) float64 {
	slope, middle := p.growth(lasted/step, step)
	if middle == 0 || lasted/step <= 1.2*middle || slope == 0 {
		return lasted
	}
	best := 2 * math.Sqrt(p.usual/slope) * step
	return min(max(best, lasted/2), 2*lasted)
}

// repays reports whether a balancing saves more than it costs before the run ends, if imbalance goes on to
// grow as it did. lasted is the partition's age in iterations. With u above the least imbalance and a growth of a,
// going on costs u*R + a*R*R/2 in the R iterations left. n balancings that divide them cost n*C, and n times
// the growth from 0, which is a*R*R/2/n and, of partitions for the middle of an interval, half of that.
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
	n := max(1, math.Round(math.Sqrt(grown/p.usual)))
	return stay > n*p.usual+grown/n
}

// mostBias bounds the factor by which a forecast may be wrong, either way, to count as biased. Beyond it the forecast
// is an outlier.
const mostBias = 3

// learn corrects the bias of forecasts by the imbalance time of the interval that ends, over the time that was forecast.
// Forecasts leave out the forces, so they are mostly too low. The last interval has a weight of one half.
func (p *Player) learn(lasted float64) {
	if len(p.foretold.Age) == 0 || p.now == nil {
		return
	}
	was, came := p.foretold.Until(lasted), p.Meter.Open()
	if was > 0 {
		off := (came.Residual + came.Growth) / was // over a forecast that the bias has corrected
		p.bias *= math.Sqrt(min(max(off, 1.0/mostBias), mostBias))
	}
	p.bias = min(max(p.bias, 1.0/mostBias), mostBias)
}
