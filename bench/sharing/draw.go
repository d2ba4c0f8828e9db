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

// drawFigures draws figures for every problem. If the number of peers or the degree has several values, it draws the
// seconds and the efficiency against this parameter. For the last run of each protocol it draws the number of messages
// that each peer sent. If there are several problems, it also compares the protocols.
func drawFigures(dir report.Folder, rows []Row) error {
	problems := groupRows(rows, (Row).title)
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
			{"peers", "peers", func(r Row) float64 { return float64(r.Peers) }, func(r Row) string { return lineLabel(r, problem.rows, false) }},
			{"degree", "most children", func(r Row) float64 { return float64(r.Degree) }, func(r Row) string { return lineLabel(r, problem.rows, true) }},
		} {
			if len(groupRows(problem.rows, func(r Row) string { return fmt.Sprint(f.of(r)) })) < 2 {
				continue
			}
			lines := groupRows(problem.rows, f.line)
			charts, err := newCharts(problem.name, f.x, lines, f.of)
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

// headroom is the height of a plot divided by the height of its highest line. The legend is above the lines.
const headroom = 1.3

// newCharts returns line charts of the seconds and, if it is known, of the efficiency, against a parameter.
func newCharts(title, x string, lines []rowGroup, xOf func(Row) float64) ([]*plot.Plot, error) {
	seconds, err := newLineChart(title, x, "seconds", lines, xOf, func(r Row) float64 { return r.Seconds })
	if err == nil {
		seconds.Legend.Top = true
		seconds.Y.Max *= headroom
	}
	if err != nil || math.IsNaN(float64(lines[0].rows[0].Efficiency)) {
		return []*plot.Plot{seconds}, err
	}
	efficiency, err := newLineChart(title, x, "efficiency", lines, xOf, func(r Row) float64 { return float64(r.Efficiency) })
	if err != nil {
		return nil, err
	}
	efficiency.Y.Min, efficiency.Y.Max = 0, 1
	efficiency.Legend.Left = true // with few peers the efficiency is high, so the lower left corner is free
	return []*plot.Plot{seconds, efficiency}, nil
}

func (r Row) title() string { return r.problemName() }

// fileName returns a problem's name without spaces, for the name of a file.
func fileName(problem string) string { return strings.ReplaceAll(problem, " ", "-") }

// lineLabel returns the name of a row's protocol with the parameters that differ between rows. If peers is true, it
// adds the number of peers, otherwise the degree. The parameter that is not added is on the x axis.
func lineLabel(r Row, rows []Row, peers bool) string {
	name := protocolLabel(r, rows)
	if peers {
		if len(groupRows(rows, func(r Row) string { return fmt.Sprint(r.Peers) })) > 1 {
			name += fmt.Sprintf(" %d", r.Peers)
		}
	} else if len(groupRows(rows, func(r Row) string { return fmt.Sprint(r.Degree) })) > 1 {
		name += fmt.Sprintf(" degree %d", r.Degree)
	}
	return name
}

// protocolLabel returns the name of a row's protocol. If the rows have several shares, it adds the share of the work
// that donors give away.
func protocolLabel(r Row, rows []Row) string {
	if len(groupRows(rows, func(r Row) string { return r.Share })) > 1 {
		return r.Protocol + " " + r.Share
	}
	return r.Protocol
}

// newLineChart returns a chart with a line for each group of rows. Points are means over rows with the same x.
func newLineChart(title, x, y string, lines []rowGroup, xOf, yOf func(Row) float64) (*plot.Plot, error) {
	p := report.NewPlot(title, x, y)
	p.Y.Min = 0
	for i, l := range lines {
		var points plotter.XYs
		for _, at := range groupRows(l.rows, func(r Row) string { return fmt.Sprint(xOf(r)) }) {
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

// manyPeers is the largest number of peers for which drawMessages dashes lines. With more peers a line goes up and down
// within one or two pixels, and dashes would be invisible.
const manyPeers = 200

// drawMessages draws the number of messages that each peer sent, against the number of the peer. In a tree the peers
// with the lowest numbers are in the top levels.
func drawMessages(dir report.Folder, problem rowGroup) error {
	p := report.NewPlot(problem.name, "peer", "messages sent")
	for i, l := range groupRows(problem.rows, func(r Row) string { return protocolLabel(r, problem.rows) }) {
		last := l.rows[len(l.rows)-1]
		points := make(plotter.XYs, len(last.counters))
		for id, c := range last.counters {
			points[id] = plotter.XY{X: float64(id), Y: float64(c.Messages)}
		}
		line, err := report.NewLine(i, points)
		if err != nil {
			return report.FigureError("messages", err)
		}
		if len(points) > manyPeers {
			line.Width, line.Dashes = vg.Points(0.5), nil
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
