// Package circuit balances indivisible, real-valued loads between processing
// elements that talk to one neighbour at a time.
//
// The elements are the vertices of a communication graph. Its edges are
// coloured, so that each colour is a matching; a round visits the colours in
// order, and the two ends of every visited edge share their loads out afresh.
// That is the balancing circuit of Demirel and Sbalzarini ("Balancing
// indivisible real-valued loads in arbitrary networks"), called "the paper"
// in this package.
//
// The package is pure: loads in, plans out. It starts no goroutine, measures
// no time and draws no random number. All methods are deterministic; ties are
// broken by position.
//
// Conventions. Loads are float64, finite and not negative, all in one unit of
// the caller's choice. The two elements of a matching are 0 and 1, also called
// u and v. A pinned load never moves: it enters a [Pair] only through the sum
// Fixed. The discrepancy is the heaviest element's total minus the lightest's.
// Moves count the loads whose element changes; a swap is two moves.
//
// What is where: pair.go holds the problem of one matching; greedy.go,
// gradient.go and hybrid.go the paper's methods; differencing.go, refine.go
// and exchange.go methods that do better, focus.go one for networks whose elements know
// their neighbours, package shadow one for networks whose elements know all; graph.go,
// graphs.go, grid.go and colour.go the communication graphs and their circuits;
// random.go what circuits are compared with; mobility.go the rule that keeps the
// graph as it is; network.go a sequential simulator that is the specification
// of package simulation; flow.go diffusion, and the planned flow for imbalances that are smooth
// in space; metrics.go the measures.
package circuit
