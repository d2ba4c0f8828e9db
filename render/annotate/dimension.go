package annotate

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
)

// A Dimension is the distance between two points of the mesh, in its coordinates.
type Dimension struct{ From, To mgl64.Vec3 }

// Lengths of a dimension's parts, in letter heights.
const (
	dimensionOffset   = 1.8 // distance from the points to the dimension line
	dimensionOverhang = 0.4 // length of the lines from the points beyond the dimension line
	arrowLength       = 0.8
	arrowWidth        = 0.15 // half the width of an arrowhead, divided by its length
	minArrowsInside   = 2.5  // with a dimension line shorter than this, the arrows are drawn outside its ends
	leastLine         = 0.3  // with a dimension line shorter than this, only the number is written
)

// minForeshortening is the least ratio of a dimension's length in the picture to its full length. A dimension that is
// seen nearly end-on has a smaller ratio and is not drawn.
const minForeshortening = 0.25

// drawDimensions draws distances between points in the style of technical drawings. A dimension consists of the
// dimension line with arrows at both ends, a line from each point to the dimension line, and the length as a number.
// The dimension line lies beside the two points, on the side that is farther from the centre of the box.
func (p *page) drawDimensions(ctx context.Context, all []Dimension, ink render.RGB) {
	for _, d := range all {
		length := d.To.Sub(d.From).Len()
		if s, ok := p.project(d.From, d.To); ok && p.isVisible(d, length) {
			p.drawDimension(ctx, &s, p.lengthText(length), ink)
		}
	}
}

// isVisible reports whether the dimension d is drawn. It is not drawn if it is seen nearly end-on. length is the
// distance between its ends, in units of the mesh.
func (p *page) isVisible(d Dimension, length float64) bool {
	view := p.cam.Forward
	if !p.cam.Orthographic {
		view = between(d.From, d.To, 0.5).Sub(p.cam.Eye)
	}
	line, far := d.To.Sub(d.From), view.Len()
	if !(length > 0 && far > 0) {
		return true
	}
	along := (float64(line[0]*view[0]) + float64(line[1]*view[1]) + float64(line[2]*view[2])) / (length * far)
	return 1-float64(along*along) >= minForeshortening*minForeshortening
}

// drawDimension draws the dimension between the ends of s. The parameter text is the number that is written.
func (p *page) drawDimension(ctx context.Context, s *segment, text string, ink render.RGB) {
	x0, y0, x1, y1 := float64(s.x0), float64(s.y0), float64(s.x1), float64(s.y1)
	mx, my := (x0+x1)/2, (y0+y1)/2
	dx, dy := x1-x0, y1-y0
	long := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	if long < leastLine*p.size {
		p.write(text, mx, my+0.35*p.size, alignMiddle, ink)
		return
	}
	ux, uy := dx/long, dy/long
	ax, ay := uy, -ux // direction from the points to one of the two possible dimension lines
	if cx, cy, _ := p.cam.Project(mgl64.Vec3(p.a.box.Center()), p.w, p.h); float64((mx-cx)*ax)+float64((my-cy)*ay) < 0 {
		ax, ay = -ax, -ay
	}
	away, more, head := dimensionOffset*p.size, dimensionOverhang*p.size, arrowLength*p.size
	at := func(x, y, along, out float64) (float64, float64) {
		return x + float64(ux*along) + float64(ax*out), y + float64(uy*along) + float64(ay*out)
	}
	var thin, thick []segment
	line := func(to *[]segment, x, y, along, out, x2, y2, along2, out2 float64) {
		fx, fy := at(x, y, along, out)
		tx, ty := at(x2, y2, along2, out2)
		*to = append(*to, overlaySegment(fx, fy, tx, ty))
	}
	line(&thin, x0, y0, 0, 0, x0, y0, 0, away+more)
	line(&thin, x1, y1, 0, 0, x1, y1, 0, away+more)
	over := 0.0 // length of the dimension line beyond its ends
	if long < minArrowsInside*p.size {
		over, head = 1.5*head, -head
	}
	line(&thick, x0, y0, -over, away, x1, y1, over, away)
	for _, side := range [2]float64{arrowWidth, -arrowWidth} {
		line(&thick, x0, y0, 0, away, x0, y0, head, away+float64(side*head))
		line(&thick, x1, y1, 0, away, x1, y1, -head, away+float64(side*head))
	}
	p.stroke(ctx, thin, 0.6*p.width, ink, 0.8)
	p.stroke(ctx, thick, p.width, ink, 1)
	// Place the number so far from the dimension line that it does not touch the line.
	beyond := away + 0.5*p.size + float64(p.textWidth(text)/2*math.Abs(ax)) + float64(0.35*p.size*math.Abs(ay))
	tx, ty := at(mx, my, 0, beyond)
	p.write(text, tx, ty+0.35*p.size, alignMiddle, ink)
}
