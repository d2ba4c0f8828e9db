package nbody

import "math"

// A snapshot is a state of the particles that a partition is made from or tried on.
type snapshot struct {
	at, velocity [][]float64
	weight       []float64 // seconds of each particle
}

// Particles are followed in steps of at most aheadStride iterations, but at least leastSteps. The papers' fields turn a
// particle by less than half a circle in 2000 iterations; eight steps of a second-order rule then miss its place
// by a hundredth of the partitioner.
const (
	aheadStride = 250
	leastSteps  = 8
)

// aheadSteps returns the number of steps in which particles are followed for some time.
func (s *Setup) aheadSteps(seconds float64) int {
	return int(max(leastSteps, math.Ceil(seconds/s.Step/aheadStride)))
}

// ahead foretells the particles after some time, from their velocities, the external
// force and the walls, without their forces on each other.
func (y *System) ahead(seconds float64, c *Costs) snapshot {
	s := *y.setup // a copy, with a step and a force of its own
	steps := s.aheadSteps(seconds)
	s.Step = seconds / float64(steps)
	if s.external != nil {
		// The force is that of the set-up with its own step.
		s.external = func(_ *Setup, at [3]float64) [3]float64 { return y.setup.pull(at) }
	}
	next := &System{Dim: y.Dim, setup: &s}
	for d := range y.Dim {
		next.At[d] = append([]float64(nil), y.At[d]...)
		next.Velocity[d] = append([]float64(nil), y.Velocity[d]...)
		next.Acceleration[d] = make([]float64, y.Len())
	}
	next.fall()
	for range steps {
		next.Drift()
		next.fall()
		next.Kick()
	}
	s.Force.Epsilon, s.external = 0, nil
	next.Neighbours = make([]int32, y.Len())
	next.Prepare(inTurn, true)
	return next.snapshot(c)
}

// snapshot returns the present state, which shares the system's memory.
func (y *System) snapshot(c *Costs) snapshot {
	return snapshot{at: y.columns(), velocity: y.Velocity[:y.Dim:y.Dim], weight: y.weights(c)}
}

// weights returns the seconds that each particle takes.
func (y *System) weights(c *Costs) []float64 {
	w := make([]float64, y.Len())
	for i, n := range y.Neighbours {
		w[i] = c.Particle + float64(c.Interaction*float64(n))
	}
	return w
}

// fall sets the accelerations to those of the external force.
func (y *System) fall() {
	if y.setup.external == nil {
		return
	}
	for i := range y.Len() {
		y.accelerate(int32(i), [3]float64{})
	}
}

// aheadSeconds is what foretelling takes an element beside counting neighbours: each of its
// particles moves as in as many iterations as there are steps.
func (c *Costs) aheadSeconds(particles float64, steps int) float64 {
	return particles * c.Particle * float64(steps)
}
