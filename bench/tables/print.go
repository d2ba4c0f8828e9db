package tables

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lockstep/bench/report"
)

func writeJSON(w io.Writer, cells []cell, wall []wallCell) error {
	if err := report.WriteJSON(w, cells...); err != nil {
		return err
	}
	return report.WriteJSON(w, wall...)
}

// writeText prints the tables for people.
func (t *Experiment) writeText(w io.Writer, costs StepCosts, datasets []dataset, cells []cell, wall []wallCell) error {
	var text strings.Builder
	printCosts(&text, costs)
	printTable1(&text, datasets, t.ofPaper())
	printTimes(&text, "Table 2: unbalanced, speed-up", "unbalanced", cells,
		func(speedup float64) string { return fmt.Sprintf("%.1f", speedup) })
	printTimes(&text, "Table 3: balanced, time lost to balancing", "balanced", cells,
		func(speedup float64) string { return fmt.Sprintf("%+.1f %%", 100*(1/speedup-1)) })
	if t.Breakdown {
		printBreakdown(&text, cells)
	}
	printWall(&text, wall)
	return report.WriteText(w, &text)
}

// inBrackets is part of a heading above numbers of the paper.
const inBrackets = " (in brackets the paper's)"

func printCosts(text *strings.Builder, costs StepCosts) {
	fmt.Fprintln(text, "Measured, ns for one virtual processor: shortest / typical / longest")
	t := report.NewTable(text)
	fmt.Fprintln(t, "loop\titeration\tmaximum\tgather\tforecast\tsearch a word\ttrial\tredistribution\t")
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
}

// printTable1 prints Table 1, with the paper's numbers where the data sets stand for
// its own.
func printTable1(text *strings.Builder, datasets []dataset, ofPaper bool) {
	brackets := ""
	if ofPaper {
		brackets = inBrackets
	}
	fmt.Fprintf(text, "\nTable 1: workload of scan conversion%s, and what the z-buffer loop makes of it\n", brackets)
	t := report.NewTable(text)
	fmt.Fprintln(t, "version\tview\tmax\t\taverage\t\tpolygons\tspans\tmax pixels\taverage\t")
	for _, set := range datasets {
		rows, pixels, paper := set.loops[0], set.loops[1], paperWorkloads[set.version][set.view]
		highest, average := "", ""
		if ofPaper {
			highest, average = fmt.Sprintf("(%d)", paper.max), fmt.Sprintf("(%d)", paper.avg)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%.1f\t%s\t%d\t%d\t%d\t%.1f\t\n", set.version, views[set.view].Name,
			rows.Max, highest, rows.average(), average, rows.virtual(), pixels.virtual(), pixels.Max, pixels.average())
	}
	t.Flush()
}

// printTimes prints Table 2 or 3, in milliseconds where the paper has seconds.
func printTimes(text *strings.Builder, title, version string, cells []cell, gain func(speedup float64) string) {
	brackets := ""
	if slices.ContainsFunc(cells, func(c cell) bool { return c.PaperSpeedup > 0 }) {
		brackets = inBrackets
	}
	fmt.Fprintf(text, "\n%s%s; times in ms, both loops\n", title, brackets)
	t := report.NewTable(text)
	fmt.Fprintln(t, "view\tprocessors\titerations\tnever\tcost\titerations\tlooks\tredistributions\talways\tcost against never\t\t")
	for _, c := range cells {
		if c.Dataset != version {
			continue
		}
		paper := ""
		if c.PaperSpeedup > 0 {
			paper = "(" + gain(float64(c.PaperSpeedup)) + ")"
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.4g\t%.4g\t%d\t%d\t%d\t%.4g\t%s\t%s\t\n", c.View, c.Processors,
			c.IterationsOriginal, 1e3*c.SecondsOriginal, 1e3*c.SecondsBalanced, c.IterationsBalanced,
			c.looks, c.Redistributions, 1e3*c.secondsAlways, gain(c.Speedup), paper)
	}
	t.Flush()
}

// printBreakdown prints where the time of the balanced loops goes, in
// nanoseconds and in iterations of the loop.
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
