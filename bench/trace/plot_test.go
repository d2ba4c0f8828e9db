package trace

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"lockstep/bench/report"
)

// TestMarksShowTheirNumber checks that a mark that stands for several decisions is labelled with their number.
func TestMarksShowTheirNumber(t *testing.T) {
	var m marks
	m.add(1, 1, 1)
	m.add(2, 2, 37)
	p := report.NewPlot("", "x", "y")
	if err := m.draw(p, "moves", blue, draw.CircleGlyph{}, 2); err != nil {
		t.Fatal(err)
	}
	canvas := vgsvg.New(8*vg.Centimeter, 8*vg.Centimeter)
	p.Draw(draw.New(canvas))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		t.Fatal(err)
	}
	if s := svg.String(); strings.Count(s, ">37<") != 1 || !strings.Contains(s, ">moves (38)<") {
		t.Errorf("the figure lacks the numbers of marks: %s", s)
	}
	var none marks
	if err := none.draw(p, "none", blue, draw.CircleGlyph{}, 2); err != nil {
		t.Error(err)
	}
}

// TestDecisionPointsAreSorted checks that marks are drawn in the same order in every run, although they come from a
// map.
func TestDecisionPointsAreSorted(t *testing.T) {
	points := newDecisionPoints()
	for i := range 50 {
		points.counts[decisionPoint{savings: i * 7 % 5, cost: i * 3 % 11, redistributed: i%2 == 0}]++
	}
	if got := points.sortedPoints(); !slices.IsSortedFunc(got, func(a, b decisionPoint) int { return a.cost*100 + a.savings - b.cost*100 - b.savings }) || len(got) != len(points.counts) {
		t.Errorf("%v", got)
	}
}

// TestLogAxesSayIt checks that the axes of the figure of decisions are labelled as logarithmic.
func TestLogAxesSayIt(t *testing.T) {
	l := &loop{points: newDecisionPoints()}
	l.points.counts[decisionPoint{savings: 9, cost: 4, redistributed: true}] = 3
	p, err := l.plotDecisions("t")
	if err != nil {
		t.Fatal(err)
	}
	if p.X.Label.Text != "estimated cost / iterations (log scale)" || p.Y.Label.Text != "savings / iterations (log scale)" {
		t.Errorf("labels %q and %q", p.X.Label.Text, p.Y.Label.Text)
	}
}

// TestColumnsStandForAll checks a column of several decisions. It has a mark at the least and a mark at the largest
// value, and its marks count all its decisions.
func TestColumnsStandForAll(t *testing.T) {
	var c column
	for _, v := range []float64{5, 9, 7, 7} {
		c.accepted.savings.add(v)
		c.accepted.cost.add(3)
	}
	l := &loop{columns: &columns{width: 1, columns: []column{c}}}
	p := report.NewPlot("", "iteration", "iterations")
	if err := l.addDecisionMarks(p); err != nil {
		t.Fatal(err)
	}
	p.X.Min, p.X.Max = 0, 1
	canvas := vgsvg.New(12*vg.Centimeter, 8*vg.Centimeter)
	p.Draw(draw.New(canvas))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{">savings of moving work (4)<", ">estimated cost (4)<", ">3<", ">4<", "(log scale)"} {
		if !strings.Contains(svg.String(), text) {
			t.Errorf("the figure lacks %s", text)
		}
	}
}
