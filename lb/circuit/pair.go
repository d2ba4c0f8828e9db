package circuit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Pair is the problem of one matching: the two elements of an edge divide their loads, so each movable load is
// assigned to one of the two.
type Pair struct {
	// Load holds the movable loads of both elements, in any order.
	Load []float64
	// Side holds, for each load, its element: 0 or 1. A Method overwrites it with its plan.
	Side []uint8
	// Fixed holds, for each element, the sum of its pinned loads, which never move.
	Fixed [2]float64
}

// A Method plans one matching.
type Method interface {
	// Balance overwrites p.Side with the method's plan. It panics if p.Load and p.Side differ in length. ws may be nil.
	// To avoid allocations, a caller with many matchings keeps one Workspace per goroutine.
	Balance(p Pair, ws *Workspace)
}

// Totals returns the sum of the loads of each element, including pinned loads.
func (p Pair) Totals() [2]float64 {
	u, v := p.Fixed[0], p.Fixed[1]
	side := p.Side[:len(p.Load)]
	for i, w := range p.Load {
		// A branch on the element of a load would often be mispredicted. So the loop adds a number to both sums for
		// every load: the load to the sum of its element, and 0 to the sum of the other.
		onV := -uint64(side[i])
		u += math.Float64frombits(math.Float64bits(w) &^ onV)
		v += math.Float64frombits(math.Float64bits(w) & onV)
	}
	return [2]float64{u, v}
}

// Discrepancy returns the absolute difference of the two elements' totals.
func (p Pair) Discrepancy() float64 {
	t := p.Totals()
	if t[0] > t[1] {
		return t[0] - t[1]
	}
	return t[1] - t[0]
}

// heavier returns the element with the larger total, and its lead over the other. If the totals are equal it returns
// element 1, as Algorithm 2.3 of Demirel and Sbalzarini does.
func (p Pair) heavier() (side uint8, dif float64) {
	t := p.Totals()
	if t[0] > t[1] {
		return 0, t[0] - t[1]
	}
	return 1, t[1] - t[0]
}

func (p Pair) check() {
	if len(p.Load) != len(p.Side) {
		panic(fmt.Sprintf("circuit: %d loads but %d sides", len(p.Load), len(p.Side)))
	}
}

// A Workspace is scratch memory of methods, reused from one matching to the next. The zero value is ready to use. Two
// goroutines must not use it at once.
type Workspace struct {
	order  []int32
	ascent []int32 // 0, 1, 2 and so on
	heap   []node
	parent []int32
	signed []signedLoad
	pairs  []pairSum
	marks  []bool
	before []uint8
	undo   []uint8
	best   []uint8
}

// descending returns the indices of load from the heaviest to the lightest, and equal loads in storage order. The
// caller must not change the result. It costs O(n) if load is in descending order, otherwise O(n log n).
func (ws *Workspace) descending(load []float64) []int32 {
	if isDescending(load) {
		for i := len(ws.ascent); i < len(load); i++ {
			ws.ascent = append(ws.ascent, int32(i))
		}
		return ws.ascent[:len(load)]
	}
	order := ws.identity(len(load))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(load[b], load[a]) })
	return order
}

func isDescending(load []float64) bool {
	for i := 1; i < len(load); i++ {
		if load[i] > load[i-1] {
			return false
		}
	}
	return true
}

func (ws *Workspace) identity(n int) []int32 {
	if cap(ws.order) < n {
		ws.order = make([]int32, n, n+n/2)
	}
	ws.order = ws.order[:n]
	for i := range ws.order {
		ws.order[i] = int32(i)
	}
	return ws.order
}

func orNew(ws *Workspace) *Workspace {
	if ws == nil {
		return new(Workspace)
	}
	return ws
}

// grown returns a slice of length n with undefined contents, in the memory of s if that is large enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
