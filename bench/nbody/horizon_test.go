package nbody

import (
	"context"
	"math"
	"testing"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// TestNextHorizonKnownAnswer checks two cases. An interval of the best length, for which its partition was made, is
// followed by an interval of the same length. A partition for a time that was far too long is followed at once by a
// partition for the best length.
func TestNextHorizonKnownAnswer(t *testing.T) {
	const step, slope, cost = 0.5, 0.25, 100.0 // the imbalance time grows by slope seconds in every iteration
	best := 2 * math.Sqrt(cost/slope) * step
	player := func(horizon, lasted float64) float64 {
		p := &Player{partitioner: Partitioner{Lead: 0.5}, horizon: horizon, plainCost: cost, leastImbalance: 3}
		p.imbalanceNow = 3 + slope*(lasted-horizon/2)/step
		return p.nextHorizon(lasted, step)
	}
	if got := player(best, best); math.Abs(got/best-1) > 1e-12 {
		t.Errorf("after the best horizon %v: %v", best, got)
	}
	if got := player(2.5*best, 1.8*best); math.Abs(got/best-1) > 1e-12 {
		t.Errorf("after one that was too long: %v, want %v", got, best)
	}
	if got := player(9*best, 7*best); got != 3.5*best {
		t.Errorf("%v, want no less than half", got)
	}
	if got := player(0.1*best, 0.2*best); got != 0.4*best {
		t.Errorf("%v, want no more than twice", got)
	}
	now := &Player{horizon: 7, plainCost: cost, imbalanceNow: 1}
	if got := now.nextHorizon(5, step); got != 5 {
		t.Errorf("made for the present: %v, want as long as the last", got)
	}
}

// TestFirstHorizon checks for which time the first partition is made. The time is short if balancing is cheap. If
// balancing is expensive, the time is bounded. If the end of the run is known, the time divides the run.
func TestFirstHorizon(t *testing.T) {
	horizon := func(name string, factor float64, iterations int) float64 {
		s := small(t, name, 4000, 1)
		partitioners, _ := partitionersOf("auto", true)
		p := &Player{Partitioners: partitioners, Criterion: criterion.Never{}, PEs: 16, Costs: s.Costs.scaleBalancing(factor), Iterations: iterations}
		if err := p.Before(0, s.New(1), 0); err != nil {
			t.Fatal(err)
		}
		return p.horizon / s.Step
	}
	cheap, dear := horizon("burst", 1e-4, 0), horizon("burst", 1000, 0)
	if cheap > 0.8*firstHorizon || dear <= 8*firstHorizon || dear > maxFirstHorizon*(1+1e-9) {
		t.Errorf("horizons %v and %v, want less than %v and up to %v", cheap, dear, firstHorizon, maxFirstHorizon)
	}
	if whole := horizon("burst", 1000, 5000); math.Abs(whole-5000) > 1e-6 {
		t.Errorf("horizon %v, want the run's length", whole)
	}
	n := 5000 / horizon("burst", 0.3, 5000)
	if n < 1.5 || math.Abs(n-math.Round(n)) > 1e-6 {
		t.Errorf("%v intervals, want some that divide the run", n)
	}
}

// TestNothingForetold checks that the previous forecast is removed if the next partition is made without a forecast.
func TestNothingForetold(t *testing.T) {
	s := small(t, "shear", 1000, 0)
	partitioners, _ := partitionersOf("auto", true)
	y := s.New(1)
	p := &Player{Partitioners: partitioners, PEs: 8, Costs: s.Costs, horizon: 0.2, planner: effort.NewPlanner(len(partitioners)), partition: &partition.Partition{}, bias: 1}
	p.planner.Choose(make([]float64, len(partitioners)), 1e9)
	p.currentForecast = effort.Forecast{Age: []float64{0}, Imbalance: []float64{1}}
	p.Meter.Observe(criterion.Sample{Max: 2, Mean: 1})
	if _, err := p.makePartition(y, 10, math.Inf(1)); err != nil || len(p.currentForecast.Age) != 0 {
		t.Errorf("%+v is still foretold; %v", p.currentForecast, err)
	}
	if want := math.Sqrt(1.0 / maxBias); math.Abs(p.bias-want) > 1e-12 {
		t.Errorf("bias %v after much less came than was foretold, want %v", p.bias, want)
	}
}

// TestHorizonDividesTheRest checks that the horizon divides the remaining iterations in the middle of a run, too.
func TestHorizonDividesTheRest(t *testing.T) {
	s := small(t, "shear", 1000, 0)
	partitioners, _ := partitionersOf("rib@0.5", true)
	p := &Player{Partitioners: partitioners, Criterion: criterion.Always{}, PEs: 8, Costs: s.Costs, Iterations: 500, Strict: true}
	y := s.New(1)
	for _, at := range []int{0, 130} {
		if err := p.Before(at, y, float64(at)*s.Step); err != nil {
			t.Fatal(err)
		}
		p.After(y, float64(at+1)*s.Step, 1)
	}
	if n := float64(500-130) * s.Step / p.horizon; math.Abs(n-math.Round(n)) > 1e-9 || n < 1.5 || p.madeIteration != 130 {
		t.Errorf("%v intervals from iteration %d, want some that divide the rest", n, p.madeIteration)
	}
}

// With a growth of 0.5 per iteration and 100 iterations left, a run without balancing costs 10*100 + 2500. Balancing
// once costs C + 2500 if the partition is made for the present, and C + 1250 if it is made for the middle of the
// interval.
func TestRepaysKnownAnswer(t *testing.T) {
	for _, c := range []struct {
		lead, cost float64
		rest       float64
		want       bool
	}{
		{0, 999, 100, true}, {0, 1300, 50, false}, {0, 1, 0, false}, {0, 1e9, math.Inf(1), true},
		{0.5, 2249, 100, true}, {0.5, 2251, 100, false},
		{0, 400, 100, true}, // with n = 3, balancing costs 1200 + 833
	} {
		p := &Player{partitioner: Partitioner{Lead: c.lead}, horizon: 40, plainCost: c.cost, imbalanceNow: 13, leastImbalance: 3}
		lasted := 20 + c.lead*40
		if got := p.isBalancingWorthwhile(lasted, c.rest, 1); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	// Without growth, only imbalance above the least can be saved.
	flat := &Player{plainCost: 10, imbalanceNow: 3, leastImbalance: 3}
	if flat.isBalancingWorthwhile(5, 1000, 1) {
		t.Error("an imbalance that a balancing leaves as it is repays one")
	}
}

// TestLearnKnownAnswer checks that the bias is multiplied by the square root of measured over forecast imbalance,
// within bounds.
func TestLearnKnownAnswer(t *testing.T) {
	learn := func(bias, u float64) float64 {
		p := &Player{partition: &partition.Partition{}, bias: bias, currentForecast: effort.Forecast{Age: []float64{0, 10}, Imbalance: []float64{0, 10}}}
		for k := range 10 {
			p.Meter.Observe(criterion.Sample{Max: u + 1, Mean: 1, Balanced: k == 0})
		}
		p.updateBias(10)
		return p.bias
	}
	for _, c := range [][3]float64{{1, 5, 1}, {1, 10, math.Sqrt2}, {2, 5, 2}, {2, 2.5, math.Sqrt2}, {1, 1000, math.Sqrt(3)}, {2.9, 1000, 3}, {1, 0, math.Sqrt(1.0 / 3)}} {
		if got := learn(c[0], c[1]); math.Abs(got-c[2]) > 1e-9 {
			t.Errorf("bias %v, then %v an iteration where 5 were foretold: %v, want %v", c[0], c[1], got, c[2])
		}
	}
	p := &Player{bias: 2}
	if p.updateBias(10); p.bias != 2 {
		t.Errorf("bias %v learned from nothing", p.bias)
	}
}

// TestAgesEnd checks that loads are not forecast beyond the end of the run. The steps in which particles are moved must
// not be too long.
func TestAgesEnd(t *testing.T) {
	p := &Player{horizon: 200}
	for rest, want := range map[float64]float64{math.Inf(1): 1.25, 1000: 1.25, 440: 1.1, 400: 1} {
		if got := p.forecastAges(rest, 0.5)[2]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%v iterations left: the last age is %v horizons, want %v", rest, got, want)
		}
	}
	s := Setup{Step: 0.5}
	for iterations, want := range map[float64]int{10: 8, 2000: 8, 2001: 9, 5000: 20} {
		if got := s.forecastSteps(iterations * s.Step); got != want {
			t.Errorf("%v iterations are followed in %d steps, want %d", iterations, got, want)
		}
	}
}

// TestAutoKnowsTheEnd checks that only the partitioner "auto" is told the length of the run. It must not balance if too
// few iterations are left.
func TestAutoKnowsTheEnd(t *testing.T) {
	e := defaults()
	e.Setups, e.Partitioners, e.Weights, e.Iterations, e.Particles = []string{"passing"}, []string{"auto", "rcb@0.5"}, "interactions", 800, 1500
	s := small(t, "passing", 1500, 800)
	for i, name := range e.Partitioners {
		p, err := e.newPlayer(&s, &entry{partitioner: name, weighted: true, criterion: "boulmier", factor: 1, costs: s.Costs})
		if err != nil || p.Iterations != []int{800, 0}[i] || p.Strict {
			t.Errorf("%s is told of %d iterations, strict %v; %v", name, p.Iterations, p.Strict, err)
		}
	}
	always := &Player{Criterion: criterion.Always{}, PEs: 8, Costs: s.Costs.scaleBalancing(0.001), Iterations: 800}
	always.Partitioners, _ = partitionersOf("auto", true)
	if _, err := (&Contest{Setup: &s, Seed: 1}).Run(context.Background(), []*Player{always}); err != nil {
		t.Fatal(err)
	}
	if n := len(always.Balances); n == 0 || n > 700 {
		t.Errorf("%d balancings, want none that is not repaid", n)
	}
	for _, spec := range []string{"always", "periodic:100"} {
		if p, err := e.newPlayer(&s, &entry{partitioner: "auto", criterion: spec, costs: s.Costs}); err != nil || !p.Strict {
			t.Errorf("%s is not kept strictly; %v", spec, err)
		}
	}
}

// TestAheadIsFar checks that the forecast of particles that fly straight is exact for any time.
func TestAheadIsFar(t *testing.T) {
	s, y := flying(t, 50)
	const iterations = 2600
	for i := range y.Len() {
		y.At[0][i] *= 0.2
	}
	got := y.forecast(iterations*s.Step, &s.Costs)
	for i, x := range got.at[0] {
		if want := y.At[0][i] + iterations*s.Step*s.fullSpeed(); math.Abs(x-want) > 1e-12 {
			t.Fatalf("particle %d at %v, want %v", i, x, want)
		}
	}
}

// TestBalanceKnownAnswer checks that a balancing costs its messages, an element's share of the cuts of all levels, and
// the particles that the busiest element moves.
func TestBalanceKnownAnswer(t *testing.T) {
	c := Costs{Migrate: 3, Cut: 2, Latency: 1000}
	if got := c.balancingSeconds(1280, 128, 1.5, 7); got != 1000+2*1.5*10*7+3*7 {
		t.Errorf("%v", got)
	}
}
