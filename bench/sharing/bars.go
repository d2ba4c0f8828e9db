package sharing

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
)

// drawProblems draws bar charts with a group of bars for every problem and a bar for every protocol, like Figure 3 of
// Vu and others, "Overlay-Centric Load Balancing", CLUSTER 2012. One chart shows the seconds divided by those of the
// first protocol. The other shows the efficiency, if it is known. A bar is the mean over the seeds. Only runs with the
// largest number of peers and the largest degree are drawn. The title names both.
func drawProblems(dir report.Folder, problems []rowGroup) error {
	times, work := compareProtocols(problems)
	var names []string
	for _, p := range problems {
		names = append(names, p.name)
	}
	var rows [][]*plot.Plot
	for _, b := range []protocolBars{times, work} {
		if math.IsNaN(b.values[0][0]) {
			continue // the time of one peer alone is not known
		}
		p, err := b.draw(names)
		if err != nil {
			return report.FigureError("problems", err)
		}
		rows = append(rows, []*plot.Plot{p})
	}
	if err := dir.SavePlots("problems", vg.Points(480), vg.Points(200*float64(len(rows))), rows); err != nil {
		return report.FigureError("problems", err)
	}
	return nil
}

// compareProtocols returns the seconds, divided by those of the first protocol, and the efficiency of each protocol for
// each problem. All problems must have been run with the same settings.
func compareProtocols(problems []rowGroup) (times, work protocolBars) {
	of := func(what string, value func(Row) int) (most int, title string) {
		for _, r := range problems[0].rows {
			most = max(most, value(r))
		}
		return most, fmt.Sprintf("%d %s", most, what)
	}
	peers, title := of("peers", func(r Row) int { return r.Peers })
	degree, children := of("children at most", func(r Row) int { return r.Degree })
	title += ", " + children
	for _, p := range problems {
		rows := slices.DeleteFunc(slices.Clone(p.rows), func(r Row) bool { return r.Peers != peers || r.Degree != degree })
		first := 0.0
		for i, l := range groupRows(rows, func(r Row) string { return protocolLabel(r, p.rows) }) {
			mean := summarize(l.rows, func(r Row) float64 { return r.Seconds }).mean
			if i == 0 {
				first = mean
				times.y, work.y = "seconds, "+l.name+" = 1", "efficiency"
			}
			times.add(l.name, mean/first)
			work.add(l.name, summarize(l.rows, func(r Row) float64 { return float64(r.Efficiency) }).mean)
		}
	}
	times.title, work.title = title, title
	return times, work
}

// A protocolBars holds a value of each protocol for each problem.
type protocolBars struct {
	title, y string
	lines    []string         // names of the protocols
	values   []plotter.Values // by protocol: a value for each problem
}

func (b *protocolBars) add(line string, value float64) {
	for i, name := range b.lines {
		if name == line {
			b.values[i] = append(b.values[i], value)
			return
		}
	}
	b.lines, b.values = append(b.lines, line), append(b.values, plotter.Values{value})
}

// draw returns a bar chart with a group of bars for each problem.
func (b *protocolBars) draw(names []string) (*plot.Plot, error) {
	p := report.NewPlot(b.title, "", b.y)
	width := 380 / float64(len(names)) / (float64(len(b.lines)) + 1) // in points
	for i, values := range b.values {
		chart, err := plotter.NewBarChart(values, vg.Points(width))
		if err != nil {
			return nil, err
		}
		chart.Color, chart.LineStyle.Width = report.Colors[i%len(report.Colors)], 0
		chart.Offset = vg.Points(width * (float64(i) - float64(len(b.values)-1)/2))
		p.Add(chart)
		p.Legend.Add(b.lines[i], chart)
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.6, float64(len(names))-0.4
	p.Legend.Top = true
	p.Y.Min, p.Y.Max = 0, p.Y.Max*headroom
	return p, nil
}
