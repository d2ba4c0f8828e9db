package shadow

import (
	"slices"
	"testing"

	"lockstep/lb/circuit"
	"pgregory.net/rapid"
)

// path5 holds the edges of a path of five elements, in two matchings.
var path5 = []circuit.Edge{{U: 0, V: 1}, {U: 2, V: 3}, {U: 1, V: 2}, {U: 3, V: 4}}

func TestWaysFollowTheRound(t *testing.T) {
	w := pathsOf(5, path5)
	for _, c := range []struct {
		u, v int32
		way  []int32
	}{
		{0, 0, nil}, {0, 1, []int32{0}}, {0, 2, []int32{0, 2}}, {3, 1, []int32{1, 2}}, {2, 4, []int32{1, 3}}, {1, 2, []int32{2}},
	} {
		if got := w.path(c.u, c.v); !slices.Equal(got, c.way) || w.hops(c.u, c.v) != int32(len(c.way)) {
			t.Errorf("from %d to %d: %v, %d hops; want %v", c.u, c.v, got, w.hops(c.u, c.v), c.way)
		}
	}
	for _, c := range [][2]int32{{0, 3}, {2, 0}, {1, 3}, {4, 2}} { // no path: the edges come in the wrong order
		if w.hops(c[0], c[1]) < noPath || w.path(c[0], c[1]) != nil {
			t.Errorf("a way from %d to %d: %v", c[0], c[1], w.path(c[0], c[1]))
		}
	}
}

// TestWaysAreShortest checks that the paths are shortest among all paths that follow the order of the round's edges.
// The test tries all such paths.
func TestWaysAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "elements")
		var edges []circuit.Edge
		for range rapid.IntRange(1, 9).Draw(t, "edges") {
			u, v := int32(rapid.IntRange(0, n-1).Draw(t, "u")), int32(rapid.IntRange(0, n-1).Draw(t, "v"))
			if u < v {
				edges = append(edges, circuit.Edge{U: u, V: v})
			}
		}
		w := pathsOf(n, edges)
		for u := range int32(n) {
			least := slices.Repeat([]int32{noPath}, n)
			var visit func(at int32, next int, hops int32)
			visit = func(at int32, next int, hops int32) {
				least[at] = min(least[at], hops)
				for k := next; k < len(edges); k++ {
					if e := edges[k]; e.U == at || e.V == at {
						visit(e.U+e.V-at, k+1, hops+1)
					}
				}
			}
			visit(u, 0, 0)
			for v := range int32(n) {
				if w.hops(u, v) != least[v] {
					t.Fatalf("%v: from %d to %d %d hops, want %d", edges, u, v, w.hops(u, v), least[v])
				}
			}
		}
	})
}

// pathsOf returns the paths of a small network. It panics if the network is too large.
func pathsOf(elements int, edges []circuit.Edge) *paths {
	w, err := newPaths(elements, edges)
	if err != nil {
		panic(err)
	}
	return w
}

func planned(edges []circuit.Edge, elements int, load []float64, owner []int32, low, high float64) (*plan, bool) {
	p := newPlan(pathsOf(elements, edges), load, owner, low, high)
	return p, p.run(nil)
}

// The plans with the fewest moves were found by hand.
func TestKnownPlans(t *testing.T) {
	pair := path5[:1]
	for _, c := range []struct {
		name      string
		edges     []circuit.Edge
		elements  int
		load      []float64
		owner     []int32
		low, high float64
		at        []int32
		moves     int
	}{
		{"one move", pair, 2, []float64{5, 3, 2}, []int32{0, 0, 0}, 5, 5, []int32{1, 0, 0}, 1},
		{"a swap", pair, 2, []float64{5, 4, 3, 3}, []int32{0, 0, 1, 1}, 7, 8, []int32{0, 1, 0, 1}, 2},
		{"for the one that lacks", pair, 2, []float64{4, 4, 3}, []int32{0, 0, 1}, 4, 7, []int32{1, 0, 1}, 1},
		{"two hops", path5, 5, []float64{4, 4, 4, 4, 4, 4}, []int32{0, 0, 1, 3, 4, 4}, 4, 8, []int32{1, 0, 2, 3, 4, 4}, 2},
		{"handed on", path5, 5, []float64{4, 4, 3, 4, 4}, []int32{0, 0, 1, 2, 3}, 3, 4, []int32{0, 1, 2, 3, 4}, 4},
		{"already there", path5, 5, []float64{1, 1, 1, 1, 1}, []int32{0, 1, 2, 3, 4}, 1, 1, []int32{0, 1, 2, 3, 4}, 0},
	} {
		p, within := planned(c.edges, c.elements, c.load, c.owner, c.low, c.high)
		if !within || p.moves != c.moves {
			t.Errorf("%s: within %v, %d moves, %v; want %d, %v", c.name, within, p.moves, p.element, c.moves, c.at)
		}
	}
	if p, within := planned(pair, 2, []float64{3, 1}, []int32{0, 1}, 2, 2); within {
		t.Errorf("3 and 1 came to 2: %v", p.element)
	}
}

// TestDealtAnew checks that if no move, swap or relay improves a pair, its loads are divided anew: totals of 42 and
// 47 become 44 and 45.
func TestDealtAnew(t *testing.T) {
	p, within := planned(path5[:1], 2, []float64{23, 19, 14, 13, 12, 8}, []int32{0, 0, 1, 1, 1, 1}, 44, 45)
	if !within {
		t.Errorf("totals %v", p.total)
	}
}

