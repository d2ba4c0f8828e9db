package nbody

import (
	"math"
	"testing"
)

// Particles that do not act on each other are foretold to where they will be, with the
// neighbours that they will have.
func TestAhead(t *testing.T) {
	for _, name := range []string{"contraction", "gravity", "rotation", "gas", "expansion-contraction3d"} {
		s := small(t, name, 2000, 0)
		s.Force.Epsilon = 0
		s.Force.Cutoff *= 3
		y := s.New(5)
		const iterations = 160
		seen := y.ahead(iterations*s.Step, &PlainCosts, inTurn)
		for range iterations {
			y.Drift()
			y.Prepare(inTurn, false)
			y.Kick()
		}
		y.Prepare(inTurn, true)
		way := s.speed() * s.Step * iterations
		far, wrong := 0, 0
		for i, w := range y.weights(&PlainCosts) {
			for d := range s.Dim {
				if math.Abs(y.At[d][i]-seen.at[d][i]) > 0.01*way {
					far++
				}
			}
			if math.Abs(w-seen.weight[i]) > 1e-12 {
				wrong++
			}
		}
		// The field of the rotation jumps at the centre, where few particles pass.
		if far > y.Len()/100 || wrong > y.Len()/20 {
			t.Errorf("%s: %d places and %d weights differ from those foretold", name, far, wrong)
		}
	}
}

// Foretelling leaves the particles alone.
func TestAheadReads(t *testing.T) {
	s := small(t, "gravity", 300, 0)
	y, same := s.New(5), s.New(5)
	y.ahead(0.5, &PlainCosts, inTurn)
	y.Drift()
	same.Drift()
	y.Prepare(inTurn, true)
	same.Prepare(inTurn, true)
	if !sameTrajectory(y, same) || y.interactions() != same.interactions() {
		t.Error("foretelling changes the particles")
	}
}
