package criteria

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
	"lockstep/lb/scenario"
)

// A measuredRun is the run of a program, from a file of times.
type measuredRun struct {
	mean, imbalance []float64 // by iteration: mean time of a rank in seconds; longest time divided by the mean, minus 1
	starts          []int     // iterations before which the work was balanced; the first is 0
	cost            float64   // cost of a balancing, in seconds
	total           float64   // seconds of the whole run, including balancings
}

// minIterations is the least number of iterations of a run for which advice makes sense.
const minIterations = 10

func newMeasuredRun(t *timesTable, balanced []int, cost float64) (*measuredRun, error) {
	n := len(t.seconds)
	switch {
	case len(t.seconds[0]) < 2:
		return nil, errors.New("one rank: there is nothing to balance")
	case n < minIterations:
		return nil, fmt.Errorf("%d iterations; expected %d at least", n, minIterations)
	}
	run := &measuredRun{cost: cost, starts: []int{0}}
	balanced = slices.Clone(balanced)
	slices.Sort(balanced)
	for _, b := range slices.Compact(balanced) {
		if b < 1 || b >= n {
			return nil, fmt.Errorf("balanced before iteration %d; expected 1 to %d", b, n-1)
		}
		run.starts = append(run.starts, b)
	}
	for _, times := range t.seconds {
		sum := 0.0
		for _, s := range times {
			sum += s
		}
		mean, most := sum/float64(len(times)), slices.Max(times)
		run.mean = append(run.mean, mean)
		run.total += most
		if mean > 0 {
			run.imbalance = append(run.imbalance, max(0, most/mean-1))
		} else {
			run.imbalance = append(run.imbalance, 0)
		}
	}
	run.total += cost * float64(len(run.starts)-1)
	return run, nil
}

// A growthModel predicts how large the imbalance would be if the work were balanced at other times than in the file.
type growthModel struct {
	name, description string
	app               *scenario.Drift
}

// medianFilter removes noise: it returns, for each element of x, the median of up to five elements around it.
func medianFilter(x []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		near := slices.Clone(x[max(0, i-2):min(len(x), i+3)])
		slices.Sort(near)
		out[i] = near[len(near)/2]
	}
	return out
}

// smoothedIntervals returns the imbalance of each interval between two balancings, smoothed by medianFilter.
func (m *measuredRun) smoothedIntervals() (all [][]float64) {
	for i, start := range m.starts {
		end := len(m.mean)
		if i+1 < len(m.starts) {
			end = m.starts[i+1]
		}
		all = append(all, medianFilter(m.imbalance[start:end]))
	}
	return all
}

// sumByAge returns two numbers for each age: the sum of the imbalances at that age over all intervals, and the number
// of intervals that last to that age. The age is the number of iterations since a balancing.
func sumByAge(all [][]float64) (sums, counts []float64) {
	for _, x := range all {
		for k, y := range x {
			if k == len(sums) {
				sums, counts = append(sums, 0), append(counts, 0)
			}
			sums[k] += y
			counts[k]++
		}
	}
	return sums, counts
}

// predictabilityByAge measures whether the imbalance depends on the age. It predicts the imbalance in an interval by
// the mean imbalance at the same age in the other intervals, and returns
//
//	1 - sum((imbalance - prediction)^2) / sum((imbalance - imbalance at age 0)^2)
//
// It is 1 for perfect predictions, and 0 or less for useless ones. It is NaN if there are fewer than two intervals, or
// if the imbalance never changes within an interval.
func predictabilityByAge(all [][]float64) float64 {
	sums, counts := sumByAge(all)
	missed, changes := 0.0, 0.0
	for _, x := range all {
		for k, y := range x {
			if counts[k] < 2 {
				continue
			}
			miss, change := y-(sums[k]-y)/(counts[k]-1), y-x[0]
			missed += float64(miss * miss)
			changes += float64(change * change)
		}
	}
	return 1 - missed/changes
}

