package numeric

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/scenes/internal/vector"
)

// TestNoiseSlope checks that the noise is nowhere steeper than NoiseSlope, and nearly that steep in the middle of some
// cells.
func TestNoiseSlope(t *testing.T) {
	const step = 1e-5
	r := rand.New(rand.NewPCG(1, 2))
	steepest := 0.0
	for i := range 300_000 {
		p := [3]float64{float64(r.IntN(4000)), float64(r.IntN(4000)), float64(r.IntN(4000))}
		for c := range p {
			if i%2 == 0 {
				p[c] += r.Float64()
			} else {
				p[c] += 0.5
			}
		}
		var slope [3]float64
		for c := range p {
			lo, hi := p, p
			lo[c] -= step
			hi[c] += step
			slope[c] = (Noise(7, hi) - Noise(7, lo)) / (2 * step)
		}
		steepest = math.Max(steepest, math.Sqrt(vector.Dot(slope, slope)))
	}
	if steepest > NoiseSlope*(1+1e-6) || steepest < 0.85*NoiseSlope {
		t.Errorf("the steepest noise is %v, want nearly %v and no more", steepest, NoiseSlope)
	}
}
