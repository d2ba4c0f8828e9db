package circuit

import (
	"cmp"
	"math"
	"slices"
)

// maxFit is the largest number of loads that are chosen together. Four loads are two pairs, so a search over sums of
// pairs finds them in O(n^2 log n).
const maxFit = 4

// fitLoads limits the number of loads in the quadratic searches. Otherwise a matching of thousands of loads would be
// expensive. The largest matching of Demirel and Sbalzarini has this many loads.
const fitLoads = 200

// A signedLoad is a load with a signed value. value is the amount that a move of the load adds to the transfer from the
// sender to the receiver. It is positive if the load is on the sender, and negative if it is on the receiver.
type signedLoad struct {
	value float64
	load  int32 // index into Pair.Load
}

// A fit is a set of loads that are moved together, each to the other element of the pair.
type fit struct {
	sum float64 // sum of the signed loads
	n   int
	at  [maxFit]int32 // indices into Pair.Load
}

type pairSum struct {
	sum  float64
	i, j int32 // indices into Pair.Load
}

// sign gives each load a sign, positive on the sender and negative on the receiver, and returns the loads in ascending
// order. The argument order holds the indices of p.Load from the heaviest load to the lightest.
func (ws *Workspace) sign(p Pair, order []int32, sender uint8) []signedLoad {
	signed := grown(ws.signed, len(order))
	// The receiver's loads fill the slice from the front, and the sender's loads fill it from the back, both from the
	// heaviest load on. A branch on the side of a load would often be mispredicted, so the loop has none.
	front, back := 0, len(order)-1
	for _, i := range order {
		stays := int(p.Side[i]^sender) & 1
		value := math.Float64frombits(math.Float64bits(p.Load[i]) ^ uint64(stays)<<63)
		signed[back+(front-back)*stays] = signedLoad{value, i}
		front += stays
		back -= 1 - stays
	}
	ws.signed = signed
	return signed
}

// nearest1 returns the load whose transfer is nearest to target, in O(log n).
func nearest1(s []signedLoad, target float64) fit {
	k, _ := slices.BinarySearchFunc(s, target, func(a signedLoad, t float64) int { return cmp.Compare(a.value, t) })
	if k == len(s) || k > 0 && target-s[k-1].value <= s[k].value-target {
		k--
	}
	return fit{sum: s[k].value, n: 1, at: [maxFit]int32{s[k].load}}
}

// nearest2 returns the two loads whose transfer together is nearest to target, in O(n). It chooses them from s[lo:].
func nearest2(s []signedLoad, lo int, target float64) fit {
	bi, bj, miss := -1, -1, math.Inf(1)
	for i, j := lo, len(s)-1; i < j; {
		d := s[i].value + s[j].value - target
		if x := math.Abs(d); x < miss {
			bi, bj, miss = i, j, x
		}
		below := int(math.Float64bits(d) >> 63) // decides the next step without a branch
		i += below
		j -= 1 - below
	}
	if bi < 0 {
		return fit{sum: math.Inf(1)}
	}
	return fit{sum: s[bi].value + s[bj].value, n: 2, at: [maxFit]int32{s[bi].load, s[bj].load}}
}

// nearest3 returns the three loads whose transfer is nearest to target, in O(n^2).
func nearest3(s []signedLoad, target float64) fit {
	best := fit{sum: math.Inf(1)}
	miss := math.Inf(1)
	for k := range s {
		f := nearest2(s, k+1, target-s[k].value)
		if d := math.Abs(f.sum - (target - s[k].value)); d < miss {
			miss = d
			best = fit{sum: f.sum + s[k].value, n: 3, at: [maxFit]int32{s[k].load, f.at[0], f.at[1]}}
		}
	}
	return best
}

// nearest4 returns four loads whose transfer is near target, in O(n^2 log n). It combines sums of two loads, and skips
// combinations in which a load occurs twice. So it may miss the best four loads.
func (ws *Workspace) nearest4(s []signedLoad, target float64) fit {
	pairs := grown(ws.pairs, len(s)*(len(s)-1)/2)[:0]
	for i := range s {
		for j := i + 1; j < len(s); j++ {
			pairs = append(pairs, pairSum{s[i].value + s[j].value, s[i].load, s[j].load})
		}
	}
	ws.pairs = pairs
	slices.SortFunc(pairs, func(a, b pairSum) int {
		return cmp.Or(cmp.Compare(a.sum, b.sum), cmp.Compare(a.i, b.i), cmp.Compare(a.j, b.j))
	})
	best := fit{sum: math.Inf(1)}
	miss := math.Inf(1)
	for a, b := 0, len(pairs)-1; a < b; {
		x, y := pairs[a], pairs[b]
		sum := x.sum + y.sum
		d := sum - target
		if math.Abs(d) < miss && x.i != y.i && x.i != y.j && x.j != y.i && x.j != y.j {
			miss = math.Abs(d)
			best = fit{sum: sum, n: 4, at: [maxFit]int32{x.i, x.j, y.i, y.j}}
		}
		if d < 0 {
			a++
		} else {
			b--
		}
	}
	return best
}

// evenSample returns fitLoads of the loads in s, evenly spaced by rank and in ascending order.
func evenSample(s []signedLoad) []signedLoad {
	out := make([]signedLoad, fitLoads)
	for k := range out {
		out[k] = s[k*(len(s)-1)/(fitLoads-1)]
	}
	return out
}
