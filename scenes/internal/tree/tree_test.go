package tree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
)

// A graph lists the nodes below each node.
type graph [][]int

// walk returns the paths of all visits, and the edges that were skipped.
func (g graph) walk(w Walk[int, string, int], roots ...int) (visits, shunned []string, err error) {
	w.In = meshtest.Input(context.Background(), scenes.ReadOptions{})
	w.Find = func(_ string, e int) (int, []int, bool, error) {
		if e >= len(g) {
			return 0, nil, false, nil
		}
		return e, g[e], true, nil
	}
	w.Visit = func(above string, _, key int) (string, error) {
		path := fmt.Sprint(above, key)
		visits = append(visits, path)
		return path, nil
	}
	w.Skip = func(above string, e int, why Reason) error {
		shunned = append(shunned, fmt.Sprintf("%s-%d %s", above, e, [...]string{"loop", "again", "deep"}[why]))
		return nil
	}
	err = w.From("", roots)
	return visits, shunned, err
}

func TestWalk(t *testing.T) {
	for _, c := range []struct {
		name    string
		g       graph
		w       Walk[int, string, int]
		roots   []int
		visits  string
		shunned string
	}{
		{"tree", graph{{1, 2}, {3}, {}, {}}, Walk[int, string, int]{Once: true}, []int{0}, "0 01 013 02", ""},
		{"child twice, once", graph{{1, 1}, {}}, Walk[int, string, int]{Once: true}, []int{0}, "0 01", "0-1 again"},
		{"child twice, each time", graph{{1, 1}, {}}, Walk[int, string, int]{Most: 9}, []int{0}, "0 01 01", ""},
		{"two parents, once", graph{{2}, {2}, {}}, Walk[int, string, int]{Once: true}, []int{0, 1}, "0 02 1", "1-2 again"},
		{"root twice", graph{{}}, Walk[int, string, int]{Once: true}, []int{0, 0}, "0", "-0 again"},
		{"itself", graph{{0, 1}, {}}, Walk[int, string, int]{Most: 9}, []int{0}, "0 01", "0-0 loop"},
		{"circle, once", graph{{1}, {2}, {0}}, Walk[int, string, int]{Once: true}, []int{0}, "0 01 012", "012-0 loop"},
		{"circle, each time", graph{{1}, {2}, {0}}, Walk[int, string, int]{Most: 9}, []int{0, 1}, "0 01 012 1 12 120", "012-0 loop 120-1 loop"},
		{"two levels", graph{{1}, {2}, {}}, Walk[int, string, int]{Most: 9, Levels: 2}, []int{0}, "0 01", "01-2 deep"},
		{"no such node", graph{{7, 1}, {}}, Walk[int, string, int]{Most: 9}, []int{0}, "0 01", ""},
	} {
		visits, shunned, err := c.g.walk(c.w, c.roots...)
		if err != nil || strings.Join(visits, " ") != c.visits || strings.Join(shunned, " ") != c.shunned {
			t.Errorf("%s: visits %q, shunned %q, %v", c.name, visits, shunned, err)
		}
	}
}

// TestWork checks that a walk of 2^60 visits is stopped, and that ignored and skipped edges count towards its limit.
func TestWork(t *testing.T) {
	doubling := make(graph, 61)
	for i := range 60 {
		doubling[i] = []int{i + 1, i + 1}
	}
	for name, c := range map[string]struct {
		g graph
		n int
	}{
		"doubling": {doubling, 100}, "left out": {graph{slices.Repeat([]int{5}, 200)}, 1}, "loops": {graph{make([]int, 200)}, 1},
	} {
		visits, _, err := c.g.walk(Walk[int, string, int]{Unit: "things", Most: 100}, 0)
		var limit *scenes.LimitError
		if !errors.As(err, &limit) || !limit.Fixed || limit.Unit != "things" || limit.Want != 101 || limit.Limit != 100 || len(visits) != c.n {
			t.Errorf("%s: %d visits, %v", name, len(visits), err)
		}
	}
	if _, _, err := (graph{slices.Repeat([]int{1}, 99), {}}).walk(Walk[int, string, int]{Most: 100}, 0); err != nil {
		t.Error(err)
	}
}

