package circuit

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func testNetwork(t *testing.T, topology Topology, loads int, rule bool) *Network {
	t.Helper()
	g, c, err := Grid(topology, 9, 8, 2)
	if err != nil {
		t.Fatal(err)
	}
	blocks := BlocksFor(9, 8, loads)
	n := &Network{Graph: g, Circuit: c, Mobility: Mobility{Graph: g}}
	for i := range blocks.Loads() {
		x, _ := blocks.Position(i)
		n.Load = append(n.Load, float64(hash64(uint64(i))>>44+1)*(1+float64(int(8*x)))*dyadic)
		n.Owner = append(n.Owner, int32(i/loads))
		n.Pinned = append(n.Pinned, hash64(uint64(i))%7 == 0)
	}
	if rule {
		if n.Mobility.Stencil, err = blocks.Stencil(topology, g); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestNetworkInvariants checks that every method keeps the total and leaves pinned loads alone. With the rule of
// Mobility it also keeps the graph.
func TestNetworkInvariants(t *testing.T) {
	for _, topology := range []Topology{FourNeighbour, EightNeighbour, KNeighbour} {
		for name, m := range allMethods {
			n := testNetwork(t, topology, 12, true)
			before, moved := sum(n.Totals()), 0
			for range 3 {
				moved += n.Round(m, nil)
			}
			if after := sum(n.Totals()); after != before {
				t.Errorf("%v, %s: total %v became %v", topology, name, before, after)
			}
			if err := n.Mobility.Kept(n.Owner); err != nil {
				t.Errorf("%v, %s: %v", topology, name, err)
			}
			for i, u := range n.Owner {
				if n.Pinned[i] && u != int32(i/12) {
					t.Fatalf("%v, %s: pinned load %d moved", topology, name, i)
				}
			}
			if moved == 0 {
				t.Errorf("%v, %s: nothing moved", topology, name)
			}
		}
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// TestRuleBinds checks that the rule has an effect: without it the graph changes.
func TestRuleBinds(t *testing.T) {
	n := testNetwork(t, FourNeighbour, 12, false)
	n.Round(SortedGreedy{}, nil)
	stencil, err := BlocksFor(9, 8, 12).Stencil(FourNeighbour, n.Graph)
	if err != nil {
		t.Fatal(err)
	}
	if (Mobility{Graph: n.Graph, Stencil: stencil}).Kept(n.Owner) == nil {
		t.Error("unruled moves kept the graph")
	}
}

// TestMayMove checks the rule on Figure 6 of the paper, in one row of three elements: a load between the first two
// elements may move to the second, and a load between the last two may not move to the first.
func TestMayMove(t *testing.T) {
	g, err := NewGraph(3, []Edge{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	row, err := NewGraph(6, []Edge{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}})
	if err != nil {
		t.Fatal(err)
	}
	m, owner := Mobility{Graph: g, Stencil: row}, []int32{0, 0, 1, 1, 2, 2}
	for _, c := range []struct {
		load, u, v int32
		want       bool
	}{{1, 0, 1, true}, {0, 0, 1, true}, {2, 1, 0, true}, {3, 1, 0, false}, {3, 1, 2, true}} {
		if got := m.May(c.load, c.u, c.v, owner); got != c.want {
			t.Errorf("load %d from %d to %d: %v", c.load, c.u, c.v, got)
		}
	}
}

func TestFocus(t *testing.T) {
	n := testNetwork(t, EightNeighbour, 12, true)
	gradient := testNetwork(t, EightNeighbour, 12, true)
	focus, before, moves, others := NewFocus(n.Graph.Elements()), Discrepancy(n.Totals()), 0, 0
	for round := 1; round <= 5; round++ {
		totals := n.Totals()
		focus.Prepare(n.Circuit, round, totals, nil)
		moves += n.RoundOf(func(_ int, e Edge, p Pair) {
			lead := p.Discrepancy()
			focus.Balance(p, nil)
			if p.Discrepancy() > lead {
				t.Fatalf("edge %v: %v became %v", e, lead, p.Discrepancy())
			}
		})
		others += gradient.Round(Gradient{}, nil)
	}
	if after := Discrepancy(n.Totals()); after >= before || after > Discrepancy(gradient.Totals()) || float64(moves) > 1.2*float64(others) {
		t.Errorf("discrepancy %v to %v with %d moves; gradient %v with %d", before, after, moves, Discrepancy(gradient.Totals()), others)
	}
}

// TestFocusLeavesTheHeaviest checks a load that is heavier than the other elements' totals. It must stay where it is
// and cause no moves, because the prediction keeps it on its element. If the loads of the element with an extreme total
// cannot move, the element's yield decreases and no limit is narrowed.
func TestFocusLeavesTheHeaviest(t *testing.T) {
	g, err := Path(4)
	if err != nil {
		t.Fatal(err)
	}
	load := []float64{100}
	owner := []int32{0}
	for e := range int32(3) {
		for range 4 {
			load, owner = append(load, 1), append(owner, e+1)
		}
	}
	n := &Network{Graph: g, Circuit: Colour(g), Load: load, Owner: owner, Mobility: Mobility{Graph: g}}
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	f := NewFocus(4)
	for round := 1; round <= 5; round++ {
		f.Prepare(n.Circuit, round, n.Totals(), n.Heaviest())
		if !slices.Equal(f.predicted, []float64{100, 4, 4, 4}) || f.contraction != 1 {
			t.Fatalf("round %d: predicts %v, contraction %v", round, f.predicted, f.contraction)
		}
		if moves := n.RoundOf(func(_ int, _ Edge, p Pair) { f.Balance(p, nil) }); moves != 0 {
			t.Fatalf("round %d: %d moves", round, moves)
		}
	}
	// Without such a heavy load the prediction evens out 8 and 0 to 4 and 4.
	pair, err := Path(2)
	if err != nil {
		t.Fatal(err)
	}
	f = NewFocus(2)
	f.Prepare(Colour(pair), 1, []float64{8, 0}, []float64{1, 0})
	if f.contraction != 0 || !slices.Equal(f.predicted, []float64{4, 4}) {
		t.Errorf("predicts %v, contraction %v", f.predicted, f.contraction)
	}
	f.Prepare(Colour(pair), 2, []float64{8, 0}, []float64{1, 0}) // no part of the prediction came true
	if f.yield[0] != 0.5 || f.high != 6-0.25*4 || f.relaxation != 1 {
		t.Errorf("yield %v, limit %v, factor %v", f.yield, f.high, f.relaxation)
	}
	// The best relaxation factor for a contraction of 0.75 is 4/3. The relaxation has increased to this factor by round
	// 5.
	f.contraction = 0.75
	f.Start(5, []float64{8, 0}, nil)
	if math.Abs(f.relaxation-4.0/3) > 1e-12 || f.allowedFraction != 1 {
		t.Errorf("factor %v, reachable %v", f.relaxation, f.allowedFraction)
	}
}

// TestFlowLevelsARamp checks loads that form a smooth ramp. After some rounds of a flow, only the errors of the fits
// are left. After as many rounds of averaging the loads are still far from balanced.
func TestFlowLevelsARamp(t *testing.T) {
	n := testNetwork(t, FourNeighbour, 20, false)
	n.Pinned = nil
	before := n.Totals()
	flow, err := NewFlow(n.Graph, Circuit{Matchings: [][]Edge{n.Edges()}}, before, 2000)
	if err != nil {
		t.Fatal(err)
	}
	sorted := testNetwork(t, FourNeighbour, 20, false)
	sorted.Pinned = nil
	for range 12 {
		n.RoundOf(func(at int, _ Edge, p Pair) { flow.Balance(at, p, nil) })
		sorted.Round(SortedGreedy{}, nil)
	}
	mean := sum(before) / float64(len(before))
	if d := Discrepancy(n.Totals()); d > 0.02*mean || d > Discrepancy(sorted.Totals())/2 {
		t.Errorf("discrepancy %v of mean %v, sorted greedy %v, flow left %v", d, mean, Discrepancy(sorted.Totals()), flow.Left())
	}
}

func TestHybridMethods(t *testing.T) {
	h := HybridGradient()
	if h.Round(1) != (SortedGreedy{}) || h.Round(2) != (Gradient{}) || HybridGreedy().Round(3) != (Greedy{}) || (Hybrid{}).Round(2) != (Gradient{}) {
		t.Error("a hybrid's rounds have the wrong methods")
	}
}

// TestNetworkRefusesLoads checks that the error names the first invalid load by its number.
func TestNetworkRefusesLoads(t *testing.T) {
	g, c, err := Grid(FourNeighbour, 4, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1} {
		n := &Network{Graph: g, Circuit: c, Load: []float64{1, bad}, Owner: []int32{0, 1}}
		if err := n.Start(); err == nil || !strings.Contains(err.Error(), "load 1 is") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestCarry checks that Carry carries out allowed hops and keeps the storage order. Carry must stop at the first hop
// that is not allowed, and name it in the error.
func TestCarry(t *testing.T) {
	g := must(t)(Path(3))
	start := func() *Network {
		n := &Network{Graph: g, Circuit: Colour(g), Load: []float64{3, 1, 2}, Owner: []int32{0, 1, 1}, Pinned: []bool{false, false, true}, Mobility: Mobility{Graph: g}}
		if err := n.Start(); err != nil {
			t.Fatal(err)
		}
		return n
	}
	n := start()
	if err := n.Carry([]Hop{{1, 0}, {0, 1}, {0, 2}}); err != nil || !slices.Equal(n.Owner, []int32{2, 0, 1}) {
		t.Errorf("owners %v, %v", n.Owner, err)
	}
	n = start()
	if err := n.Carry([]Hop{{0, 1}}); err != nil || !slices.Equal(n.held[1], []int32{0, 2, 1}) || len(n.held[0]) != 0 {
		t.Errorf("stored %v, %v; want 0, 2, 1 by weight", n.held[1], err)
	}
	for name, h := range map[string]Hop{
		"no neighbour": {0, 2}, "no element": {0, 3}, "no load": {3, 0}, "a load below 0": {-1, 0}, "where it is": {0, 0}, "pinned": {2, 0},
	} {
		n := start()
		if err := n.Carry([]Hop{{1, 2}, h, {1, 1}}); err == nil || !slices.Equal(n.Owner, []int32{0, 2, 1}) {
			t.Errorf("%s: %v, owners %v", name, err, n.Owner)
		}
	}
}
