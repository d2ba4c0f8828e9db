package annotate

import (
	"strings"
	"testing"
)

// TestLegendFits plans legends of pages of any height: nothing lies over anything else or beyond the
// page, numbers stand at the ends wherever two have room, and high pages have all parts.
func TestLegendFits(t *testing.T) {
	for h := 1; h < 400; h++ {
		for _, l := range []*Legend{{Low: 0, High: 1}, {Title: "t", Low: 0, High: 1}, {Low: 0, High: 1, None: true}, {Title: "t", Low: 0, High: 1, None: true}} {
			p := &page{w: 400, h: h, size: LetterSize(400, h)}
			plan := p.planLegend(l)
			letters := plan.y0 // of what is above a number
			if plan.title {
				letters -= 0.8*p.size + 0.3*p.size // below its base line, as far as letters reach
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
			if plan.none && plan.y1+1.9*p.size > float64(h) {
				t.Errorf("%d rows: the box of no number ends at %g", h, plan.y1+1.9*p.size)
			}
			if h >= 24 && plan.ticks < 2 || h >= 40 && plan.ticks == 0 || h < 20 && plan.ticks > 2 {
				t.Errorf("%d rows: %d numbers", h, plan.ticks)
			}
			if h >= 130 && (plan.ticks != 5 || plan.title != (l.Title != "") || plan.none != l.None) {
				t.Errorf("%d rows: %+v", h, plan)
			}
		}
	}
}

// TestLegendWidth leaves room for all texts, the one beside the box of no number, too.
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

// TestTickText writes numbers in as many digits as their distances want.
func TestTickText(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.301, 0.584, "-0.301 -0.08 0.141 0.363 0.584"},
		{0, 6, "0 1.5 3 4.5 6"},
		{-1, 1, "-1 -0.5 0 0.5 1"},
		{100000.1, 100000.9, "100000.1 100000.3 100000.5 100000.7 100000.9"},
		{0, 1.0 / 3, "0 0.0833 0.1667 0.25 0.3333"},
		{1234567, 9876543, "1234567 3395061 5555555 7716049 9876543"},
		{0, 4e-7, "0 1e-07 2e-07 3e-07 4e-07"},
		{-1.5e30, 2.5e30, "-1.5e+30 -5e+29 5e+29 1.5e+30 2.5e+30"},
		{-1.7e308, 1.7e308, "-1.7e+308 -8.5e+307 0 8.5e+307 1.7e+308"},
	} {
		if got := strings.Join((&Legend{Low: c.low, High: c.high}).numbers(5), " "); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	if n := (&Legend{High: 1}).numbers(0); n != nil {
		t.Error(n)
	}
}
