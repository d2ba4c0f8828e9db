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
	Map       string // name of a colour map, one of render.ColorMaps; "" means viridis
	Low, High float64
	None      bool // also show the colour of surfaces that have no number
}

// A legendPlan determines which parts of a legend fit on the page, and their positions.
type legendPlan struct {
	title   bool
	hasNone bool
	y0, y1  float64 // top and bottom of the bar
	ticks   int     // largest number of ticks beside the bar; 0 means none
}

// noneText is the text beside the colour of surfaces without a number.
const noneText = "no data"

// Heights of parts of a legend, in letter heights.
const (
	titleHeight = 1.9 // space above the bar for the title and for the upper half of the top number
	noneHeight  = 2.2 // space below the bar for the box of surfaces without a number
	tickHeight  = 1.2 // least distance between numbers
	leastBar    = 2 * tickHeight
)

// mostTicks is the largest number of ticks beside a bar.
const mostTicks = 8

// planLegend returns the plan of a legend. On a low page, the legend has no box for surfaces without a number. If the
// page is still too low, the legend has no title either.
func (p *page) planLegend(l *Legend) legendPlan {
	h := float64(p.h)
	plan := legendPlan{title: l.Title != "", hasNone: l.None}
	for {
		plan.y0, plan.y1 = 0.22*h, 0.78*h
		if plan.title {
			plan.y0 = max(plan.y0, titleHeight*p.size)
		}
		if plan.hasNone {
			plan.y1 = min(plan.y1, h-noneHeight*p.size)
		}
		switch {
		case plan.y1-plan.y0 >= leastBar*p.size:
		case plan.hasNone:
			plan.hasNone = false
			continue
		case plan.title:
			plan.title = false
			continue
		}
		break
	}
	plan.ticks = min(mostTicks, 1+int((plan.y1-plan.y0)/(tickHeight*p.size)))
	if plan.ticks < 2 {
		plan.ticks = 0
	}
	return plan
}

// drawLegend draws a bar with the colours of the legend's map on the right side of the page, and numbers beside the
// bar.
func (p *page) drawLegend(ctx context.Context, l *Legend, ink render.RGB) {
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
	plan := p.planLegend(l)
	y0, y1 := plan.y0, plan.y1
	for y := int(y0); y < int(y1); y++ {
		c := colors[min(max(int(255*(y1-float64(y)-0.5)/(y1-y0)+0.5), 0), 255)]
		p.fillRectangle(int(x0), y, int(x0+bar), y+1, c)
	}
	p.drawFrame(ctx, x0, y0, x0+bar, y1, ink)
	for _, t := range l.ticks(plan.ticks) {
		y := y1 + float64((y0-y1)*t.at)
		p.stroke(ctx, []segment{overlaySegment(x0+bar, y, x0+bar+p.size/4, y)}, p.width, ink, 1)
		p.write(t.text, x0+bar+0.5*p.size, y+0.35*p.size, alignLeft, ink)
	}
	if plan.title {
		p.write(l.Title, x0, y0-0.8*p.size, alignLeft, ink)
	}
	if plan.hasNone {
		y := y1 + 0.9*p.size
		p.fillRectangle(int(x0), int(y), int(x0+bar), int(y+bar), surface.NoNumber)
		p.drawFrame(ctx, x0, y, x0+bar, y+bar, ink)
		p.write(noneText, x0+bar+0.5*p.size, y+0.8*p.size, alignLeft, ink)
	}
}

// legendWidth returns the distance from the left end of a legend to the right edge of the page.
func (p *page) legendWidth(l *Legend) float64 {
	plan, widest := p.planLegend(l), -1.2*p.size
	if plan.title {
		widest += p.textWidth(l.Title)
	}
	for _, t := range l.ticks(plan.ticks) {
		widest = max(widest, p.textWidth(t.text))
	}
	if plan.hasNone {
		widest = max(widest, p.textWidth(noneText))
	}
	return 0.6*p.size + widest + 0.6*p.size + p.size
}

// Width returns how many columns of pixels the legend takes on the right side of a picture of width by height pixels.
func (l *Legend) Width(width, height int) (int, error) {
	face, err := newTypeface()
	if err != nil {
		return 0, err
	}
	p := &page{a: &Annotator{text: face}, w: width, h: height, size: LetterSize(width, height)}
	return min(int(math.Ceil(p.legendWidth(l))), width), nil
}

// fillRectangle colours a rectangle of the page.
func (p *page) fillRectangle(x0, y0, x1, y1 int, color [3]float32) {
	for y := max(y0, p.top); y < min(y1, p.bottom); y++ {
		for x := max(x0, p.left); x < min(x1, p.right); x++ {
			p.blend(p.pixelIndex(x, y), color, 1)
		}
	}
}

func (p *page) drawFrame(ctx context.Context, x0, y0, x1, y1 float64, ink render.RGB) {
	p.stroke(ctx, []segment{overlaySegment(x0, y0, x1, y0), overlaySegment(x1, y0, x1, y1), overlaySegment(x1, y1, x0, y1), overlaySegment(x0, y1, x0, y0)}, 0.6*p.width, ink, 0.8)
}
