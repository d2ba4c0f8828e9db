package criteria

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/bench/internal/racetest"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// curveFamily draws an imbalance as a function of the age.
type curveFamily struct {
	name string
	draw func(r *rand.Rand) func(k float64) float64
}

// curveFamilies are the search for counter-examples to our criterion: the
// figures of the text come from TestSurvey, which runs them all.
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

// surveyLoads returns the mean loads: steady, swinging, in steps, rising,
// falling, with bursts, or wandering.
func surveyLoads(r *rand.Rand, kind, n int) []float64 {
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

// TestSurvey runs random applications of every family and logs how our
// criterion fares against the optimum and the better published criterion. It
// demands that ours be the better one in the mean of every family.
func TestSurvey(t *testing.T) {
	racetest.Alone(t)
	seeds := 7
	if *long {
		seeds = 140
	}
	const n = scenario.PaperIterations
	for _, f := range curveFamilies() {
		var ours, published costTally
		worse, over, most := 0, 0, 0.0
		for seed := range seeds {
			r := rand.New(rand.NewPCG(uint64(seed), 17))
			curve := f.draw(r)
			growth, before := make([]float64, n), 0.0
			for k := 1; k < n; k++ {
				now := curve(float64(k))
				growth[k-1], before = now-before, now
			}
			app, err := scenario.NewCurves(100, surveyLoads(r, seed, n), growth)
			if err != nil {
				t.Fatal(err)
			}
			best, err := scenario.Optimum(context.Background(), app)
			if err != nil {
				t.Fatal(err)
			}
			o := follow(app, &criterion.Hindsight{Iterations: n}, app.Cost(), nil).Cost
			p := min(follow(app, &criterion.Menon{}, app.Cost(), nil).Cost, follow(app, &criterion.Boulmier{}, app.Cost(), nil).Cost)
			ours.add(o, best.Cost)
			published.add(p, best.Cost)
			if o > 1.05*best.Cost {
				over++
			}
			if o > 1.01*p {
				worse++
			}
			most = max(most, o/p)
		}
		m := float64(seeds)
		t.Logf("%-16s ours %.4f, worst %.3f, over 1.05 in %.0f %%; better published %.4f; ours worse by 1 %% in %.0f %%, at most %.3f times",
			f.name, ours.relative/m, ours.worst, 100*float64(over)/m, published.relative/m, 100*float64(worse)/m, most)
		if *long && ours.relative > published.relative+1e-9 {
			t.Errorf("%s: ours %.4f in the mean, the better published criterion %.4f", f.name, ours.relative/m, published.relative/m)
		}
	}
}
