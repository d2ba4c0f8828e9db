package circuit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawGraph(t *rapid.T) *Graph {
	n := rapid.IntRange(2, 20).Draw(t, "n")
	var edges []Edge
	for range rapid.IntRange(0, 60).Draw(t, "e") {
		u := int32(rapid.IntRange(0, n-1).Draw(t, "u"))
		v := int32(rapid.IntRange(0, n-1).Draw(t, "v"))
		if u != v {
			edges = append(edges, Edge{u, v})
		}
	}
	g, err := NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestColourAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		c := Colour(g)
		if err := c.Validate(g); err != nil {
			t.Fatal(err)
		}
		if d := g.MaxDegree(); len(c.Matchings) < d || len(c.Matchings) > max(2*d-1, 0) {
			t.Fatalf("%d colours for degree %d", len(c.Matchings), d)
		}
	})
}

func TestColourKnownGraphs(t *testing.T) {
	var path, ring, star, complete []Edge
	for i := range int32(8) {
		if i < 7 {
			path = append(path, Edge{i, i + 1})
		}
		ring = append(ring, Edge{i, (i + 1) % 8})
		if i > 0 {
			star = append(star, Edge{0, i})
		}
		for j := range i {
			complete = append(complete, Edge{j, i})
		}
	}
	for name, c := range map[string]struct {
		edges []Edge
		least int
	}{"path": {path, 2}, "ring": {ring, 2}, "star": {star, 7}, "complete": {complete, 7}} {
		g, err := NewGraph(8, c.edges)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(Colour(g).Matchings); got < c.least || got > c.least+1 || name != "complete" && got != c.least {
			t.Errorf("%s: %d colours, the least is %d", name, got, c.least)
		}
	}
}

func TestGrids(t *testing.T) {
	for _, c := range []struct {
		t                          Topology
		width, height              int
		colours, edges, min, degMx int
	}{
		{FourNeighbour, 7, 5, 4, 7*4 + 6*5, 2, 4},
		{EightNeighbour, 7, 5, 8, 7*4 + 6*5 + 2*6*4, 3, 8},
		{KNeighbour, 40, 30, 8, -1, 2, 8},
	} {
		g, circuit, err := Grid(c.t, c.width, c.height, 5)
		if err != nil {
			t.Fatal(err)
		}
		if err := circuit.Validate(g); err != nil {
			t.Fatal(err)
		}
		least := g.MaxDegree()
		for u := range g.Elements() {
			least = min(least, g.Degree(int32(u)))
		}
		if len(circuit.Matchings) != c.colours || c.edges >= 0 && g.EdgeCount() != c.edges || least < c.min || g.MaxDegree() > c.degMx || !g.Connected() {
			t.Errorf("%v: %d colours, %d edges, degrees %d to %d", c.t, len(circuit.Matchings), g.EdgeCount(), least, g.MaxDegree())
		}
	}
	if _, _, err := Grid(FourNeighbour, 1, 9, 0); err == nil {
		t.Error("a grid one wide was accepted")
	}
}

func TestNewGraphRefuses(t *testing.T) {
	for _, e := range []Edge{{0, 3}, {-1, 0}, {1, 1}} {
		if _, err := NewGraph(3, []Edge{e}); err == nil {
			t.Errorf("edge %v was accepted", e)
		}
	}
}

func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		for _, matching := range Colour(g).Matchings {
			count := 0
			for _, phase := range g.Apart(matching) {
				count += len(phase)
				for i, a := range phase {
					for _, b := range phase[:i] {
						if g.Adjacent(a.U, b.U) || g.Adjacent(a.U, b.V) || g.Adjacent(a.V, b.U) || g.Adjacent(a.V, b.V) {
							t.Fatalf("edges %v and %v of one phase touch", a, b)
						}
					}
				}
			}
			if count != len(matching) {
				t.Fatalf("%d of %d edges", count, len(matching))
			}
		}
	})
}

