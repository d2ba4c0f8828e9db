// Package simulation runs a balancing circuit on a grid of up to millions of
// elements.
//
// A [Grid] holds the graph of the elements, its circuit and where the loads
// start; a [Simulation] has the loads and balances them round by round. It comes
// to exactly the owners and moves of [circuit.Network], the specification, and is
// made for size: packed loads that stay sorted, the rule of [circuit.Mobility]
// without a stored stencil, an order of the edges that keeps a part of the grid in
// the cache.
//
// The package starts no goroutine. Whoever has several processors passes a [Loop]
// in; the result does not depend on it.
package simulation
