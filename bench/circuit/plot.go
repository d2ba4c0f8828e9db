package circuit

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/bench/report"
)

// styles holds the marker and the colour of each algorithm in all figures. The colours are those of Okabe and Ito,
// which colour-blind readers can tell apart.
var styles = map[string]struct {
	colour color.RGBA
	shape  draw.GlyphDrawer
}{
	"greedy":             {color.RGBA{0x80, 0x80, 0x80, 0xff}, draw.RingGlyph{}},
	"sorted-greedy":      {color.RGBA{0x00, 0x00, 0x00, 0xff}, draw.CrossGlyph{}},
	"gradient":           {color.RGBA{0xd5, 0x5e, 0x00, 0xff}, draw.TriangleGlyph{}},
	"gradient-improving": {color.RGBA{0xe6, 0x9f, 0x00, 0xff}, draw.PyramidGlyph{}},
	"gradient-under":     {color.RGBA{0xcc, 0x79, 0xa7, 0xff}, draw.SquareGlyph{}},
	"hybrid":             {color.RGBA{0x00, 0x9e, 0x73, 0xff}, draw.PlusGlyph{}},
	"karmarkar-karp":     {color.RGBA{0x56, 0xb4, 0xe9, 0xff}, draw.BoxGlyph{}},
	"ours":               {color.RGBA{0x00, 0x72, 0xb2, 0xff}, draw.CircleGlyph{}},
}

// A figure plots yOf of some rows against xOf. It has a line for each algorithm.
type figure struct {
	file, title, x, y string
	logY              bool
	xOf, yOf          func(row) float64
	rows              []row
}

// drawFigures draws figures of Demirel and Sbalzarini from the rows. They show discrepancy, moves and S_rel: for pairs
// against the number of loads (Figures 2 and 3), and for networks against the round (Figures 7 to 10).
func drawFigures(dir report.Folder, rows []row) error {
	var figures []figure
	figures = append(figures, newPairFigures(rowsOfExperiment(rows, "circuit-pair"))...)
	figures = append(figures, newNetworkFigures(rowsOfExperiment(rows, "circuit-network"))...)
	for _, f := range figures {
		if err := f.draw(dir); err != nil {
			return report.FigureError(f.file, err)
		}
	}
	return nil
}

func rowsOfExperiment(rows []row, experiment string) (some []row) {
	for _, r := range rows {
		if r.Experiment == experiment {
			some = append(some, r)
		}
	}
	return some
}

func newPairFigures(rows []row) []figure {
	if len(rows) == 0 {
		return nil
	}
	about := fmt.Sprintf("%s split, %g %% mobile", rows[0].Split, 100*rows[0].Mobility)
	loads := func(r row) float64 { return float64(r.Loads) }
	return []figure{
		{"pair-discrepancy", "Discrepancy after one matching: " + about, "loads in the matching", "discrepancy", true, loads, discrepancyOf, rows},
		{"pair-moves", "Moves in one matching: " + about, "loads in the matching", "moves", true, loads, movesOf, rows},
		{"pair-srel", "Merit relative to SortedGreedy: " + about, "loads in the matching", "S_rel", true, loads, sRelOf, rows},
	}
}

func newNetworkFigures(rows []row) (figures []figure) {
	round := func(r row) float64 { return float64(r.Round) }
	for _, group := range groupRows(rows, networkName) {
		r := group[0]
		name := networkName(r)
		about := fmt.Sprintf("%d elements, %s, %s, %g loads each", r.PEs, r.Topology, r.Flow, r.LoadsPerPE)
		figures = append(figures,
			figure{name + "-discrepancy", about, "round", "discrepancy", false, round, discrepancyOf, addInitialRows(group)},
			figure{name + "-moves", about, "round", "moves so far", true, round, movesOf, group},
			figure{name + "-srel", about, "round", "S_rel", true, round, sRelOf, group})
	}
	return figures
}

func networkName(r row) string {
	return fmt.Sprintf("network-%d-%s-%s-%g", r.PEs, r.Flow, r.Topology, r.LoadsPerPE)
}

func discrepancyOf(r row) float64 { return r.Discrepancy }
func movesOf(r row) float64       { return r.Moves }
func sRelOf(r row) float64        { return float64(r.SRel) }

// addInitialRows inserts a row for round 0 before each algorithm's row for round 1.
func addInitialRows(rows []row) []row {
	var all []row
	for _, r := range rows {
		if r.Round == 1 {
			start := r
			start.Round, start.Discrepancy = 0, r.Initial
			all = append(all, start)
		}
		all = append(all, r)
	}
	return all
}

// groupRows groups rows by name, in order of first occurrence.
func groupRows(rows []row, name func(row) string) (groups [][]row) {
	at := map[string]int{}
	for _, r := range rows {
		i, known := at[name(r)]
		if !known {
			i = len(groups)
			at[name(r)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

func (f figure) draw(dir report.Folder) error {
	p := report.NewPlot(f.title, f.x, f.y)
	p.Legend.Top, p.Legend.XOffs, p.Legend.Padding = true, vg.Points(-6), vg.Points(1)
	low, high := math.Inf(1), math.Inf(-1)
	for _, group := range groupRows(f.rows, func(r row) string { return r.Algorithm }) {
		points := f.points(group)
		if len(points) == 0 {
			continue
		}
		if err := addLine(p, group[0].Algorithm, points); err != nil {
			return err
		}
		for _, xy := range points {
			low, high = min(low, xy.Y), max(high, xy.Y)
		}
	}
	if math.IsInf(low, 0) {
		return nil // there is nothing to draw, for example no S_rel because nothing moved
	}
	f.setAxes(p, low, high)
	return dir.SavePlots(f.file, 16*vg.Centimeter, 11*vg.Centimeter, [][]*plot.Plot{{p}})
}

// points returns the points of the rows, sorted by x. It omits infinite numbers, and on a logarithmic axis also numbers
// that are not positive.
func (f figure) points(rows []row) (points plotter.XYs) {
	for _, r := range rows {
		x, y := f.xOf(r), f.yOf(r)
		if math.IsNaN(y) || math.IsInf(y, 0) || f.logY && y <= 0 {
			continue
		}
		points = append(points, plotter.XY{X: x, Y: y})
	}
	slices.SortStableFunc(points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	return points
}

func addLine(p *plot.Plot, algorithm string, points plotter.XYs) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	style, known := styles[algorithm]
	if !known {
		style.colour, style.shape = color.RGBA{0x8b, 0x45, 0x13, 0xff}, draw.RingGlyph{}
	}
	line.Color, marks.Color = style.colour, style.colour
	line.Width = vg.Points(1.1)
	if algorithm == ourAlgorithm {
		line.Width = vg.Points(2)
	}
	marks.Shape, marks.Radius = style.shape, vg.Points(2.4)
	p.Add(line, marks)
	p.Legend.Add(algorithm, line, marks)
	return nil
}

// setAxes sets the ranges of the axes. The x axis has room for the legend to the right of the lines.
func (f figure) setAxes(p *plot.Plot, low, high float64) {
	span := p.X.Max - p.X.Min
	p.X.Tick.Marker = report.WholeTicks{Last: p.X.Max}
	p.X.Max += 0.34 * max(span, 1)
	if f.logY {
		report.SetLog(&p.Y)
		p.Y.Min, p.Y.Max = low/1.3, high*1.3
		return
	}
	p.Y.Min, p.Y.Max = 0, 1.05*high
}
