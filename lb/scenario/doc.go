// Package scenario finds the best possible times to balance an iterative application, so that a criterion can be judged
// by its distance from them.
//
// An application has a fixed number of iterations. It may be balanced, at a cost, before each iteration except the
// first. The set of iterations before which it is balanced is its scenario. The first iteration starts balanced, free
// of charge. The cost of a scenario is the sum over all iterations of the time of the slowest processing element, plus
// the cost of every balancing.
//
// # Exactness
//
// Costs are float64 and are summed strictly in the order of execution: for each iteration first the cost of the
// balancing before it, if any, then its time. Rounded addition is monotone: a <= b implies a+c <= b+c after rounding.
// So of two histories that meet in the same state, the one with the smaller sum keeps the smaller sum, whatever
// follows.
//
// Dynamic programming and best-first search over such sums are therefore exact to the last bit: no scenario has a
// smaller float64 as its cost than the one that they return. Every product is rounded before it is added; there is no
// fused multiply-add.
//
// # Sources
//
// The problem, the synthetic applications and the search are those of Boulmier, Abdennadher and Chopard, "Optimal Load
// Balancing and Assessment of Existing Load Balancing Criteria", arXiv:2104.01688. Two misprints in that paper are
// corrected here:
//   - m(t) = (I(t)+1) mu(t).
//   - The cost of balancing of Table 2 is a hundred times the mean load of the first iteration.
package scenario
