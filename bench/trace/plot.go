package trace

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"lockstep/bench/report"
)

// Colours of the figures. Blue is for active processors and savings, orange for costs, and grey for decisions not to
// redistribute.
var (
	blue      = report.Colors[2]
	orange    = report.Colors[1]
	grey      = color.RGBA{0x80, 0x80, 0x80, 0xff}
	bandColor = color.RGBA{0xc6, 0xdd, 0xee, 0xff} // light blue
)

// drawFigures draws two figures for every loop:
//
//   - Active processors, largest workload and decisions against the iteration. The whole trace is on the left. The part
//     around the best redistribution is on the right.
//   - The savings of every decision against its cost.
func drawFigures(dir report.Folder, t *summary) error {
	for i, l := range t.loops {
		name := "trace-" + fileName(l.title())
		for _, before := range t.loops[:i] { // names may differ only in characters that are replaced in file names
			if fileName(before.title()) == fileName(l.title()) {
				name = fmt.Sprintf("trace-%s-%d", fileName(l.title()), i)
			}
		}
		if err := drawLoop(dir, name, t.title, l); err != nil {
			return report.FigureError(name, err)
		}
	}
	return nil
}

func drawLoop(dir report.Folder, name, title string, l *loop) error {
	whole, err := l.plotWhole(title)
	if err != nil {
		return err
	}
	rows := make([][]*plot.Plot, len(whole))
	for i := range rows {
		rows[i] = []*plot.Plot{whole[i]}
	}
	width := 22 * vg.Centimeter
	if len(l.closeup.steps) > 0 {
		closeup, err := l.plotCloseup()
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i] = append(rows[i], closeup[i])
		}
		width = 34 * vg.Centimeter
	}
	if err := dir.SavePlots(name, width, vg.Length(len(rows))*6.5*vg.Centimeter, rows); err != nil {
		return err
	}
	if len(l.points.counts) == 0 {
		return nil
	}
	decisions, err := l.plotDecisions(title)
	if err != nil {
		return err
	}
	return dir.SavePlots(name+"-decisions", 16*vg.Centimeter, 14*vg.Centimeter, [][]*plot.Plot{{decisions}})
}

// fileName returns s with underscores in place of characters that a file name should not have.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, s)
}

// joinTitles returns the title of a plot. It begins with the title of the trace, if there is one.
func joinTitles(title, what string) string {
	if title == "" {
		return what
	}
	return title + ": " + what
}

// plotWhole returns the plots of the whole trace.
func (l *loop) plotWhole(title string) ([]*plot.Plot, error) {
	t := l.columns
	what := l.title()
	if t.width > 1 {
		what = fmt.Sprintf("%s, %d iterations a column", what, t.width)
	}
	upper := report.NewPlot(joinTitles(title, what), "", fmt.Sprintf("active processors, of %d", l.processors))
	middle := report.NewPlot("", "", "workload / tasks a processor")
	lower := report.NewPlot("", "iteration", "iterations")
	var active, workload band
	for k, c := range t.columns {
		x := (float64(k) + 0.5) * float64(t.width)
		if c.active.n == 0 {
			continue
		}
		active.add(x, c.active.least, c.active.most)
		workload.add(x, c.workload.least, c.workload.most)
	}
	use, average := l.meanLines()
	spans := l.mostActive() > float64(l.processors)
	if spans {
		upper.Y.Label.Text = fmt.Sprintf("lanes in use, of %d", l.processors)
	}
	if !spans {
		if err := active.draw(upper, "active, least to most"); err != nil {
			return nil, err
		}
	}
	if err := addLine(upper, use, "in use, mean", blue); err != nil {
		return nil, err
	}
	if err := workload.draw(middle, "largest, least to most"); err != nil {
		return nil, err
	}
	if !spans {
		if err := addLine(middle, average, "average, mean", blue); err != nil {
			return nil, err
		}
	}
	setAxes(upper, 0, float64(l.processors))
	setAxes(middle, 0, middle.Y.Max)
	plots := []*plot.Plot{upper, middle, lower}
	if l.looks == 0 {
		middle.X.Label.Text = "iteration"
		plots = plots[:2]
	} else if err := l.addDecisionMarks(lower); err != nil {
		return nil, err
	}
	for _, p := range plots {
		p.X.Min, p.X.Max = 0, float64(t.iterations)
	}
	return plots, nil
}

// maxMeans is the largest number of points of a line of means. With more, lines would hide each other.
const maxMeans = 160

// meanLines returns the number of active processors and the average workload against the iteration. Each point is the
// mean over several columns: so many that a line has at most maxMeans points.
func (l *loop) meanLines() (use, average plotter.XYs) {
	t := l.columns
	every := (len(t.columns) + maxMeans - 1) / maxMeans
	for k := 0; k < len(t.columns); k += every {
		var c column
		for i := k; i < min(k+every, len(t.columns)); i++ {
			c.join(&t.columns[i])
		}
		x := (float64(k) + float64(every)/2) * float64(t.width)
		if c.slots > 0 {
			use = append(use, plotter.XY{X: x, Y: float64(l.processors) * c.tasks / c.slots})
		}
		if c.average.n > 0 {
			average = append(average, plotter.XY{X: x, Y: c.average.mean()})
		}
	}
	return use, average
}

