package tables

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
)

// wallFigures are the rows of plots of wall times.
var wallFigures = []struct {
	label   string
	seconds func(wallCell) float64
}{
	{"scan conversion", func(c wallCell) float64 { return c.SecondsScan }},
	{"z-buffer", func(c wallCell) float64 { return c.SecondsZBuffer }},
	{"frame", func(c wallCell) float64 { return c.SecondsFrame }},
}

// drawWall draws the speed of each policy divided by that of the policy never. There is a row of plots for each of
// wallFigures and a column for each number of workers. Without cells it draws nothing.
func drawWall(dir report.Folder, cells []wallCell) error {
	workers := workerCounts(cells)
	if len(workers) == 0 {
		return nil
	}
	rows := make([][]*plot.Plot, len(wallFigures))
	for i, f := range wallFigures {
		for column, n := range workers {
			title := ""
			if i == 0 {
				title = report.Plural(n, "worker") + ", wall time"
			}
			p := report.NewPlot(title, "", f.label+": times as fast as never")
			if err := plotRatios(p, wallRows(cells, n), f.seconds); err != nil {
				return fmt.Errorf("draw wall: %w", err)
			}
			if i > 0 || column > 0 { // one legend per page
				p.Legend = plot.NewLegend()
			}
			rows[i] = append(rows[i], p)
		}
	}
	width := vg.Length(len(workers)) * 17 * vg.Centimeter
	return dir.SavePlots("wall", width, 24*vg.Centimeter, rows)
}

// plotRatios draws a group of bars for each scene.
func plotRatios(p *plot.Plot, rows [][]wallCell, seconds func(wallCell) float64) error {
	const width = 14 // in points
	even := plotter.NewFunction(func(float64) float64 { return 1 })
	even.Color, even.Width = color.Gray{0x80}, vg.Points(0.7)
	p.Add(even)
	for i, policy := range wallPolicies[1:] {
		var values plotter.Values
		for _, row := range rows {
			values = append(values, seconds(row[0])/seconds(row[i+1]))
		}
		bars, err := plotter.NewBarChart(values, vg.Points(width))
		if err != nil {
			return err
		}
		bars.Color = report.Colors[i+1]
		bars.LineStyle.Width = 0
		bars.Offset = vg.Points(width * (float64(i) - 0.5))
		p.Add(bars)
		p.Legend.Add(policy.String(), bars)
		if err := report.AddHeights(p, values, bars.Offset); err != nil {
			return err
		}
	}
	var names []string
	for _, row := range rows {
		names = append(names, row[0].View+"\n"+row[0].Dataset)
	}
	p.NominalX(names...)
	p.X.Tick.Length = 0
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.Y.Min = 0
	p.Y.Max = 1.2 * max(p.Y.Max, 1)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs = vg.Points(6)
	return nil
}
