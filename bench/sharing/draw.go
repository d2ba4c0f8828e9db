package sharing

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
)

// draw draws for every problem those quantities over those parameters of which
// there is more than one value, as the paper's figures do, and the messages that
// each peer of the last run of a protocol sent.
func draw(dir report.Folder, rows []Row) error {
	problems := group(rows, (Row).title)
	if len(problems) > 1 {
		if err := drawProblems(dir, problems); err != nil {
			return err
		}
	}
	for _, problem := range problems {
		for _, f := range []struct {
			file, x string
			of      func(Row) float64
			line    func(Row) string
		}{
			{"peers", "peers", func(r Row) float64 { return float64(r.Peers) }, func(r Row) string { return lineName(r, problem.rows, false) }},
			{"degree", "most children", func(r Row) float64 { return float64(r.Degree) }, func(r Row) string { return lineName(r, problem.rows, true) }},
		} {
			if len(group(problem.rows, func(r Row) string { return fmt.Sprint(f.of(r)) })) < 2 {
				continue
			}
			lines := group(problem.rows, f.line)
			charts, err := charts(problem.name, f.x, lines, f.of)
			if err != nil {
				return report.FigureError(f.file, err)
			}
			name := fileName(problem.name) + "-" + f.file
			if err := dir.SavePlots(name, vg.Points(560), vg.Points(240), [][]*plot.Plot{charts}); err != nil {
				return report.FigureError(name, err)
			}
		}
		if err := drawMessages(dir, problem); err != nil {
			return err
		}
	}
	return nil
}

// headroom is how much higher than its highest line a plot is, for the legend.
const headroom = 1.3

// charts are seconds and, where it is known, efficiency over a parameter.
func charts(title, x string, lines []named, xOf func(Row) float64) ([]*plot.Plot, error) {
	seconds, err := lineChart(title, x, "seconds", lines, xOf, func(r Row) float64 { return r.Seconds })
	if err == nil {
		seconds.Legend.Top = true
		seconds.Y.Max *= headroom
	}
	if err != nil || math.IsNaN(float64(lines[0].rows[0].Efficiency)) {
		return []*plot.Plot{seconds}, err
	}
	efficiency, err := lineChart(title, x, "efficiency", lines, xOf, func(r Row) float64 { return float64(r.Efficiency) })
	if err != nil {
		return nil, err
	}
	efficiency.Y.Min, efficiency.Y.Max = 0, 1
	efficiency.Legend.Left = true // few peers are efficient: that corner is free
	return []*plot.Plot{seconds, efficiency}, nil
}

func (r Row) title() string { return r.name() }

// fileName is a problem's name as part of a file's.
func fileName(problem string) string { return strings.ReplaceAll(problem, " ", "-") }

// lineName is a protocol with those parameters that are not the same for all
// rows.
func lineName(r Row, rows []Row, peers bool) string {
	name := shareName(r, rows)
	if peers {
		if len(group(rows, func(r Row) string { return fmt.Sprint(r.Peers) })) > 1 {
			name += fmt.Sprintf(" %d", r.Peers)
		}
	} else if len(group(rows, func(r Row) string { return fmt.Sprint(r.Degree) })) > 1 {
		name += fmt.Sprintf(" degree %d", r.Degree)
	}
	return name
}

// shareName is a protocol, with what donors give where that is not the same for all rows.
func shareName(r Row, rows []Row) string {
	if len(group(rows, func(r Row) string { return r.Share })) > 1 {
		return r.Protocol + " " + r.Share
	}
	return r.Protocol
}

// lineChart draws the mean over the trials.
func lineChart(title, x, y string, lines []named, xOf, yOf func(Row) float64) (*plot.Plot, error) {
	p := report.NewPlot(title, x, y)
	p.Y.Min = 0
	for i, l := range lines {
		var points plotter.XYs
		for _, at := range group(l.rows, func(r Row) string { return fmt.Sprint(xOf(r)) }) {
			mean := 0.0
			for _, r := range at.rows {
				mean += yOf(r) / float64(len(at.rows))
			}
			points = append(points, plotter.XY{X: xOf(at.rows[0]), Y: mean})
		}
		line, err := report.NewLine(i, points)
		if err != nil {
			return nil, err
		}
		p.Add(line)
		p.Legend.Add(l.name, line)
	}
	return p, nil
}

// manyPeers is from where on lines over peers go up and down at every pixel or two.
const manyPeers = 200

// drawMessages draws how many messages each peer sent, by its number: the first
// levels of a tree come first.
func drawMessages(dir report.Folder, problem named) error {
	p := report.NewPlot(problem.name, "peer", "messages sent")
	for i, l := range group(problem.rows, func(r Row) string { return shareName(r, problem.rows) }) {
		last := l.rows[len(l.rows)-1]
		points := make(plotter.XYs, len(last.each))
		for id, c := range last.each {
			points[id] = plotter.XY{X: float64(id), Y: float64(c.Messages)}
		}
		line, err := report.NewLine(i, points)
		if err != nil {
			return report.FigureError("messages", err)
		}
		if len(points) > manyPeers {
			line.Width, line.Dashes = vg.Points(0.5), nil // dashes would be lost between the peaks
		}
		p.Add(line)
		p.Legend.Add(fmt.Sprintf("%s, %d peers, degree %d", l.name, last.Peers, last.Degree), line)
	}
	p.Legend.Top = true
	p.Y.Min, p.Y.Max = 0, p.Y.Max*headroom
	name := fileName(problem.name) + "-messages"
	if err := dir.SavePlots(name, vg.Points(420), vg.Points(240), [][]*plot.Plot{{p}}); err != nil {
		return report.FigureError(name, err)
	}
	return nil
}
