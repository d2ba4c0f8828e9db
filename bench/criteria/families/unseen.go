package families

import (
	"math"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// unseenFamilies returns families of kinds that the other sets lack. They are a test set: they were written before a
// change of the criterion, and nothing was tuned with them.
func unseenFamilies() []Family {
	return append(unseenByAge(), unseenByTime()...)
}

// unseenSeeds is the first seed of the set, far above those of earlier sets.
const unseenSeeds = 7_000_000

// variedFamily returns a family of 500 iterations. draw fills in the scenario.Laws of an application. The seed selects
// how the loads change. A balancing costs 3 to 200 mean loads.
func variedFamily(name, kind string, draw func(r *rand.Rand, cost float64, l *scenario.Laws)) Family {
	return Family{name, kind, func(r *rand.Rand, seed int) (float64, []float64, scenario.Laws) {
		const n = 500
		l := scenario.Laws{ByAge: make([]float64, n), ByTime: make([]float64, n), Floor: make([]float64, n)}
		mean, cost := drawMeanLoads(r, seed, n), 3*math.Exp(4.2*r.Float64())
		draw(r, cost, &l)
		return cost, mean, l
	}}
}

// unseenByAge returns families whose imbalance depends on the age, the number of iterations since a balancing.
func unseenByAge() []Family {
	return []Family{
		// A chain reaction: the imbalance grows in proportion to itself.
		variedFamily("chain reaction", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			seed, life, most := 0.001+0.02*r.Float64(), 4+30*r.Float64(), 1+5*r.Float64()
			for k, now := 0, seed; k < len(l.ByAge); k++ {
				l.ByAge[k] = now / life * max(0, 1-now/most)
				now += l.ByAge[k]
			}
		}),
		// Particles mix: the imbalance grows as the square root of the age, up to a level that it cannot exceed.
		variedFamily("mixing", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			height, top := 0.02+0.4*r.Float64(), 0.3+2*r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = min(top, height*math.Sqrt(float64(k+1))) - min(top, height*math.Sqrt(float64(k)))
			}
		}),
		// The imbalance overshoots a level and oscillates around it with decreasing amplitude.
		variedFamily("ringing", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			level, life, period := 0.1+2*r.Float64(), 5+40*r.Float64(), 6+60*r.Float64()
			at := func(k int) float64 {
				x := float64(k)
				return level * (1 - math.Exp(-x/life)*math.Cos(2*math.Pi*x/period))
			}
			for k := range l.ByAge {
				l.ByAge[k] = at(k+1) - at(k)
			}
		}),
		// A tree becomes worse from iteration to iteration. It is rebuilt at regular intervals, but no rebuild mends
		// all of that.
		variedFamily("worn tree", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			every, slope, rest := 8+r.IntN(60), 0.005+0.08*r.Float64(), 0.1+0.6*r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = slope
				if k%every == every-1 {
					l.ByAge[k] = -slope * float64(every) * (1 - rest)
				}
			}
		}),
		// There is no imbalance at first, then a fast rise to a level, and then slow growth.
		variedFamily("wave reaches the border", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			at, rise, height, creep := 3+r.IntN(80), 1+r.IntN(15), 3*r.Float64(), 0.01*r.Float64()
			for k := range l.ByAge {
				if k >= at {
					l.ByAge[k] = creep
				}
				if k >= at && k < at+rise {
					l.ByAge[k] += height / float64(rise)
				}
			}
		}),
	}
}

// unseenByTime returns families whose imbalance depends on time, or on time and age.
func unseenByTime() []Family {
	return []Family{
		// Bodies meet and part. The imbalance grows in pulses that are partly undone.
		variedFamily("encounters", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			undone := r.Float64()
			for t := r.IntN(60); t < len(l.ByTime); t += 10 + int(70*r.ExpFloat64()) {
				height, width := 2*r.ExpFloat64(), 2+25*r.Float64()
				for x := range l.ByTime {
					u := (float64(x-t) - 2*width) / width
					l.ByTime[x] += height / width * math.Exp(-u*u/2) / 2.5
					u -= 4
					l.ByTime[x] -= undone * height / width * math.Exp(-u*u/2) / 2.5
				}
			}
		}),
		// Growth is switched on and off at random times.
		variedFamily("spells", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			rate, stay, on := 0.01+0.25*r.Float64(), 0.01+0.09*r.Float64(), false
			for t := range l.ByTime {
				if r.Float64() < stay {
					on = !on
				}
				if on {
					l.ByTime[t] = rate * r.ExpFloat64()
				}
			}
		}),
		// Heavy tails: most of the growth comes in a few jumps.
		variedFamily("heavy tails", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			scale, tail := 0.001+0.02*r.Float64(), 0.8+1.2*r.Float64()
			for t := range l.ByTime {
				l.ByTime[t] = min(20, scale*(math.Pow(1-r.Float64(), -1/tail)-1))
			}
		}),
		// A component is replaced by a slower one for good. The imbalance also grows steadily.
		variedFamily("slower part", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			slope, at, height := 0.001+0.05*r.Float64(), 50+r.IntN(350), 0.1+r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = slope
				if k >= at {
					l.Floor[k] = height
				}
			}
		}),
		// From time to time other users occupy an element of the machine.
		variedFamily("other users", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			slope, p, height, left := 0.03*r.Float64(), 0.01+0.1*r.Float64(), 2*r.Float64(), 0
			for k := range l.Floor {
				if left--; left < 0 && r.Float64() < p {
					left = int(4 * r.ExpFloat64())
				}
				if left >= 0 {
					l.Floor[k] = height * r.Float64()
				}
				l.ByAge[k] = slope
			}
		}),
		// At regular intervals there is output, which is badly balanced in any distribution. The imbalance also grows
		// with time, at a rate that rises and falls.
		variedFamily("output and weather", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			every, height, rate := 5+r.IntN(60), 3*r.Float64(), 0.0
			for t := range l.ByTime {
				rate = max(0, 0.97*rate+0.01*r.NormFloat64())
				l.ByTime[t] = rate
				if t%every == every-1 {
					l.Floor[t] = height
				}
			}
		}),
		// A body moves through the domain and passes every part once.
		variedFamily("passing through", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			rise, stay, height := 3+r.IntN(40), 5+r.IntN(80), 0.2+2*r.Float64()
			for t := r.IntN(30); t < len(l.ByTime); t += 2*rise + stay {
				h := height * (0.5 + r.Float64())
				for i := range rise {
					if t+i < len(l.ByTime) {
						l.ByTime[t+i] += h / float64(rise)
					}
					if u := t + rise + stay + i; u < len(l.ByTime) {
						l.ByTime[u] -= 0.7 * h / float64(rise)
					}
				}
			}
		}),
	}
}
