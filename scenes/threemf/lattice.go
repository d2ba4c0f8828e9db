package threemf

import (
	"math"

	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/solid"
	"lockstep/scenes/internal/text"
)

// A lattice holds the beams of an object: 3MF Beam Lattice Extension, version 1.2. Beams are drawn with straight sides.
// Their round ends and the balls are drawn as spheres. Clipping and representation meshes of lattices are ignored.
type lattice struct {
	radius, ballRadius float64 // radii of beams and of balls that do not state a radius
	least              float64 // least length of a beam; shorter beams are left out
	round              bool    // ends of beams are round unless a beam states otherwise
	allBalls           bool    // all ends of beams have balls
	// beams stores the beams as if they were triangles, because both have the same properties. The first two corners
	// are the ends, and the third is not used.
	beams object
	radii [][2]float64
	flat  [][2]bool // for each beam, whether its first and its second end are flat, without a sphere
	balls []ball

	all      []ball // result of the method spheres, kept because an object may be drawn in several colours
	allKnown bool
}

// A ball is a sphere at a vertex.
type ball struct {
	vertex uint32
	radius float64
	beam   int // number of the beam whose properties the ball has; -1: none
}

// beginLattice starts the lattice of the current object.
func (p *parser) beginLattice() error {
	if p.of == nil {
		return nil
	}
	l := &lattice{round: p.text("cap") != "butt", allBalls: p.text("ballmode") == "all"}
	l.beams.group, l.beams.entry, l.beams.grouped = p.of.group, p.of.entry, p.of.grouped
	if pid := p.get("pid"); pid != nil {
		l.beams.group, l.beams.grouped = parseIndex(pid)
		l.beams.entry, _ = parseIndex(p.get("pindex"))
	}
	l.radius, l.least, l.ballRadius = p.lengthOr("radius", 0), p.lengthOr("minlength", 0), p.lengthOr("ballradius", 0)
	p.of.lattice = l
	return p.reader.Reserve(512)
}

// lengthOr returns the value of an attribute if it is a positive finite number, and `missing` otherwise.
func (p *parser) lengthOr(name string, missing float64) float64 {
	if v, ok := parseNumber(p.get(name)); ok && v > 0 && !math.IsInf(v, 1) {
		return v
	}
	return missing
}

// readBeam reads a beam.
func (p *parser) readBeam() error {
	if p.of == nil || p.of.lattice == nil {
		return nil
	}
	o, l := p.of, p.of.lattice
	from, ok := parseIndex(p.get("v1"))
	to, fine := parseIndex(p.get("v2"))
	if n := uint32(len(o.points)); !ok || !fine || max(from, to) >= n {
		return p.warnf("beam left out: vertices %s and %s of %d", text.Short(p.get("v1")), text.Short(p.get("v2")), n)
	}
	first := p.lengthOr("r1", l.radius)
	radii := [2]float64{first, p.lengthOr("r2", first)}
	if !(radii[0] > 0) || !(radii[1] > 0) {
		return p.warnf("beam left out: it has no radius")
	}
	if from == to || l.least > 0 && distance(o.points[from], o.points[to]) < l.least {
		return nil
	}
	if err := appendCounted(p.reader, &l.beams.triangles, [3]uint32{from, to, to}); err != nil {
		return err
	}
	if err := appendCounted(p.reader, &l.radii, radii); err != nil {
		return err
	}
	if err := appendCounted(p.reader, &l.flat, [2]bool{p.isFlat("cap1"), p.isFlat("cap2")}); err != nil {
		return err
	}
	return p.setBeamProperty(&l.beams)
}

