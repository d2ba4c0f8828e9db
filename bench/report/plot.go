package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"lockstep/render/atomicfile"
)

// Colors are colours of lines that colour-blind readers can tell apart. They are from Okabe and Ito, "Color Universal
// Design", 2008. Their yellow is missing, because it is too light for lines on white.
var Colors = []color.RGBA{
	{0x00, 0x00, 0x00, 0xff},
	{0xd5, 0x5e, 0x00, 0xff},
	{0x00, 0x72, 0xb2, 0xff},
	{0x00, 0x9e, 0x73, 0xff},
	{0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff},
	{0xe6, 0x9f, 0x00, 0xff},
}

// plotDashes are dash patterns. They distinguish lines in prints without colour.
var plotDashes = [][]vg.Length{
	nil,
	{vg.Points(6), vg.Points(2)},
	{vg.Points(2), vg.Points(1.5)},
	{vg.Points(7), vg.Points(2), vg.Points(1.5), vg.Points(2)},
	{vg.Points(3.5), vg.Points(1.5)},
}

// NewPlot returns an empty plot with a light grid. Its sizes suit several plots per page.
func NewPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font.Size = vg.Points(10)
	p.Title.Padding = vg.Points(4)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size = vg.Points(9)
		a.Tick.Label.Font.Size = vg.Points(8)
		a.Padding = 0
		a.Tick.Marker = Ticks{}
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

// NewLine returns a line of a plot. i selects its colour and its dash pattern.
func NewLine(i int, points plotter.XYs) (*plotter.Line, error) {
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	line.Color = Colors[i%len(Colors)]
	line.Dashes = plotDashes[i%len(plotDashes)]
	line.Width = vg.Points(1.1)
	return line, nil
}

// SavePlots draws rows of plots, aligned with each other, into the files name.svg and name.png. The PNG has 200 dots
// per inch.
func (d Folder) SavePlots(name string, width, height vg.Length, rows [][]*plot.Plot) error {
	svg := vgsvg.New(width, height)
	drawRows(draw.New(svg), rows)
	img := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(200))
	drawRows(draw.New(img), rows)
	if err := d.Write(name+".svg", svg); err != nil {
		return err
	}
	return d.Write(name+".png", vgimg.PngCanvas{Canvas: img})
}

// FigureError returns an error that names the figure that could not be drawn. If the reason is a file that cannot be
// written, the error names the file instead.
func FigureError(name string, err error) error {
	if failed, ok := atomicfile.Failure(err).(*atomicfile.Error); ok {
		return failed
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

// AddHeights writes its height above each bar of a bar chart. offset is the horizontal distance of the bars from the
// middle of their group.
func AddHeights(p *plot.Plot, values plotter.Values, offset vg.Length) error {
	var points plotter.XYs
	var texts []string
	for i, v := range values {
		points = append(points, plotter.XY{X: float64(i), Y: v})
		texts = append(texts, fmt.Sprintf("%.1f", math.Abs(v)))
	}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: points, Labels: texts})
	if err != nil {
		return err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Size = vg.Points(7)
		labels.TextStyle[i].XAlign = draw.XCenter
	}
	labels.Offset = vg.Point{X: offset, Y: vg.Points(1.5)}
	p.Add(labels)
	return nil
}
