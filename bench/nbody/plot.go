package nbody

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
)

// drawFigures draws a figure for every set-up, named after it. The figure has these rows:
//
//   - For each kind of weights the times, the effort, and the imbalance time since the last balancing, as in Figures 4
//     to 6 of Boulmier et al., "Towards informed partitioning for load balancing".
//   - The interactions and, if they are known, the times relative to the optimum, as in Figures 10 and 11 of Boulmier
//     et al., "Optimal load balancing and assessment of existing load balancing criteria".
func drawFigures(dir report.Folder, done []outcome) error {
	for i := range done {
		o := &done[i]
		rows, err := o.plotRows()
		if err == nil {
			err = dir.SavePlots(o.setup.Name, 32*vg.Centimeter, vg.Length(len(rows))*10*vg.Centimeter, rows)
		}
		if err != nil {
			return report.FigureError(o.setup.Name, err)
		}
	}
	return nil
}

func (o *outcome) plotRows() ([][]*plot.Plot, error) {
	var rows [][]*plot.Plot
	for _, weighted := range []bool{false, true} {
		var some []*entry
		for i := range o.entries {
			if o.entries[i].weighted == weighted {
				some = append(some, &o.entries[i])
			}
		}
		if len(some) == 0 {
			continue
		}
		row, err := o.plotRow(some)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	last, err := o.lastPlotRow()
	return append(rows, last), err
}

// entryLabel returns a name for an entry, made of the properties in which the entries differ.
func (o *outcome) entryLabel(e *entry) string {
	first, same := &o.entries[0], [3]bool{true, true, true}
	for i := range o.entries {
		other := &o.entries[i]
		same[0] = same[0] && other.partitioner == first.partitioner
		same[1] = same[1] && other.criterion == first.criterion
		same[2] = same[2] && other.factor == first.factor
	}
	var parts []string
	for i, part := range []string{e.partitioner, e.criterion, fmt.Sprintf("x%g", e.factor)} {
		if !same[i] || i == 0 && same[1] && same[2] {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

func (o *outcome) plotRow(some []*entry) ([]*plot.Plot, error) {
	times := report.NewPlot(o.setup.Name+", "+some[0].weightsName()+" balanced", "", "parallel time over the ideal")
	efforts := report.NewPlot("", "iteration", "effort / us")
	imbalance := report.NewPlot("", "iteration", "imbalance time since the last balancing / ms")
	var heights plotter.Values
	var labels []string
	for i, e := range some {
		heights = append(heights, relativeCost(e.seconds, e.ideal))
		labels = append(labels, o.entryLabel(e))
		steps, grown := e.effortLines(o.every)
		for _, l := range []struct {
			p      *plot.Plot
			points plotter.XYs
		}{{efforts, steps}, {imbalance, grown}} {
			drawn, err := report.NewLine(i, l.points)
			if err != nil {
				return nil, err
			}
			l.p.Add(drawn)
			l.p.Legend.Add(o.entryLabel(e), drawn)
		}
	}
	for _, p := range []*plot.Plot{efforts, imbalance} {
		p.Legend.Top, p.Legend.Left = true, true
		p.Y.Min = 0
		p.Y.Max *= 1.05 + 0.06*float64(len(some)) // room for the legend above the lines
	}
	return []*plot.Plot{times, efforts, imbalance}, addBars(times, heights, labels)
}

// effortLines returns two lines over the iterations: the effort of every interval in microseconds, and the imbalance
// time since the last balancing in milliseconds. The effort of the last interval is omitted if that interval is shorter
// than half of the previous one, because the run ended. A balancing cannot repay its cost in so short an interval.
func (e *entry) effortLines(every int) (steps, grown plotter.XYs) {
	for k, i := range e.intervals {
		v := i.Effort() / float64(every) * 1e6
		if k == 0 || k < len(e.intervals)-1 || 2*i.Length >= e.intervals[k-1].Length {
			steps = append(steps, plotter.XY{X: float64(i.First * every), Y: v}, plotter.XY{X: float64((i.First + i.Length) * every), Y: v})
		}
		sum := 0.0
		for t := i.First; t < i.First+i.Length; t++ {
			sum += e.imbalance[t] * 1e3
			grown = append(grown, plotter.XY{X: float64(t * every), Y: sum})
		}
	}
	return steps, grown
}

func addBars(p *plot.Plot, heights plotter.Values, labels []string) error {
	bars, err := plotter.NewBarChart(heights, vg.Points(14))
	if err != nil {
		return err
	}
	bars.Color = report.Colors[2]
	bars.LineStyle.Width = 0
	p.Add(bars)
	p.NominalX(labels...)
	p.Y.Min = 0
	p.Y.Max *= 1.05
	if len(labels) > 6 { // more names would overlap
		p.X.Tick.Label.Rotation = math.Pi / 4
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YCenter
	}
	return nil
}

func (o *outcome) lastPlotRow() ([]*plot.Plot, error) {
	work := report.NewPlot("", "iteration", "interactions")
	var points plotter.XYs
	for t, n := range o.interactions {
		points = append(points, plotter.XY{X: float64(t * o.every), Y: float64(n)})
	}
	line, err := report.NewLine(0, points)
	if err != nil {
		return nil, err
	}
	work.Add(line)
	var heights plotter.Values
	var labels []string
	for i := range o.entries {
		if e := &o.entries[i]; e.best != nil {
			heights = append(heights, relativeCost(e.seconds, e.best.Cost))
			labels = append(labels, o.entryLabel(e))
		}
	}
	if heights == nil {
		return []*plot.Plot{work, nil, nil}, nil
	}
	over := report.NewPlot("", "", "parallel time over the optimum")
	return []*plot.Plot{work, over, nil}, addBars(over, heights, labels)
}
