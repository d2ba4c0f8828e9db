package annotate

import (
	"context"
	"math"

	"lockstep/render"
	"lockstep/render/internal/surface"
)

// A Legend explains the colours of a field.
type Legend struct {
	Title     string
	Map       string // one of render.ColorMaps; "" means viridis
	Low, High float64
	None      bool // also show the colour of values that are no numbers
}

// ticks is how many numbers stand beside a legend: the ends, the middle and the quarters.
const ticks = 5

// legend draws a bar of the colours on the right with numbers beside it.
func (p *page) legend(ctx context.Context, l *Legend, ink render.RGB) {
	name := l.Map
	if name == "" {
		name = "viridis"
	}
	colors, ok := surface.NewMap(name)
	if !ok {
		return
	}
	bar := p.size
	x0 := max(float64(p.w)-p.legendWidth(l), 0)
	y0, y1 := 0.22*float64(p.h), 0.78*float64(p.h)
	for y := int(y0); y < int(y1); y++ {
		c := colors[min(max(int(255*(y1-float64(y)-0.5)/(y1-y0)+0.5), 0), 255)]
		p.fill(int(x0), y, int(x0+bar), y+1, c)
	}
	p.frame(ctx, x0, y0, x0+bar, y1, ink)
	for i := range ticks {
		y := y1 + float64((y0-y1)*float64(i))/(ticks-1)
		p.stroke(ctx, []segment{arrow(x0+bar, y, x0+bar+p.size/4, y)}, p.width, ink, 1)
		p.write(number(l.at(i)), x0+bar+0.5*p.size, y+0.35*p.size, alignLeft, ink)
	}
	if l.Title != "" {
		p.write(l.Title, x0, y0-0.8*p.size, alignLeft, ink)
	}
	if l.None {
		y := y1 + 0.9*p.size
		p.fill(int(x0), int(y), int(x0+bar), int(y+bar), render.NoNumber)
		p.frame(ctx, x0, y, x0+bar, y+bar, ink)
		p.write("none", x0+bar+0.5*p.size, y+0.8*p.size, alignLeft, ink)
	}
}

// legendWidth returns how far from the right border of the page a legend begins.
func (p *page) legendWidth(l *Legend) float64 {
	widest := p.textWidth(l.Title) - 1.2*p.size
	for i := range ticks {
		widest = max(widest, p.textWidth(number(l.at(i))))
	}
	return 0.6*p.size + widest + 0.6*p.size + p.size
}

// Width returns how many columns on the right of a picture of a size the legend takes.
func (l *Legend) Width(width, height int) (int, error) {
	face, err := newTypeface()
	if err != nil {
		return 0, err
	}
	p := &page{a: &Annotator{text: face}, w: width, h: height, size: letterSize(width, height)}
	return min(int(math.Ceil(p.legendWidth(l))), width), nil
}

// at returns the number at a tick.
func (l *Legend) at(i int) float64 {
	return l.Low + float64((l.High-l.Low)*float64(i)/(ticks-1))
}

// fill colours a rectangle of the page.
func (p *page) fill(x0, y0, x1, y1 int, color [3]float32) {
	for y := max(y0, p.top); y < min(y1, p.bottom); y++ {
		for x := max(x0, p.left); x < min(x1, p.right); x++ {
			p.blend(p.at(x, y), color, 1)
		}
	}
}

func (p *page) frame(ctx context.Context, x0, y0, x1, y1 float64, ink render.RGB) {
	p.stroke(ctx, []segment{arrow(x0, y0, x1, y0), arrow(x1, y0, x1, y1), arrow(x1, y1, x0, y1), arrow(x0, y1, x0, y0)}, 0.6*p.width, ink, 0.8)
}
