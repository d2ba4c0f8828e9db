package nbody

import (
	"context"
	"math"
	"testing"

	"lockstep/lb/criterion"
	"lockstep/lb/partition"
)

// flying returns particles that all have the same velocity, without forces between them.
func flying(t *testing.T, n int) (*Setup, *System) {
	t.Helper()
	s := small(t, "gas", n, 40)
	s.Force.Epsilon = 0
	y := s.New(3)
	for i := range y.Len() {
		y.At[0][i] *= 0.5
		y.Velocity[0][i], y.Velocity[1][i] = s.fullSpeed(), 0
	}
	y.Prepare(runInOrder, true)
	return &s, y
}

// TestMigrationKnownAnswer checks that a particle that changes its element costs both elements.
func TestMigrationKnownAnswer(t *testing.T) {
	s, y := flying(t, 400)
	partitioners, _ := partitionersOf("rcb", false)
	p := &Player{Partitioners: partitioners, Criterion: criterion.Never{}, PEs: 2, Costs: Costs{Particle: 1, Migrate: 1000}}
	if err := p.Before(0, y, 0); err != nil {
		t.Fatal(err)
	}
	i := 0
	for p.owner[i] != 0 {
		i++
	}
	p.owner[i] = 1 // a wrong owner, which the next iteration corrects
	got := p.After(y, s.Step, 3)
	if got.Max != 3*200+1000 || got.Min != 3*200+1000 || p.Migrated != 1 {
		t.Errorf("%+v with %d migrated, want 1600 on both elements", got, p.Migrated)
	}
}

// TestOwnersStay checks that a part of a new partition gets the number of the old part with which it shares most
// particles. Moving cuts must follow the particles.
func TestOwnersStay(t *testing.T) {
	s, y := flying(t, 3000)
	partitioners, _ := partitionersOf("drift", false)
	p := &Player{Partitioners: partitioners, Criterion: criterion.Never{}, PEs: 8, Costs: s.Costs}
	if err := p.Before(0, y, 0); err != nil {
		t.Fatal(err)
	}
	next, _, _, err := p.partitionSnapshot(y, partitioners[0], y.snapshot(&s.Costs))
	if err != nil {
		t.Fatal(err)
	}
	next.Renumber([]int32{7, 6, 5, 4, 3, 2, 1, 0})
	p.adoptPartition(y, next, 0)
	if p.Migrated != 0 {
		t.Errorf("%d particles move to equal parts of another number", p.Migrated)
	}
	const later = 50
	for i := range y.Len() {
		y.At[0][i] += later * s.Step * s.fullSpeed()
	}
	p.After(y, later*s.Step, 1)
	if p.Migrated > y.Len()/100 {
		t.Errorf("%d of %d particles leave cuts that go with them", p.Migrated, y.Len())
	}
	p.horizon = 2000 * s.Step // time in which the particles cross a sixth of the box
	made, _, _, err := p.partitionSnapshot(y, partitioners[0], y.snapshot(&s.Costs))
	if err != nil {
		t.Fatal(err)
	}
	var all particleForecasts
	for _, a := range p.forecastAges(math.Inf(1), s.Step) {
		all.add(p, y, a)
	}
	f, mean, _ := p.forecastImbalance(y, made, p.elementLoads(made.Owner, y.weights(&s.Costs)), 0, &all)
	if f.Imbalance[2] > f.Imbalance[0]+0.1*mean {
		t.Errorf("%+v of mean %v: want cuts that are foretold to go with the particles", f, mean)
	}
}

