package nbody

import (
	"context"
	"math"
	"slices"
	"testing"

	"lockstep/lb/criterion"
	"lockstep/lb/effort"
	"lockstep/lb/partition"
)

// A recorder is a criterion that records the costs that are reported to it, and balances at every tenth iteration.
type recorder struct {
	criterion.Periodic
	costs []float64
}

func (r *recorder) Observe(s criterion.Sample) {
	if s.Balanced {
		r.costs = append(r.costs, s.Cost)
	}
	r.Periodic.Observe(s)
}

// planned runs the player auto.
func planned(t *testing.T, name string, particles int) (*Player, *recorder) {
	t.Helper()
	s := small(t, name, particles, 60)
	partitioners, err := partitionersOf("auto", true)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{Periodic: criterion.Periodic{Period: 10}}
	p := &Player{Partitioners: partitioners, Criterion: r, PEs: 8, Costs: s.Costs}
	if _, err := (&Contest{Setup: &s, Seed: 2}).Run(context.Background(), []*Player{p}); err != nil {
		t.Fatal(err)
	}
	return p, r
}

// TestForecastsAreCharged checks that a criterion is told the cost of the next balancing without forecasts. The time of
// the run must also include the cost of forecasts.
func TestForecastsAreCharged(t *testing.T) {
	p, r := planned(t, "shear", 2000)
	if len(r.costs) != 6 || len(p.Balances) != 5 {
		t.Fatalf("%d costs, balanced at %v", len(r.costs), p.Balances)
	}
	paid, told := 0.0, 0.0
	for k, i := range p.Meter.Intervals()[1:] {
		paid, told = paid+i.Cost, told+r.costs[k+1]
		if i.Cost < r.costs[k+1]*(1-1e-12) {
			t.Errorf("interval %d cost %v, less than one without forecasts, %v", k+1, i.Cost, r.costs[k+1])
		}
	}
	if paid <= told {
		t.Errorf("paid %v with forecasts, %v without: none was made", paid, told)
	}
	if got := p.Meter.Total(); math.Abs((p.Ideal+got.Cost+got.Residual+got.Growth)/p.Seconds-1) > 1e-12 {
		t.Errorf("%+v over %v make not %v seconds", got, p.Ideal, p.Seconds)
	}
}

// TestExpenses checks that the expense of a balancing counts its partitions, the location of particles, and forecasts
// of loads and of particles.
func TestExpenses(t *testing.T) {
	s := small(t, "shear", 3000, 0)
	y := s.New(1)
	p := &Player{PEs: 8, Costs: s.Costs, horizon: 0.1, lastSeconds: 7}
	partitioner := Partitioner{Method: partition.RCB, Work: 3, Weighted: true, Lead: 0.5}
	seen, told := p.forecastParticles(y, 0.5)
	if want := 7 + 3000.0/8*s.Costs.Particle*minForecastSteps; math.Abs(told.forecastSeconds/want-1) > 1e-12 || told.work != 0 {
		t.Errorf("foretelling costs %+v, want %v", told, want)
	}
	far := &Player{PEs: 8, Costs: s.Costs, horizon: 5000 * s.Step}
	if _, told := far.forecastParticles(y, 0.5); math.Abs(told.forecastSeconds/(375*s.Costs.Particle*10)-1) > 1e-12 {
		t.Errorf("foretelling 2500 iterations costs %+v, want ten steps", told)
	}
	next, fitted, made, err := p.partitionSnapshot(y, partitioner, seen)
	if err != nil || made.work != 3+locateWork {
		t.Fatalf("a partition costs %+v, want %v; %v", made, 3+locateWork, err)
	}
	load := criterion.Of(fitted)
	if load.Max > load.Mean*1.1 {
		t.Errorf("loads are %+v where the partition fits", load)
	}
	f, mean, e := p.forecastImbalance(y, next, fitted, 1, &particleForecasts{age: []float64{0, 0.5, 1.25}, snapshots: []snapshot{y.snapshot(&s.Costs), seen, seen}})
	if e.work != forecastWork {
		t.Errorf("a forecast costs %+v, want one age's", e)
	}
	if !(mean > 0) || f.Imbalance[1] != load.Max-load.Mean || f.Imbalance[1] >= f.Imbalance[0] || len(f.Age) != 3 || math.Abs(f.Age[1]-50) > 1e-9 {
		t.Errorf("%+v of mean %v: want the least imbalance where the partition fits", f, mean)
	}
	partitioner.Lead = 0
	if _, _, made, _ = p.partitionSnapshot(y, partitioner, seen); made.work != 3 {
		t.Errorf("a partition of the present costs %+v, want 3", made)
	}
	// A partition of 3000 points among 8 elements has 3 levels.
	p.mostMoved = 5
	if got, want := p.balancingSeconds(y, expense{work: 2, forecastSeconds: 1}), 1+s.Costs.Latency+s.Costs.Cut*2*375*3+5*s.Costs.Migrate; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("charged %v, want %v", got, want)
	}
}

