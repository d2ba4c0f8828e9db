package film

import (
	"fmt"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
)

// setComparisons sets Static and Best of all rows. Each row is compared with the rows of the same film and the same
// number of nodes.
func setComparisons(rows []Row) {
	type group struct {
		film  string
		nodes int
	}
	best, static := map[group]float64{}, map[group]float64{}
	for _, r := range rows {
		g := group{r.Film, r.Nodes}
		if b, ok := best[g]; !ok || r.Seconds < b {
			best[g] = r.Seconds
		}
		if r.When == staticWhen {
			static[g] = r.Seconds
		}
	}
	for i := range rows {
		g := group{rows[i].Film, rows[i].Nodes}
		rows[i].Best = rows[i].Seconds / best[g]
		rows[i].Static = static[g] / rows[i].Seconds // 0 if the static rule was not among the rows
	}
}

// print prints the rows as a table or as JSON.
func (e *Experiment) print(out io.Writer, rows []Row) error {
	setComparisons(rows)
	if e.JSON {
		return report.WriteJSON(out, rows...)
	}
	var text strings.Builder
	t := report.NewTable(&text)
	fmt.Fprintln(t, "film\tnodes\twhen\thow\tms a frame\tefficiency\tchanges\tmoves\tMB\tbefore\tafter\tstatic/this\tthis/best\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%.3g\t%.0f %%\t%d\t%d\t%.1f\t%s\t%s\t%.2f\t%.3f\t\n", r.Film, r.Nodes, r.When, r.How,
			1000*r.Seconds/float64(r.Frames), 100*r.Efficiency, r.Changes, r.Moves, r.Bytes/1e6, ratioText(r.Before), ratioText(r.After), r.Static, r.Best)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	describeDefault(&text, rows)
	return report.WriteText(out, &text)
}

func ratioText(v report.Number) string {
	if math.IsNaN(float64(v)) {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(v))
}

// describeDefault appends to text a sentence that compares the default rule and method with the others.
func describeDefault(text *strings.Builder, rows []Row) {
	n, worst, slow, fast := 0, 0.0, math.Inf(1), 0.0
	for _, r := range rows {
		if r.When != defaultWhen || r.How != defaultHow {
			continue
		}
		n++
		worst = max(worst, r.Best)
		if r.Static > 0 {
			slow, fast = min(slow, r.Static), max(fast, r.Static)
		}
	}
	if n == 0 {
		return
	}
	fmt.Fprintf(text, "\nThe default (%s, %s) in %s: at most %.3f times the best choice", defaultWhen, defaultHow, report.Plural(n, "case"), worst)
	if fast > 0 {
		fmt.Fprintf(text, "; %.2f to %.2f times as fast as static owners", slow, fast)
	}
	fmt.Fprintln(text, ".")
}

// drawEfficiency draws a plot for each film: the efficiency against the number of nodes. It has a line each for the
// default, for owners that never change, and for the best choice.
func drawEfficiency(dir report.Folder, rows []Row) error {
	var plots [][]*plot.Plot
	for _, name := range filmNames(rows) {
		p := report.NewPlot(name, "nodes", "efficiency")
		p.X.Scale, p.Y.Min, p.Y.Max = plot.LogScale{}, 0, 1
		lines := []struct {
			label string
			has   func(Row) bool
		}{
			{"best of all", func(r Row) bool { return r.Best == 1 }},
			{"default: " + defaultWhen + ", " + defaultHow, func(r Row) bool { return r.When == defaultWhen && r.How == defaultHow }},
			{"static owners", func(r Row) bool { return r.When == staticWhen && r.How == defaultHow }},
		}
		for i, l := range lines {
			var points plotter.XYs
			seen := map[int]bool{}
			for _, r := range rows {
				if r.Film == name && l.has(r) && !seen[r.Nodes] {
					seen[r.Nodes] = true
					points = append(points, plotter.XY{X: float64(r.Nodes), Y: r.Efficiency})
				}
			}
			if len(points) == 0 {
				continue
			}
			line, err := report.NewLine(i, points)
			if err != nil {
				return report.FigureError("film", err)
			}
			p.Add(line)
			p.Legend.Add(l.label, line)
		}
		plots = append(plots, []*plot.Plot{p})
	}
	return dir.SavePlots("film", 4.5*vg.Inch, vg.Length(len(plots))*2.8*vg.Inch, plots)
}

// filmNames returns the names of the films in rows, in order, each once.
func filmNames(rows []Row) (names []string) {
	for i, r := range rows {
		if i == 0 || r.Film != rows[i-1].Film {
			names = append(names, r.Film)
		}
	}
	return names
}
