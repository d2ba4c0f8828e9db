package circuit

import "math"

// A Lead holds the loads of two matched elements for [Focus.Few]. All sums of these loads must be exact, in any order.
// Loads are at least 0. [Focus.Balance] takes a [Pair] instead. It does not need exact sums, but takes several times
// longer.
type Lead struct {
	// From is the total of the heavier element, which sends. To is the total of the other, which receives. Both include
	// pinned loads, which never move.
	From, To float64
	// Signed holds the movable loads. The value of a load is the amount that its move to the other element adds to the
	// transfer. The first Receiver entries are the receiver's loads, as negative numbers, from the heaviest to the
	// lightest. The sender's loads follow, from the lightest to the heaviest.
	Signed   []float64
	Receiver int
	// Descending holds the same loads as positive numbers, from the heaviest to the lightest.
	Descending []float64
	// Grain is a power of two. All loads, including pinned ones, are multiples of it.
	Grain float64
}

// Few is a fast version of [Focus.Balance] for matchings in which one or two moves are enough. It must not be called if
// [Focus.Idle] returns true for the two totals. Balance first tries plans of at most two loads. If such a plan is near
// enough, Few returns it with ok = true. The loads that move are Signed[at[k]] for k from 0 to moves-1. If ok is false,
// the caller has to call Balance.
func (f *Focus) Few(l Lead) (moves int, at [2]int, ok bool) {
	lead := l.From - l.To
	// Every multiple of half a grain up to 2*above is a floating-point number. So the sum of loads is exact if it is less
	// than `above`.
	above := l.Grain * (1 << 51)
	if !(l.From+l.To < above) {
		return 0, at, false
	}
	may := f.allowedFraction * l.sortedGreedy()
	if lead <= may {
		return 0, at, true
	}
	amount, slack := f.share(l.From, l.To, may)
	tolerance := slack / amount
	if !(tolerance > 0) {
		return 0, at, false // without a tolerance, Exchange follows another rule
	}
	slack = tolerance * amount
	moves, at = l.nearest(amount, slack)
	sum := 0.0
	for _, k := range at[:moves] {
		sum += l.Signed[k]
	}
	switch {
	case math.Abs(amount-sum) > slack:
		return 0, at, false
	case moves == 2 && amount+above-above != amount:
		return 0, at, false // rounded sums could hide a better plan
	}
	if math.Abs((l.From-sum)-(l.To+sum)) > lead {
		moves = 0
	}
	return moves, at, true
}

// nearest returns the load whose transfer comes nearest to amount. If this transfer misses amount by more than slack,
// nearest returns the two loads whose joint transfer comes nearest. If amount is at most slack, it returns moves = 0.
func (l Lead) nearest(amount, slack float64) (moves int, at [2]int) {
	if amount <= slack {
		return 0, at
	}
	miss := amount
	if k := l.nearest1(amount); k < len(l.Signed) {
		moves, at[0], miss = 1, k, math.Abs(amount-l.Signed[k])
	}
	if miss > slack {
		if i, j := l.nearest2(amount); i < j {
			moves, at = 2, [2]int{i, j}
		}
	}
	return moves, at
}

// sortedGreedy returns the discrepancy that [SortedGreedy] would leave.
func (l Lead) sortedGreedy() float64 {
	// SortedGreedy starts with the difference of the pinned loads, which is the lead minus the sum of Signed.
	even, odd := l.From-l.To, 0.0
	k := 0
	for ; k+1 < len(l.Signed); k += 2 {
		even -= l.Signed[k]
		odd -= l.Signed[k+1]
	}
	if k < len(l.Signed) {
		even -= l.Signed[k]
	}
	lead := math.Abs(even + odd)
	for _, w := range l.Descending {
		lead = math.Abs(lead - w)
	}
	return lead
}

// nearest1 returns the index of the sender's load nearest to target, or len(Signed) if there is none. Of equally near
// loads it returns the lighter. It does not search the receiver's loads: moving nothing is nearer to target than moving
// one of them.
func (l Lead) nearest1(target float64) int {
	from := l.Signed[l.Receiver:]
	lo := 0 // number of loads known to be lighter than target
	for n := len(from); n > 0; {
		half := (n + 1) / 2
		below := int(math.Float64bits(from[lo+half-1]-target) >> 63)
		lo += half & -below // no branch, because the processor could not predict it
		n -= half
	}
	if lo == len(from) || lo > 0 && target-from[lo-1] <= from[lo]-target {
		lo--
	}
	if lo < 0 {
		return len(l.Signed)
	}
	return l.Receiver + lo
}

// nearest2 returns the indices of the two loads whose transfer is nearest to target. Of equally near pairs it returns
// the one that a search from both ends of Signed inwards finds first.
func (l Lead) nearest2(target float64) (bi, bj int) {
	s, miss := l.Signed, math.Inf(1)
	for i, j := 0, len(s)-1; i < j; {
		d := s[i] + s[j] - target
		if x := math.Abs(d); x < miss {
			bi, bj, miss = i, j, x
		}
		below := int(math.Float64bits(d) >> 63) // decides the next step without a branch
		i += below
		j -= 1 - below
	}
	return bi, bj
}
