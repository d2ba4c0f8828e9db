package circuit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Flows of least sum, by hand.
func TestRoutingKnown(t *testing.T) {
	for _, c := range []struct {
		name              string
		n                 int
		edges             []Edge
		totals, low, high []float64
		want              []float64
	}{
		{"along a path", 3, []Edge{{0, 1}, {1, 2}}, []float64{5, 3, 1}, []float64{3, 3, 3}, []float64{3, 3, 3}, []float64{2, 2}},
		{"against the edge", 2, []Edge{{0, 1}}, []float64{1, 4}, []float64{2, 2}, []float64{3, 3}, []float64{-1}},
		{"within the window", 2, []Edge{{0, 1}}, []float64{2, 3}, []float64{2, 2}, []float64{3, 3}, []float64{0}},
		{"the shorter way round", 4, []Edge{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, []float64{6, 4, 4, 2}, []float64{4, 4, 4, 4}, []float64{4, 4, 4, 4}, []float64{0, 0, 0, 2}},
		{"a giant keeps its own", 3, []Edge{{0, 1}, {1, 2}}, []float64{12, 1, 1}, []float64{10, 2, 2}, []float64{10, 2, 2}, []float64{2, 1}},
		{"two parts", 4, []Edge{{0, 1}, {2, 3}}, []float64{4, 0, 8, 0}, []float64{2, 2, 4, 4}, []float64{2, 2, 4, 4}, []float64{2, 4}},
	} {
		if got := newRouting(c.n, c.edges).least(c.totals, c.low, c.high); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// No cheaper flow exists: every residual arc's reduced cost is at least 0 for the lengths
// that shortest ways in the residual graph have, that is to say it has no negative cycle; and all
// totals come between the limits.
func TestRoutingIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "elements")
		var edges []Edge
		for v := 1; v < n; v++ {
			edges = append(edges, Edge{int32(rapid.IntRange(0, v-1).Draw(t, "tree")), int32(v)})
		}
		for range rapid.IntRange(0, 12).Draw(t, "more") {
			u, v := rapid.IntRange(0, n-1).Draw(t, "u"), rapid.IntRange(0, n-1).Draw(t, "v")
			if u < v && !slices.Contains(edges, Edge{int32(u), int32(v)}) {
				edges = append(edges, Edge{int32(u), int32(v)})
			}
		}
		totals, low, high, sum := make([]float64, n), make([]float64, n), make([]float64, n), 0.0
		for u := range totals {
			totals[u] = float64(rapid.IntRange(0, 40).Draw(t, "total"))
			sum += totals[u]
		}
		width := float64(rapid.IntRange(0, 5).Draw(t, "width"))
		for u := range totals {
			low[u], high[u] = math.Floor(sum/float64(n))-width, math.Ceil(sum/float64(n))+width
		}
		flow := newRouting(n, edges).least(totals, low, high)
		after := slices.Clone(totals)
		for i, e := range edges {
			after[e.U] -= flow[i]
			after[e.V] += flow[i]
		}
		for u, x := range after {
			if x < low[u] || x > high[u] {
				t.Fatalf("%v becomes %v, not within %v and %v", totals, after, low[0], high[0])
			}
		}
		if cycle := cheaper(n, edges, flow, after, low, high); cycle {
			t.Fatalf("%v over %v from %v is not the least flow", flow, edges, totals)
		}
	})
}

// cheaper tells whether some cycle of the residual graph costs less than 0, by Bellman and
// Ford's algorithm on all arcs: over an edge against its flow for -1, else for 1, and by
// way of the sink from an element that may have more to one that may have less.
func cheaper(n int, edges []Edge, flow, after, low, high []float64) bool {
	type arc struct{ u, v, cost int }
	var arcs []arc
	for i, e := range edges {
		forth, back := 1, 1
		if flow[i] < 0 {
			forth = -1
		} else if flow[i] > 0 {
			back = -1
		}
		arcs = append(arcs, arc{int(e.U), int(e.V), forth}, arc{int(e.V), int(e.U), back})
	}
	for u := range n {
		if after[u] < high[u] {
			arcs = append(arcs, arc{u, n, 0})
		}
		if after[u] > low[u] {
			arcs = append(arcs, arc{n, u, 0})
		}
	}
	length := make([]int, n+1)
	for range n + 2 {
		changed := false
		for _, a := range arcs {
			if length[a.u]+a.cost < length[a.v] {
				length[a.v], changed = length[a.u]+a.cost, true
			}
		}
		if !changed {
			return false
		}
	}
	return true
}

