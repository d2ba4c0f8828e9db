package families

import (
	"math"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// heldOutFamilies returns families that were written before the criterion. They are a test set: nothing was tuned with
// them.
func heldOutFamilies() []Family {
	return []Family{
		familyByAge("logistic", func(r *rand.Rand) func(float64) float64 {
			top, at, width := 0.5+6*r.Float64(), 5+80*r.Float64(), 2+20*r.Float64()
			zero := top / (1 + math.Exp(at/width))
			return func(k float64) float64 { return top/(1+math.Exp((at-k)/width)) - zero }
		}),
		familyByAge("shrinking steps", func(r *rand.Rand) func(float64) float64 {
			height, width, keep := 0.2+2*r.Float64(), 5+40*r.Float64(), 0.4+0.5*r.Float64()
			return func(k float64) float64 { return height * (1 - math.Pow(keep, math.Floor(k/width))) / (1 - keep) }
		}),
		familyByAge("sawtooth", func(r *rand.Rand) func(float64) float64 {
			slope, period, back := 0.02+0.15*r.Float64(), 10+math.Floor(80*r.Float64()), 0.2+0.7*r.Float64()
			return func(k float64) float64 { return slope * (k - back*period*math.Floor(k/period)) }
		}),
		familyByTime("quickening", "time", func(r *rand.Rand, l *scenario.Laws) {
			most := 0.02 + 0.4*r.Float64()
			for t := range l.ByTime {
				l.ByTime[t] = most * float64(t) / float64(len(l.ByTime))
			}
		}),
		familyByTime("seasons", "time", func(r *rand.Rand, l *scenario.Laws) {
			most, period, phase := 0.02+0.2*r.Float64(), 60+300*r.Float64(), 6*r.Float64()
			for t := range l.ByTime {
				l.ByTime[t] = max(0, most*math.Sin(2*math.Pi*float64(t)/period+phase))
			}
		}),
		familyByTime("jumps that pass", "time", func(r *rand.Rand, l *scenario.Laws) {
			p := 0.004 + 0.02*r.Float64()
			for t := range l.ByTime {
				if r.Float64() < p {
					height, length := 2*r.ExpFloat64(), 5+r.IntN(120)
					l.ByTime[t] += height
					if r.IntN(2) == 0 && t+length < len(l.ByTime) {
						l.ByTime[t+length] -= height
					}
				}
			}
		}),
		familyByTime("walk in time", "time", func(r *rand.Rand, l *scenario.Laws) {
			step, drift := 0.02+0.15*r.Float64(), 0.03*r.Float64()
			for t := range l.ByTime {
				l.ByTime[t] = drift + step*r.NormFloat64()
			}
		}),
		familyByTime("slowing growth and jumps", "both", func(r *rand.Rand, l *scenario.Laws) {
			a, life, p := 0.02+0.3*r.Float64(), 5+60*r.Float64(), 0.02*r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = a / (1 + float64(k)/life)
				if r.Float64() < p {
					l.ByTime[k] = 2 * r.Float64()
				}
			}
		}),
		familyByTime("regimes", "both", func(r *rand.Rand, l *scenario.Laws) {
			bend, slope, left := 0.004*r.Float64(), 0.0, 0
			for k := range l.ByAge {
				if left--; left < 0 {
					slope, left = 0.12*r.Float64()*r.Float64(), 40+r.IntN(200)
				}
				l.ByAge[k], l.ByTime[k] = bend*float64(k), slope
			}
		}),
		familyByTime("creep over a noisy, wandering level", "both", func(r *rand.Rand, l *scenario.Laws) {
			level, sigma, power, height := 0.6*r.Float64(), 0.15*r.Float64(), 0.5+1.5*r.Float64(), 0.2+3*r.Float64()
			for t := range l.Floor {
				level = math.Abs(level + 0.01*r.NormFloat64())
				l.Floor[t] = max(0, level+sigma*r.NormFloat64())
				l.ByAge[t] = height * (math.Pow(float64(t+1)/50, power) - math.Pow(float64(t)/50, power))
			}
		}),
	}
}
