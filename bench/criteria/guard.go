package criteria

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// guardBounds are the bounds r with which a guard is measured. A guard follows the advice of another criterion but
// keeps a bound of the cost, see [criterion.Guard].
var guardBounds = []float64{2, 2.125, 2.25, 2.5, 2.75, 3, 3.5, 4, 4.5, 5, 5.5, 6}

// A guardRow holds the measured ratios of a guard of bound r. The excess of a run is its cost minus that of a run
// without any imbalance. A ratio is the excess of a guarded run divided by that of the optimum. The excess of the
// guarded run does not include the last iteration of each interval between balancings. The bound does not include these
// iterations either.
type guardRow struct {
	r    float64
	bad  ratioTally // ratios if the advice is bad: never to balance, or always to balance
	good ratioTally // ratios if the advice is to balance when the optimum does
}

// A ratioTally holds the sum, the number and the largest of the ratios on random applications. against is the ratio on
// an application that is constructed to be as bad as possible for the guard.
type ratioTally struct{ sum, count, most, against float64 }

func (t *ratioTally) add(ratio float64) {
	t.sum += ratio
	t.count++
	t.most = max(t.most, ratio)
}

func (t *ratioTally) mean() float64 { return t.sum / t.count }

func (t *ratioTally) worst() float64 { return max(t.most, t.against) }

// runGuard measures guards with the best and with the worst advice, and prints the ratios beside the bounds. With
// --plot it also draws them.
func (c *Experiment) runGuard(ctx context.Context, out report.Output, p *printer) error {
	rows, err := measureGuards(ctx, c.Seeds)
	if err != nil {
		return err
	}
	for _, row := range rows {
		p.printGuard(row, c.Seeds)
	}
	if c.Plot == "" {
		return p.printError()
	}
	return drawGuard(out.Folder(string(c.Plot)), rows)
}

func measureGuards(ctx context.Context, seeds int) ([]guardRow, error) {
	rows := make([]guardRow, len(guardBounds))
	for i, r := range guardBounds {
		rows[i].r = r
		rows[i].bad.against, rows[i].good.against = worstRatios(r)
	}
	for seed := range seeds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		app, err := drawGuardApplication(rand.New(rand.NewPCG(uint64(seed), 29)))
		if err != nil {
			return nil, err
		}
		best, err := scenario.Optimum(ctx, app)
		if err != nil {
			return nil, err
		}
		loads := 0.0
		for t := range app.Iterations() {
			loads += app.Mean(t)
		}
		for i := range rows {
			row := &rows[i]
			row.good.add(guardedExcess(app, &fixedSchedule{before: best.Balances}, row.r) / (best.Cost - loads))
			row.bad.add(guardedExcess(app, criterion.Never{}, row.r) / (best.Cost - loads))
			row.bad.add(guardedExcess(app, criterion.Always{}, row.r) / (best.Cost - loads))
		}
	}
	return rows, nil
}

// drawGuardApplication returns a random application whose imbalance never falls between balancings. It grows slowly
// with the age and with time, and sometimes jumps.
func drawGuardApplication(r *rand.Rand) (*scenario.Drift, error) {
	const n = 300
	mean, age, time := make([]float64, n), make([]float64, n), make([]float64, n)
	slope, drift, jumps, height := 0.05*r.Float64()*r.Float64(), 0.05*r.Float64()*r.Float64(), 0.1*r.Float64(), 2*r.Float64()
	for t := range n {
		mean[t], age[t], time[t] = 1, slope, drift*r.Float64()
		if r.Float64() < jumps {
			time[t] += float64(height * r.ExpFloat64())
		}
	}
	return scenario.NewDrift(3*math.Exp(3*r.Float64()), mean, scenario.Laws{ByAge: age, ByTime: time})
}

// A fixedSchedule is a criterion that balances before given iterations.
type fixedSchedule struct {
	before []int // iterations before which the schedule still balances, in increasing order
	seen   int   // number of iterations so far
}

// Observe counts the iteration.
func (a *fixedSchedule) Observe(criterion.Sample) {
	if a.seen++; len(a.before) > 0 && a.before[0] < a.seen {
		a.before = a.before[1:]
	}
}

// Decide says to balance if the next iteration is in the schedule.
func (a *fixedSchedule) Decide() criterion.Decision {
	return criterion.Decision{Balance: len(a.before) > 0 && a.before[0] == a.seen}
}

