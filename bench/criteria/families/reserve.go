package families

import (
	"math"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// reserveFamilies returns families modelled on simulations, whose particles settle and drift and whose meshes are
// refined. The families are a test set. They were written before the criterion was examined on such imbalances, and
// nothing is tuned with them.
func reserveFamilies() []Family {
	return append(reserveByAge(), reserveByTime()...)
}

// reserveSeeds is the first seed of the set, far above those of earlier sets.
const reserveSeeds = 13_000_000

// reserveByAge returns families whose imbalance depends on the age, the number of iterations since a balancing.
func reserveByAge() []Family {
	return []Family{
		// Particles settle after every balancing, slowly or fast at first, until they reach a level.
		variedFamily("settling particles", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			top, life, shape := 0.2+3*r.Float64(), 5+100*r.Float64(), 0.4+2.6*r.Float64()
			setGrowthByAge(l, func(k float64) float64 { return top * (1 - math.Exp(-math.Pow(k/life, shape))) })
		}),
		// The more particles are lost, the fewer can still be lost. At age k the imbalance is proportional to
		// k/(k+half).
		variedFamily("half lost", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			top, half := 0.2+4*r.Float64(), 2+80*r.Float64()
			setGrowthByAge(l, func(k float64) float64 { return top * k / (k + half) })
		}),
		// Particles settle in two layers, much faster in one than in the other.
		variedFamily("two layers settle", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			first, second := 1.5*r.Float64(), 3*r.Float64()
			fast, slow := 2+10*r.Float64(), 30+200*r.Float64()
			setGrowthByAge(l, func(k float64) float64 { return first*(1-math.Exp(-k/fast)) + second*(1-math.Exp(-k/slow)) })
		}),
		// The imbalance rises to a level and then continues to drift.
		variedFamily("settling, then creep", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			top, life, slope := 2*r.Float64(), 3+50*r.Float64(), 0.02*r.Float64()
			setGrowthByAge(l, func(k float64) float64 { return top*(1-math.Exp(-k/life)) + slope*k })
		}),
		// The imbalance grows and rests in turn, because the front crosses cells of equal size.
		variedFamily("drift with plateaus", "age", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			slope, move, rest := 0.01+0.15*r.Float64(), 2+r.IntN(40), 2+r.IntN(80)
			for k := range l.ByAge {
				if k%(move+rest) < move {
					l.ByAge[k] = slope
				}
			}
		}),
	}
}

// setGrowthByAge sets l.ByAge, the growth of the imbalance from each age to the next, by the function `imbalance` of
// the age.
func setGrowthByAge(l *scenario.Laws, imbalance func(k float64) float64) {
	for k := range l.ByAge {
		l.ByAge[k] = imbalance(float64(k+1)) - imbalance(float64(k))
	}
}

// reserveByTime returns families whose imbalance depends on time, or on time and age.
func reserveByTime() []Family {
	return []Family{
		// Cells are refined at regular steps of the solver, by different amounts. Some are coarsened again.
		variedFamily("refinement and coarsening", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			every, height, back := 4+r.IntN(40), 0.05+r.Float64(), 0.4*r.Float64()
			for t := every - 1; t < len(l.ByTime); t += every {
				l.ByTime[t] = height * math.Exp(0.5*r.NormFloat64())
				if r.Float64() < back {
					l.ByTime[t] *= -0.5
				}
			}
		}),
		// The mesh is refined when the error estimate requires it, at irregular times.
		variedFamily("refinement on demand", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			gap, height := 5+50*r.Float64(), 0.05+r.Float64()
			for t := 0; ; {
				t += 1 + int(gap*r.ExpFloat64())
				if t >= len(l.ByTime) {
					return
				}
				l.ByTime[t] += height * (0.5 + r.Float64())
			}
		}),
		// The front crosses a domain of rough and smooth parts.
		variedFamily("drift with rests", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			rate, left := 0.0, 0
			for t := range l.ByTime {
				if left--; left < 0 {
					left = 5 + int(60*r.ExpFloat64())
					if rate > 0 {
						rate = 0
					} else {
						rate = 0.12 * r.Float64()
					}
				}
				l.ByTime[t] = rate
			}
		}),
		// Particles are poured in as batches, and every batch settles.
		variedFamily("batches settle", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			gap, life := 20+100*r.Float64(), 3+40*r.Float64()
			for t := r.IntN(20); t < len(l.ByTime); t += 1 + int(gap*(0.5+r.Float64())) {
				height := 0.1 + 2*r.Float64()
				for k := t; k < len(l.ByTime); k++ {
					l.ByTime[k] += height / life * math.Exp(-float64(k-t)/life)
				}
			}
		}),
		// At regular intervals the program itself repairs a part of the imbalance.
		variedFamily("sawtooth in time", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			slope, every, mended := 0.005+0.1*r.Float64(), 5+r.IntN(80), r.Float64()
			for t := range l.ByTime {
				l.ByTime[t] = slope
				if t%every == every-1 {
					l.ByTime[t] = -mended * slope * float64(every)
				}
			}
		}),
		// Particles settle after every balancing, and the grid is refined at regular steps.
		variedFamily("settling and refinement", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			top, life := 1.5*r.Float64(), 5+60*r.Float64()
			setGrowthByAge(l, func(k float64) float64 { return top * (1 - math.Exp(-k/life)) })
			every, height := 5+r.IntN(60), 0.6*r.Float64()
			for t := every - 1; t < len(l.ByTime); t += every {
				l.ByTime[t] = height * (0.5 + r.Float64())
			}
		}),
		// The imbalance drifts. A sawtooth that no balancing removes is added to it.
		variedFamily("drift under a sawtooth", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			slope, every, height := 0.002+0.05*r.Float64(), 5+r.IntN(60), 1.5*r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = slope
				l.Floor[k] = height * float64(k%every) / float64(every)
			}
		}),
	}
}
