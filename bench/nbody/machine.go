package nbody

import "math"

// Costs are the seconds that a processing element of the counted machine takes for
// each thing that it does. A force is computed from every neighbour, not for every pair.
type Costs struct {
	Interaction float64 // a neighbour's force
	Particle    float64 // a particle's own share: its place in the grid, its motion
	Migrate     float64 // a particle sent to, or received from, another element
	Cut         float64 // a particle in one of the log2(P) levels of a partition by RCB
	Latency     float64 // one balancing, however small
}

// PlainCosts are those of the sources' machines in order of magnitude: 3 ns for an
// interaction, as measured here; a particle counts as one interaction, as in the
// reference model (FACTS.md, D5); 56 bytes a particle at 1.4 GB/s; partitioning as
// measured by BenchmarkPartition; 10 microseconds for a collective exchange.
var PlainCosts = Costs{Interaction: 3e-9, Particle: 3e-9, Migrate: 40e-9, Cut: 15e-9, Latency: 10e-6}

// balance returns the seconds of a balancing in which the busiest element sends or
// receives most particles. work is the partitioner's cost over RCB's.
func (c *Costs) balance(particles, pes int, work, most float64) float64 {
	share := float64(particles) / float64(pes)
	levels := math.Ceil(math.Log2(float64(max(2, pes))))
	return c.Latency + float64(c.Cut*work*share*levels) + float64(c.Migrate*most)
}
