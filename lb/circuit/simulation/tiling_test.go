package simulation

import (
	"slices"
	"testing"

	"lockstep/lb/circuit"
)

// Edges whose ends are near enough to concern each other keep the round's order: they lie in
// one tile in that order, or the later one in a later wave. By all pairs.
func TestTilesKeepTheOrder(t *testing.T) {
	for _, topology := range []circuit.Topology{circuit.FourNeighbour, circuit.EightNeighbour} {
		for _, keep := range []bool{false, true} {
			s := setup{GridOptions{Topology: topology, Width: 150, Height: 131, Loads: 1, KeepGraph: keep}, slope, 3}
			apart := 0 // edges between elements that concern each other
			if keep {
				apart = 2
			}
			checkOrder(t, s.grid(t), apart)
		}
	}
}

func checkOrder(t *testing.T, g *Grid, apart int) {
	t.Helper()
	edges := g.tiling.edges
	wave, tile, rank := make([]int, len(edges)), make([]int, len(edges)), make([]int, len(edges))
	done := 0
	for i := range len(g.tiling.waves) - 1 {
		n, edgesOf := g.tiling.wave(i)
		for k := range n {
			for r, at := range edgesOf(k) {
				wave[at], tile[at], rank[at] = i, k, r
				done++
			}
		}
	}
	if done != len(edges) {
		t.Fatalf("%d edges in tiles, want %d", done, len(edges))
	}
	at := make([][]int, g.graph.Elements()) // edges of each element
	for i, e := range edges {
		at[e.U], at[e.V] = append(at[e.U], i), append(at[e.V], i)
	}
	for i, e := range edges {
		near := []int32{e.U, e.V}
		for range apart {
			for _, u := range near {
				near = append(near, g.graph.Neighbours(u)...)
			}
			slices.Sort(near)
			near = slices.Compact(near)
		}
		for _, u := range near {
			for _, j := range at[u] {
				if j > i && wave[j] <= wave[i] && (wave[j] != wave[i] || tile[j] != tile[i] || rank[j] < rank[i]) {
					t.Fatalf("edges %v and %v: waves %d and %d, tiles %d and %d", e, edges[j], wave[i], wave[j], tile[i], tile[j])
				}
			}
		}
	}
}
