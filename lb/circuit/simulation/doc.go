// Package simulation runs a balancing circuit on a grid of up to millions of elements.
//
// A [Grid] holds the graph of the elements, its circuit and the places where the loads start. A [Simulation] holds the
// loads and balances them round by round. It finds exactly the owners and moves of [circuit.Network], its
// specification, but is faster:
//
//   - It keeps packed loads sorted.
//   - It applies the rule of [circuit.Mobility] without a stored stencil.
//   - It orders the edges so that a part of the grid stays in the cache.
//
// The package starts no goroutine. A caller with several processors passes a [Loop]. The result does not depend on it.
package simulation