// isFlat reports whether an end of a beam has no sphere. name is the attribute for this end.
func (p *parser) isFlat(name string) bool {
	if kind := p.text(name); kind != "" {
		return kind == "butt"
	}
	return !p.of.lattice.round
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// setBeamProperty sets the properties of the last beam of a lattice. Object o stores the beams as if they were
// triangles.
func (p *parser) setBeamProperty(o *object) error {
	id, ok := o.group, o.grouped
	by, has := parseIndex(p.get("p1"))
	if pid := p.get("pid"); pid != nil {
		id, ok = parseIndex(pid)
	}
	if !has {
		by = o.entry
	}
	if !ok {
		return nil
	}
	return p.setTriangleProperty(o, id, [3]uint32{by, by, by})
}

// readBall reads a ball of the current lattice.
func (p *parser) readBall() error {
	if p.of == nil || p.of.lattice == nil {
		return nil
	}
	l := p.of.lattice
	v, ok := parseIndex(p.get("vindex"))
	r := p.lengthOr("r", l.ballRadius)
	if !ok || v >= uint32(len(p.of.points)) || !(r > 0) {
		return p.warnf("ball left out: vertex %s of %d, radius %g", text.Short(p.get("vindex")), len(p.of.points), r)
	}
	return appendCounted(p.reader, &l.balls, ball{v, r, -1})
}

// spheres returns the balls of a lattice and the spheres at the round ends of its beams. Of several spheres at one
// vertex, it returns only the largest.
func (l *lattice) spheres(r *reader) ([]ball, error) {
	if l.allKnown {
		return l.all, nil
	}
	l.allKnown = true
	at := map[uint32]int{}
	var failed error
	add := func(b ball) {
		i, ok := at[b.vertex]
		switch {
		case failed != nil:
		case !ok:
			at[b.vertex] = len(l.all)
			failed = appendCounted(r, &l.all, b)
		case b.radius > l.all[i].radius:
			l.all[i] = b
		}
	}
	for i, ends := range l.beams.triangles {
		for k := range 2 {
			if !l.flat[i][k] {
				add(ball{ends[k], l.radii[i][k], i})
			}
			if l.allBalls && l.ballRadius > 0 {
				add(ball{ends[k], l.ballRadius, i})
			}
		}
	}
	for _, b := range l.balls {
		add(b)
	}
	return l.all, failed
}

// A lattice of at most manyBeams beams has beams with fineSides sides and spheres that are divided fineTimes times. A
// larger lattice has fewSides and fewTimes.
const (
	manyBeams            = 50_000
	fineSides, fineTimes = 12, 2
	fewSides, fewTimes   = 6, 1
)

// makeShapes returns the shapes that draw a lattice. points holds the positions of its vertices.
func (l *lattice) makeShapes(r *reader, points [][3]float64) ([]*assembly.Shape, error) {
	if len(l.beams.triangles)+len(l.balls) == 0 {
		return nil, nil
	}
	spheres, err := l.spheres(r)
	if err != nil {
		return nil, err
	}
	sides, times := fineSides, fineTimes
	if len(l.beams.triangles) > manyBeams {
		sides, times = fewSides, fewTimes
	}
	beam := solid.NewBeam(sides)
	bodies := l.makeBodies(len(l.beams.triangles), 2*sides, beam.Faces, func(i int) int { return i }, func(i int, to [][3]float64) {
		ends := &l.beams.triangles[i]
		beam.Corners(points[ends[0]], points[ends[1]], l.radii[i], to)
	})
	ball, faces := solid.Sphere(times)
	return append(bodies, l.makeBodies(len(spheres), len(ball), faces, func(i int) int { return spheres[i].beam }, func(i int, to [][3]float64) {
		for k, p := range ball {
			for d := range p {
				p[d] = points[spheres[i].vertex][d] + float64(spheres[i].radius*p[d])
			}
			to[k] = p
		}
	})...), nil
}

// makeBodies returns a shape of n bodies, or none if n is 0. Each body has the same number of corners and the same
// faces. The function beamOf returns the beam whose properties body i has. The function `write` writes the corners of
// body i.
func (l *lattice) makeBodies(n, corners int, faces [][3]int32, beamOf func(i int) int, write func(i int, to [][3]float64)) []*assembly.Shape {
	if n == 0 {
		return nil
	}
	s := &assembly.Shape{Points: &assembly.Points{N: n * corners}, N: n * len(faces), Material: -1}
	s.Points.Positions = func(lo, hi int, to [][3]float64) {
		room := make([][3]float64, corners)
		for at := lo; at < hi; {
			write(at/corners, room)
			at += copy(to[at-lo:], room[at%corners:])
		}
	}
	s.Corners = func(lo, _ int, to [][3]uint32) {
		for i := range to {
			first := uint32((lo + i) / len(faces) * corners)
			for k, c := range faces[(lo+i)%len(faces)] {
				to[i][k] = first + uint32(c)
			}
		}
	}
	if b := &l.beams; b.material != nil {
		s.MaterialOf = func(lo, _ int, to []int32) { fillFromBeams(b.material, lo, len(faces), to, beamOf, -1) }
	}
	if b := &l.beams; b.color != nil {
		s.ColorOf = func(lo, _ int, to [][3]uint32) { fillFromBeams(b.color, lo, len(faces), to, beamOf, [3]uint32{}) }
	}
	return []*assembly.Shape{s}
}

// fillFromBeams fills `to` with the properties of consecutive triangles, from triangle lo on. list holds the property
// of each beam. `none` is the property of bodies without a beam. Each body has `faces` triangles.
func fillFromBeams[T any](list []T, lo, faces int, to []T, beamOf func(i int) int, none T) {
	for i := range to {
		to[i] = none
		if beam := beamOf((lo + i) / faces); beam >= 0 && beam < len(list) {
			to[i] = list[beam]
		}
	}
}
