package dxf

import (
	"math"
	"strings"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/turn"
)

// A segment is a straight piece of a line, or a point if its ends are the same position.
type segment struct{ from, to, style int32 }

// Sizes in bytes of a segment: segmentBytes in a block, thinBytes in a shape.
const (
	segmentBytes = 12
	thinBytes    = 8
)

// circleSegments is the number of segments of a circle.
const circleSegments = 48

// addFace adds a face to a block.
func (r *reader) addFace(b *block, f face) error {
	return appendCounted(r, &b.faces, f, faceBytes)
}

// A path is a line through several points. Its methods add the segments of the line to a block.
type path struct {
	*reader
	to     *block
	style  int32
	axes   scenes.Affine // transform from the coordinates of the entity to those of the block
	closed bool

	n           int
	first, last [3]float64
	at, start   int32   // indices of the last and of the first position
	bulge       float64 // bulge of the segment after the last point, see addPoint
}

// addPosition adds a position, and a segment to it from the position before.
func (p *path) addPosition(v [3]float64) error {
	at, err := p.addVertex(p.to, p.axes.Point(v))
	if err != nil {
		return err
	}
	if p.n > 0 {
		if err := appendCounted(p.reader, &p.to.lines, segment{p.at, at, p.style}, segmentBytes); err != nil {
			return err
		}
	} else {
		p.start = at
	}
	p.n++
	p.at = at
	return nil
}

// addPoint adds a point. bulge describes the segment after the point. It is 0 for a straight segment. For an arc, it is
// the tangent of a quarter of the arc's angle.
func (p *path) addPoint(v [3]float64, bulge float64) error {
	if p.n > 0 {
		if err := p.addArcPositions(v); err != nil {
			return err
		}
	} else {
		p.first = v
	}
	p.last, p.bulge = v, bulge
	return p.addPosition(v)
}

// addArcPositions adds the positions of the arc from the last point to `to`, except its ends.
func (p *path) addArcPositions(to [3]float64) error {
	if p.bulge == 0 || p.bulge-p.bulge != 0 {
		return nil
	}
	angle := 4 * math.Atan(p.bulge)
	// The centre lies at right angles to the chord, beside its middle. Its distance from the middle is half the
	// chord, divided by the tangent of half the angle of the arc.
	side := (1 - float64(p.bulge*p.bulge)) / (4 * p.bulge)
	dx, dy := to[0]-p.last[0], to[1]-p.last[1]
	x, y := (p.last[0]+to[0])/2-float64(dy*side), (p.last[1]+to[1])/2+float64(dx*side)
	ux, uy := p.last[0]-x, p.last[1]-y
	n := int(math.Ceil(math.Abs(angle) / (2 * math.Pi) * circleSegments))
	for i := 1; i < n; i++ {
		sin, cos := math.Sincos(angle * float64(i) / float64(n))
		v := [3]float64{x + float64(ux*cos) - float64(uy*sin), y + float64(ux*sin) + float64(uy*cos), p.last[2]}
		if err := p.addPosition(v); err != nil {
			return err
		}
	}
	return nil
}

// closeIfClosed closes the path if closed is set.
func (p *path) closeIfClosed() error {
	if !p.closed || p.n < 2 {
		return nil
	}
	if err := p.addArcPositions(p.first); err != nil {
		return err
	}
	return appendCounted(p.reader, &p.to.lines, segment{p.at, p.start, p.style}, segmentBytes)
}

