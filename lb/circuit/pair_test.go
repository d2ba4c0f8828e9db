package circuit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// dyadic is the smallest random load above 0. It is a power of two, so that sums are exact and the tests compare with
// tolerance 0.
const dyadic = 1.0 / 1024

func drawPair(t *rapid.T) Pair {
	n := rapid.IntRange(0, 24).Draw(t, "n")
	p := Pair{Load: make([]float64, n), Side: make([]uint8, n)}
	for i := range n {
		p.Load[i] = float64(rapid.IntRange(0, 1024).Draw(t, "load")) * dyadic
		p.Side[i] = uint8(rapid.IntRange(0, 1).Draw(t, "side"))
	}
	slices.Sort(p.Side)
	if rapid.Bool().Draw(t, "pinned") {
		for i := range p.Fixed {
			p.Fixed[i] = float64(rapid.IntRange(0, 4096).Draw(t, "fixed")) * dyadic
		}
	}
	return p
}

var allMethods = map[string]Method{
	"greedy": Greedy{}, "sorted": SortedGreedy{}, "printed": Gradient{}, "improving": Gradient{Rule: Improving},
	"under": Gradient{Rule: Under}, "differencing": Differencing{}, "refine": Refine{}, "refine3": Refine{Steps: 3},
	"exchange1": Exchange{MaxLoads: 1}, "exchange2": Exchange{MaxLoads: 2}, "exchange3": Exchange{MaxLoads: 3},
	"exchange": Exchange{}, "tolerant": Exchange{Tolerance: 0.2},
}

// neverWorse are the methods that promise not to increase the discrepancy.
var neverWorse = []string{"improving", "under", "refine", "refine3", "exchange1", "exchange2", "exchange3", "exchange", "tolerant"}

func TestEveryPlanKeepsLoadsAndPins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		name := rapid.SampledFrom(slices.Sorted(mapKeys(allMethods))).Draw(t, "method")
		before, load, sides := p.Totals(), slices.Clone(p.Load), slices.Clone(p.Side)
		lead := p.Discrepancy()
		allMethods[name].Balance(p, nil)
		after := p.Totals()
		if after[0]+after[1] != before[0]+before[1] || !slices.Equal(load, p.Load) {
			t.Fatalf("%s: loads %v became %v", name, before, after)
		}
		if after[0] < p.Fixed[0] || after[1] < p.Fixed[1] {
			t.Fatalf("%s moved pinned loads: %v of %v", name, after, p.Fixed)
		}
		if slices.Contains(neverWorse, name) && p.Discrepancy() > lead {
			t.Fatalf("%s: discrepancy %v became %v", name, lead, p.Discrepancy())
		}
		again := Pair{Load: load, Side: sides, Fixed: p.Fixed}
		allMethods[name].Balance(again, new(Workspace))
		if !slices.Equal(again.Side, p.Side) {
			t.Fatalf("%s: two runs, two plans", name)
		}
	})
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestSortedGreedyBound checks Lemma 4 of the paper: the total of each element differs from the mean by at most half
// the heaviest load, so the discrepancy is at most the heaviest load.
func TestSortedGreedyBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		p.Fixed = [2]float64{}
		heaviest := 0.0
		for _, w := range p.Load {
			heaviest = max(heaviest, w)
		}
		for _, m := range []Method{SortedGreedy{}, Greedy{}, Differencing{}} {
			if m.Balance(p, nil); p.Discrepancy() > heaviest {
				t.Fatalf("%T: discrepancy %v, heaviest load %v", m, p.Discrepancy(), heaviest)
			}
		}
	})
}

// TestOrderOfStorageDoesNotMatter checks that only Greedy depends on the order in which loads are stored.
func TestOrderOfStorageDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPair(t)
		order := rapid.Permutation(indices(len(p.Load))).Draw(t, "order")
		q := Pair{Fixed: p.Fixed}
		for _, i := range order {
			q.Load, q.Side = append(q.Load, p.Load[i]), append(q.Side, p.Side[i])
		}
		for _, name := range []string{"sorted", "printed", "improving", "under"} {
			a, b := clonePair(p), clonePair(q)
			allMethods[name].Balance(a, nil)
			allMethods[name].Balance(b, nil)
			if a.Discrepancy() != b.Discrepancy() {
				t.Fatalf("%s: %v in one order, %v in another", name, a.Discrepancy(), b.Discrepancy())
			}
		}
	})
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func clonePair(p Pair) Pair {
	return Pair{Load: p.Load, Side: slices.Clone(p.Side), Fixed: p.Fixed}
}

