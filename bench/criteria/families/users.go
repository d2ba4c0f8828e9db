package families

import (
	"math"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// applicationFamilies returns families modelled on programs that people run. They are a test set. Their author knew how
// applications are described here, but none of the criteria.
func applicationFamilies() []Family {
	return append(applicationsByAge(), applicationsByTime()...)
}

// steadyFamily returns a family of n iterations with mean loads of 1. draw may change the loads, fills in the
// scenario.Laws of an application, and returns the cost of a balancing.
func steadyFamily(name, kind string, n int, draw func(r *rand.Rand, mean []float64, l *scenario.Laws) (cost float64)) Family {
	return Family{name, kind, func(r *rand.Rand, _ int) (float64, []float64, scenario.Laws) {
		mean := make([]float64, n)
		for t := range mean {
			mean[t] = 1
		}
		l := scenario.Laws{ByAge: make([]float64, n), ByTime: make([]float64, n), Floor: make([]float64, n)}
		cost := draw(r, mean, &l)
		return cost, mean, l
	}}
}

// applicationsByAge returns families modelled on programs whose imbalance depends on the time since the last balancing.
func applicationsByAge() []Family {
	return []Family{
		// Particles spread from the places where they were distributed, at first with the square of the time, then
		// evenly.
		steadyFamily("spreading particles", "age", 400, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			bend, most := 0.0002+0.002*r.Float64(), 0.005+0.05*r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = min(bend*float64(2*k+1), most)
			}
			return 2 + 20*r.Float64()
		}),
		// Refinement follows a front. The imbalance grows only after the front has left its first part.
		steadyFamily("front leaves its part", "age", 600, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			rest, slope := 5+r.IntN(60), 0.01+0.2*r.Float64()
			for k := rest; k < len(l.ByAge); k++ {
				l.ByAge[k] = slope
			}
			return 1 + 15*r.Float64()
		}),
		// The caches of a server have to warm up after each move, so the imbalance first decreases.
		steadyFamily("warming caches", "both", 500, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			hit, life, slope := 0.3*r.Float64(), 2+10*r.Float64(), 0.002+0.02*r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = slope - hit/life*math.Exp(-float64(k)/life)
				l.ByTime[k] = 0.01 * r.Float64()
			}
			return 5 + 10*r.Float64()
		}),
		steadyFamily("very short run", "age", 12, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			slope := 0.05 + r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = slope
			}
			return 0.5 + 4*r.Float64()
		}),
		steadyFamily("very long run", "age", 4000, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			slope := 0.0005 * math.Exp(3*r.Float64())
			for k := range l.ByAge {
				l.ByAge[k] = slope * (1 + 0.3*r.NormFloat64())
			}
			return 10 + 100*r.Float64()
		}),
		steadyFamily("measured with noise", "age", 500, func(r *rand.Rand, mean []float64, l *scenario.Laws) float64 {
			slope, sigma := 0.005+0.05*r.Float64(), 0.02+0.1*r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = slope
				l.Floor[k] = sigma * math.Abs(r.NormFloat64())
				mean[k] *= math.Exp(0.1 * r.NormFloat64())
			}
			return 2 + 20*r.Float64()
		}),
	}
}

// applicationsByTime returns families modelled on programs whose imbalance depends on what happens at certain times.
func applicationsByTime() []Family {
	return []Family{
		// Users wake up and go to bed, over four to eight days.
		steadyFamily("days", "time", 800, func(r *rand.Rand, mean []float64, l *scenario.Laws) float64 {
			period, high := 100+100*r.Float64(), 0.03*r.Float64()
			for t := range mean {
				day := math.Sin(2 * math.Pi * float64(t) / period)
				mean[t] = 1 + 0.6*day
				l.ByTime[t] = high * day
			}
			return 3 + 15*r.Float64()
		}),
		// A crowd gathers and leaves.
		steadyFamily("crowds", "time", 600, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			for t := 0; t < len(l.ByTime); {
				t += int(20 + 80*r.ExpFloat64())
				height, length := 0.5+3*r.Float64(), 3+r.IntN(40)
				for i := range 2 * length {
					if t+i < len(l.ByTime) && i < length {
						l.ByTime[t+i] = height / float64(length)
					} else if t+i < len(l.ByTime) {
						l.ByTime[t+i] = -height / float64(length)
					}
				}
				t += 2 * length
			}
			return 2 + 15*r.Float64()
		}),
		steadyFamily("drift that reverses", "time", 500, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			slope, turn := 0.01+0.05*r.Float64(), 100+r.IntN(300)
			for t := range l.ByTime {
				if l.ByTime[t] = slope; t >= turn {
					l.ByTime[t] = -slope
				}
			}
			return 3 + 20*r.Float64()
		}),
		// The load falls to as little as an eighth. So a balancing costs more and more iterations.
		steadyFamily("balancing becomes dearer", "both", 500, func(r *rand.Rand, mean []float64, l *scenario.Laws) float64 {
			fall, slope := 1+7*r.Float64(), 0.04*r.Float64()
			for t := range mean {
				mean[t] = math.Pow(fall, -float64(t)/float64(len(mean)))
				l.ByAge[t], l.ByTime[t] = slope*r.Float64(), slope*r.Float64()
			}
			return 2 + 8*r.Float64()
		}),
		steadyFamily("balancing becomes cheaper", "both", 500, func(r *rand.Rand, mean []float64, l *scenario.Laws) float64 {
			rise, slope := 1+7*r.Float64(), 0.04*r.Float64()
			for t := range mean {
				mean[t] = math.Pow(rise, float64(t)/float64(len(mean)))
				l.ByAge[t], l.ByTime[t] = slope*r.Float64(), slope*r.Float64()
			}
			return 2 + 30*r.Float64()
		}),
		// A node is slow for a while. A balancing does not take its speed into account, so the imbalance that the slow
		// node causes remains.
		steadyFamily("a slow node", "both", 500, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			slope := 0.002 + 0.03*r.Float64()
			for begin := r.IntN(200); begin < len(l.Floor); begin += 50 + r.IntN(200) {
				for t, height, end := begin, r.Float64(), begin+5+r.IntN(60); t < min(end, len(l.Floor)); t++ {
					l.Floor[t] = height
				}
			}
			for k := range l.ByAge {
				l.ByAge[k] = slope
			}
			return 2 + 20*r.Float64()
		}),
		// A solver is quiet, and at regular intervals there is a burst of refinement.
		steadyFamily("refinement every few steps", "time", 500, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			every, height := 3+r.IntN(60), 0.05+1.5*r.Float64()
			for t := every - 1; t < len(l.ByTime); t += every {
				l.ByTime[t] = height * (0.5 + r.Float64())
			}
			return 1 + 10*r.Float64()
		}),
		steadyFamily("balanced for ever", "both", 500, func(r *rand.Rand, _ []float64, l *scenario.Laws) float64 {
			level := 0.5 * r.Float64()
			for t := range l.Floor {
				l.Floor[t] = level * (1 + 0.1*r.NormFloat64())
			}
			return 1 + 20*r.Float64()
		}),
	}
}