// mostActive returns the largest number of active processors.
func (l *loop) mostActive() (most float64) {
	for _, c := range l.columns.columns {
		most = max(most, c.active.most)
	}
	return most
}

// A band is the area between two lines of a plot, for example between a least and a largest value.
type band struct{ lower, upper plotter.XYs }

func (b *band) add(x, least, most float64) {
	b.lower = append(b.lower, plotter.XY{X: x, Y: least})
	b.upper = append(b.upper, plotter.XY{X: x, Y: most})
}

// draw fills the band and draws its outline, which makes a narrow band visible.
func (b *band) draw(p *plot.Plot, label string) error {
	if len(b.upper) == 0 {
		return nil
	}
	ring := append(plotter.XYs{}, b.upper...)
	for i := len(b.lower) - 1; i >= 0; i-- {
		ring = append(ring, b.lower[i])
	}
	fill, err := plotter.NewPolygon(ring)
	if err != nil {
		return err
	}
	fill.Color = bandColor
	fill.LineStyle.Color, fill.LineStyle.Width = color.RGBA{0x9c, 0xc3, 0xe0, 0xff}, vg.Points(0.5)
	p.Add(fill)
	p.Legend.Add(label, fill)
	return nil
}

func addLine(p *plot.Plot, points plotter.XYs, label string, c color.Color) error {
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = c, vg.Points(1.1)
	p.Add(line)
	if label != "" {
		p.Legend.Add(label, line)
	}
	return nil
}

// A marks holds points in a plot. Each has a count, for example of the decisions at this point.
type marks struct {
	points plotter.XYs
	counts []int64
}

func (m *marks) add(x, y float64, count int64) {
	m.points = append(m.points, plotter.XY{X: x, Y: y})
	m.counts = append(m.counts, count)
}

// draw adds the marks to a plot. It writes a count above 1 beside its mark, and the sum of all counts into the legend.
// Without marks it does nothing.
func (m *marks) draw(p *plot.Plot, label string, c color.Color, shape draw.GlyphDrawer, radius float64) error {
	if len(m.points) == 0 {
		return nil
	}
	scatter, err := plotter.NewScatter(m.points)
	if err != nil {
		return err
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: c, Shape: shape, Radius: vg.Points(radius)}
	p.Add(scatter)
	var several plotter.XYLabels
	all := int64(0)
	for i, n := range m.counts {
		if all += n; n > 1 {
			several.XYs, several.Labels = append(several.XYs, m.points[i]), append(several.Labels, fmt.Sprint(n))
		}
	}
	p.Legend.Add(fmt.Sprintf("%s (%d)", label, all), scatter)
	if len(several.Labels) == 0 {
		return nil
	}
	numbers, err := plotter.NewLabels(several)
	if err != nil {
		return err
	}
	for i := range numbers.TextStyle {
		numbers.TextStyle[i].Color, numbers.TextStyle[i].Font.Size = c, vg.Points(6)
	}
	numbers.Offset = vg.Point{X: vg.Points(radius + 0.5), Y: vg.Points(0.5)}
	p.Add(numbers)
	return nil
}

// setAxes sets the range of y from low to high, and adds room for a legend at the top.
func setAxes(p *plot.Plot, low, high float64) {
	p.Legend.Top = true
	p.Y.Min, p.Y.Max = low, high+0.3*max(high-low, 1)
	p.Y.Tick.Marker = report.TicksUpTo(high)
}

// addDecisionMarks marks the savings of redistributions, the savings of decisions not to redistribute, and the costs
// with which these were compared.
func (l *loop) addDecisionMarks(p *plot.Plot) error {
	var done, kept, cost marks
	// both adds two marks to m, at the least and at the largest value of a column. The counts of the two marks add up
	// to the number of values.
	both := func(m *marks, x float64, r *valueRange) {
		switch {
		case r.n == 0:
		case r.most > r.least:
			m.add(x, max(r.least, axisFloor), 1)
			m.add(x, max(r.most, axisFloor), r.n-1)
		default:
			m.add(x, max(r.least, axisFloor), r.n)
		}
	}
	for k, c := range l.columns.columns {
		x := (float64(k) + 0.5) * float64(l.columns.width)
		both(&done, x, &c.accepted.savings)
		both(&kept, x, &c.rejected.savings)
		costs := c.accepted.cost
		costs.join(&c.rejected.cost)
		both(&cost, x, &costs)
	}
	for _, m := range []struct {
		marks  *marks
		label  string
		color  color.Color
		shape  draw.GlyphDrawer
		radius float64
	}{
		{&kept, "savings of checks that moved nothing", grey, draw.CrossGlyph{}, 1.8},
		{&cost, "estimated cost", orange, draw.BoxGlyph{}, 1},
		{&done, "savings of moving work", blue, draw.CircleGlyph{}, 1.6},
	} {
		if err := m.marks.draw(p, m.label, m.color, m.shape, m.radius); err != nil {
			return err
		}
	}
	logAxis(p)
	return nil
}

// logAxis makes the y axis logarithmic, with room for a legend at the top.
func logAxis(p *plot.Plot) {
	report.SetLog(&p.Y)
	p.Y.Min = max(p.Y.Min, axisFloor)
	p.Y.Max = p.Y.Min * math.Pow(max(p.Y.Max/p.Y.Min, 2), 1.45)
	p.Legend.Top = true
}