// TestShorterKnownAnswer checks that the effort of the partitioner in use is also forecast for half of the interval.
// Half of the interval must be chosen if it promises less effort.
func TestShorterKnownAnswer(t *testing.T) {
	s := small(t, "shear", 2000, 0)
	y := s.New(1)
	player := func() *Player {
		return &Player{Partitioners: []Partitioner{{Name: "a", Lead: 0.5}, {Name: "b"}}, PEs: 8, Costs: s.Costs, horizon: 8, planner: effort.NewPlanner(2)}
	}
	for _, c := range []struct{ used, other, shorter, want, horizon float64 }{
		{1, 2, 0.9, 0.9, 4}, {1, 2, 1.1, 1, 8}, {1, 0.5, 0.4, 0.5, 8},
	} {
		p := player()
		all := &plan{partitioners: []candidate{{relative: c.used}, {relative: c.other}}, shorter: candidate{relative: c.shorter, own: expense{work: 5}}}
		if got := p.chooseCandidate(y, all); got.relative != c.want || p.horizon != c.horizon || p.own != got.own {
			t.Errorf("%+v: took %v for a horizon of %v", c, got.relative, p.horizon)
		}
	}
	partitioners, _ := partitionersOf("rib@0.5", true)
	p := &Player{Partitioners: partitioners, Criterion: criterion.Never{}, PEs: 8, Costs: s.Costs, horizon: 0.4, planner: effort.NewPlanner(1), bias: 2}
	if all, err := p.makePlan(y, math.Inf(1)); err != nil || all.shorter.made != nil {
		t.Errorf("the first partition was foretold for half of an interval; %v", err)
	}
	free, err := p.makePlan(y, 400)
	if err != nil {
		t.Fatal(err)
	}
	p.partition = &partition.Partition{}
	if paid, err := p.makePlan(y, 400); err != nil || paid.partitioners[0].relative <= free.partitioners[0].relative {
		t.Errorf("a balancing that is paid for has the effort %v, the free one at the start %v; %v", paid.partitioners[0].relative, free.partitioners[0].relative, err)
	}
	all, err := p.makePlan(y, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	if f := all.shorter.forecast; len(f.Age) != 4 || math.Abs(f.Age[1]-100) > 1e-9 || f.Imbalance[1] != slices.Min(f.Imbalance) {
		t.Errorf("%+v, want the least imbalance at a quarter of the horizon", f)
	}
	p.bias = 1
	plain, err := p.makePlan(y, math.Inf(1))
	if err != nil || plain.partitioners[0].forecast.Imbalance[2] != all.partitioners[0].forecast.Imbalance[2]/2 {
		t.Errorf("a bias of 2 does not double what is foretold; %v", err)
	}
}

// TestNoise checks that noise has the mean 1 and the given standard deviation. It must be the same for all players, and
// must not change the particles.
func TestNoise(t *testing.T) {
	run := func(noise float64) *Player {
		s := small(t, "gas", 600, 400)
		partitioners, _ := partitionersOf("rcb", false)
		p := &Player{Partitioners: partitioners, Criterion: criterion.Never{}, PEs: 1, Costs: s.Costs, Noise: noise, random: random{9}}
		if _, err := (&Contest{Setup: &s, Seed: 2}).Run(context.Background(), []*Player{p}); err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain, noisy, again := run(0), run(0.1), run(0.1)
	if noisy.Seconds != again.Seconds || noisy.Seconds == plain.Seconds {
		t.Errorf("%v and %v seconds with noise, %v without", noisy.Seconds, again.Seconds, plain.Seconds)
	}
	if r := noisy.Seconds / plain.Seconds; math.Abs(r-1) > 0.02 { // four standard errors of the mean of 400 values
		t.Errorf("noise makes the run %v times as long", r)
	}
}

// TestCostFactors checks that several factors of the costs of balancing can be used in one run.
func TestCostFactors(t *testing.T) {
	e := defaults()
	e.Partitioners, e.Weights, e.CostFactor = []string{"rcb", "norcb@0.5"}, "particles", []float64{1e-3, 1}
	e.Criteria, e.Iterations = []string{"periodic:10"}, 40
	got := lines(t, e)
	if len(got) != 4 {
		t.Fatalf("%d lines, want 4", len(got))
	}
	for k := range 2 {
		cheap, dear := got[k], got[k+2]
		if cheap.CostFactor != 1e-3 || dear.CostFactor != 1 || cheap.CostSeconds >= dear.CostSeconds || cheap.GrowthSeconds != dear.GrowthSeconds {
			t.Errorf("%s: %+v and %+v", cheap.Partitioner, cheap, dear)
		}
	}
	if _, err := partitionersOf("rcb@0.3", false); err == nil {
		t.Error("a lead that no forecast has was taken")
	}
	if partitioners, err := partitionersOf("hsfc@0.5", true); err != nil || len(partitioners) != 1 || partitioners[0].Lead != 0.5 || partitioners[0].Name != "hsfc" {
		t.Errorf("%+v, %v", partitioners, err)
	}
}

// TestLabels checks that the names of entries contain the properties that differ.
func TestLabels(t *testing.T) {
	labels := func(entries ...entry) (all []string) {
		o := &outcome{entries: entries}
		for i := range entries {
			all = append(all, o.entryLabel(&entries[i]))
		}
		return all
	}
	a := entry{partitioner: "rcb", criterion: "menon", factor: 1}
	b, c, d := a, a, a
	b.partitioner, c.criterion, d.factor = "rib", "zhai", 10
	for _, x := range []struct{ got, want []string }{
		{labels(a), []string{"rcb"}},
		{labels(a, b), []string{"rcb", "rib"}},
		{labels(a, c), []string{"menon", "zhai"}},
		{labels(a, d), []string{"x1", "x10"}},
		{labels(a, b, c), []string{"rcb menon", "rib menon", "rcb zhai"}},
	} {
		if !slices.Equal(x.got, x.want) {
			t.Errorf("%q, want %q", x.got, x.want)
		}
	}
}

// TestLastEffort checks that an interval that the end of the run cuts off is not drawn.
func TestLastEffort(t *testing.T) {
	s := small(t, "gas", 500, 100)
	partitioners, _ := partitionersOf("rcb", false)
	p := &Player{Partitioners: partitioners, Criterion: &criterion.Periodic{Period: 45}, PEs: 4, Costs: s.Costs}
	if _, err := (&Contest{Setup: &s, Seed: 2}).Run(context.Background(), []*Player{p}); err != nil {
		t.Fatal(err)
	}
	var e entry
	e.setResults(p)
	steps, grown := e.effortLines(1)
	if len(e.intervals) != 3 || len(steps) != 4 || steps[3].X != 90 || len(grown) != 100 {
		t.Errorf("%d intervals, %v, %d points", len(e.intervals), steps, len(grown))
	}
	if want := e.intervals[0].Effort() * 1e6; steps[0].Y != want {
		t.Errorf("effort %v, want %v microseconds", steps[0].Y, want)
	}
}

// TestSerialKnownAnswer checks that a serial partitioner makes the same partitions as the parallel one. Its P-1 cuts
// must exchange their messages one after the other.
func TestSerialKnownAnswer(t *testing.T) {
	e := defaults()
	e.PEs, e.Partitioners, e.Weights, e.Criteria = 12, []string{"norcb", "norcb-serial"}, "particles", []string{"periodic:10"}
	e.Optimum = true
	got := lines(t, e)
	a, b := got[0], got[1]
	if a.GrowthSeconds != b.GrowthSeconds || a.Balances != b.Balances || a.Balances == 0 {
		t.Fatalf("%+v and %+v: want the same partitions", a, b)
	}
	want := float64(a.Balances) * PlainCosts.Latency * (11.0/4 - 1)
	if got := b.CostSeconds - a.CostSeconds; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("%d balancings on 12 elements cost %v more, want %v", a.Balances, got, want)
	}
	if *b.OptimumSeconds < *a.OptimumSeconds {
		t.Errorf("the optimum is %v where balancings cost more, %v where they cost less", *b.OptimumSeconds, *a.OptimumSeconds)
	}
	if _, err := partitionersOf("hsfc-serial", false); err == nil {
		t.Error("hsfc-serial was taken")
	}
}
