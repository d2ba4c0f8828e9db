package circuit

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFewestMoves checks that Transfer moves one heavy load instead of many light loads, if the error is within the
// slack.
func TestFewestMoves(t *testing.T) {
	light := slices.Repeat([]float64{1}, 30)
	p := Pair{Load: append([]float64{20}, light...), Side: make([]uint8, 31)}
	if got := (Exchange{MaxLoads: 2}).Transfer(p, 0, 19, 2, nil); got != 20 || moved(p) != 1 {
		t.Errorf("%v went in %d moves; want 20 in 1", got, moved(p))
	}
	// Transfer sends a heavy load and takes some light loads back, because that takes fewer moves than sending light
	// loads alone.
	p = Pair{Load: append([]float64{20}, light...), Side: append(make([]uint8, 21), slices.Repeat([]uint8{1}, 10)...)}
	if got := (Exchange{MaxLoads: 2}).Transfer(p, 0, 17, 0.5, nil); math.Abs(got-17) > 0.5 || p.Side[0] != 1 {
		t.Errorf("%v went; the heavy load lies on %d", got, p.Side[0])
	}
	// Only sending a heavy load and taking light loads back helps here. Exchange does that only with Escape.
	p = Pair{Load: append([]float64{20, 20}, light[:16]...), Side: append([]uint8{0, 0}, slices.Repeat([]uint8{1}, 16)...)}
	if got := (Exchange{MaxLoads: 2, Tolerance: 0.01}).Transfer(p, 0, 9, 0, nil); got != 0 {
		t.Errorf("%v went", got)
	}
	if got := (Exchange{MaxLoads: 2, Tolerance: 0.01, Escape: true}).Transfer(p, 0, 9, 0, nil); got != 9 {
		t.Errorf("%v went; want 9, 20 there and 11 back", got)
	}
}

// moved returns the number of moved loads of a pair whose loads were all on element 0.
func moved(p Pair) (n int) {
	for _, side := range p.Side {
		n += int(side)
	}
	return n
}

// TestTolerantTransfer checks that Transfer returns the amount that was really sent. The result is never farther from
// amount than 0 is. If the result is within slack of amount, a prefix of the heaviest loads together with one more load
// does not reach that in fewer moves.
func TestTolerantTransfer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "loads")
		var p Pair
		for range n {
			p.Load = append(p.Load, float64(rapid.IntRange(1, 40).Draw(t, "load")))
			p.Side = append(p.Side, uint8(rapid.IntRange(0, 1).Draw(t, "side")))
		}
		amount := float64(rapid.IntRange(1, 60).Draw(t, "amount"))
		slack := amount * rapid.Float64Range(0.001, 0.9).Draw(t, "slack")
		e := Exchange{MaxLoads: rapid.IntRange(1, 4).Draw(t, "max"), Escape: rapid.Bool().Draw(t, "escape")}
		before, side := p.Totals(), slices.Clone(p.Side)
		got := e.Transfer(p, 0, amount, slack, nil)
		after := p.Totals()
		if math.Abs(before[0]-after[0]-got) > 1e-9 || math.Abs(amount-got) > amount {
			t.Fatalf("%v went by its word, %v in truth", got, before[0]-after[0])
		}
		moves, near := 0, false
		for i := range side {
			if side[i] != p.Side[i] {
				moves++
			}
			w := p.Load[i]
			near = near || side[i] == 0 && math.Abs(amount-w) <= slack
		}
		if near && moves != 1 {
			t.Fatalf("%d moves, one load would do", moves)
		}
	})
}
