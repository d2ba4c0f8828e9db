package circuit

import "math"

// A Lead holds the loads of two matched elements for [Focus.Few]. All sums of them must be
// exact, in any order. Balance takes a [Pair] instead, without that condition, and needs
// several times longer. Loads are at least 0.
type Lead struct {
	// From and To are the loads of the heavier element, which sends, and of the other,
	// pinned loads included.
	From, To float64
	// Signed holds the movable loads, each as the amount that its move to the other element
	// adds to the transfer: first the receiver's from the heaviest, as negative numbers, then the
	// sender's, from the lightest. The first Receiver are the receiver's.
	Signed   []float64
	Receiver int
	// Descending holds the same loads from the heaviest to the lightest, positive.
	Descending []float64
	// Grain is a power of two of which all loads are multiples, the pinned ones too.
	Grain float64
}

// Few plans the matching of two elements that are not Idle, as Balance would, where the
// first one or two loads that it tries come near enough: moves of the loads at[0] and
// at[1] in Signed. It is not ok where it has to look further, and Balance decides.
func (f *Focus) Few(l Lead) (moves int, at [2]int, ok bool) {
	lead := l.From - l.To
	// Below this number, and above half of it too, are all multiples of half a grain.
	above := l.Grain * (1 << 51)
	if !(l.From+l.To < above) {
		return 0, at, false
	}
	may := f.reachable * l.sortedGreedy()
	if lead <= may {
		return 0, at, true
	}
	amount, slack := f.share(l.From, l.To, may)
	tolerance := slack / amount
	if !(tolerance > 0) {
		return 0, at, false // Exchange has another rule for this
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

// nearest returns the one load that comes nearest to amount, or if it misses by more than
// slack the two that do; none where nothing need move.
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

// sortedGreedy returns the discrepancy that SortedGreedy would leave.
func (l Lead) sortedGreedy() float64 {
	// SortedGreedy begins with the pinned loads. They differ by the lead less all of Signed.
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

// nearest1 returns the sender's load nearest to target, of two the lighter. No load of the
// receiver is nearer than none at all.
func (l Lead) nearest1(target float64) int {
	from := l.Signed[l.Receiver:]
	lo := 0 // loads that are lighter than the target
	for n := len(from); n > 0; {
		half := (n + 1) / 2
		below := int(math.Float64bits(from[lo+half-1]-target) >> 63)
		lo += half & -below // without a branch: it would be a coin toss
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

// nearest2 returns the two loads whose transfer is nearest to target, of equal ones the
// first from the ends of Signed.
func (l Lead) nearest2(target float64) (bi, bj int) {
	s, miss := l.Signed, math.Inf(1)
	for i, j := 0, len(s)-1; i < j; {
		d := s[i] + s[j] - target
		if x := math.Abs(d); x < miss {
			bi, bj, miss = i, j, x
		}
		below := int(math.Float64bits(d) >> 63) // the next step without a branch
		i += below
		j -= 1 - below
	}
	return bi, bj
}
