package tables

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unsafe"

	"lockstep/bench/report"
)

func writeJSON(w io.Writer, cells []cell, wall []wallCell) error {
	if err := report.WriteJSON(w, cells...); err != nil {
		return err
	}
	return report.WriteJSON(w, wall...)
}

// writeText prints the tables as text.
func (t *Experiment) writeText(w io.Writer, r result) error {
	var text strings.Builder
	if r.fit != nil {
		printFit(&text, r.fit)
	} else {
		printCosts(&text, r.costs)
	}
	printTable1(&text, r.datasets, t.usesPaperScenes())
	faster := func(speedup float64) string { return fmt.Sprintf("%.1f", speedup) }
	lost := func(speedup float64) string { return fmt.Sprintf("%+.1f %%", 100*(1/speedup-1)) }
	printTimes(&text, "Table 2: unbalanced, speed-up", []string{"unbalanced"}, r.cells, faster)
	printTimes(&text, "Table 3: balanced, time lost to balancing", []string{"balanced"}, r.cells, lost)
	if t.Second {
		printTimes(&text, "Second experiment: speed-up", secondSets, r.cells, faster)
	}
	printClaims(&text, r)
	printIdle(&text, r.cells)
	if t.Breakdown {
		printBreakdown(&text, r.cells)
	}
	printWall(&text, r.wall)
	return report.WriteText(w, &text)
}

// inBrackets is added to the headings of tables in which the paper's numbers stand in brackets behind ours.
const inBrackets = " (in brackets the paper's)"

