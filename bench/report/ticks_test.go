package report

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// TestTicksEnd asks for ticks of extreme and invalid ranges. Every ticker must return, with no more ticks than can be
// drawn.
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
		{DecadeTicks{}, 0, 10, 0}, {DecadeTicks{}, 1, math.Inf(1), 0}, {DecadeTicks{}, 1, 10, 10}, {DecadeTicks{}, 1, 1e5, 16}, {DecadeTicks{}, 1, 1e12, 13},
		{Ticks{}, 0, 10, 6}, {WholeTicks{Last: 10}, 0, 99, 11},
	} {
		if n := len(c.ticker.Ticks(c.low, c.high)); n != c.want {
			t.Errorf("%T from %g to %g: %d ticks, want %d", c.ticker, c.low, c.high, n, c.want)
		}
	}
}

// TestDecadeTicks checks the labels of logarithmic axes.
func TestDecadeTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1, 10, "1 2 5 10"}, {8, 400, "10 20 50 100 200"}, {0.5, 1500, "0.5 1 2 5 10 20 50 100 200 500 1000"}, {1, 1e5, "1 10 100 1000 10000 100000"}, {3, 4, ""},
	} {
		var labels []string
		for _, tick := range (DecadeTicks{}).Ticks(c.low, c.high) {
			if tick.Value < c.low || tick.Value > c.high {
				t.Errorf("%g to %g: a tick at %g", c.low, c.high, tick.Value)
			}
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	p := NewPlot("", "cost / iterations", "")
	SetLog(&p.X)
	SetLog(&p.Y)
	if p.X.Label.Text != "cost / iterations (log scale)" || p.Y.Label.Text != "(log scale)" {
		t.Errorf("labels %q and %q", p.X.Label.Text, p.Y.Label.Text)
	}
}
