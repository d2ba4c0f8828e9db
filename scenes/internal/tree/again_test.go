package tree

import (
	"context"
	"slices"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
)

// TestFromTwice walks from several roots in several calls. Nodes of earlier calls must count as visited, and other
// nodes must not, even the node whose key is the zero value.
func TestFromTwice(t *testing.T) {
	var visits, shunned []int
	g := graph{{}, {2}, {}, {2}}
	w := Walk[int, int, int]{
		In: meshtest.Input(context.Background(), scenes.ReadOptions{}), Once: true,
		Find:  func(_, e int) (int, []int, bool, error) { return e, g[e], true, nil },
		Visit: func(_, _, key int) (int, error) { visits = append(visits, key); return key, nil },
		Skip:  func(_, e int, _ Reason) error { shunned = append(shunned, e); return nil },
	}
	for _, root := range []int{1, 3, 0} {
		if err := w.From(-1, []int{root}); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(visits, []int{1, 2, 3, 0}) || !slices.Equal(shunned, []int{2}) {
		t.Errorf("visited %v, shunned %v", visits, shunned)
	}
}
