package circuit

import (
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