// TestForesee checks that the cost of a single partitioner includes its forecast of the particles. Relative efforts
// must not depend on the unit of time.
func TestForesee(t *testing.T) {
	plan := func(unit float64) (*plan, *Player) {
		s := small(t, "shear", 2000, 0)
		c := s.Costs
		for _, f := range []*float64{&c.Interaction, &c.Particle, &c.Migrate, &c.Cut, &c.Latency} {
			*f *= unit
		}
		partitioners, _ := partitionersOf("auto", true)
		p := &Player{Partitioners: partitioners, Criterion: criterion.Never{}, PEs: 8, Costs: c}
		y := s.New(1)
		if err := p.Before(0, y, 0); err != nil {
			t.Fatal(err)
		}
		p.lastSeconds = unit
		all, err := p.makePlan(y, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		return all, p
	}
	one, p := plan(1)
	many, _ := plan(1024) // a power of two, so that rounding is the same
	compared := 0
	for i, partitioner := range p.Partitioners {
		if one.partitioners[i].made == nil {
			continue
		}
		compared++
		if math.Abs(many.partitioners[i].relative/one.partitioners[i].relative-1) > 1e-9 {
			t.Errorf("%s@%v: relative effort %v, in another unit %v", partitioner.Name, partitioner.Lead, one.partitioners[i].relative, many.partitioners[i].relative)
		}
		if told := one.partitioners[i].own.forecastSeconds; (told > 1) != (partitioner.Lead != 0) {
			t.Errorf("%s@%v: foretelling for itself %v", partitioner.Name, partitioner.Lead, told)
		}
	}
	if compared < 2 {
		t.Errorf("only %d partitioners were foretold", compared)
	}
	sum := expense{1, 2, 3}
	sum.add(expense{10, 20, 30})
	if sum != (expense{11, 22, 33}) {
		t.Errorf("sum %+v", sum)
	}
}

// TestLeastImbalance checks that the player records the least imbalance time since the last balancing.
func TestLeastImbalance(t *testing.T) {
	p := &Player{Criterion: criterion.Never{}, busy: []float64{6, 2}, leastImbalance: 0.5}
	p.recordIteration(2)
	if p.leastImbalance != 0.5 {
		t.Errorf("least %v, want that of before", p.leastImbalance)
	}
	p.balanced = true
	p.recordIteration(2)
	if p.leastImbalance != 1 {
		t.Errorf("least %v after a balancing, want that of now", p.leastImbalance)
	}
}

// TestNeighboursAreFresh checks that whenever a player decides, the numbers of neighbours belong to the present
// positions. This must hold even if the player does not see every iteration.
func TestNeighboursAreFresh(t *testing.T) {
	s := small(t, "gas", 2000, 60)
	s.Force.Epsilon = 0 // without this, every step would count the neighbours
	s.Force.Cutoff *= 3
	checked, changed, before := 0, false, int64(0)
	c := Contest{Setup: &s, Seed: 2, Every: 10, Before: func(y *System) {
		got := y.interactions()
		changed = changed || before != 0 && got != before
		before = got
		same := y.Clone()
		same.Prepare(runInOrder, true)
		if want := same.interactions(); got != want {
			t.Errorf("%d interactions, want %d", got, want)
		}
		checked++
	}}
	partitioners, _ := partitionersOf("rcb", true)
	p := &Player{Partitioners: partitioners, Criterion: criterion.Never{}, PEs: 4, Costs: s.Costs}
	if _, err := c.Run(context.Background(), []*Player{p}); err != nil || checked != 6 || !changed {
		t.Errorf("%d checks, changed %v; %v", checked, changed, err)
	}
}

// TestReplayBounds checks that the mean of a replay is a lower bound of the mean time of an iteration, and close to it.
// Balancings must cost as much as in the run.
func TestReplayBounds(t *testing.T) {
	s := small(t, "gravity", 500, 60)
	s.PEs = 8
	record := &recording{setup: &s, every: 3}
	c := Contest{Setup: &s, Seed: 4, Every: 3, Before: record.recordStart, After: func(_ int, y *System) error { record.recordEnd(y); return nil }}
	if _, err := c.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	cost := func(name string) float64 {
		partitioners, _ := partitionersOf(name, false)
		r := &replay{recording: record, partitioner: partitioners[0], costs: s.Costs, made: make([]*partition.Partition, len(record.starts))}
		run := r.Balanced(0)
		for i := range 5 {
			if got, mean := run.Step().Mean, r.Mean(i); mean > got || mean < got*0.9 {
				t.Errorf("%s: iteration %d takes %v in the mean, the bound is %v", name, i, got, mean)
			}
		}
		return run.Cost()
	}
	if got, want := cost("norcb-serial")-cost("norcb"), s.Costs.Latency*(7.0/3-1); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("cuts one after the other cost %v more, want %v", got, want)
	}
}

// TestEffortIsPerIteration checks that the effort is divided by all iterations of the run, including iterations that
// the players do not see.
func TestEffortIsPerIteration(t *testing.T) {
	e := defaults()
	e.Partitioners, e.Criteria, e.Every = []string{"rcb"}, []string{"periodic:10"}, 5
	for _, l := range lines(t, e) {
		for k, i := range l.Intervals {
			if want := (i.Cost + i.Residual + i.Growth) / float64(i.Length); math.Abs(l.Effort[k]/want-1) > 1e-12 {
				t.Errorf("effort %v of interval %d, want %v", l.Effort[k], k, want)
			}
		}
	}
}
