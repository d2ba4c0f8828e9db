package scenario

import (
	"context"
	"testing"
)

// queue is a small simulated application: four bins of work that drift by one
// place every iteration, on two processing elements that own two bins each.
type queue [4]float64

// The type halves says for each bin whether it belongs to the first element.
type halves [4]bool

func newQueue(n int) *Live[queue, halves] {
	l := NewLive[queue, halves](n, queue{1, 2, 3, 4})
	l.Bound = func(int) float64 { return 5 }
	l.Distribute = func(_ int, q queue, old halves) (halves, float64) {
		// The largest bin and the smallest bin get the same owner.
		var h halves
		big, small := 0, 0
		for i, w := range q {
			if w > q[big] {
				big = i
			}
			if w < q[small] {
				small = i
			}
		}
		h[big], h[small] = true, true
		moved := 0.0
		for i := range h {
			if h[i] != old[i] {
				moved += 0.25
			}
		}
		return h, 0.5 + moved
	}
	l.Advance = func(t int, q queue, h halves) (queue, Iteration) {
		a, b := 0.0, 0.0
		for i, w := range q {
			if h[i] {
				a += w
			} else {
				b += w
			}
		}
		next := queue{q[3], q[0], q[1], q[2]}
		if t%3 == 0 {
			next[0], next[1] = next[1], next[0]
		}
		return next, Iteration{Max: max(a, b), Mean: (a + b) / 2, Min: min(a, b)}
	}
	return l
}

func TestLiveRunsUseTheLookupTable(t *testing.T) {
	const n = 12
	want := brute(t, newQueue(n))
	live := newQueue(n)
	found, err := Search(context.Background(), live, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range found.Scenarios {
		if s.Cost != want[i].Cost {
			t.Errorf("scenario %d: %v, want %v", i, s, want[i])
		}
	}
	if live.Known() != n+1 {
		t.Errorf("%d states in the table, want %d", live.Known(), n+1)
	}
	best, err := Optimum(context.Background(), newQueue(n))
	if err != nil || best.Cost != want[0].Cost {
		t.Errorf("optimum %v, %v; want %v", best, err, want[0])
	}
	if len(best.Balances) == 0 {
		t.Error("the optimum never balances: the test says nothing about states")
	}
}

func TestLiveRefusesUnknownStates(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a run started at a state that nobody has reached")
		}
	}()
	newQueue(5).Balanced(3)
}

// TestNilArgumentsAreErrors checks that a nil argument is reported as an error and does not cause a panic later.
func TestNilArgumentsAreErrors(t *testing.T) {
	var none context.Context
	curves, err := Synthetic(Growth(0), false, 3)
	if err != nil {
		t.Fatal(err)
	}
	second := func(_ any, err error) error { return err }
	for name, search := range map[string]func(context.Context, Application) error{
		"Optimum": func(ctx context.Context, a Application) error { return second(Optimum(ctx, a)) },
		"Exhaust": func(ctx context.Context, a Application) error { return second(Exhaust(ctx, a)) },
		"Search":  func(ctx context.Context, a Application) error { return second(Search(ctx, a, 1)) },
	} {
		if search(none, curves) == nil || search(context.Background(), nil) == nil {
			t.Errorf("%s of nothing: no error", name)
		}
	}
}
