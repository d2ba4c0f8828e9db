package tables

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/bench/report"
)

// drawTables draws Tables 2 and 3 against the number of processors: the times with and without balancing, and below
// them the gain by balancing. The paper's gain is dashed.
func drawTables(dir report.Folder, processors []int, cells []cell) error {
	for _, figure := range []struct{ name, version, gain string }{
		{"table2", "unbalanced", "speed-up"},
		{"table3", "balanced", "time lost / %"},
	} {
		rows := make([][]*plot.Plot, 2)
		for view := range views {
			column := cellsOfView(cells, figure.version, view)
			upper, err := plotTimes(views[view].Name, processors, column)
			if err != nil {
				return fmt.Errorf("draw %s: %w", figure.name, err)
			}
			lower, err := plotGain(figure.gain, figure.version, processors, column)
			if err != nil {
				return fmt.Errorf("draw %s: %w", figure.name, err)
			}
			rows[0], rows[1] = append(rows[0], upper), append(rows[1], lower)
		}
		if err := dir.SavePlots(figure.name, 32*vg.Centimeter, 16*vg.Centimeter, rows); err != nil {
			return err
		}
	}
	return nil
}

func cellsOfView(cells []cell, version string, view int) (found []cell) {
	for _, c := range cells {
		if c.Dataset == version && c.view == view {
			found = append(found, c)
		}
	}
	return found
}

func plotTimes(title string, processors []int, column []cell) (*plot.Plot, error) {
	p := report.NewPlot(title, "", "time / ms")
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top = true
	processorAxis(p, processors)
	return p, addLines(p, column, []curve{
		{"never", func(c cell) float64 { return 1e3 * c.SecondsOriginal }},
		{"cost", func(c cell) float64 { return 1e3 * c.SecondsBalanced }},
		{"paper's rule", func(c cell) float64 { return 1e3 * c.SecondsPaperRule }},
	})
}

func plotGain(label, version string, processors []int, column []cell) (*plot.Plot, error) {
	p := report.NewPlot("", "processors", label)
	gain := func(speedup float64) float64 { return speedup }
	if version == "balanced" {
		gain = func(speedup float64) float64 { return 100 * (1/speedup - 1) }
		p.Legend.Top = true
	}
	processorAxis(p, processors)
	err := addLines(p, column, []curve{
		{"cost", func(c cell) float64 { return gain(c.Speedup) }},
		{"paper", func(c cell) float64 { return gain(float64(c.PaperSpeedup)) }},
	})
	p.Y.Min = min(p.Y.Min, 0)
	p.Y.Max += 0.2 * (p.Y.Max - p.Y.Min) // room for the legend
	return p, err
}

// processorAxis marks the numbers of processors on a logarithmic axis.
func processorAxis(p *plot.Plot, processors []int) {
	p.X.Scale = plot.LogScale{}
	var ticks plot.ConstantTicks
	for _, n := range processors {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	p.X.Tick.Marker = ticks
}

type curve struct {
	label string
	value func(cell) float64
}

// addLines adds lines against the number of processors. It omits cells without a value.
func addLines(p *plot.Plot, column []cell, lines []curve) error {
	for i, l := range lines {
		var points plotter.XYs
		for _, c := range column {
			if y := l.value(c); !math.IsInf(y, 0) && !(l.label == "paper" && c.PaperSpeedup == 0) {
				points = append(points, plotter.XY{X: float64(c.Processors), Y: y})
			}
		}
		if len(points) == 0 {
			continue
		}
		line, err := report.NewLine(i, points)
		if err != nil {
			return err
		}
		marks, err := plotter.NewScatter(points) // a line of a single point would be invisible
		if err != nil {
			return err
		}
		marks.Color, marks.Shape, marks.Radius = line.Color, draw.CircleGlyph{}, vg.Points(1.6)
		p.Add(line, marks)
		p.Legend.Add(l.label, line)
	}
	return nil
}
