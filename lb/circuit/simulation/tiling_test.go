package simulation

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb/circuit"
)

// TestTilesKeepTheOrder checks all pairs of edges that conflict. They must keep the round's order: both lie in one tile
// in that order, or the later edge's tile depends on the earlier edge's tile.
func TestTilesKeepTheOrder(t *testing.T) {
	for _, topology := range []circuit.Topology{circuit.FourNeighbour, circuit.EightNeighbour} {
		for _, keep := range []bool{false, true} {
			s := setup{GridOptions{Topology: topology, Width: 150, Height: 131, Loads: 1, KeepGraph: keep}, slope, 3, nil}
			apart := 0 // edges conflict if two of their elements are at most this far apart in the graph
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
	tile, rank := make([]int, len(edges)), make([]int, len(edges))
	done := 0
	for k := range g.tiling.len() {
		for r, at := range g.tiling.tile(k) {
			tile[at], rank[at] = k, r
			done++
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
				if j > i && !(tile[j] == tile[i] && rank[j] > rank[i] || tile[j] != tile[i] && g.tiling.leadsTo(tile[i], tile[j])) {
					t.Fatalf("edges %v and %v: tiles %d and %d, %d and %d in them", e, edges[j], tile[i], tile[j], rank[i], rank[j])
				}
			}
		}
	}
}

// leadsTo reports whether tile b depends on tile a, directly or through other tiles.
func (t *tiling) leadsTo(a, b int) bool {
	return a%t.columns <= b%t.columns && a/t.columns <= b/t.columns
}

// TestTurns checks that every tile is handed out once, in whatever order tiles end. A tile must not be handed out
// before the tiles to its left and above it are done.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns, rows := rapid.IntRange(1, 6).Draw(t, "columns"), rapid.IntRange(1, 6).Draw(t, "rows")
		tiles := &tiling{columns: columns, first: make([]int32, columns*rows+1)}
		q, done, working := newTileQueue(tiles), make([]bool, tiles.len()), []int(nil)
		for taken := 0; taken < tiles.len() || len(working) > 0; {
			if len(q.ready) > 0 && (len(working) == 0 || rapid.Bool().Draw(t, "take")) {
				k := q.take()
				for before := range tiles.len() {
					if before != k && tiles.leadsTo(before, k) && !done[before] {
						t.Fatalf("%d of %d columns and %d rows comes before %d is done", k, columns, rows, before)
					}
				}
				working = append(working, k)
				taken++
				continue
			}
			if len(working) == 0 {
				t.Fatalf("after %d tiles of %d by %d none is ready", taken, columns, rows)
			}
			end := rapid.IntRange(0, len(working)-1).Draw(t, "ends")
			if done[working[end]] {
				t.Fatalf("%d comes twice", working[end])
			}
			done[working[end]] = true
			q.done(working[end])
			working = slices.Delete(working, end, end+1)
		}
		if i := slices.Index(done, false); i >= 0 {
			t.Fatalf("%d never comes", i)
		}
	})
}

// failing is a method whose planner panics.
type failing struct{ single }

func (f failing) start(*Simulation, int) (planner, error) { return f, nil }

func (failing) plan(int, circuit.Edge, circuit.Pair, *circuit.Workspace) { panic("no plan") }

// TestRoundsThatEnd checks that a round ends when its context ends. If a plan panics, no worker waits forever.
func TestRoundsThatEnd(t *testing.T) {
	s := setup{GridOptions{Topology: circuit.FourNeighbour, Width: 150, Height: 131, Loads: 1}, slope, 3, nil}
	g := s.grid(t)
	o := s.options(g)
	var panics atomic.Int32
	o.Loop = goroutines(2)
	each := o.Loop.For
	o.Loop.For = func(n, batch int, do func(worker, i int)) {
		each(n, batch, func(worker, i int) {
			defer func() {
				if recover() != nil {
					panics.Add(1)
				}
			}()
			do(worker, i)
		})
	}
	sim := New(g, o)
	before := sim.Owners()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := sim.Round(ctx, Each(circuit.Always{Method: circuit.SortedGreedy{}})); !errors.Is(err, context.Canceled) || !slices.Equal(sim.Owners(), before) {
		t.Errorf("a round that had ended returned %v", err)
	}
	if _, err := sim.Round(context.Background(), failing{}); err != nil || panics.Load() == 0 {
		t.Errorf("%d panics, error %v", panics.Load(), err)
	}
}

// cancelling is a SortedGreedy that cancels the round's context when it makes a certain plan.
type cancelling struct {
	single
	left   int
	cancel context.CancelFunc
}

func (c *cancelling) start(*Simulation, int) (planner, error) { return c, nil }

func (c *cancelling) plan(int, circuit.Edge, circuit.Pair, *circuit.Workspace) {
	if c.left--; c.left == 0 {
		c.cancel()
	}
}

// TestRoundsThatEndLate checks that a context that ends during the last tile does not end the round any more. A
// context that ends earlier does.
func TestRoundsThatEndLate(t *testing.T) {
	g := setup{GridOptions{Topology: circuit.FourNeighbour, Width: 150, Height: 131, Loads: 1}, slope, 3, nil}.grid(t)
	edges, last := len(g.tiling.edges), len(g.tiling.tile(g.tiling.len()-1))
	if last == 0 || last == edges {
		t.Fatalf("%d of %d edges in the last tile", last, edges)
	}
	for at, want := range map[int]error{edges: nil, edges - last + 1: nil, edges - last: context.Canceled, 1: context.Canceled} {
		ctx, cancel := context.WithCancel(context.Background())
		sim := New(g, Options{Cost: func(int) float32 { return 1 }})
		if _, err := sim.Round(ctx, &cancelling{left: at, cancel: cancel}); !errors.Is(err, want) {
			t.Errorf("plan %d of %d ends the context, the round returns %v", at, edges, err)
		}
		cancel()
	}
}