// newGuard returns a guard with a bound from guardBounds.
func newGuard(advisor criterion.Criterion, r float64) *criterion.Guarded {
	g, err := criterion.Guard(advisor, r)
	if err != nil {
		panic("criteria: " + err.Error())
	}
	return g
}

// guardedExcess returns the excess of a run with a guard of bound r, without the last iteration of each interval.
func guardedExcess(app *scenario.Drift, advisor criterion.Criterion, r float64) (sum float64) {
	g, last := newGuard(advisor, r), 0.0
	scenario.Drive(app,
		func(int) bool { return g.Decide().Balance },
		func(it scenario.Record) {
			s := criterion.Sample{Max: it.Max, Mean: it.Mean, Min: it.Min, Balanced: it.Balanced, Cost: it.Cost}
			if it.Index == 0 {
				s.Balanced, s.Cost = true, app.Cost()
			}
			g.Observe(s)
			if it.Balanced {
				sum += it.Cost
			} else {
				sum += last
			}
			last = it.Max - it.Mean
		})
	return sum
}

// worstRatios returns the ratios of two applications which show that no smaller bounds hold. In both applications the
// first iteration of an interval has no excess, and each other iteration has a small excess e:
//
//   - bad: the advice is to balance always, and each balancing of the guard comes one iteration too early. A schedule
//     that balances one iteration later pays only C + e for each interval.
//   - good: the advice is never to balance. This advice is the best, because balancing does not lower the excess.
func worstRatios(r float64) (bad, good float64) {
	const n, cost, e = 40_000, 1.0, 0.002
	for _, always := range []bool{true, false} {
		var advisor criterion.Criterion = criterion.Never{}
		if always {
			advisor = criterion.Always{}
		}
		g := newGuard(advisor, r)
		own, optimum, u := 0.0, 0.0, 0.0
		for t := range n {
			begins := t == 0 || g.Decide().Balance
			s := criterion.Sample{Mean: 1, Max: 1 + e, Balanced: begins, Cost: cost}
			if begins {
				optimum += min(cost, u) + e
				own, u, s.Max = own+cost, 0, 1
			} else {
				own, u = own+e, u+e
			}
			g.Observe(s)
		}
		own -= cost // leave out the cost of the first distribution
		if always {
			bad = own / (optimum + min(cost, u))
		} else {
			good = own / (e * (n - 1))
		}
	}
	return bad, good
}

// drawGuard draws the largest ratios, the means and the bounds against r.
func drawGuard(dir report.Folder, rows []guardRow) error {
	p := report.NewPlot("a guard of bound r", "r", "excess over the optimum's, last iterations aside")
	bounds := func(of func(r float64) float64) (line plotter.XYs) {
		for i := range 101 {
			r := 2 + 4*float64(i)/100
			line = append(line, plotter.XY{X: r, Y: of(r)})
		}
		return line
	}
	measured := func(of func(guardRow) float64) (line plotter.XYs) {
		for _, row := range rows {
			line = append(line, plotter.XY{X: row.r, Y: of(row)})
		}
		return line
	}
	for i, l := range []struct {
		label  string
		points plotter.XYs
		dots   bool
	}{
		{"r, the bound whatever the advice", bounds(func(r float64) float64 { return r }), false},
		{"r/(r-1), the bound over the advice", bounds(func(r float64) float64 { return r / (r - 1) }), false},
		{"worst seen, advice always or never", measured(func(w guardRow) float64 { return w.bad.worst() }), true},
		{"worst seen, the best advice", measured(func(w guardRow) float64 { return w.good.worst() }), true},
		{"mean, advice always or never", measured(func(w guardRow) float64 { return w.bad.mean() }), false},
		{"mean, the best advice", measured(func(w guardRow) float64 { return w.good.mean() }), false},
	} {
		if err := addGuardLine(p, i, l.label, l.points, l.dots); err != nil {
			return fmt.Errorf("draw the guard: %w", err)
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs = vg.Points(6)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1.95, 6.05, 0.8, 6.2
	return dir.SavePlots("guard", 16*vg.Centimeter, 12*vg.Centimeter, [][]*plot.Plot{{p}})
}

func addGuardLine(p *plot.Plot, i int, label string, points plotter.XYs, dots bool) error {
	if !dots {
		line, err := report.NewLine(i, points)
		if err != nil {
			return err
		}
		p.Add(line)
		p.Legend.Add(label, line)
		return nil
	}
	marks, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	marks.Color = report.Colors[i%len(report.Colors)]
	marks.Radius = vg.Points(2.5)
	p.Add(marks)
	p.Legend.Add(label, marks)
	return nil
}
