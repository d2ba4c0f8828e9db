package annotate

import (
	"context"
	"math"
	"sort"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/scenes"
)

// axisColors are the colours of the axes x, y and z. They are the usual red, green and blue, all equally light.
var axisColors = [3]render.RGB{0xc8372d, 0x2e8b3d, 0x2f62c4}

// overlaySegment returns a segment between two points of the page. Nothing hides the segment.
func overlaySegment(x0, y0, x1, y1 float64) segment {
	return segment{float32(x0), float32(y0), neverHidden, float32(x1), float32(y1), neverHidden}
}

// drawAxes draws the directions of the axes in the lower left corner. Axes that point away from the eye are drawn
// first.
func (p *page) drawAxes(ctx context.Context, ink render.RGB) {
	long := float64(min(p.w, p.h)) / 11
	cx, cy := long+1.6*p.size, float64(p.h)-long-1.6*p.size
	order := []int{0, 1, 2}
	sort.Slice(order, func(i, j int) bool { return p.cam.Forward[order[i]] > p.cam.Forward[order[j]] })
	for _, axis := range order {
		dx, dy := p.cam.Right[axis]*long, -p.cam.Up[axis]*long
		lines := []segment{overlaySegment(cx, cy, cx+dx, cy+dy)}
		if l := math.Sqrt(float64(dx*dx) + float64(dy*dy)); l > long/4 {
			head := long / 5
			ux, uy := dx/l*head, dy/l*head
			for _, side := range [2]float64{0.45, -0.45} {
				lines = append(lines, overlaySegment(cx+dx, cy+dy, cx+dx-ux-float64(uy*side), cy+dy-uy+float64(ux*side)))
			}
		}
		p.stroke(ctx, lines, 1.6*p.width, axisColors[axis], 1)
		reach := 1 + 0.75*p.size/math.Max(math.Sqrt(float64(dx*dx)+float64(dy*dy)), p.size)
		p.write(string(rune('x'+axis)), cx+float64(dx*reach), cy+float64(dy*reach)+0.35*p.size, alignMiddle, axisColors[axis])
	}
}

// drawBounds draws the box and writes its lengths. Edges that the mesh hides are faint.
func (p *page) drawBounds(ctx context.Context, box scenes.Box, ink render.RGB) {
	corners := cornersOf(box)
	var all, seen []segment
	for i := range corners {
		for axis := range 3 {
			if i>>axis&1 == 0 {
				if s, ok := p.project(corners[i], corners[i|1<<axis]); ok {
					seen = append(seen, s)
					s.q0, s.q1 = neverHidden, neverHidden
					all = append(all, s)
				}
			}
		}
	}
	p.stroke(ctx, all, 0.6*p.width, ink, 0.2)
	p.stroke(ctx, seen, 0.6*p.width, ink, 0.8)
	mx, my, _ := p.cam.Project(mgl64.Vec3(box.Center()), p.w, p.h)
	size := box.Size()
	for axis := range 3 {
		if size[axis] > 0 {
			p.writeBoxLength(corners, axis, mx, my, size[axis], ink)
		}
	}
}

// writeBoxLength writes the length of the box along an axis. Four edges of the box have this direction. The length is
// written beside the edge that is farthest from the centre of the box in the picture. If several edges are about
// equally far from the centre, writeBoxLength chooses the lowest of these edges.
func (p *page) writeBoxLength(corners [8]mgl64.Vec3, axis int, mx, my, length float64, ink render.RGB) {
	best, bx, by := math.Inf(-1), 0.0, 0.0
	for i := range corners {
		if i>>axis&1 != 0 {
			continue
		}
		s, ok := p.project(corners[i], corners[i|1<<axis])
		if !ok {
			continue
		}
		x, y := float64(s.x0)/2+float64(s.x1)/2, float64(s.y0)/2+float64(s.y1)/2
		dx, dy := float64(s.x1)-float64(s.x0), float64(s.y1)-float64(s.y0)
		long := math.Sqrt(float64(dx*dx) + float64(dy*dy))
		if long < 1 {
			continue // the edge is seen end-on
		}
		// out is the distance of the edge's line from the centre of the box in the picture. The last term is larger
		// for lower edges, so that they are preferred.
		out := math.Abs(float64((x-mx)*dy)-float64((y-my)*dx))/long + float64(0.02*y)
		if out > best {
			best, bx, by = out, x, y
		}
	}
	if math.IsInf(best, 0) {
		return
	}
	dx, dy := bx-mx, by-my
	l := math.Max(math.Sqrt(float64(dx*dx)+float64(dy*dy)), 1)
	text := p.lengthText(length)
	away := p.size*lengthGap + float64(p.textWidth(text)/2*math.Abs(dx)/l)
	p.write(text, bx+float64(dx/l*away), by+float64(dy/l*p.size)+0.35*p.size, alignMiddle, ink)
}

// lengthGap is the gap between an edge of the box and the length beside it, in heights of letters.
const lengthGap = 0.9

// LengthRoom returns the width in pixels of a length that is written beside the box, including the gaps at both sides
// of the text. unit is the symbol of the unit, or "". letters is the height of letters in pixels.
func LengthRoom(length float64, unit string, letters float64) (float64, error) {
	face, err := newTypeface()
	if err != nil {
		return 0, err
	}
	p := page{a: &Annotator{text: face, options: Options{Unit: unit}}, size: letters}
	const margin = 0.5 // gap between the text and the border of the page, in heights of letters
	return p.textWidth(p.lengthText(length)) + (lengthGap+margin)*letters, nil
}

func cornersOf(box scenes.Box) (corners [8]mgl64.Vec3) {
	for i := range corners {
		for axis := range 3 {
			corners[i][axis] = box.Min[axis]
			if i>>axis&1 != 0 {
				corners[i][axis] = box.Max[axis]
			}
		}
	}
	return corners
}

// drawScaleBar draws a bar in the lower right corner. Its length is the largest round length below a fifth of the
// page's width. The length is measured at the distance of the camera's target.
func (p *page) drawScaleBar(ctx context.Context, ink render.RGB) {
	perUnit := float64(p.cam.Magnification * float64(p.h))
	if !p.cam.Orthographic {
		depth := p.depth(p.cam.Target)
		if !(depth > 0) {
			return
		}
		perUnit /= depth
	}
	long := round125(float64(p.w) / 5 / perUnit)
	width := float64(long * perUnit)
	if !(width >= 1) || width > float64(p.w) {
		return
	}
	x1, y := float64(p.w)-1.2*p.size, float64(p.h)-1.2*p.size
	x0 := x1 - width
	tick := p.size / 3
	p.stroke(ctx, []segment{overlaySegment(x0, y, x1, y), overlaySegment(x0, y-tick, x0, y+tick), overlaySegment(x1, y-tick, x1, y+tick)}, 1.3*p.width, ink, 1)
	p.write(p.lengthText(long), (x0+x1)/2, y-0.5*p.size, alignMiddle, ink)
}

// round125 returns the largest number not above v that is 1, 2 or 5 times a power of ten.
func round125(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 0
	}
	power := math.Pow10(int(math.Floor(math.Log10(v))))
	for _, m := range [3]float64{5, 2, 1} {
		if float64(m*power) <= v {
			return float64(m * power)
		}
	}
	return power
}
