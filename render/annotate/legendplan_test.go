package annotate

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLegendFits plans legends for pages of any height. No parts may overlap or lie beyond the page. There must be
// numbers if the page has space for two of them, and high pages must have all parts.
func TestLegendFits(t *testing.T) {
	for h := 1; h < 400; h++ {
		for _, l := range []*Legend{{Low: 0, High: 1}, {Title: "t", Low: 0, High: 1}, {Low: 0, High: 1, None: true}, {Title: "t", Low: 0, High: 1, None: true}} {
			p := &page{w: 400, h: h, size: LetterSize(400, h)}
			plan := p.planLegend(l)
			letters := plan.y0 // bottom of the text above the first number
			if plan.title {
				letters -= 0.8*p.size + 0.3*p.size // letters reach below their base line
				if plan.y0-0.8*p.size < p.size {
					t.Errorf("%d rows: the title begins above the page", h)
				}
			}
			if plan.ticks > 0 && plan.title && letters+0.15*p.size < 0 || plan.y0 >= plan.y1 {
				t.Errorf("%d rows: a bar from %g to %g", h, plan.y0, plan.y1)
			}
			if plan.ticks > 1 && (plan.y1-plan.y0)/float64(plan.ticks-1) < 1.2*p.size-1e-9 {
				t.Errorf("%d rows: %d numbers in %g rows", h, plan.ticks, plan.y1-plan.y0)
			}
			if plan.hasNone && plan.y1+1.9*p.size > float64(h) {
				t.Errorf("%d rows: the box of no number ends at %g", h, plan.y1+1.9*p.size)
			}
			if h >= 24 && plan.ticks < 2 || h >= 40 && plan.ticks == 0 || h < 20 && plan.ticks > 2 {
				t.Errorf("%d rows: %d numbers", h, plan.ticks)
			}
			if h >= 130 && (plan.ticks < 5 || plan.title != (l.Title != "") || plan.hasNone != l.None) {
				t.Errorf("%d rows: %+v", h, plan)
			}
		}
	}
}

// TestLegendWidth checks that the width suffices for all texts, including the text beside the box for surfaces without
// a number.
func TestLegendWidth(t *testing.T) {
	width := func(l Legend) int {
		w, err := l.Width(400, 300)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	plain, none, wide := width(Legend{High: 1}), width(Legend{High: 1, None: true}), width(Legend{High: 1, Title: "a long title"})
	if plain >= none || none >= wide || width(Legend{High: 1.0 / 3}) <= width(Legend{High: 3}) {
		t.Errorf("%d, %d with a box of no number, %d with a title", plain, none, wide)
	}
}

// TestTicks checks that numbers beside bars are round and have no more digits than needed.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.301, 0.584, "-0.2 0 0.2 0.4"},
		{0, 6, "0 2 4 6"},
		{-1, 1, "-1 -0.5 0 0.5 1"},
		{100000.1, 100000.9, "100000.2 100000.4 100000.6 100000.8"},
		{0, 1.0 / 3, "0 0.1 0.2 0.3"},
		{1234567, 9876543, "2000000 4000000 6000000 8000000"},
		{0, 4e-7, "0 1e-07 2e-07 3e-07 4e-07"},
		{-1.5e30, 2.5e30, "-1e+30 0 1e+30 2e+30"},
		{-1.7e308, 1.7e308, "-1e+308 0 1e+308"},
		{0.3, 0.3000001, "0.3 0.30000005 0.3000001"},
		{5, math.Nextafter(5, 6), "5 5.000000000000001"},
	} {
		var got []string
		for _, k := range (&Legend{Low: c.low, High: c.high}).ticks(5) {
			got = append(got, k.text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	if n := (&Legend{High: 1}).ticks(0); n != nil {
		t.Error(n)
	}
}

// TestRoundLevels checks that levels are multiples of their step within the range, and at most as many as asked for.
func TestRoundLevels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		high := low + math.Pow(10, rapid.Float64Range(-4, 7).Draw(t, "span"))
		most := rapid.IntRange(2, 30).Draw(t, "most")
		levels, step := roundLevels(low, high, most)
		if len(levels) > most || most > 4 && len(levels) < most/3 {
			t.Fatalf("%d levels of %d: %v", len(levels), most, levels)
		}
		for i, v := range levels {
			k := v / step
			if math.Abs(k-math.Round(k)) > 1e-4 || v < low-1e-4*step || v > high+1e-4*step || i > 0 && !(v > levels[i-1]) {
				t.Fatalf("%v by %v in %v to %v", v, step, low, high)
			}
		}
	})
}