// TestDeep walks down a chain of 300,000 nodes.
func TestDeep(t *testing.T) {
	n := 300_000
	last := -1
	w := Walk[int, int, int]{
		In: meshtest.Input(context.Background(), scenes.ReadOptions{}), Once: true,
		Find:  func(_, e int) (int, []int, bool, error) { return e, []int{e + 1}[:min(1, n-1-e)], true, nil },
		Visit: func(_, e, _ int) (int, error) { last = e; return e, nil },
	}
	if err := w.From(0, []int{0}); err != nil || last != n-1 {
		t.Error(last, err)
	}
}

// TestErrors checks that a walk ends with the error of each callback, and with that of its context.
func TestErrors(t *testing.T) {
	bad := errors.New("bad")
	walk := func() *Walk[int, int, int] {
		return &Walk[int, int, int]{
			In: meshtest.Input(context.Background(), scenes.ReadOptions{}), Once: true,
			Find:  func(_, e int) (int, []int, bool, error) { return e, []int{0}, true, nil },
			Visit: func(int, int, int) (int, error) { return 0, nil },
			Skip:  func(int, int, Reason) error { return nil },
		}
	}
	find, visit, shun := walk(), walk(), walk()
	find.Find = func(int, int) (int, []int, bool, error) { return 0, nil, true, bad }
	visit.Visit = func(int, int, int) (int, error) { return 0, bad }
	shun.Skip = func(int, int, Reason) error { return bad }
	for i, w := range []*Walk[int, int, int]{find, visit, shun} {
		if err := w.From(0, []int{0}); err != bad {
			t.Error(i, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	in := meshtest.Input(ctx, scenes.ReadOptions{})
	cancel()
	done := walk()
	done.In = in
	if err := done.From(0, []int{0}); err != context.Canceled {
		t.Error(err)
	}
}

// TestRandom walks random graphs. With the option Once, each node that can be reached must be visited once, by the
// first path to it. Otherwise all paths that contain no node twice must be visited.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "nodes")
		g := graph(rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, n), 0, 3), n, n).Draw(t, "graph"))
		var paths []string
		var follow func(path string, node int)
		follow = func(path string, node int) {
			if name := fmt.Sprint(node); node < n && !strings.Contains(path, name) {
				paths = append(paths, path+name)
				for _, below := range g[node] {
					follow(path+name, below)
				}
			}
		}
		follow("", 0)
		visits, _, err := g.walk(Walk[int, string, int]{Most: 1 << 20}, 0)
		if err != nil || !slices.Equal(visits, paths) {
			t.Fatalf("visits %q, want %q, %v", visits, paths, err)
		}
		once, shunned, err := g.walk(Walk[int, string, int]{Once: true}, 0)
		edges := 1
		for i, below := range g {
			if slices.ContainsFunc(once, func(path string) bool { return strings.HasSuffix(path, fmt.Sprint(i)) }) {
				for _, to := range below {
					edges += min(1, n-1-to+1)
				}
			}
		}
		if err != nil || len(once)+len(shunned) != edges {
			t.Fatalf("visits %q, shunned %q of %d edges, %v", once, shunned, edges, err)
		}
		for _, path := range once {
			i := slices.IndexFunc(visits, func(v string) bool { return v[len(v)-1] == path[len(path)-1] })
			if !slices.Contains(visits, path) || i < 0 {
				t.Fatalf("%q is no path of %q", path, visits)
			}
		}
	})
}

// FuzzWalk walks arbitrary graphs of up to 16 nodes. The walk must end, and not exceed its limit.
func FuzzWalk(f *testing.F) {
	f.Add([]byte{1, 1, 255, 2, 2, 255, 0}, true, 5)
	f.Add([]byte{1, 1, 255, 2, 2, 255, 3, 3}, false, 2)
	f.Fuzz(func(t *testing.T, edges []byte, once bool, levels int) {
		g := graph{nil}
		for _, b := range edges {
			if at := len(g) - 1; b != 255 {
				g[at] = append(g[at], int(b%16))
			} else if len(g) < 16 {
				g = append(g, nil)
			}
		}
		w := Walk[int, string, int]{Most: 1000, Levels: max(0, levels) % 20, Once: once}
		visits, shunned, err := g.walk(w, 0)
		if err == nil && len(visits)+len(shunned) > w.Most {
			t.Fatalf("%d visits and %d shunned edges", len(visits), len(shunned))
		}
		if once && err == nil && len(visits) > len(g) {
			t.Fatalf("%d visits of %d nodes", len(visits), len(g))
		}
	})
}
