package nbody

import "math"

// Costs are the times, in seconds, of the operations of a processing element. They replace measured times. A force is
// computed for every neighbour of a particle, and so twice for each pair.
type Costs struct {
	Interaction float64 // computing the force of one neighbour on a particle
	Particle    float64 // sorting one particle into the grid and moving it, without forces
	Migrate     float64 // sending one particle to another element, or receiving one
	Cut         float64 // handling one particle in one of the log2(PEs) levels of a partition by RCB
	Latency     float64 // the messages of one balancing, without the particles
}

// PlainCosts are the default costs. They have the order of magnitude of the costs of the papers' machines:
//
//   - Interaction was measured with this program.
//   - Particle is as much as one interaction, as in the reference model (TestReferenceModel).
//   - Migrate is the time for 56 bytes at 1.4 GB/s.
//   - Cut was measured by BenchmarkWorks.
//   - Latency is log2(128) = 7 levels of cuts, times 14 bisection steps to find a cut, times 10 microseconds for an
//     exchange among all elements.
var PlainCosts = Costs{Interaction: 3e-9, Particle: 3e-9, Migrate: 40e-9, Cut: 25e-9, Latency: 1e-3}

// scaleBalancing returns the costs with Cut and Latency multiplied by factor.
func (c Costs) scaleBalancing(factor float64) Costs {
	c.Cut *= factor
	c.Latency *= factor
	return c
}

// balancingSeconds returns the seconds of a balancing. work is the time of the partitioner divided by the time of RCB.
// most is the largest number of particles that an element sends or receives.
func (c *Costs) balancingSeconds(particles, pes int, work, most float64) float64 {
	share := float64(particles) / float64(pes)
	return c.Latency + float64(c.Cut*work*share*bisectionLevels(pes)) + float64(c.Migrate*most)
}

// bisectionLevels returns the depth of a recursive bisection into one part for every element.
func bisectionLevels(pes int) float64 { return math.Ceil(math.Log2(float64(max(2, pes)))) }
