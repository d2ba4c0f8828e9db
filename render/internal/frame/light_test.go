package frame

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/render/internal/kernel/show"
	"lockstep/render/internal/view"
	"lockstep/vp/isa"
)

// TestDistances compares the loops of every instruction set with Exact, for up to 99 pixels. Some pixels have the
// nearness 0 (nothing) or infinity. Distances from the eye are quotients of float32.
func TestDistances(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, level := range isa.Available() {
		r := Light{frame: LightFrame{Show: show.Select(level)}}
		for n := range 100 {
			for kind := range 4 {
				d := view.Depths{Orthographic: kind == 1, Near: 3 + random.Float64(), TwiceRange: 5, Slope: 1}
				if kind == 2 {
					d.Slope = 1.5
				}
				r.frame.Pixels.Depths, r.frame.Middle, r.frame.Scale = d, 4*random.Float64(), 0.25+random.Float64()
				if kind == 3 {
					r.frame.Middle = 0
				}
				e, to := make([]float32, n), make([]float32, n+1)
				for i := range e {
					if e[i] = random.Float32(); random.IntN(5) == 0 {
						e[i] = []float32{0, 0x1p-126, 1, float32(math.Inf(1))}[random.IntN(4)]
					}
				}
				r.toRelative(e, to[:n])
				for i, e := range e {
					want := float32((d.Exact(e) - r.frame.Middle) * r.frame.Scale)
					if kind == 3 {
						want = float32(d.Near*r.frame.Scale) / e
					}
					if math.Float32bits(to[i]) != math.Float32bits(want) {
						t.Fatalf("%s, kind %d, pixel %d of %d: nearness %g is at %g, want %g", level, kind, i, n, e, to[i], want)
					}
				}
				if to[n] != 0 {
					t.Fatalf("%s: wrote behind %d pixels", level, n)
				}
			}
		}
	}
}
