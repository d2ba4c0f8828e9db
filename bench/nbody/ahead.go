package nbody

import "math"

// A snapshot is a state of the particles from which a partition is made, or on which it is tested.
type snapshot struct {
	at, velocity [][]float64
	weight       []float64 // seconds per particle
}

// Forecasts move particles in steps of at most aheadStride iterations, but in at least leastSteps steps. In the papers'
// fields a particle turns by less than half a circle in 2000 iterations, which is eight steps of aheadStride. With a
// second-order rule its position is then wrong by a hundredth of the distance that it has moved.
const (
	aheadStride = 250
	leastSteps  = 8
)

// aheadSteps returns the number of steps in which particles are moved for the given time.
func (s *Setup) aheadSteps(seconds float64) int {
	return int(max(leastSteps, math.Ceil(seconds/s.Step/aheadStride)))
}

// ahead forecasts the particles after the given time from their velocities, the external force and the walls, without
// the forces between particles.
func (y *System) ahead(seconds float64, c *Costs) snapshot {
	s := *y.setup // a copy, because its step and external force are changed
	steps := s.aheadSteps(seconds)
	s.Step = seconds / float64(steps)
	if s.external != nil {
		// The force is computed with the original set-up, because it may depend on the original step.
		s.external = func(_ *Setup, at [3]float64) [3]float64 { return y.setup.pull(at) }
	}
	next := &System{Dim: y.Dim, setup: &s}
	for d := range y.Dim {
		next.At[d] = append([]float64(nil), y.At[d]...)
		next.Velocity[d] = append([]float64(nil), y.Velocity[d]...)
		next.Acceleration[d] = make([]float64, y.Len())
	}
	next.applyExternal()
	for range steps {
		next.Drift()
		next.applyExternal()
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

// applyExternal sets the accelerations to those that the external force causes.
func (y *System) applyExternal() {
	if y.setup.external == nil {
		return
	}
	for i := range y.Len() {
		y.accelerate(int32(i), [3]float64{})
	}
}

// aheadSeconds returns the seconds that a forecast takes an element, without counting neighbours. Moving a particle
// costs as much per step as in an iteration.
func (c *Costs) aheadSeconds(particles float64, steps int) float64 {
	return particles * c.Particle * float64(steps)
}
