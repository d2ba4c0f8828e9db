package trace

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/bench/report"
	"lockstep/vp/trace"
)

// plotCloseup returns the plots of the records in l.closeup. A line ends where another group of lanes, stage, block or
// frame begins.
func (l *loop) plotCloseup() ([]*plot.Plot, error) {
	steps := l.closeup.steps
	upper := report.NewPlot("close-up of the move of work that gains most", "", "active processors")
	middle := report.NewPlot("", "", "workload / tasks a processor")
	lower := report.NewPlot("", "iteration", "iterations")
	active := func(s *trace.Step) float64 { return float64(s.Active) }
	workload := func(s *trace.Step) float64 { return float64(s.Max) }
	savings := func(s *trace.Step) float64 { return max(s.Savings, axisFloor) }
	cost := func(s *trace.Step) float64 { return max(s.Cost, axisFloor) }
	for _, line := range []struct {
		p     *plot.Plot
		label string
		color color.Color
		value func(*trace.Step) float64
		marks bool
	}{
		{upper, "active", blue, active, true},
		{middle, "largest", blue, workload, true},
		{lower, "estimated cost of moving", orange, cost, false},
		{lower, "savings", blue, savings, true},
	} {
		line.p.Add(bestMoveLine(steps, l.closeup.gain))
		label := line.label
		for _, run := range unbrokenLines(steps, line.value) {
			if err := addLine(line.p, run, label, line.color); err != nil {
				return nil, err
			}
			label = ""
		}
		if !line.marks {
			continue
		}
		if err := markCloseup(line.p, steps, line.value); err != nil {
			return nil, err
		}
	}
	setAxes(upper, 0, float64(l.processors))
	setAxes(middle, 0, middle.Y.Max)
	logAxis(lower)
	for _, p := range []*plot.Plot{upper, middle, lower} {
		p.X.Min, p.X.Max = float64(steps[0].at), float64(steps[len(steps)-1].at+1)
	}
	return []*plot.Plot{upper, middle, lower}, nil
}

// unbrokenLines returns lines of values over the iterations. There is one for each run of records of the same group of
// lanes.
func unbrokenLines(steps []placedStep, value func(*trace.Step) float64) (runs []plotter.XYs) {
	var run plotter.XYs
	cut := func() {
		if len(run) > 1 {
			runs = append(runs, run)
		}
		run = nil
	}
	for i := range steps {
		s := &steps[i]
		if i > 0 && !sameGroup(&s.Step, &steps[i-1].Step) {
			cut()
		}
		y := value(&s.Step)
		if !describesProcessors(&s.Step) || math.IsInf(y, 0) || y > math.MaxInt32 {
			cut()
			continue
		}
		run = append(run, plotter.XY{X: float64(s.at), Y: y})
		if s.Iterations > 0 {
			run = append(run, plotter.XY{X: float64(s.at + s.Iterations), Y: y})
		}
	}
	cut()
	return runs
}

// sameGroup reports whether two records are about the same group of lanes, in the same frame, block and stage.
func sameGroup(a, b *trace.Step) bool {
	return a.Frame == b.Frame && a.Block == b.Block && a.Stage == b.Stage && a.Group == b.Group
}

// markCloseup marks the loop's decisions whether to redistribute, on a line of a plot.
func markCloseup(p *plot.Plot, steps []placedStep, value func(*trace.Step) float64) error {
	var done, kept marks
	for i := range steps {
		s := &steps[i]
		switch {
		case !s.Looked():
		case s.Redistributed:
			done.add(float64(s.at), value(&s.Step), 1)
		default:
			kept.add(float64(s.at), value(&s.Step), 1)
		}
	}
	if err := kept.draw(p, "checks that moved nothing", grey, draw.CrossGlyph{}, 3); err != nil {
		return err
	}
	return done.draw(p, "moves of work", report.Colors[0], draw.CircleGlyph{}, 2.4)
}

// A verticalLines draws lines at some values of x, from the bottom of a plot to its top.
type verticalLines struct {
	at    []float64
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (v verticalLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, at := range v.at {
		if at >= p.X.Min && at <= p.X.Max {
			c.StrokeLine2(v.style, x(at), c.Min.Y, x(at), c.Max.Y)
		}
	}
}

// bestMoveLine returns a vertical line at the first redistribution with this gain.
func bestMoveLine(steps []placedStep, gain float64) verticalLines {
	v := verticalLines{style: draw.LineStyle{Color: color.Gray{0xa0}, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(3), vg.Points(2)}}}
	for i := range steps {
		if s := &steps[i]; s.Redistributed && s.Looked() && s.Savings-s.Cost == gain {
			v.at = append(v.at, float64(s.at))
			break
		}
	}
	return v
}

// plotDecisions returns a plot of the savings of all decisions against their costs. The savings of a point above the
// diagonal exceed its cost.
func (l *loop) plotDecisions(title string) (*plot.Plot, error) {
	p := report.NewPlot(joinTitles(title, l.title()+", every decision"), "estimated cost / iterations", "savings / iterations")
	var done, kept marks
	low, high := math.Inf(1), 0.0
	for _, at := range l.points.sortedPoints() {
		x, y := stepValue(at.cost), stepValue(at.savings)
		low, high = min(low, x, y), max(high, x, y)
		if at.redistributed {
			done.add(x, y, l.points.counts[at])
		} else {
			kept.add(x, y, l.points.counts[at])
		}
	}
	low, high = low/1.5, high*1.5
	line, err := plotter.NewLine(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}})
	if err != nil {
		return nil, err
	}
	line.Color, line.Width = orange, vg.Points(1)
	p.Add(line)
	p.Legend.Add("savings = cost", line)
	if err := kept.draw(p, "checks that moved nothing", grey, draw.CrossGlyph{}, 2.4); err != nil {
		return nil, err
	}
	if err := done.draw(p, "moves of work", blue, draw.CircleGlyph{}, 2); err != nil {
		return nil, err
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		report.SetLog(a)
		a.Min, a.Max = low, high
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs = vg.Points(6)
	return p, nil
}
