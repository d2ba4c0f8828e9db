package circuit

import "fmt"

// Bins is the problem of sharing loads out among n elements at once, the
// n-bin form of [Pair].
type Bins struct {
	Load  []float64 // movable loads, in storage order
	Bin   []int32   // element of each load, 0 to len(Fixed)-1; a plan overwrites it
	Fixed []float64 // sum of the pinned loads of each element
}

// Totals returns the load of each element.
func (b Bins) Totals() []float64 {
	t := append([]float64(nil), b.Fixed...)
	for i, w := range b.Load {
		t[b.Bin[i]] += w
	}
	return t
}

// BalanceBins plans a problem of n elements with a method. Greedy and
// SortedGreedy are the paper's n-bin algorithms: each load goes to the element
// that is lightest so far, the first of equals, at a cost of O(log n) a load.
// The paper has no n-bin form of the other methods; they are applied to the
// heaviest and the lightest element, again and again, until that changes
// nothing or n steps are done. It panics when the slices do not fit together.
func BalanceBins(m Method, b Bins, ws *Workspace) {
	if len(b.Load) != len(b.Bin) {
		panic(fmt.Sprintf("circuit: %d loads but %d bins", len(b.Load), len(b.Bin)))
	}
	if len(b.Fixed) < 2 {
		return
	}
	ws = orNew(ws)
	switch m.(type) {
	case Greedy:
		fillLightest(b, ws.identity(len(b.Load)))
	case SortedGreedy:
		fillLightest(b, ws.descending(b.Load))
	default:
		for range b.Fixed {
			if !balanceExtremes(m, b, ws) {
				return
			}
		}
	}
}

// fillLightest gives the loads in the given order to the lightest bin.
func fillLightest(b Bins, order []int32) {
	// The root of the heap is the lightest bin, so node.value is negated.
	bins := make([]node, len(b.Fixed))
	for i, w := range b.Fixed {
		bins[i] = node{-w, int32(i)}
	}
	for i := len(bins)/2 - 1; i >= 0; i-- {
		siftDown(bins, i)
	}
	for _, i := range order {
		b.Bin[i] = bins[0].id
		bins[0].value -= b.Load[i]
		siftDown(bins, 0)
	}
}

// balanceExtremes applies m to the heaviest and the lightest bin and tells
// whether a load moved.
func balanceExtremes(m Method, b Bins, ws *Workspace) bool {
	t := b.Totals()
	heavy, light := 0, 0
	for i := range t {
		if t[i] > t[heavy] {
			heavy = i
		}
		if t[i] < t[light] {
			light = i
		}
	}
	if heavy == light {
		return false
	}
	p := Pair{Fixed: [2]float64{b.Fixed[heavy], b.Fixed[light]}}
	var index []int
	for i, bin := range b.Bin {
		if int(bin) == heavy || int(bin) == light {
			side := uint8(0)
			if int(bin) == light {
				side = 1
			}
			p.Load, p.Side = append(p.Load, b.Load[i]), append(p.Side, side)
			index = append(index, i)
		}
	}
	m.Balance(p, ws)
	ends, moved := [2]int32{int32(heavy), int32(light)}, false
	for k, i := range index {
		if to := ends[p.Side[k]]; b.Bin[i] != to {
			b.Bin[i], moved = to, true
		}
	}
	return moved
}
