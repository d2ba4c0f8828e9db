package families

import (
	"math"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// A curveFamily generates random imbalances as functions of the age, the number of iterations since a balancing.
type curveFamily struct {
	name string
	draw func(r *rand.Rand) func(k float64) float64
}

// ageFamilies returns the families with the imbalances of curveFamilies. A balancing costs 100 mean loads.
func ageFamilies() []Family {
	var all []Family
	for _, f := range curveFamilies() {
		all = append(all, familyByAge(f.name, f.draw))
	}
	return all
}

// familyByAge returns a family whose imbalance depends on the age. draw returns the imbalance of one application as a
// function of the age.
func familyByAge(name string, draw func(r *rand.Rand) func(k float64) float64) Family {
	return Family{name, "age", func(r *rand.Rand, seed int) (float64, []float64, scenario.Laws) {
		growth, before := make([]float64, scenario.PaperIterations), 0.0
		curve := draw(r)
		for k := 1; k < len(growth); k++ {
			now := curve(float64(k))
			growth[k-1], before = now-before, now
		}
		return 100, drawMeanLoads(r, seed, len(growth)), scenario.Laws{ByAge: growth}
	}}
}

// familyByTime returns a family with a steady load. draw fills in the scenario.Laws of an application. A balancing
// costs 50 mean loads.
func familyByTime(name, kind string, draw func(r *rand.Rand, l *scenario.Laws)) Family {
	return Family{name, kind, func(r *rand.Rand, _ int) (float64, []float64, scenario.Laws) {
		const n = scenario.PaperIterations
		l := scenario.Laws{ByAge: make([]float64, n), ByTime: make([]float64, n), Floor: make([]float64, n)}
		draw(r, &l)
		return 50, drawMeanLoads(r, 0, n), l
	}}
}

// timeFamilies returns families whose imbalance depends on time, or on time and age. Our criterion was developed with
// them.
func timeFamilies() []Family {
	return []Family{
		familyByTime("jump", "time", func(r *rand.Rand, l *scenario.Laws) {
			l.ByTime[r.IntN(300)] = 0.1 + 3*r.Float64()
		}),
		familyByTime("decaying growth", "time", func(r *rand.Rand, l *scenario.Laws) {
			a, life := 0.2*r.Float64(), 20+300*r.Float64()
			for t := range l.ByTime {
				l.ByTime[t] = a * math.Exp(-float64(t)/life)
			}
		}),
		familyByTime("phases", "time", func(r *rand.Rand, l *scenario.Laws) {
			x, left := 0.0, 0
			for t := range l.ByTime {
				if left--; left < 0 {
					left, x = 20+r.IntN(150), 0
					if r.IntN(2) == 0 {
						x = 0.2 * r.Float64()
					}
				}
				l.ByTime[t] = x
			}
		}),
		familyByTime("shocks", "time", drawShocks(0)),
		familyByTime("growth and shocks", "both", drawShocks(0.05)),
		familyByTime("noise on a level", "time", func(r *rand.Rand, l *scenario.Laws) {
			drawNoise(r, l.Floor, r.Float64(), 0.3*r.Float64())
		}),
		familyByTime("wandering level", "time", func(r *rand.Rand, l *scenario.Laws) {
			level := r.Float64()
			for t := range l.Floor {
				level = math.Abs(level + 0.02*r.NormFloat64())
				l.Floor[t] = level
			}
		}),
		familyByTime("growth over noise", "both", func(r *rand.Rand, l *scenario.Laws) {
			drawNoise(r, l.Floor, r.Float64(), 0.3*r.Float64())
			slope := 0.05 * r.Float64()
			for k := range l.ByAge {
				l.ByAge[k] = slope
			}
		}),
	}
}

// drawNoise fills floor with a level plus normally distributed noise, but at least 0.
func drawNoise(r *rand.Rand, floor []float64, level, sigma float64) {
	for t := range floor {
		floor[t] = max(0, level+sigma*r.NormFloat64())
	}
}

// drawShocks returns a function that generates jumps of the imbalance at random times, and a growth by age of 0 to
// slope.
func drawShocks(slope float64) func(r *rand.Rand, l *scenario.Laws) {
	return func(r *rand.Rand, l *scenario.Laws) {
		p, height, slope := 0.005+0.05*r.Float64(), 3*r.Float64(), slope*r.Float64()
		for t := range l.ByTime {
			if r.Float64() < p {
				l.ByTime[t] = height * r.ExpFloat64()
			}
			l.ByAge[t] = slope
		}
	}
}

// curveFamilies returns families in which the imbalance depends only on the age, the number of iterations since the
// last balancing.
func curveFamilies() []curveFamily {
	bell := func(k, at, width float64) float64 { return math.Exp(-(k - at) * (k - at) / (2 * width * width)) }
	wave := func(k, period float64) float64 { return 1 - math.Cos(2*math.Pi*k/period) }
	return []curveFamily{
		{"power", func(r *rand.Rand) func(float64) float64 {
			p := 0.2 + 2.8*r.Float64()
			return func(k float64) float64 { return 2 * math.Pow(k/20, p) }
		}},
		{"saturating", func(r *rand.Rand) func(float64) float64 {
			top := 0.5 + 4*r.Float64()
			return func(k float64) float64 { return top * (1 - math.Exp(-k/20)) }
		}},
		{"steps", func(r *rand.Rand) func(float64) float64 {
			height, width := 2*r.Float64(), 4+20*r.Float64()
			return func(k float64) float64 { return height * math.Floor(k/width) }
		}},
		{"cliff", func(r *rand.Rand) func(float64) float64 {
			height, at, slope := 1+20*r.Float64(), 300*r.Float64(), 0.025*r.Float64()
			return func(k float64) float64 {
				if k > at {
					return slope*k + height
				}
				return slope * k
			}
		}},
		{"bursts", func(r *rand.Rand) func(float64) float64 {
			height, width, slope := 1+5*r.Float64(), 1+math.Floor(10*r.Float64()), 0.05*r.Float64()
			every := width + math.Floor(100*r.Float64())
			return func(k float64) float64 {
				if k > 0 && math.Mod(k+every/2, every) < width {
					return slope*k + height
				}
				return slope * k
			}
		}},
		{"walk", func(r *rand.Rand) func(float64) float64 {
			step, level := 0.02+0.3*r.Float64(), 0.0
			return func(float64) float64 {
				level = max(0, level+step*r.NormFloat64())
				return level
			}
		}},
		{"drifting walk", func(r *rand.Rand) func(float64) float64 {
			step, drift, level := 0.02+0.2*r.Float64(), 0.1*r.Float64(), 0.0
			return func(float64) float64 {
				level = max(0, level+drift+step*r.NormFloat64())
				return level
			}
		}},
		{"two periods", func(r *rand.Rand) func(float64) float64 {
			p, q, a, b := 5+30*r.Float64(), 20+100*r.Float64(), 2*r.Float64(), 2*r.Float64()
			return func(k float64) float64 { return a*wave(k, p) + b*wave(k, q) }
		}},
		{"period and drift", func(r *rand.Rand) func(float64) float64 {
			p, a, slope := 5+60*r.Float64(), 2*r.Float64(), 0.1*r.Float64()
			return func(k float64) float64 { return a*wave(k, p) + slope*k }
		}},
		{"growing wave", func(r *rand.Rand) func(float64) float64 {
			p, slope := 8+60*r.Float64(), 0.1*r.Float64()
			return func(k float64) float64 { return slope * k * wave(k, p) }
		}},
		{"hill", func(r *rand.Rand) func(float64) float64 {
			height, at := 0.5+5*r.Float64(), 5+200*r.Float64()
			width := at / (1.5 + 3*r.Float64())
			return func(k float64) float64 { return height * bell(k, at, width) }
		}},
		{"dying", func(r *rand.Rand) func(float64) float64 {
			height, life := 0.5+5*r.Float64(), 4+40*r.Float64()
			return func(k float64) float64 { return height * math.Exp(-k/life) }
		}},
		{"broken line", func(r *rand.Rand) func(float64) float64 {
			level, slope, left := 0.0, 0.0, 0.0
			return func(float64) float64 {
				if left--; left < 0 {
					slope, left = 0.3*(r.Float64()-0.35), 60*r.Float64()
				}
				level = max(0, level+slope)
				return level
			}
		}},
	}
}

// drawMeanLoads returns the mean loads of n iterations. kind%7 selects how they change: not at all, as a sine wave, in
// steps, rising, falling, with bursts, or as a random walk of the logarithm.
func drawMeanLoads(r *rand.Rand, kind, n int) []float64 {
	mean := make([]float64, n)
	level, swing, period := 1.0, 0.9*r.Float64(), 50+600*r.Float64()
	for t := range mean {
		x := float64(t) / float64(n)
		switch kind % 7 {
		case 0:
		case 1:
			level = 1 + swing*math.Sin(2*math.Pi*float64(t)/period)
		case 2:
			if r.Float64() < 0.01 {
				level = 0.2 + 3*r.Float64()
			}
		case 3:
			level = 1 + 5*swing*x
		case 4:
			level = 1 - swing*x
		case 5:
			level = 1
			if r.Float64() < 0.03 {
				level = 1 + 5*swing
			}
		case 6:
			level *= math.Exp(0.03 * r.NormFloat64())
		}
		mean[t] = level
	}
	return mean
}
