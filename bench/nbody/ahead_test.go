package nbody

import (
	"math"
	"testing"

	"lockstep/lb/criterion"
)

// TestAhead checks that particles without forces between them move to their forecast positions and have the forecast
// numbers of neighbours.
func TestAhead(t *testing.T) {
	for _, name := range []string{"contraction", "gravity", "rotation", "gas", "expansion-contraction3d"} {
		s := small(t, name, 2000, 0)
		s.Force.Epsilon = 0
		s.Force.Cutoff *= 3
		y := s.New(5)
		const iterations = 160
		seen := y.forecast(iterations*s.Step, &PlainCosts)
		for range iterations {
			y.Drift()
			y.Prepare(runInOrder, false)
			y.Kick()
		}
		y.Prepare(runInOrder, true)
		partitioner := s.fullSpeed() * s.Step * iterations
		far, wrong := 0, 0
		for i, w := range y.weights(&PlainCosts) {
			for d := range s.Dim {
				if math.Abs(y.At[d][i]-seen.at[d][i]) > 0.01*partitioner {
					far++
				}
			}
			if math.Abs(w-seen.weight[i]) > 1e-12 {
				wrong++
			}
		}
		// The force field of the rotation is discontinuous at the centre, where few particles pass.
		if far > y.Len()/100 || wrong > y.Len()/20 {
			t.Errorf("%s: %d places and %d weights differ from those foretold", name, far, wrong)
		}
	}
}

// TestAheadReads checks that a forecast does not change the particles.
func TestAheadReads(t *testing.T) {
	s := small(t, "gravity", 300, 0)
	y, same := s.New(5), s.New(5)
	y.forecast(0.5, &PlainCosts)
	y.Drift()
	same.Drift()
	y.Prepare(runInOrder, true)
	same.Prepare(runInOrder, true)
	if !sameTrajectory(y, same) || y.interactions() != same.interactions() {
		t.Error("foretelling changes the particles")
	}
}

// TestAheadTurnsCuts checks that a cut for a later time follows the motion at that time. Particles that will fall are
// cut vertically, although they fly sideways now.
func TestAheadTurnsCuts(t *testing.T) {
	s := small(t, "gravity", 500, 0)
	s.Force.Epsilon = 0
	y := s.New(5)
	for i := range y.Len() {
		y.Velocity[0][i], y.Velocity[1][i] = 1e-3, 0
	}
	partitioners, err := partitionersOf("norcb@0.5", false)
	if err != nil {
		t.Fatal(err)
	}
	p := &Player{Partitioners: partitioners, Criterion: criterion.Never{}, PEs: 2, Costs: s.Costs, horizon: 500 * s.Step}
	seen, _ := p.forecastParticles(y, 0.5)
	next, _, _, err := p.partitionSnapshot(y, partitioners[0], seen)
	if err != nil {
		t.Fatal(err)
	}
	if low, high := next.Locate(0.1, 0.1, 0, 0), next.Locate(0.1, 0.9, 0, 0); low != high {
		t.Error("the cut lies across the fall")
	}
	if left, right := next.Locate(0.1, 0.5, 0, 0), next.Locate(0.9, 0.5, 0, 0); left == right {
		t.Error("the cut does not divide left from right")
	}
}
