package bench

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// plotColors tell lines apart for colour-blind readers too. Source: Okabe and
// Ito, "Color Universal Design", 2008, without their yellow, which is too light
// for lines on white.
var plotColors = []color.RGBA{
	{0x00, 0x00, 0x00, 0xff}, // black
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0xe6, 0x9f, 0x00, 0xff}, // orange
}

// plotDashes tell lines apart without colour.
var plotDashes = [][]vg.Length{
	nil,
	{vg.Points(6), vg.Points(2)},
	{vg.Points(2), vg.Points(1.5)},
	{vg.Points(7), vg.Points(2), vg.Points(1.5), vg.Points(2)},
	{vg.Points(3.5), vg.Points(1.5)},
}

// newPlot returns an empty plot with a light grid and sizes that suit several
// plots a page.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = vg.Points(10)
	p.Title.Padding = vg.Points(4)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = vg.Points(9)
		a.Tick.Label.Font.Size = vg.Points(8)
		a.Padding = 0
		a.Tick.Marker = plotTicks{}
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Legend.TextStyle.Font.Size = vg.Points(8)
	p.Legend.Padding = vg.Points(2)
	p.Legend.ThumbnailWidth = vg.Points(22)
	grid := plotter.NewGrid()
	grid.Horizontal.Color = color.Gray{0xe0}
	grid.Vertical.Color = color.Gray{0xe0}
	p.Add(grid)
	return p
}

// plotTicks marks multiples of 1, 2 or 5 times a power of ten, some five to nine
// of them.
type plotTicks struct{}

// Ticks implements plot.Ticker.
func (plotTicks) Ticks(low, high float64) []plot.Tick {
	// Beside numbers that are larger than all their differences, steps vanish.
	if !(high-low > 1e-9*max(math.Abs(low), math.Abs(high))) || math.IsInf(high-low, 0) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, f := range []float64{0.1, 0.2, 0.5, 1} {
		if (high-low)/(step*f) <= 9 {
			step *= f
			break
		}
	}
	var ticks []plot.Tick
	// No more than ten fit, however high rounds.
	for i := math.Ceil(low / step); i*step <= high*(1+1e-12) && len(ticks) < 10; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: strconv.FormatFloat(i*step, 'g', 6, 64)})
	}
	return ticks
}

// plotLine returns the i-th line of a plot, in the i-th colour and dash pattern.
func plotLine(i int, points plotter.XYs) (*plotter.Line, error) {
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	line.Color = plotColors[i%len(plotColors)]
	line.Dashes = plotDashes[i%len(plotDashes)]
	line.Width = vg.Points(1.1)
	return line, nil
}

// savePlots draws rows of plots, aligned, into DIR/NAME.svg and DIR/NAME.png,
// the latter at 200 dots an inch. DIR is made where it is missing; the
// files are written as replaceFile says.
func savePlots(dir, name string, width, height vg.Length, rows [][]*plot.Plot) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &OutputError{File: dir, Err: err}
	}
	svg := vgsvg.New(width, height)
	drawRows(draw.New(svg), rows)
	img := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(200))
	drawRows(draw.New(img), rows)
	for _, f := range []struct {
		ext string
		w   io.WriterTo
	}{{".svg", svg}, {".png", vgimg.PngCanvas{Canvas: img}}} {
		if err := replaceFile(filepath.Join(dir, name+f.ext), f.w); err != nil {
			return err
		}
	}
	return nil
}

// figureError names the figure that could not be drawn. Where a file could not be
// written, the file's name says it.
func figureError(name string, err error) error {
	var output *OutputError
	if errors.As(err, &output) {
		return output
	}
	return fmt.Errorf("draw %s: %w", name, err)
}

func drawRows(c draw.Canvas, rows [][]*plot.Plot) {
	tiles := draw.Tiles{
		Rows: len(rows), Cols: len(rows[0]),
		PadX: vg.Points(14), PadY: vg.Points(8),
		PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(10),
	}
	for i, row := range plot.Align(rows, tiles, c) {
		for j, tile := range row {
			if rows[i][j] != nil {
				rows[i][j].Draw(tile)
			}
		}
	}
}
