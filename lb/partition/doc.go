// Package partition divides points in the plane or in space among parts of equal
// weight, by geometry.
//
// Seven methods do it, see [Methods]. [RCB], [RIB] and [HSFC] look at where the
// points are; [NoRCB], [Flow], [Spokes] and [Drift] also at how they move, so that
// the parts stay equal for longer. All but [HSFC] cut the set in two, and then each half, until there are
// as many subsets as parts; a cut between k parts gives k/2 of them, rounded
// down, to its left side and that share of the weight. HSFC cuts the interval of
// keys of a Hilbert curve in the same way. So the number of parts is free.
//
// # Balance
//
// The left side of a cut is the shortest prefix of the points, in the order of
// the cut's key and then of their index, whose weight is nearest to its share.
// The weight of a side differs from its share by at most half of the largest
// weight of a point. Selection takes linear time; a partition of n points into
// P parts takes O(n log P) time and O(n) memory.
//
// # Determinism
//
// A result depends on the points and the options alone. Sums are taken over
// chunks of fixed length, whose results are added in order, so that it does not
// depend on how many goroutines [Options.For] uses. The package starts none.
//
// # Sources
//
// RCB: Berger and Bokhari, IEEE Trans. Computers C-36, 1987. RIB: Simon, 1991,
// and Taylor and Nour-Omid, 1994. HSFC: Hilbert curves as in Zoltan, whose
// definitions of the three are followed (github.com/sandialabs/Zoltan, src/rcb
// and src/hsfc). NoRCB: Boulmier, Abdennadher and Chopard, "Towards informed
// partitioning for load balancing", arXiv:2108.11099, Section 2. Flow is ours.
package partition
