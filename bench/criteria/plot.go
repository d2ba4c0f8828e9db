package criteria

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
	"lockstep/lb/scenario"
)

// drawnCriteria are the criteria in the figures, in the order of report.Colors.
var drawnCriteria = []struct{ name, label string }{
	{"optimum", "optimum"},
	{"menon", "Menon"},
	{"boulmier", "Boulmier"},
	{"procassini", "Procassini"},
	{"ours", "ours"},
}

// drawFigures draws Figures 6, 7 and 8 of Boulmier et al. (arXiv:2104.01688) from the results of the eight benchmarks.
func drawFigures(dir report.Folder, done []paperResult) error {
	half := len(done) / 2
	if err := drawTimes(dir, "figure6", done[:half]); err != nil {
		return err
	}
	if err := drawTimes(dir, "figure7", done[half:]); err != nil {
		return err
	}
	return drawRelative(dir, "figure8", done)
}

// drawTimes draws Figure 6 or 7. It has two plots for each benchmark: the parallel time, and below it the cost of
// balancing and the imbalance time. The imbalance time is the sum of max - mean since the last balancing.
func drawTimes(dir report.Folder, name string, cases []paperResult) error {
	rows := make([][]*plot.Plot, len(cases))
	for i, k := range cases {
		upper, lower, err := timePlots(k)
		if err != nil {
			return fmt.Errorf("draw %s: %w", name, err)
		}
		row := i / 2 * 2
		rows[row] = append(rows[row], upper)
		rows[row+1] = append(rows[row+1], lower)
	}
	return dir.SavePlots(name, 24*vg.Centimeter, 28*vg.Centimeter, rows)
}

// timePlots returns the two plots of one benchmark.
func timePlots(k paperResult) (upper, lower *plot.Plot, err error) {
	upper = report.NewPlot(fmt.Sprintf("%s workload, %s imbalance", k.workload(), k.growth), "", "parallel time T / 1000 µ(0)")
	lower = report.NewPlot("", "iteration", "imbalance time U / µ(0)")
	for i, d := range drawnCriteria {
		r := findResult(k.results, d.name)
		total, since := timeLines(k.app, r)
		label := fmt.Sprintf("%s  %.3f", d.label, r.relative)
		if !math.IsNaN(r.parameter) {
			label = fmt.Sprintf("%s (ρ = %.2f)  %.3f", d.label, r.parameter, r.relative)
		}
		for _, l := range []struct {
			p      *plot.Plot
			points plotter.XYs
		}{{upper, total}, {lower, since}} {
			line, err := report.NewLine(i, l.points)
			if err != nil {
				return nil, nil, err
			}
			l.p.Add(line)
			if l.p == upper {
				upper.Legend.Add(label, line)
			}
		}
	}
	upper.Legend.Top, upper.Legend.Left = true, true
	upper.Legend.XOffs = vg.Points(6)
	upper.Y.Min, lower.Y.Min = 0, 0
	return upper, lower, addCostLine(lower, k.app)
}

// addCostLine adds the cost of balancing as a horizontal line.
func addCostLine(p *plot.Plot, app *scenario.Curves) error {
	c := app.Cost() / scenario.PaperMean
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: c}, {X: float64(app.Iterations()), Y: c}})
	if err != nil {
		return err
	}
	line.Color = report.Colors[6]
	line.Width = vg.Points(1.6)
	p.Add(line)
	p.Legend.Add("cost of balancing C", line)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs = vg.Points(6)
	p.Y.Max = 1.15 * max(p.Y.Max, c)
	return nil
}

// timeLines returns the parallel time so far, in thousands, and the imbalance time since the last balancing. Both are
// in units of the mean load of the first iteration.
func timeLines(app *scenario.Curves, r result) (total, since plotter.XYs) {
	sum, u := 0.0, 0.0
	scenario.Drive(app,
		func(t int) bool { _, found := slices.BinarySearch(r.Balances, t); return found },
		func(it scenario.Record) {
			if it.Balanced {
				u = 0
			}
			sum += it.Cost + it.Max
			u += it.Max - it.Mean
			x := float64(it.Index)
			total = append(total, plotter.XY{X: x, Y: sum / scenario.PaperMean / 1000})
			since = append(since, plotter.XY{X: x, Y: u / scenario.PaperMean})
		})
	return total, since
}

// drawRelative draws Figure 8: by how many per cent the time of every criterion exceeds the time of the optimum.
func drawRelative(dir report.Folder, name string, done []paperResult) error {
	half := len(done) / 2
	var rows [][]*plot.Plot
	for i, cases := range [][]paperResult{done[:half], done[half:]} {
		p, err := relativePlot(cases)
		if err != nil {
			return fmt.Errorf("draw %s: %w", name, err)
		}
		if i == 0 {
			p.Legend.Top, p.Legend.Left = true, true
			p.Legend.XOffs = vg.Points(6)
		} else {
			p.Legend = plot.NewLegend()
		}
		rows = append(rows, []*plot.Plot{p})
	}
	return dir.SavePlots(name, 18*vg.Centimeter, 18*vg.Centimeter, rows)
}

// relativePlot returns a bar chart with a group of bars for each benchmark, and in it a bar for each criterion.
func relativePlot(cases []paperResult) (*plot.Plot, error) {
	p := report.NewPlot(cases[0].workload()+" workload", "", "time above the optimum's / %")
	shown := drawnCriteria[1:]
	const width = 20 // in points
	var names []string
	for _, k := range cases {
		names = append(names, k.growth.String())
	}
	for i, d := range shown {
		var values plotter.Values
		for _, k := range cases {
			values = append(values, 100*(findResult(k.results, d.name).relative-1))
		}
		bars, err := plotter.NewBarChart(values, vg.Points(width))
		if err != nil {
			return nil, err
		}
		bars.Color = report.Colors[i+1]
		bars.LineStyle.Width = 0
		bars.Offset = vg.Points(width * (float64(i) - float64(len(shown)-1)/2))
		p.Add(bars)
		p.Legend.Add(d.label+map[bool]string{true: ", best ρ"}[d.name == "procassini"], bars)
		if err := report.AddHeights(p, values, bars.Offset); err != nil {
			return nil, err
		}
	}
	p.NominalX(names...)
	p.Y.Min = 0
	p.Y.Max *= 1.08
	p.X.Tick.Length = 0
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	return p, nil
}
