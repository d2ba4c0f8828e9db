package circuit

import "math"

// Refine is Gradient with the rule Under, followed by up to Steps steps. Each step is the single move or swap that
// lessens the discrepancy most. Refine never increases the discrepancy. For n loads it costs O(n log n + Steps n): the
// loads of both elements are sorted, so two indices that move towards each other find the best swap in one pass.
type Refine struct {
	Steps int // the default is 1
}

// Balance implements [Method].
func (r Refine) Balance(p Pair, ws *Workspace) {
	ws = orNew(ws)
	Gradient{Rule: Under}.Balance(p, ws)
	order := ws.descending(p.Load)
	steps := r.Steps
	if steps == 0 {
		steps = 1
	}
	for ; steps > 0; steps-- {
		if !improve(p, order, ws) {
			return
		}
	}
}

// improve makes the single move or swap that lessens the discrepancy most. It returns false if none does.
func improve(p Pair, order []int32, ws *Workspace) bool {
	heavy, dif := p.heavier()
	target := dif / 2
	signed := ws.sign(p, order, heavy)
	best := fit{n: 0, sum: 0}
	miss := math.Abs(target)
	first := firstPositive(signed)
	for i := first; i < len(signed); i++ {
		if d := math.Abs(target - signed[i].value); d < miss {
			miss, best = d, fit{n: 1, sum: signed[i].value, at: [maxFit]int32{signed[i].load}}
		}
	}
	// signed is in ascending order. The receiver's loads come first, as negative values. For each receiver's load
	// signed[i] there is a sender's load signed[j] that is best swapped for it. The smaller signed[i] is, the larger is
	// this signed[j].
	for i, j := 0, len(signed)-1; i < first && j >= first; {
		sum := signed[i].value + signed[j].value
		if d := math.Abs(target - sum); d < miss {
			miss, best = d, fit{n: 2, sum: sum, at: [maxFit]int32{signed[i].load, signed[j].load}}
		}
		if sum < target {
			i++
		} else {
			j--
		}
	}
	flip(p, best)
	return best.n > 0
}

func firstPositive(signed []signedLoad) int {
	i := 0
	for i < len(signed) && signed[i].value <= 0 {
		i++
	}
	return i
}

func flip(p Pair, f fit) {
	for _, i := range f.at[:f.n] {
		p.Side[i] = 1 - p.Side[i]
	}
}
