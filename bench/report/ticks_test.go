package report

import (
	"math"
	"testing"

	"gonum.org/v1/plot"
)

// TestTicksEnd asks for ticks of ranges that no axis should have: every ticker
// returns, and not with more than can be drawn.
func TestTicksEnd(t *testing.T) {
	values := []float64{math.Inf(-1), -1e308, -1, 0, 5e-324, 0.5, 1, 1e15, math.MaxInt64 - 4096, math.MaxInt64, 1e308, math.MaxFloat64, math.Inf(1), math.NaN()}
	for _, low := range values {
		for _, high := range values {
			for _, ticker := range []plot.Ticker{DecadeTicks{}, Ticks{}, TicksUpTo(high), WholeTicks{Last: high}} {
				if n := len(ticker.Ticks(low, high)); n > 700 {
					t.Errorf("%T from %g to %g: %d ticks", ticker, low, high, n)
				}
			}
		}
	}
	for _, c := range []struct {
		ticker    plot.Ticker
		low, high float64
		want      int
	}{
		{DecadeTicks{}, 0, 10, 0}, {DecadeTicks{}, 1, math.Inf(1), 0}, {DecadeTicks{}, 1, 10, 4},
		{Ticks{}, 0, 10, 6}, {WholeTicks{Last: 10}, 0, 99, 11},
	} {
		if n := len(c.ticker.Ticks(c.low, c.high)); n != c.want {
			t.Errorf("%T from %g to %g: %d ticks, want %d", c.ticker, c.low, c.high, n, c.want)
		}
	}
}
