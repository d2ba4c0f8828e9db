package criteria

import (
	"context"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// Parameters of Figure 1 of Boulmier et al. (arXiv:2104.01688), here called the toy. In this figure an imbalance grows
// until iteration 69 and is gone at iteration 100. The figure has no scale. Here the largest imbalance time is one mean
// load. Menon's rule balances when the sum of the imbalance exceeds the cost. In the paper this happens at iteration
// 96. So the cost is the mean of two sums: the sum over 95 iterations and the sum over 96 iterations.
const (
	toyPeak       = 69
	toyEnd        = 100
	toyIterations = 120
	toyMenon      = 96
)

// toyApplication returns the application of Figure 1.
func toyApplication() (*scenario.Drift, error) {
	mean, growth := make([]float64, toyIterations), make([]float64, toyIterations)
	u, sum, cost := 0.0, 0.0, 0.0
	for t := range mean {
		mean[t] = 1
		sum += u
		switch {
		case t < toyPeak:
			growth[t] = 1.0 / toyPeak
		case t < toyEnd:
			growth[t] = -1.0 / (toyEnd - toyPeak)
		}
		u += growth[t]
		if t == toyMenon-1 {
			cost = sum - (u-growth[t])/2
		}
	}
	return scenario.NewDrift(cost, mean, scenario.Laws{ByTime: growth})
}

// runToy prints the results of Figure 1's application. With --plot it also draws the figure.
func (c *Experiment) runToy(ctx context.Context, out report.Output, p *printer) error {
	app, err := toyApplication()
	if err != nil {
		return err
	}
	results, err := runCriteria(ctx, app, app.Cost())
	if err != nil {
		return err
	}
	for _, r := range results {
		l := newResultLine(r)
		l.Workload, l.Imbalance = "static", "passing"
		p.printLine("static workload, passing imbalance (Figure 1)", l)
	}
	if c.Plot == "" {
		return p.printError()
	}
	return drawToy(out.Folder(string(c.Plot)), app)
}

// drawToy draws Figure 1 for a run that is never balanced: the imbalance, and in a plot below the values that the
// criteria of Menon and of Boulmier compare with the cost of balancing.
func drawToy(dir report.Folder, app *scenario.Drift) error {
	upper := report.NewPlot("an imbalance that corrects itself", "", "imbalance time u / µ")
	lower := report.NewPlot("", "iteration", "value of the criterion / µ")
	menon, boulmier := &criterion.Menon{}, &criterion.Boulmier{}
	var u, sums, areas, limit plotter.XYs
	scenario.Drive(app, func(int) bool { return false }, func(r scenario.Record) {
		s := criterion.Sample{Max: r.Max, Mean: r.Mean, Min: r.Min, Balanced: r.Index == 0, Cost: app.Cost()}
		menon.Observe(s)
		boulmier.Observe(s)
		x := float64(r.Index)
		u = append(u, plotter.XY{X: x, Y: r.Max - r.Mean})
		sums = append(sums, plotter.XY{X: x, Y: menon.Decide().Value})
		areas = append(areas, plotter.XY{X: x, Y: boulmier.Decide().Value})
		limit = append(limit, plotter.XY{X: x, Y: app.Cost()})
	})
	for i, l := range []struct {
		p      *plot.Plot
		label  string
		points plotter.XYs
	}{{upper, "u", u}, {lower, "Menon: U", sums}, {lower, "Boulmier: τ u(τ) − U", areas}, {lower, "cost of balancing C", limit}} {
		line, err := report.NewLine(i, l.points)
		if err != nil {
			return err
		}
		l.p.Add(line)
		l.p.Legend.Add(l.label, line)
	}
	upper.Legend.Top, upper.Legend.Left = true, true
	lower.Legend.Top, lower.Legend.Left = true, true
	return dir.SavePlots("figure1", 18*vg.Centimeter, 18*vg.Centimeter, [][]*plot.Plot{{upper}, {lower}})
}