func TestKnownPlans(t *testing.T) {
	for _, c := range []struct {
		name string
		m    Method
		p    Pair
		want []uint8
	}{
		{"greedy", Greedy{}, Pair{Load: []float64{1, 5, 2, 4}, Side: []uint8{0, 0, 1, 1}}, []uint8{0, 1, 0, 0}},
		{"sorted greedy", SortedGreedy{}, Pair{Load: []float64{1, 5, 2, 4}, Side: []uint8{0, 0, 1, 1}}, []uint8{0, 0, 1, 1}},
		{"printed overshoots", Gradient{}, Pair{Load: []float64{7, 1}, Side: []uint8{0, 0}, Fixed: [2]float64{0, 4}}, []uint8{1, 0}},
		{"improving does not", Gradient{Rule: Improving}, Pair{Load: []float64{7, 1}, Side: []uint8{0, 0}, Fixed: [2]float64{0, 4}}, []uint8{0, 1}},
		{"under", Gradient{Rule: Under}, Pair{Load: []float64{5, 3, 1}, Side: []uint8{0, 0, 0}}, []uint8{0, 1, 1}},
		{"swap", Refine{}, Pair{Load: []float64{5, 3}, Side: []uint8{0, 1}, Fixed: [2]float64{2, 0}}, []uint8{1, 0}},
		// From 8 7 6 5 4 the differences are 1 and 1, and then 4-1 and 3-1, so the method reaches 2.
		{"differencing", Differencing{}, Pair{Load: []float64{8, 7, 6, 5, 4}, Side: []uint8{0, 0, 0, 1, 1}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.m.Balance(c.p, nil)
			if c.want == nil {
				if c.p.Discrepancy() != 2 {
					t.Fatalf("discrepancy %v, want 2", c.p.Discrepancy())
				}
			} else if !slices.Equal(c.p.Side, c.want) {
				t.Fatalf("plan %v, want %v", c.p.Side, c.want)
			}
		})
	}
}

// TestExchangeFindsTheBestFit compares the exchange of up to four loads with all possible exchanges, for few loads.
func TestExchangeFindsTheBestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "n")
		p := Pair{Load: make([]float64, n), Side: make([]uint8, n), Fixed: [2]float64{float64(rapid.IntRange(2048, 4096).Draw(t, "fixed")) * dyadic, 0}}
		for i := range n {
			p.Load[i] = float64(rapid.IntRange(1, 1024).Draw(t, "load")) * dyadic
			p.Side[i] = uint8(rapid.IntRange(0, 1).Draw(t, "side"))
		}
		ws := new(Workspace)
		target := float64(rapid.IntRange(1, 2048).Draw(t, "target")) * dyadic
		signed := ws.sign(p, ws.descending(p.Load), 0)
		for k := 1; k <= n; k++ {
			best := math.Inf(1)
			for set := range 1 << n {
				sum, count := 0.0, 0
				for i := range n {
					if set>>i&1 == 1 {
						sum, count = sum+signed[i].value, count+1
					}
				}
				if count == k {
					best = min(best, math.Abs(target-sum))
				}
			}
			if f := ws.nearest(signed, k, target); math.Abs(target-f.sum) != best {
				t.Fatalf("%d of %v: misses %v by %v, the best by %v", k, signed, target, target-f.sum, best)
			}
		}
	})
}

func TestTransfer(t *testing.T) {
	p := Pair{Load: []float64{5, 4, 2, 1}, Side: []uint8{0, 0, 0, 1}}
	if got := (Exchange{}).Transfer(p, 0, 6, 0, nil); got != 6 {
		t.Fatalf("transferred %v of 6", got)
	}
	if got := (Exchange{}).Transfer(p, 0, -1, 0, nil); got != 0 {
		t.Fatalf("transferred %v of -1", got)
	}
}

func BenchmarkMethods(b *testing.B) {
	for _, name := range slices.Sorted(mapKeys(allMethods)) {
		b.Run("loads=60/method="+name, func(b *testing.B) {
			p := Pair{Load: make([]float64, 60), Side: make([]uint8, 60)}
			for i := range p.Load {
				p.Load[i] = float64(hash64(uint64(i))>>11) / (1 << 53)
				p.Side[i] = uint8(i / 30)
			}
			slices.Sort(p.Load)
			slices.Reverse(p.Load)
			start, ws := slices.Clone(p.Side), new(Workspace)
			limit := p.Load[0] * 4
			for b.Loop() {
				copy(p.Side, start)
				allMethods[name].Balance(p, ws)
			}
			if p.Discrepancy() > limit {
				b.Fatalf("discrepancy %v", p.Discrepancy())
			}
		})
	}
}
