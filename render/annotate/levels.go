package annotate

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/scenes"
)

// Levels are contour lines: lines on the surface along which a field has a round value.
type Levels struct {
	Lines int           // largest number of values for which lines are drawn
	Mesh  *scenes.Mesh  // nil if no lines are drawn
	Field *scenes.Field // has a value for each vertex of Mesh
	// Lines are drawn for values from Low to High.
	Low, High float64
}

const (
	levelWidth   = 0.8 // width of contour lines, relative to other lines
	levelOpacity = 0.8
	// levelBatch is the number of pieces of contour lines that are drawn at a time. It limits the memory for pieces.
	// If adjacent pieces are in different batches, the point where the pieces meet is a little darker.
	levelBatch = 1 << 18
)

// drawLevels draws the lines of l.
func (p *page) drawLevels(ctx context.Context, l *Levels, ink render.RGB) {
	if l.Mesh == nil || l.Field == nil {
		return
	}
	heights, _ := roundLevels(l.Low, l.High, l.Lines)
	if len(heights) == 0 {
		return
	}
	p.a.lines = p.a.lines[:0]
	flush := func() {
		p.stroke(ctx, p.a.lines, p.width*levelWidth, ink, levelOpacity)
		p.a.lines = p.a.lines[:0]
	}
	for t := range l.Mesh.Len() {
		if t%4096 == 0 && ctx.Err() != nil {
			return
		}
		l.eachCrossing(t, heights, func(a, b mgl64.Vec3) {
			if s, ok := p.project(a, b); ok && p.mayShow(&s) {
				p.a.lines = append(p.a.lines, s)
			}
		})
		if len(p.a.lines) >= levelBatch {
			flush()
		}
	}
	flush()
}

// A corner is a corner of a triangle and the value of the field there.
type corner struct {
	at    mgl64.Vec3
	value float64
}

// eachCrossing calls the function piece for each height that lies between the field's values at the corners of
// triangle t. The arguments a and b of piece are the ends of the contour line inside the triangle. A corner whose
// value equals a height counts as above the height. So a line through a vertex has no gap and is not drawn twice.
func (l *Levels) eachCrossing(t int, heights []float64, piece func(a, b mgl64.Vec3)) {
	var c [3]corner
	points := l.Mesh.Triangle(t)
	index := &l.Mesh.Attributes.Index
	low, high := math.Inf(1), math.Inf(-1)
	for k := range c {
		v := float64(l.Field.Values[index[k][t]])
		if v-v != 0 {
			return // the field has no finite value at a corner
		}
		c[k] = corner{mgl64.Vec3{float64(points[k][0]), float64(points[k][1]), float64(points[k][2])}, v}
		low, high = min(low, v), max(high, v)
	}
	for _, h := range heights {
		if h <= low || h > high {
			continue
		}
		var ends [3]mgl64.Vec3
		n := 0
		for k := range c {
			if a, b := &c[k], &c[(k+1)%3]; (a.value < h) != (b.value < h) {
				ends[n] = pointAtLevel(a, b, h)
				n++
			}
		}
		if n == 2 {
			piece(ends[0], ends[1])
		}
	}
}

// pointAtLevel returns the point at which the field has the value h, on the edge from a to b. It always interpolates
// from the corner with the lower value. So both triangles that share the edge get the same point.
func pointAtLevel(a, b *corner, h float64) mgl64.Vec3 {
	if a.value > b.value {
		a, b = b, a
	}
	return between(a.at, b.at, (h-a.value)/(b.value-a.value))
}