// TestPlanKeepsItsBooks checks that a plan's totals, its elements of loads and its number of moves agree. Its hops must
// carry every load to its final element, over the round's edges in their order.
func TestPlanKeepsItsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(2, 8).Draw(t, "elements")
		g, err := circuit.Preferential(size, 1, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		load := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 40), func(i int) float64 { return float64(i) }), 1, 40).Draw(t, "loads")
		owner, sum := make([]int32, len(load)), 0.0
		for i := range owner {
			owner[i] = int32(rapid.IntRange(0, size-1).Draw(t, "owner"))
			sum += load[i]
		}
		n := &circuit.Network{Graph: g, Circuit: circuit.Colour(g), Load: load, Owner: slices.Clone(owner), Mobility: circuit.Mobility{Graph: g}}
		if err := n.Start(); err != nil {
			t.Fatal(err)
		}
		mean := sum / float64(size)
		width := float64(rapid.IntRange(0, 30).Draw(t, "width"))
		p, within := planned(n.Edges(), size, load, owner, mean-width, mean+width)
		hops := p.hops(n.Edges())
		if p.shortenMoves(); p.moves != len(hops) {
			t.Fatalf("%d hops, %d moves when it is tidied again", len(hops), p.moves)
		}
		next := 0
		for _, h := range hops { // a hop crosses the last hop's edge or a later edge
			from := n.Owner[h.Load]
			for ; next < len(n.Edges()); next++ {
				if e := n.Edges()[next]; e == (circuit.Edge{U: min(from, h.To), V: max(from, h.To)}) {
					break
				}
			}
			if next == len(n.Edges()) {
				t.Fatalf("hops %v are not in the order of %v", hops, n.Edges())
			}
			if err := n.Carry([]circuit.Hop{h}); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(n.Owner, p.element) || !slices.Equal(n.Totals(), p.total) {
			t.Fatalf("planned %v with %v, got %v with %v", p.element, p.total, n.Owner, n.Totals())
		}
		for _, x := range p.total {
			if within && (x < mean-width-1e-9 || x > mean+width+1e-9) {
				t.Fatalf("total %v is not within %v of %v", x, width, mean)
			}
		}
	})
}

// TestTidy checks that no load ends farther away than the window requires.
func TestTidy(t *testing.T) {
	p := newPlan(pathsOf(5, path5), []float64{1, 1, 1, 5}, []int32{0, 0, 0, 2}, 1, 5)
	p.assign(0, 2) // can stay at home, because element 2 has enough load
	p.assign(1, 1) // must move, because element 1 would have no load
	p.shortenMoves()
	if !slices.Equal(p.element, []int32{0, 1, 0, 2}) || p.moves != 1 {
		t.Errorf("loads on %v, %d moves", p.element, p.moves)
	}
}

// TestDealers checks that rebalancePair divides loads with neighbours only, and once with each neighbour. It starts
// with the pair whose mean total is deepest in the window.
func TestDealers(t *testing.T) {
	p := newPlan(pathsOf(5, path5), []float64{8, 1, 4, 2, 1}, []int32{1, 0, 2, 3, 4}, 3, 4)
	dealt := map[circuit.Edge]bool{}
	for _, want := range []circuit.Edge{{U: 1, V: 0}, {U: 1, V: 2}} {
		if !p.rebalancePair(1, dealt) || !dealt[want] {
			t.Fatalf("dealt %v, want %v too", dealt, want)
		}
	}
	if p.rebalancePair(1, dealt) {
		t.Errorf("dealt %v: a third time", dealt)
	}
}

func TestWorse(t *testing.T) {
	one := []step{{}}
	for _, c := range []struct {
		c           change
		gain, price float64
		want        bool
	}{
		{change{}, 1, 5, true},
		{change{one, 4, 2}, 3, 1, true},
		{change{one, 4, 2}, 2, 1, false},
		{change{one, 4, 2}, 1, 0, true},
		{change{one, 4, 0}, 9, 1, false},
		{change{one, 4, 0}, 5, 0, true},
		{change{one, 4, 0}, 3, -1, false},
	} {
		if got := c.c.worse(c.gain, c.price); got != c.want {
			t.Errorf("gain %v for %v against %+v: %v", c.gain, c.price, c.c, got)
		}
	}
}

// TestPassTakesTheGreaterGain checks that among relays with different prices the cheapest relay is taken, whatever it
// gains. If prices are equal, the relay with the largest gain is taken.
func TestPassTakesTheGreaterGain(t *testing.T) {
	p := newPlan(pathsOf(2, path5[:1]), []float64{4, 6, 5, 9}, []int32{0, 0, 0, 1}, 1, 3)
	for _, c := range []struct {
		next, want stage
	}{
		{stage{price: 9, load: -1}, stage{price: 1, gain: 6, load: 1, from: 0}},
		{stage{price: 1, gain: 7, load: 9, from: 0}, stage{price: 1, gain: 7, load: 9, from: 0}},
		{stage{price: 2, gain: 7, load: 9, from: 0}, stage{price: 1, gain: 6, load: 1, from: 0}},
	} {
		stages := []stage{{load: 3}, c.next}
		if p.extend(stages, 0, 1, 1, 0, 0); stages[1] != c.want {
			t.Errorf("%+v became %+v, want %+v", c.next, stages[1], c.want)
		}
	}
}
