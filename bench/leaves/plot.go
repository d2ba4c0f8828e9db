package leaves

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"lockstep/bench/report"
)

// drawTimes draws the times of frames against the number of triangles. Both axes are logarithmic. It has a line for
// each zoom and kind of frame.
func drawTimes(dir report.Folder, rows []row) error {
	p := report.NewPlot("A frame of a turntable, all groups of triangles at once and hidden ones deferred", "triangles", "milliseconds")
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	for i, zoom := range zooms(rows) {
		for k, name := range []string{"all at once", "deferred"} {
			var points plotter.XYs
			for _, r := range rows {
				if r.Zoom == zoom {
					points = append(points, plotter.XY{X: float64(r.Triangles), Y: 1e3 * [2]float64{r.All, r.Deferred}[k]})
				}
			}
			line, err := report.NewLine(2*i+k, points)
			if err != nil {
				return report.FigureError("leaves", err)
			}
			p.Add(line)
			p.Legend.Add(fmt.Sprintf("zoom %g, %s", zoom, name), line)
		}
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)))
	p.Y.Max *= 4 // room for the legend
	return dir.SavePlots("leaves", 16*vg.Centimeter, 10*vg.Centimeter, [][]*plot.Plot{{p}})
}

// zooms returns the magnifications of the rows, each once, in ascending order.
func zooms(rows []row) []float64 {
	var all []float64
	for _, r := range rows {
		all = append(all, r.Zoom)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
