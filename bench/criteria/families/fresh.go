package families

import (
	"math"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// freshFamilies returns nine families modelled on programs that the other sets omit. They are a test set: they were
// written before criterion.Bounded got its ledger (see there), and nothing is tuned with them.
func freshFamilies() []Family {
	return append(freshSteps(), freshNoise()...)
}

// freshSeeds is the first seed of the set, far above those of other sets.
const freshSeeds = 19_000_000

// freshSteps returns families modelled on programs whose work changes in steps or by moving fronts, and one whose loads
// shrink.
func freshSteps() []Family {
	return []Family{
		// The mesh is refined at certain steps, mostly on few elements, and coarsened again some steps later.
		variedFamily("adaptive refinement", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			every, height, keep := 5+r.IntN(50), 0.1+1.2*r.Float64(), 2+r.IntN(6)
			for t := every - 1; t < len(l.ByTime); t += every {
				h := height * (0.3 + r.ExpFloat64())
				l.ByTime[t] += h
				if back := t + keep*every; back < len(l.ByTime) {
					l.ByTime[back] -= 0.5 * h
				}
			}
		}),
		// A front of infected cells spreads, reaches most of them, and dies out.
		variedFamily("epidemic front", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			for t0, waves := 20+200*r.Float64(), 1+r.IntN(3); waves > 0; waves-- {
				top, width := 0.5+4*r.Float64(), 5+50*r.Float64()
				at := func(t int) float64 {
					c := math.Cosh((float64(t) - t0) / width)
					return top / (c * c)
				}
				for t := range l.ByTime {
					l.ByTime[t] += at(t+1) - at(t)
				}
				t0 += 100 + 200*r.Float64()
			}
		}),
		// The router of a mixture of experts drifts towards its favourites. A new batch of data changes its choices at
		// once.
		variedFamily("mixture of experts", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			drift, shift, jump := 0.002+0.03*r.Float64(), 0.003+0.02*r.Float64(), 2*r.Float64()
			for t := range l.ByTime {
				l.ByTime[t] = drift * (r.NormFloat64() + 0.7)
				if r.Float64() < shift {
					l.ByTime[t] += jump * r.ExpFloat64()
				}
				l.Floor[t] = 0.05 * r.ExpFloat64()
			}
		}),
		// Particles are injected at one end in pulses, and move away from there.
		variedFamily("injection", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			every, height, away := 10+r.IntN(90), 0.1+1.5*r.Float64(), 0.3+0.6*r.Float64()
			life := 5 + 60*r.Float64()
			for t := r.IntN(every); t < len(l.ByTime); t += every {
				l.ByTime[t] += height
				for i := t + 1; i < len(l.ByTime); i++ {
					l.ByTime[i] -= away * height / life * math.Exp(-float64(i-t)/life)
				}
			}
			slope := 0.01 * r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = slope
			}
		}),
		// Balancing becomes more and more expensive relative to the loads. Its cost is constant, and the loads shrink.
		{"growing cost", "both", func(r *rand.Rand, _ int) (float64, []float64, scenario.Laws) {
			const n = 500
			l := scenario.Laws{ByAge: make([]float64, n), ByTime: make([]float64, n)}
			mean, growth, slope := make([]float64, n), 2+10*r.Float64(), 0.002+0.05*r.Float64()
			for t := range mean {
				mean[t] = 1 / (1 + growth*float64(t)/n)
				l.ByAge[t], l.ByTime[t] = slope*r.Float64(), 0.5*slope*r.ExpFloat64()
			}
			return 2 + 20*r.Float64(), mean, l
		}},
	}
}

// freshNoise returns families modelled on programs whose processors are disturbed, or whose work comes at intervals.
func freshNoise() []Family {
	return []Family{
		// A processor becomes hot and slows down. A balancing gives it less work, which is right until it has cooled
		// down.
		variedFamily("thermal throttling", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			hot, cool, slower := 20+100*r.Float64(), 10+60*r.Float64(), 0.1+0.8*r.Float64()
			slope := 0.01 * r.Float64()
			for t := int(hot * r.Float64()); t < len(l.ByTime); {
				l.ByTime[t] += slower
				if t += 1 + int(cool*(0.5+r.Float64())); t < len(l.ByTime) {
					l.ByTime[t] -= slower
				}
				t += 1 + int(hot*(0.5+r.Float64()))
			}
			for k := range l.ByAge {
				l.ByAge[k] = slope
			}
		}),
		// Background programs delay random elements, and the imbalance also grows slowly.
		variedFamily("jitter", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			slope, p, height, sigma := 0.02*r.Float64(), 0.3*r.Float64(), r.Float64(), 0.1*r.Float64()
			for t := range l.Floor {
				l.ByAge[t] = slope
				l.Floor[t] = sigma * math.Abs(r.NormFloat64())
				if r.Float64() < p {
					l.Floor[t] += height * r.ExpFloat64()
				}
			}
		}),
		// At regular intervals an analysis runs beside the simulation for some steps, on a few elements.
		variedFamily("in situ analysis", "both", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			every, length, height := 10+r.IntN(80), 1+r.IntN(8), 0.2+2*r.Float64()
			slope, removable := 0.03*r.Float64(), r.IntN(2) == 0
			for t := range l.Floor {
				l.ByAge[t] = slope
				if !removable && t%every < length {
					l.Floor[t] = height
				}
			}
			for t := every; removable && t < len(l.ByTime); t += every {
				l.ByTime[t] += height
				if t+length < len(l.ByTime) {
					l.ByTime[t+length] -= height
				}
			}
		}),
		// Cells ignite and burn out, and need many times the work while they burn.
		variedFamily("stiff chemistry", "time", func(r *rand.Rand, _ float64, l *scenario.Laws) {
			rate, height, burn := 0.005+0.05*r.Float64(), 0.3+2*r.Float64(), 3+40*r.Float64()
			for t := range l.ByTime {
				if r.Float64() < rate {
					h := height * r.ExpFloat64()
					l.ByTime[t] += h
					if out := t + 1 + int(burn*r.ExpFloat64()); out < len(l.ByTime) {
						l.ByTime[out] -= h
					}
				}
			}
		}),
	}
}
