// Package partition divides points in the plane or in space among parts of equal weight, by geometry.
//
// There are seven methods, see [Methods]. [RCB], [RIB] and [HSFC] use only the positions of the points. [NoRCB],
// [Flow], [Spokes] and [Drift] also use their motion, so that the parts stay equal for longer. All but [HSFC] cut the
// set in two, then each side, until there are as many subsets as parts. If a set is for k parts, the left side of its
// cut gets k/2 of the parts, rounded down, and the same share of the weight. HSFC cuts the interval of keys of a
// Hilbert curve in the same way. So any number of parts is possible.
//
// # Balance
//
// Each cut gives every point a key, for example a coordinate. The points are ordered by their keys, and points with
// equal keys by index. The left side of the cut is the shortest prefix of this order whose weight is nearest to its
// share. So the weight of a side differs from its share by at most half of the largest weight of a point. A partition
// of n points into P parts takes O(n log P) time and O(n) memory.
//
// # Determinism
//
// A result depends on the points and the options alone, and not on the number of goroutines that [Options.For] uses.
// Sums are taken over chunks of fixed length, and the results of the chunks are added in order. The package itself
// starts no goroutine.
//
// # Sources
//
//   - RCB: Berger and Bokhari, IEEE Trans. Computers C-36, 1987.
//   - RIB: Simon, 1991, and Taylor and Nour-Omid, 1994.
//   - HSFC: Hilbert curves as in Zoltan.
//   - These three methods follow Zoltan's definitions (github.com/sandialabs/Zoltan, src/rcb and src/hsfc).
//   - NoRCB: Boulmier, Abdennadher and Chopard, "Towards informed partitioning for load balancing", arXiv:2108.11099,
//     Section 2.
//   - Flow is ours.
package partition