func TestEvenLevel(t *testing.T) {
	for _, c := range []struct {
		totals, heaviest []float64
		want             float64
	}{
		{[]float64{1, 2, 3}, []float64{1, 1, 1}, 2},
		{[]float64{10, 1, 1}, []float64{10, 1, 1}, 1},
		{[]float64{12, 1, 1}, []float64{10, 1, 1}, 2},
		{[]float64{12, 9, 0}, []float64{10, 8, 0}, 3},
		{[]float64{4, 4}, []float64{4, 4}, 4},
		{nil, nil, 0},
	} {
		if got := evenLevel(c.totals, c.heaviest); got != c.want {
			t.Errorf("%v with %v: %v, want %v", c.totals, c.heaviest, got, c.want)
		}
	}
}

func routed(t *testing.T, g *Graph, load []float64, owner []int32) (*Network, *Route) {
	t.Helper()
	n := &Network{Graph: g, Circuit: Colour(g), Load: load, Owner: owner, Mobility: Mobility{Graph: g}}
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	return n, NewRoute(g, n.Edges())
}

func routeRound(n *Network, r *Route, round int) (moves int) {
	r.Prepare(round, n.Totals(), n.Heaviest())
	return n.RoundOf(func(at int, _ Edge, p Pair) { r.Balance(at, p, nil) })
}

// Tokens that lie on a slope, where no matching can be made more even, come down it with
// at most a quarter more moves than the least, and then nothing moves.
func TestRouteLevelsASlope(t *testing.T) {
	g := must(t)(Path(9))
	var load []float64
	var owner []int32
	for u := range int32(9) {
		for range 16 - u {
			load, owner = append(load, 1), append(owner, u)
		}
	}
	n, r := routed(t, g, load, owner)
	moves := 0
	for round := 1; round <= 40; round++ {
		moves += routeRound(n, r, round)
	}
	if d := Discrepancy(n.Totals()); d > 1 {
		t.Errorf("discrepancy %v", d)
	}
	if least := 4 + 7 + 9 + 10 + 10 + 9 + 7 + 4; moves > least+least/4 {
		t.Errorf("%d moves, at least %d are needed", moves, least)
	}
	if moves := routeRound(n, r, 41); moves != 0 {
		t.Errorf("%d moves of level tokens", moves)
	}
}

// An element with a load above the level keeps that load alone.
func TestRouteEmptiesGiants(t *testing.T) {
	g := must(t)(Path(4))
	load, owner := []float64{100}, []int32{0}
	for u := range int32(4) {
		for range 6 {
			load, owner = append(load, 1), append(owner, u)
		}
	}
	n, r := routed(t, g, load, owner)
	for round := 1; round <= 20; round++ {
		routeRound(n, r, round)
	}
	if got := n.Totals(); !slices.Equal(got, []float64{100, 8, 8, 8}) {
		t.Errorf("%v", got)
	}
}

// When all edges have been visited each element has what was expected of it, and what
// the elements have saved is a move for each matching less the moves.
func TestRouteKeepsItsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(3, 10).Draw(t, "elements")
		g, err := Preferential(size, rapid.IntRange(1, 2).Draw(t, "m"), rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		load := rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 60).Draw(t, "loads")
		owner := make([]int32, len(load))
		for i := range owner {
			owner[i] = int32(rapid.IntRange(0, size-1).Draw(t, "owner"))
		}
		n := &Network{Graph: g, Circuit: Colour(g), Load: load, Owner: owner, Mobility: Mobility{Graph: g}}
		if err := n.Start(); err != nil {
			t.Fatal(err)
		}
		r := NewRoute(g, n.Edges())
		for round, moves := 1, 0; round <= 6; round++ {
			moves += routeRound(n, r, round)
			for u, x := range n.Totals() {
				if math.Abs(x-r.expected[u]) > 1e-9 {
					t.Fatalf("element %d has %v, expected %v", u, x, r.expected[u])
				}
			}
			saved := 0.0
			for _, s := range r.saved {
				saved += s
			}
			if want := float64(round*g.EdgeCount() - moves); math.Abs(saved-want) > 1e-9 {
				t.Fatalf("round %d: %v saved, want %v", round, saved, want)
			}
		}
	})
}

// Loads that no exchange of two improves are dealt out anew once the moves for it have
// been saved, and not before.
func TestRouteDealsAnew(t *testing.T) {
	g := must(t)(Path(2))
	load := []float64{23, 19, 14, 13, 12, 8} // 42 and 47; dealt out anew 44 and 45, with four moves
	for saved, want := range map[float64]float64{2: 5, 4: 1} {
		n, r := routed(t, g, load, []int32{0, 0, 1, 1, 1, 1})
		r.saved[0] = saved - 1
		routeRound(n, r, 1)
		if d := Discrepancy(n.Totals()); d != want {
			t.Errorf("with %v saved: discrepancy %v, want %v", saved, d, want)
		}
	}
}
