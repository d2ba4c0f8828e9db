package nbody

import "math"

// Costs are the seconds that a processing element of the counted machine takes for each thing that it does. A force is
// computed for every neighbour of a particle, not once per pair.
type Costs struct {
	Interaction float64 // for the force of a neighbour
	Particle    float64 // for each particle, apart from forces: sorting it into the grid and moving it
	Migrate     float64 // for a particle sent to, or received from, another element
	Cut         float64 // for a particle in one of the log2(P) levels of a partition by RCB
	Latency     float64 // for the messages of one balancing, however small
}

// PlainCosts are the costs of the papers' machines in order of magnitude.
//
// Interaction was measured with this program. Particle costs as much as one interaction, as in the reference model
// (TestReferenceModel). Migrate is 56 bytes at 1.4 GB/s. Cut was measured by BenchmarkWorks. Latency is the time of the
// messages of one partition: log2(128) cuts one after the other, each found by some 14 halvings of an interval, each of
// which takes one exchange among all elements of some 10 microseconds.
var PlainCosts = Costs{Interaction: 3e-9, Particle: 3e-9, Migrate: 40e-9, Cut: 25e-9, Latency: 1e-3}

// times returns the costs if partitions and messages take factor times as long.
func (c Costs) times(factor float64) Costs {
	c.Cut *= factor
	c.Latency *= factor
	return c
}

// balance returns the seconds of a balancing in which an element sends or receives at most `most` particles. work is
// the partitioner's cost relative to RCB's.
func (c *Costs) balance(particles, pes int, work, most float64) float64 {
	share := float64(particles) / float64(pes)
	return c.Latency + float64(c.Cut*work*share*levels(pes)) + float64(c.Migrate*most)
}

// levels returns the number of levels of a recursion that makes a part for every element.
func levels(pes int) float64 { return math.Ceil(math.Log2(float64(max(2, pes)))) }
