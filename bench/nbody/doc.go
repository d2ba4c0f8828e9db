// Package nbody simulates particles that interact at short range, on processing elements that each own a region. It
// compares partitioners, which divide space, and criteria, which decide when to do so. The times of the processing
// elements are computed from counted interactions, see Costs. With Player.Timed they are measured.
//
// The particles are those of Boulmier, Abdennadher and Chopard: "Towards informed partitioning for load balancing"
// (arXiv:2108.11099, Section 4) in the plane, and "Optimal load balancing and assessment of existing load balancing
// criteria" (arXiv:2104.01688, Section 6.2) in space.
//
// The physics does not depend on who owns a particle. The positions of all particles determine the order in which the
// forces on a particle are summed. So a trajectory is the same to the last bit for any number of processing elements,
// any partitioner and any number of goroutines. One trajectory serves all runs that are compared: every iteration is
// computed once, and each run (a Player) computes how long it takes on its processing elements.
package nbody
