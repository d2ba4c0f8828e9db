// Package circuit balances indivisible, real-valued loads between processing elements that talk to one neighbour at a
// time.
//
// The elements are the vertices of a communication graph. Its edges are coloured: each colour is a matching, a set of
// edges without common ends. A round visits the colours in order, and the two ends of every visited edge divide their
// loads anew. This is the balancing circuit of Demirel and Sbalzarini ("Balancing indivisible real-valued loads in
// arbitrary networks"), called "the paper" in this package.
//
// The package is pure: loads go in, plans come out. It starts no goroutine, measures no time and draws no random
// number. All methods are deterministic; ties are broken by position.
//
// # Terms
//
//   - Loads are float64, finite and not negative, all in one unit of the caller's choice.
//   - The two elements of a matched edge are 0 and 1, also called u and v. The problem of dividing their loads is
//     called a matching too.
//   - A pinned load never moves. It enters a [Pair] only through the sum Fixed.
//   - The discrepancy is the heaviest element's total minus the lightest element's total.
//   - Moves are the loads whose element changes. A swap is two moves.
//
// # Files
//
//   - pair.go has the problem of one matching.
//   - greedy.go, gradient.go and hybrid.go have the paper's methods.
//   - differencing.go, refine.go and exchange.go have methods that do better.
//   - focus.go has a method for networks whose elements know only their neighbours. Package shadow has one for networks
//     whose elements know all loads.
//   - graph.go, graphs.go, grid.go and colour.go have the communication graphs and their circuits.
//   - random.go has random matchings, with which circuits are compared.
//   - mobility.go has the rule that keeps the graph as it is.
//   - network.go has a sequential simulator, which is the specification of package simulation.
//   - flow.go has diffusion, and the planned flow for imbalances that are smooth in space.
//   - metrics.go has the measures.
package circuit