// modelByAge returns the model in which the imbalance depends on the age, the number of iterations since a balancing.
// At each age it is the mean over the file's intervals. The difference between the file and this mean is added to each
// iteration, as noise that no balancing removes.
func (m *measuredRun) modelByAge() (growthModel, error) {
	all := m.smoothedIntervals()
	curve, counts := sumByAge(all)
	for k := range curve {
		curve[k] /= counts[k]
	}
	n := len(m.mean)
	growth, floor := make([]float64, n), make([]float64, n)
	for k := 1; k < len(curve); k++ {
		growth[k-1] = curve[k] - curve[k-1]
	}
	for i, start := range m.starts {
		for k := range all[i] {
			floor[start+k] = max(0, curve[0]+m.imbalance[start+k]-curve[k])
		}
	}
	app, err := m.newApplication(scenario.Laws{ByAge: growth, Floor: floor})
	return growthModel{"by age", "the imbalance grows with the iterations since a balancing", app}, err
}

// modelByTime returns the model in which the imbalance grows in every iteration as it does in the file, no matter when
// the work is balanced. The file does not show the growth in the first iteration after a balancing. In its place the
// model uses the growth of the previous iteration.
//
// A balancing removes the growth of all earlier iterations. It does not remove the growth in the next iteration, which
// is not known yet when the work is balanced.
func (m *measuredRun) modelByTime() (growthModel, error) {
	n := len(m.mean)
	growth, floor := make([]float64, n), make([]float64, n)
	left, all := 0.0, m.smoothedIntervals()
	for _, x := range all {
		left += x[0] / float64(len(all))
	}
	for i, start := range m.starts {
		for k, x := range all[i] {
			t := start + k
			switch {
			case k > 0:
				growth[t] = x - all[i][k-1]
			case t > 0:
				growth[t] = max(0, growth[t-1])
			}
			floor[t] = max(0, left+m.imbalance[t]-x) + max(0, growth[t])
		}
	}
	app, err := m.newApplication(scenario.Laws{ByTime: growth, Floor: floor})
	return growthModel{"by time", "the imbalance grows with the run, whenever it was balanced", app}, err
}

// newApplication returns the application with the growth and the floor of l. It multiplies l.Floor by a factor, so that
// the application, balanced as in the file, takes as long as the file says. Without the factor the application would
// take longer. The reason is that the floor cannot be negative, so noise can only raise it.
func (m *measuredRun) newApplication(l scenario.Laws) (*scenario.Drift, error) {
	free, err := scenario.NewDrift(m.cost, m.mean, scenario.Laws{ByAge: l.ByAge, ByTime: l.ByTime})
	if err != nil {
		return nil, err
	}
	without := scenario.Drive(free, func(t int) bool { _, found := slices.BinarySearch(m.starts, t); return found }, nil).Cost
	with := 0.0
	for t, f := range l.Floor {
		with += float64(f * m.mean[t])
	}
	if with > 0 {
		scale := max(0, m.total-without) / with
		for t := range l.Floor {
			l.Floor[t] *= scale
		}
	}
	return scenario.NewDrift(m.cost, m.mean, l)
}

// consistentModels returns the models that agree with the file, and a sentence that says why.
func (m *measuredRun) consistentModels() (open []growthModel, why string, err error) {
	age, err := m.modelByAge()
	if err != nil {
		return nil, "", err
	}
	time, err := m.modelByTime()
	if err != nil {
		return nil, "", err
	}
	if len(m.starts) < 2 {
		return []growthModel{age, time}, "The file has no balancing, so it cannot tell whether the imbalance grows with the iterations since one or with the run; balance once, and name the iteration with --balanced, to find out.", nil
	}
	const mostly = 0.75 // fraction of the changes that the age must predict
	part := predictabilityByAge(m.smoothedIntervals())
	switch {
	case part >= mostly:
		return []growthModel{age}, fmt.Sprintf("The imbalance repeats itself after every balancing: %.0f %% of its changes are those at the same age in the other intervals.", 100*part), nil
	case math.IsNaN(part):
		return []growthModel{age}, "The imbalance does not change between balancings.", nil
	}
	return []growthModel{time}, "The imbalance does not repeat itself after balancings, so it is taken to grow with the run.", nil
}

