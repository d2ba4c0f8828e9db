package nbody

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb/criterion"
	"lockstep/lb/partition"
	"lockstep/vp/machine"
)

// small returns a set-up with fewer particles and iterations.
func small(t testing.TB, name string, particles, iterations int) Setup {
	s := setupOf(t, name)
	s.Particles, s.Iterations = particles, iterations
	return s
}

// allPairs returns the acceleration of particle i and its number of neighbours, computed from all pairs.
func allPairs(s *System, i int) (a [3]float64, count int) {
	f := &s.setup.Force
	for j := range s.Len() {
		var x [3]float64
		square := 0.0
		for d := range s.Dim {
			x[d] = s.At[d][i] - s.At[d][j]
			square += x[d] * x[d]
		}
		if j == i || square >= f.Cutoff*f.Cutoff {
			continue
		}
		count++
		r2 := max(square, f.Core*f.Core)
		g := 24 * f.Epsilon * (2*math.Pow(f.Sigma*f.Sigma/r2, 6) - math.Pow(f.Sigma*f.Sigma/r2, 3)) / r2
		c2 := f.Cutoff * f.Cutoff
		g -= 24 * f.Epsilon * (2*math.Pow(f.Sigma*f.Sigma/c2, 6) - math.Pow(f.Sigma*f.Sigma/c2, 3)) / c2
		for d := range s.Dim {
			a[d] += g * x[d]
		}
	}
	var at [3]float64
	for d := range s.Dim {
		at[d] = s.At[d][i]
	}
	pull := s.setup.externalAcceleration(at)
	for d := range a {
		a[d] += pull[d]
	}
	return a, count
}

// TestForces checks in every set-up that forces computed with the grid of cells equal the sum over all pairs.
func TestForces(t *testing.T) {
	for _, s := range Setups() {
		s.Particles = 1000
		s.Force.Cutoff *= 3 // few particles need a larger cut-off to interact
		s.Force.Sigma *= 3
		s.Force.Core *= 3
		y := s.New(1)
		scale := 0.0
		for d := range s.Dim {
			for _, a := range y.Acceleration[d] {
				scale = max(scale, math.Abs(a))
			}
		}
		met := 0
		for i := range y.Len() {
			want, count := allPairs(y, i)
			met += count
			if int(y.Neighbours[i]) != count {
				t.Fatalf("%s: particle %d has %d neighbours, want %d", s.Name, i, y.Neighbours[i], count)
			}
			for d := range s.Dim {
				if got := y.Acceleration[d][i]; math.Abs(got-want[d]) > 1e-10*math.Abs(want[d])+1e-13*scale {
					t.Fatalf("%s: acceleration %d of particle %d is %v, want %v", s.Name, d, i, got, want[d])
				}
			}
		}
		if met < y.Len()/10 {
			t.Errorf("%s: only %d interactions, which tests little", s.Name, met)
		}
	}
}

// TestForceIsSlope checks that the force is the derivative of the potential, and that both end at the cut-off.
func TestForceIsSlope(t *testing.T) {
	f := Force{Sigma: 1, Epsilon: 1, Cutoff: 2.5, Core: 0.9}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.Float64Range(0.01, 2.49).Draw(t, "r")
		const h = 1e-5
		slope := (f.potential((r+h)*(r+h)) - f.potential((r-h)*(r-h))) / (2 * h)
		force := (f.forceRatio(r*r) - f.forceRatio(2.5*2.5)) * r
		if math.Abs(slope+force) > 1e-5*(1+math.Abs(force)) {
			t.Fatalf("at %v the potential falls by %v, the force is %v", r, -slope, force)
		}
	})
	if v := f.potential(2.5 * 2.5); v != 0 {
		t.Errorf("the potential at the cut-off is %v", v)
	}
	if v := f.potential(1); math.Abs(v) > 0.2 {
		t.Errorf("the potential at sigma is %v, want about 0", v)
	}
}

// TestEnergy checks that energy is conserved without external forces.
func TestEnergy(t *testing.T) {
	cases := []Setup{small(t, "contraction", 1000, 600), small(t, "expansion3d", 500, 100), small(t, "gas", 1000, 300)}
	if *long {
		cases = []Setup{setupOf(t, "contraction"), setupOf(t, "toy"), setupOf(t, "expansion3d"), setupOf(t, "contraction3d")}
	}
	for _, s := range cases {
		t.Run(s.Name, func(t *testing.T) { energy(t, s) })
	}
}

// energy runs a set-up without its external force and checks that the energy changes little.
func energy(t *testing.T, s Setup) {
	if !*long {
		// Few particles lie far apart. So the forces reach farther, as if all particles were there, and they are strong
		// enough to matter.
		s.Force.Cutoff *= 4
		s.Force.Sigma *= 4
		s.Force.Core *= 4
		s.Force.Epsilon *= 100
	}
	y := s.New(1)
	k0, p0 := y.Energy()
	worst, most := 0.0, math.Abs(p0)
	for it := range s.Iterations {
		y.Drift()
		y.Prepare(runInOrder, false)
		y.Kick()
		if it%100 == 99 {
			k, p := y.Energy()
			worst = max(worst, math.Abs((k+p)/(k0+p0)-1))
			most = max(most, math.Abs(p))
		}
	}
	t.Logf("energy drifts by %.2g, the potential is up to %.2g of it", worst, most/(k0+p0))
	if worst > 1e-4 {
		t.Errorf("energy drifts by %.2g", worst)
	}
	if most < 1e-4*(k0+p0) && !*long {
		t.Errorf("the potential is too small for the test to notice")
	}
}

func sameTrajectory(a, b *System) bool {
	for d := range a.Dim {
		if !slices.Equal(a.At[d], b.At[d]) || !slices.Equal(a.Velocity[d], b.Velocity[d]) {
			return false
		}
	}
	return true
}

// TestTrajectory checks that the trajectory is the same whichever worker computes a particle. The players' times must
// not depend on the workers either.
func TestTrajectory(t *testing.T) {
	s := small(t, "contraction3d", 2000, 12)
	s.Step *= 500
	s.Force.Cutoff *= 4
	players := func() []*Player {
		var ps []*Player
		for _, m := range partition.Methods {
			ps = append(ps, &Player{
				Partitioners: []Partitioner{{Name: m.Name, Method: m.Method, Work: 1, Weighted: true}},
				Criterion:    &criterion.Periodic{Period: 4}, PEs: 7, Costs: PlainCosts,
			})
		}
		return ps
	}
	m := machine.New(machine.Options{Workers: 3})
	defer m.Close()
	shared := newBalancedLoop(m)
	one, two := players(), players()
	a, err := (&Contest{Setup: &s, Seed: 3}).Run(context.Background(), one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := (&Contest{Setup: &s, Seed: 3, For: shared.Run}).Run(context.Background(), two)
	if err != nil {
		t.Fatal(err)
	}
	if !sameTrajectory(a, b) {
		t.Error("workers change the trajectory")
	}
	if shared.Stats.Processors != 3 {
		t.Errorf("%+v: expected three workers", shared.Stats)
	}
	for i := range one {
		if one[i].Seconds != two[i].Seconds || one[i].Migrated != two[i].Migrated || !slices.Equal(one[i].Balances, []int{4, 8}) {
			t.Errorf("%s: %v and %v seconds", one[i].Partitioners[0].Name, one[i].Seconds, two[i].Seconds)
		}
	}
}