func printCosts(text *strings.Builder, costs StepCosts) {
	fmt.Fprintln(text, "Measured, ns for one virtual processor: shortest / typical / longest")
	t := report.NewTable(text)
	fmt.Fprintln(t, "loop\titeration\tmaximum\tgather\tforecast\tsearch a word\ttrial\tredistribution\tproblem data\t")
	for _, l := range []struct {
		name string
		LoopCosts
	}{{"scan", costs.Scan}, {"z-buffer", costs.ZBuffer}} {
		fmt.Fprintf(t, "%s\t", l.name)
		for _, c := range l.phases() {
			fmt.Fprintf(t, "%.2f / %.2f / %.2f\t", c.Shortest, c.Typical, c.Longest)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintf(text, "Between two cores: a message %.1f / %.1f / %.1f ns, a barrier %.1f / %.1f / %.1f ns; problem data of %d and %d bytes\n",
		costs.Hop.Shortest, costs.Hop.Typical, costs.Hop.Longest, costs.Barrier.Shortest, costs.Barrier.Typical, costs.Barrier.Longest,
		unsafe.Sizeof(polygonData{}), unsafe.Sizeof(spanData{}))
}

// printTable1 prints Table 1. If ofPaper is true, the data sets are the paper's, and the paper's numbers are added.
func printTable1(text *strings.Builder, datasets []dataset, ofPaper bool) {
	brackets := ""
	if ofPaper {
		brackets = inBrackets
	}
	fmt.Fprintf(text, "\nTable 1: workload of scan conversion%s, and what the z-buffer loop makes of it\n", brackets)
	t := report.NewTable(text)
	fmt.Fprintln(t, "version\tview\tmax\t\taverage\t\tpolygons\tspans\tmax pixels\taverage\t")
	for _, set := range datasets {
		rows, pixels := set.loops[0], set.loops[1]
		highest, average := "", ""
		if paper := paperWorkloads[set.version]; ofPaper && paper != nil {
			highest, average = fmt.Sprintf("(%d)", paper[set.view].max), fmt.Sprintf("(%d)", paper[set.view].avg)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%.1f\t%s\t%d\t%d\t%d\t%.1f\t\n", set.version, views[set.view].Name,
			rows.Max, highest, rows.average(), average, rows.virtualProcessors(), pixels.virtualProcessors(), pixels.Max, pixels.average())
	}
	t.Flush()
}

// printTimes prints the cells of the data sets in sets. gain formats a speed-up.
func printTimes(text *strings.Builder, title string, sets []string, cells []cell, gain func(speedup float64) string) {
	brackets := ""
	if slices.ContainsFunc(cells, func(c cell) bool { return c.PaperSpeedup > 0 && slices.Contains(sets, c.Dataset) }) {
		brackets = inBrackets
	}
	fmt.Fprintf(text, "\n%s%s; times in ms, both loops\n", title, brackets)
	t := report.NewTable(text)
	fmt.Fprintln(t, "data set\tview\tprocessors\titerations\tnever\tpaper's rule\tcost\titerations\tlooks\tredistributions\tcost against never\t\tmean (95 %)\tagainst paper's rule\tmean (95 %)\t")
	for _, c := range cells {
		if !slices.Contains(sets, c.Dataset) {
			continue
		}
		paper := ""
		if c.PaperSpeedup > 0 {
			paper = "(" + gain(float64(c.PaperSpeedup)) + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.4g\t%.4g\t%.4g\t%d\t%d\t%d\t%s\t%s\t%s\t%.2f\t%s\t\n", c.Dataset, c.View, c.Processors,
			c.IterationsOriginal, 1e3*c.SecondsOriginal, 1e3*c.SecondsPaperRule, 1e3*c.SecondsBalanced, c.IterationsBalanced,
			c.looks, c.Redistributions, gain(c.Speedup), paper, c.SpeedupInterval.text(gain),
			c.Gain, c.GainInterval.text(func(v float64) string { return fmt.Sprintf("%.2f", v) }))
	}
	t.Flush()
}

// printClaims prints our values and the paper's for each claim of the paper about all cells.
func printClaims(text *strings.Builder, r result) {
	lost, lostAs := worstLoss(r.cells, "balanced")
	samples := r.gain.interval.text(func(v float64) string { return fmt.Sprintf("%.2f", v) })
	if samples != "" {
		samples = ", mean of the samples " + samples
	}
	fmt.Fprintf(text, "\nTables 2 and 3: %.2f times as fast as the paper's rule in the geometric mean of their cells%s; %.2f times at least\n",
		r.gain.mean, samples, r.gain.least)
	fmt.Fprintf(text, "Balanced data lose %.1f %% at most, under the paper's rule %.1f %%\n", 100*lost, 100*lostAs)
	near, nearAs, theirs := excessOverBalanced(r.cells)
	fmt.Fprintf(text, "Unbalanced data, balanced, take %+.0f %% of the time of balanced data left alone at most, under the paper's rule %+.0f %%", 100*near, 100*nearAs)
	if theirs > 0 {
		fmt.Fprintf(text, " (the paper: %+.0f %%)", 100*theirs)
	}
	fmt.Fprintln(text)
	for _, name := range secondSets {
		ours, paper := span{math.Inf(1), 0}, span{math.Inf(1), 0}
		for _, c := range r.cells {
			if c.Dataset == name {
				ours.add(c.Speedup)
				paper.add(c.SecondsOriginal / c.SecondsPaperRule)
			}
		}
		if ours.most > 0 {
			fmt.Fprintf(text, "%s: %.2f to %.1f times as fast as never, under the paper's rule %.2f to %.1f\n", name, ours.least, ours.most, paper.least, paper.most)
		}
	}
}

// span is the range from the least to the largest of several numbers.
type span struct{ least, most float64 }

func (s *span) add(v float64) { s.least, s.most = min(s.least, v), max(s.most, v) }

// worstLoss returns the largest fraction by which balancing lengthens a time of a data set. ours is this fraction with
// the experiment's rule, and paper with the paper's rule.
func worstLoss(cells []cell, set string) (ours, paper float64) {
	ours, paper = math.Inf(-1), math.Inf(-1)
	for _, c := range cells {
		if c.Dataset == set {
			ours = max(ours, c.SecondsBalanced/c.SecondsOriginal-1)
			paper = max(paper, c.SecondsPaperRule/c.SecondsOriginal-1)
		}
	}
	return ours, paper
}

// excessOverBalanced compares the time of the unbalanced data set, drawn with balancing, with that of the balanced data
// set, drawn without balancing. It returns the largest fraction by which the unbalanced set takes longer:
//   - ours: with the experiment's rule
//   - paper: with the paper's rule
//   - theirs: in the paper's own times, or 0 if the paper has no such cells
func excessOverBalanced(cells []cell) (ours, paper, theirs float64) {
	ours, paper, theirs = -1, -1, 0
	for _, u := range cells {
		for _, b := range cells {
			if u.Dataset != "unbalanced" || b.Dataset != "balanced" || u.View != b.View || u.Processors != b.Processors {
				continue
			}
			ours = max(ours, u.SecondsBalanced/b.SecondsOriginal-1)
			paper = max(paper, u.SecondsPaperRule/b.SecondsOriginal-1)
			if column := slices.Index(paperProcessors, u.Processors); column >= 0 && u.PaperSpeedup > 0 {
				theirs = max(theirs, paperSeconds["unbalanced"][u.view][column].lb/paperSeconds["balanced"][b.view][column].or-1)
			}
		}
	}
	return ours, paper, theirs
}

// printIdle prints the fraction of the time in which processors solve no task, on the machine with the most processors.
func printIdle(text *strings.Builder, cells []cell) {
	most := 0
	for _, c := range cells {
		most = max(most, c.Processors)
	}
	fmt.Fprintf(text, "\nShare of the time in which a processor solves no task, least / mean / most of %d\n", most)
	t := report.NewTable(text)
	fmt.Fprintln(t, "data set\tview\tnever\tcost\t")
	for _, c := range cells {
		if c.Processors == most {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", c.Dataset, c.View, c.IdleOriginal.text(), c.IdleBalanced.text())
		}
	}
	t.Flush()
}

func (s minMeanMax) text() string { return fmt.Sprintf("%.2f / %.2f / %.2f", s[0], s[1], s[2]) }

// text formats a mean and its interval. It returns "" if there is no interval.
func (i interval) text(format func(float64) string) string {
	if i == (interval{}) {
		return ""
	}
	return fmt.Sprintf("%s (%s to %s)", format(i.mean), format(i.low), format(i.high))
}

// printFit prints the constants of the machine cm5, and how far its times are from the paper's.
func printFit(text *strings.Builder, f *fitted) {
	c := f.machine
	fmt.Fprintf(text, "The paper's machine, fitted to its times: an iteration has a fixed part of %.1f ms; with balancing a look takes %.3f, a redistribution %.2f,\n"+
		"and a pixel %.3f of a step of scan conversion. Deviations from the paper's times, %%, on 32 / 64 / 128 / 256 / 512 processors\n",
		1e3*c.fixed, c.look, c.redistribution, c.pixel)
	t := report.NewTable(text)
	fmt.Fprintln(t, "version\tview\tload, processor-s\tan iteration\tnever\tpaper's rule\tfitted without the view\t")
	for i, r := range f.rows {
		load := c.load[r.set.version][r.set.view]
		fmt.Fprintf(t, "%s\t%s\t%.0f\t%.2f\t%s\t%s\t%s\t\n", r.set.version, views[r.set.view].Name, load, load/r.highest,
			formatPercents(f.original[i]), formatPercents(f.balanced[i]), formatPercents(f.otherViews[i]))
	}
	t.Flush()
	for _, d := range []struct {
		name       string
		deviations [][]float64
	}{{"never", f.original}, {"paper's rule", f.balanced}, {"paper's rule, fitted without the view", f.otherViews},
		{"paper's rule, fitted to the other half of the cells", f.halves}} {
		mean, most := meanAndMax(d.deviations)
		fmt.Fprintf(text, "%s: %.1f %% in the mean, %.1f %% at most\n", d.name, 100*mean, 100*most)
	}
}

func formatPercents(deviations []float64) string {
	var all []string
	for _, d := range deviations {
		all = append(all, fmt.Sprintf("%+.1f", 100*d))
	}
	return strings.Join(all, " / ")
}

// printBreakdown prints the time that the balanced loops spend in each phase, in nanoseconds and in iterations of the
// loop.
func printBreakdown(text *strings.Builder, cells []cell) {
	fmt.Fprintln(text, "\nWhere the time goes: number and ns of each phase")
	t := report.NewTable(text)
	fmt.Fprintln(t, "version\tview\tprocessors\tloop\tnever\titeration\titerations\t\tlooks\t\tforecasts\t\ttrials\t\tredistributions\t\tsum\t")
	for _, c := range cells {
		for _, l := range c.loops {
			r, b := l.result, l.balanced
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%.0f\t%.0f\t%d\t%.0f\t%d\t%.0f\t%d\t%.0f\t%d\t%.0f\t%d\t%.0f\t%.0f\t\n",
				c.Dataset, c.View, c.Processors, l.name, l.original, l.iteration, r.iterations, b.iterations,
				r.looks, b.looks, r.forecasts, b.forecasts, r.trials, b.trials, r.redistributions, b.redistributions, b.total())
		}
	}
	t.Flush()
}
