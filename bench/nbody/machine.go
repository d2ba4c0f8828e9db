package nbody

import "math"

// Costs are the seconds that a processing element of the counted machine takes for
// each thing that it does. A force is computed from every neighbour, not for every pair.
type Costs struct {
	Interaction float64 // a neighbour's force
	Particle    float64 // a particle's own share: its place in the grid, its motion
	Migrate     float64 // a particle sent to, or received from, another element
	Cut         float64 // a particle in one of the log2(P) levels of a partition by RCB
	Latency     float64 // the messages of one balancing, however small
}

// PlainCosts are those of the sources' machines in order of magnitude.
//
// Interaction was measured here; a particle's own share counts as one interaction, as in
// the reference model (TestReferenceModel). Migrate is 56 bytes at 1.4 GB/s. Cut was
// measured by BenchmarkWorks. Latency is that of a partition by messages: log2(128) cuts one after the
// other, each found by some 14 halvings of an interval, each of which takes one exchange
// among all elements of some 10 microseconds.
var PlainCosts = Costs{Interaction: 3e-9, Particle: 3e-9, Migrate: 40e-9, Cut: 25e-9, Latency: 1e-3}

// times returns the costs with partitions and messages that take a factor longer.
func (c Costs) times(factor float64) Costs {
	c.Cut *= factor
	c.Latency *= factor
	return c
}

// balance returns the seconds of a balancing in which the busiest element sends or
// receives most particles. work is the partitioner's cost over RCB's.
func (c *Costs) balance(particles, pes int, work, most float64) float64 {
	share := float64(particles) / float64(pes)
	return c.Latency + float64(c.Cut*work*share*levels(pes)) + float64(c.Migrate*most)
}

// levels returns the number of levels of a recursion that makes a part for every element.
func levels(pes int) float64 { return math.Ceil(math.Log2(float64(max(2, pes)))) }