// readCurve reads a LINE, an LWPOLYLINE, a CIRCLE or an ARC.
func (r *reader) readCurve(b *block) error {
	type corner struct {
		at    [3]float64
		bulge float64
	}
	var all []corner
	radius, last, height := 0.0, 360.0, 0.0
	e, err := r.readEntity(func(code int, value []byte) error {
		v, ok := parseFloat(value)
		if !ok {
			return nil
		}
		switch code {
		case 10:
			return appendCounted(r, &all, corner{at: [3]float64{0: v}}, 32)
		case 20, 42:
			if n := len(all); n > 0 && code == 20 {
				all[n-1].at[1] = v
			} else if n > 0 {
				all[n-1].bulge = v
			}
		case 38:
			height = v
		case 40:
			radius = v
		case 51:
			last = v
		}
		return nil
	})
	if err != nil || e.invisible {
		return err
	}
	taken := 32 * int64(cap(all))
	defer func() { r.Held -= taken }()
	p := path{reader: r, to: b, axes: axesOf(e.normal)}
	if p.style, err = r.styleNumber(&e); err != nil {
		return err
	}
	switch e.kind {
	case "LINE":
		p.axes = scenes.Identity()
		all = []corner{{at: e.p[0]}, {at: e.p[1]}}
	case "LWPOLYLINE":
		p.closed = e.ints[0]&closedM != 0
		for i := range all {
			all[i].at[2] = height
		}
	default:
		return p.addArc(e.p[0], radius, e.turn, last, e.kind == "CIRCLE")
	}
	for i := range all {
		if err := p.addPoint(all[i].at, all[i].bulge); err != nil {
			return err
		}
	}
	return p.closeIfClosed()
}

// readPoint reads a POINT. It leaves out points on the layer DEFPOINTS. Those mark the ends of dimensions and are never
// plotted.
func (r *reader) readPoint(b *block) error {
	e, err := r.readEntity(nil)
	if err != nil || e.invisible || strings.EqualFold(e.layer, "DEFPOINTS") {
		return err
	}
	if !e.placed {
		return r.warn.Add(r.place(), "a POINT without coordinates is not drawn")
	}
	style, err := r.styleNumber(&e)
	if err != nil {
		return err
	}
	at, err := r.addVertex(b, e.p[0])
	if err != nil {
		return err
	}
	return appendCounted(r, &b.lines, segment{at, at, style}, segmentBytes)
}

// addArc adds the positions of an arc between the angles `from` and `to`, in degrees. If whole is set, it adds a
// circle.
func (p *path) addArc(center [3]float64, radius, from, to float64, whole bool) error {
	angle := math.Mod(to-from, 360)
	if angle <= 0 {
		angle += 360
	}
	if whole {
		from, angle = 0, 360
	}
	if !(angle > 0) || !(radius > 0) {
		return nil
	}
	n := int(math.Ceil(angle / 360 * circleSegments))
	for i := range n + 1 {
		sin, cos := turn.Sincos(from + angle*float64(i)/float64(n))
		v := [3]float64{center[0] + float64(radius*cos), center[1] + float64(radius*sin), center[2]}
		if err := p.addPosition(v); err != nil {
			return err
		}
	}
	return nil
}

// lineShapes returns shapes of the lines and points of a block, one for each style. `above` is the style of the insert.
func (r *reader) lineShapes(b *block, above style) (all []*assembly.Shape, err error) {
	if err := r.Reserve(2 * thinBytes * int64(len(b.lines))); err != nil { // twice, because the lists are copied
		return nil, err
	}
	points := &assembly.Points{N: len(b.positions), Positions: func(lo, hi int, to [][3]float64) { copy(to, b.positions[lo:hi]) }}
	of := make(map[int32]*assembly.Shape)
	for _, s := range b.lines {
		shape := of[s.style]
		if shape == nil {
			shape = &assembly.Shape{Points: points, Thin: &assembly.Thin{}}
			if shape.Material, err = r.material(r.effectiveStyle(s.style, above)); err != nil {
				return nil, err
			}
			of[s.style] = shape
			all = append(all, shape)
		}
		if s.from == s.to {
			shape.Thin.Points = append(shape.Thin.Points, uint32(s.from))
			continue
		}
		shape.Thin.Lines = append(shape.Thin.Lines, [2]uint32{uint32(s.from), uint32(s.to)})
	}
	return all, r.Reserve(int64(512 * len(all)))
}