// A ring of n elements in two matchings: one averaging step of pairs, then one
// of the pairs shifted by one, is known to have lambda cos^2(pi/(n/2)) ... for
// which n = 4 gives 0, so that one round balances divisible loads.
func TestLambda(t *testing.T) {
	ring := func(n int32) (*Graph, Circuit) {
		c := Circuit{Matchings: make([][]Edge, 2)}
		var all []Edge
		for i := range n {
			e := Edge{min(i, (i+1)%n), max(i, (i+1)%n)}
			c.Matchings[i%2] = append(c.Matchings[i%2], e)
			all = append(all, e)
		}
		g, err := NewGraph(int(n), all)
		if err != nil {
			t.Fatal(err)
		}
		return g, c
	}
	for _, n := range []int32{4, 8, 16, 64} {
		_, c := ring(n)
		want := math.Pow(math.Cos(2*math.Pi/float64(n)), 2)
		dense, err := Lambda(c, int(n))
		if err != nil || math.Abs(dense-want) > 1e-7 {
			t.Errorf("ring of %d: lambda %v (%v), want %v", n, dense, err, want)
		}
		if iterated, err := LambdaIterated(c, int(n), 1e-7, 1<<17); n > 4 && (err != nil || math.Abs(iterated-want) > 1e-5) {
			t.Errorf("ring of %d: iterated %v (%v), want %v", n, iterated, err, want)
		}
	}
	_, c, _ := Grid(EightNeighbour, 12, 9, 0)
	dense, err := Lambda(c, 108)
	if err != nil {
		t.Fatal(err)
	}
	if iterated, err := LambdaIterated(c, 108, 1e-7, 1<<17); err != nil || math.Abs(iterated-dense) > 1e-4 {
		t.Errorf("grid: dense %v, iterated %v (%v)", dense, iterated, err)
	}
}

func TestBounds(t *testing.T) {
	if got := DiscrepancyBound(1 << 20); math.Abs(got-(math.Sqrt(12*20*math.Ln2)+1)) > 1e-12 {
		t.Errorf("discrepancy bound %v", got)
	}
	if got := RoundsBound(4, 0.5, math.E, 1, 1); math.Abs(got-32) > 1e-12 {
		t.Errorf("rounds bound %v, want 32", got)
	}
}

// Divisible loads: after the rounds of the bound the discrepancy is below eps.
func TestRoundsBoundHolds(t *testing.T) {
	_, c, err := Grid(FourNeighbour, 8, 8, 0)
	if err != nil {
		t.Fatal(err)
	}
	lambda, err := Lambda(c, 64)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 64)
	x[0] = 100
	for range int(math.Ceil(RoundsBound(4, lambda, 100, 64, 0.01) / 4)) {
		applyRound(c, x)
	}
	if d := Discrepancy(x); d > 0.01 {
		t.Errorf("discrepancy %v after the bound's rounds", d)
	}
}

func TestBins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bins := rapid.IntRange(2, 6).Draw(t, "bins")
		n := rapid.IntRange(0, 30).Draw(t, "n")
		b := Bins{Load: make([]float64, n), Bin: make([]int32, n), Fixed: make([]float64, bins)}
		heaviest, sum := 0.0, 0.0
		for i := range n {
			b.Load[i] = float64(rapid.IntRange(0, 1024).Draw(t, "load")) * dyadic
			b.Bin[i] = int32(rapid.IntRange(0, bins-1).Draw(t, "bin"))
			heaviest, sum = max(heaviest, b.Load[i]), sum+b.Load[i]
		}
		before := Discrepancy(b.Totals())
		start := slices.Clone(b.Bin)
		for name, m := range allMethods {
			copy(b.Bin, start)
			BalanceBins(m, b, nil)
			totals, after := b.Totals(), 0.0
			for _, v := range totals {
				after += v
			}
			d := Discrepancy(totals)
			if after != sum {
				t.Fatalf("%s: loads %v became %v", name, sum, after)
			}
			if (name == "greedy" || name == "sorted") && d > heaviest || slices.Contains(neverWorse, name) && d > before {
				t.Fatalf("%s: discrepancy %v, before %v, heaviest load %v", name, d, before, heaviest)
			}
		}
	})
}
