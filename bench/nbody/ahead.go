package nbody

import "math"

// A snapshot is the state of the particles at one time, present or forecast.
type snapshot struct {
	at, velocity [][]float64
	weight       []float64 // seconds per particle
}

// A forecast moves the particles in steps of at most forecastStride iterations, and in at least minForecastSteps steps.
// In the force fields of the papers a particle turns by less than half a circle in 2000 iterations, which are eight
// steps. The error of velocity-Verlet integration is then a hundredth of the distance that the particle has moved.
const (
	forecastStride   = 250
	minForecastSteps = 8
)

// forecastSteps returns the number of steps of a forecast over this time.
func (s *Setup) forecastSteps(seconds float64) int {
	return int(max(minForecastSteps, math.Ceil(seconds/s.Step/forecastStride)))
}

// forecast returns the particles after this time. It moves them by their velocities, the external force and the walls.
// It ignores the forces between particles.
func (y *System) forecast(seconds float64, c *Costs) snapshot {
	s := *y.setup // a copy, whose step and external force are changed below
	steps := s.forecastSteps(seconds)
	s.Step = seconds / float64(steps)
	if s.external != nil {
		// The force is computed with the original set-up, because it may depend on the original step.
		s.external = func(_ *Setup, at [3]float64) [3]float64 { return y.setup.externalAcceleration(at) }
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
	next.Prepare(runInOrder, true)
	return next.snapshot(c)
}

// snapshot returns the present state. It shares memory with the system.
func (y *System) snapshot(c *Costs) snapshot {
	return snapshot{at: y.coordinates(), velocity: y.Velocity[:y.Dim:y.Dim], weight: y.weights(c)}
}

// weights returns the seconds that each particle takes in an iteration.
func (y *System) weights(c *Costs) []float64 {
	w := make([]float64, y.Len())
	for i, n := range y.Neighbours {
		w[i] = c.Particle + float64(c.Interaction*float64(n))
	}
	return w
}

// applyExternal sets the accelerations to those of the external force. Without such a force it does nothing.
func (y *System) applyExternal() {
	if y.setup.external == nil {
		return
	}
	for i := range y.Len() {
		y.accelerate(int32(i), [3]float64{})
	}
}

// forecastSeconds returns the seconds that a processing element takes to move particles in a forecast. A step costs as
// much for each particle as an iteration without forces. Counting neighbours at the end is not included.
func (c *Costs) forecastSeconds(particles float64, steps int) float64 {
	return particles * c.Particle * float64(steps)
}