// runTimes prints when the program whose times are in a file should have balanced its work.
func (c *Experiment) runTimes(ctx context.Context, out report.Output, p *printer) error {
	table, err := readTimes(string(c.Times))
	if err != nil {
		return err
	}
	balanced := c.Balanced
	if len(balanced) == 0 {
		balanced = table.balanced
	}
	m, err := newMeasuredRun(table, balanced, c.Cost.Seconds())
	if err != nil {
		return &report.InputError{File: string(c.Times), Err: err}
	}
	open, why, err := m.consistentModels()
	if err != nil {
		return &report.InputError{File: string(c.Times), Err: err}
	}
	p.printAdvice(fmt.Sprintf("%s: %d iterations of %d ranks, %.4g s with %s; read as %s.",
		c.Times, len(m.mean), len(table.seconds[0]), m.total, balancingsText(len(m.starts)-1), table.reading))
	p.printAdvice(why)
	for _, l := range open {
		results, err := runCriteria(ctx, l.app, m.cost)
		if err != nil {
			return err
		}
		p.printNamed(fmt.Sprintf("%s, imbalance %s", c.Times, l.name), 0, results)
		p.printAdvice(m.describeBest(l, results))
		if c.Plot != "" {
			if err := m.drawImbalance(out.Folder(string(c.Plot)), l, results[0].Scenario); err != nil {
				return err
			}
		}
	}
	return p.printError()
}

// describeBest returns sentences about the balancings that would have been best according to a model. They also say how
// long the run would have taken with rules that do not know the future.
func (m *measuredRun) describeBest(l growthModel, results []result) string {
	best := results[0]
	saved := func(cost float64) string {
		if cost > m.total {
			return fmt.Sprintf("%.1f %% more", 100*(cost/m.total-1))
		}
		return fmt.Sprintf("%.1f %% less", 100*(1-cost/m.total))
	}
	var s strings.Builder
	fmt.Fprintf(&s, "If %s, ", l.description)
	if len(best.Balances) == 0 {
		fmt.Fprintf(&s, "no balancing was worth its %.4g s: without any the run takes %.4g s, %s than it did. ", m.cost, best.Cost, saved(best.Cost))
	} else {
		fmt.Fprintf(&s, "%s, every %.0f iterations or so, would have taken %.4g s, %s than it did. ", balancingsText(len(best.Balances)),
			float64(len(m.mean))/float64(len(best.Balances)+1), best.Cost, saved(best.Cost))
	}
	ours, never, every := findResult(results, "ours"), findResult(results, "never"), findResult(results, "periodic")
	fmt.Fprintf(&s, "Never would have taken %.4g s, every %.0f iterations %.4g s, and a rule that does not know the future (ours) %.4g s, %s.",
		never.Cost, every.parameter, every.Cost, ours.Cost, saved(ours.Cost))
	return s.String()
}

// balancingsText writes a number of balancings in words.
func balancingsText(n int) string {
	switch n {
	case 0:
		return "no balancing"
	case 1:
		return "one balancing"
	}
	return fmt.Sprintf("%d balancings", n)
}

// drawImbalance draws the measured imbalance, and the imbalance that the best balancings would have left.
func (m *measuredRun) drawImbalance(dir report.Folder, l growthModel, best scenario.Scenario) error {
	p := report.NewPlot("imbalance "+l.name, "iteration", "imbalance m/µ − 1")
	var was, would plotter.XYs
	for t, x := range m.imbalance {
		was = append(was, plotter.XY{X: float64(t), Y: x})
	}
	scenario.Drive(l.app,
		func(t int) bool { _, found := slices.BinarySearch(best.Balances, t); return found },
		func(r scenario.Record) {
			if r.Mean > 0 {
				would = append(would, plotter.XY{X: float64(r.Index), Y: r.Max/r.Mean - 1})
			}
		})
	for i, line := range []struct {
		label  string
		points plotter.XYs
	}{{"as it was", was}, {"with the best balancings", would}} {
		if len(line.points) == 0 {
			continue
		}
		drawn, err := report.NewLine(i, line.points)
		if err != nil {
			return fmt.Errorf("draw the imbalance: %w", err)
		}
		p.Add(drawn)
		p.Legend.Add(line.label, drawn)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Min = 0
	return dir.SavePlots("imbalance-"+strings.ReplaceAll(l.name, " ", "-"), 18*vg.Centimeter, 10*vg.Centimeter, [][]*plot.Plot{{p}})
}
