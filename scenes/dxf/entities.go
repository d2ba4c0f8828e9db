package dxf

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/text"
)

// An entity holds the values of an entity of the drawing. The comments of the fields are the codes by which the file
// marks the values.
type entity struct {
	kind, layer, name string
	p                 [4][3]float64 // codes 10 to 13 (x), 20 to 23 (y) and 30 to 33 (z)
	ints              [8]int        // codes 70 to 77
	scale             [3]float64    // codes 41 to 43
	spacing           [2]float64    // codes 44 and 45
	turn              float64       // code 50
	normal            [3]float64    // codes 210, 220 and 230
	color             int           // code 62; or trueColor plus a 24-bit colour
	badValues         int           // number of values that should be numbers and are not
	invisible         bool          // code 60 hides the entity
	placed            bool          // the entity has coordinates
}

// byBlock and byLayer are special colours. An entity with byBlock has the colour of its block, and an entity with
// byLayer has the colour of its layer. A colour of at least trueColor is trueColor plus a 24-bit colour.
const (
	byBlock   = 0
	byLayer   = 256
	trueColor = 1 << 24
)

// readEntity reads an entity up to the start of the next entity. The group that was read last must be the name of the
// entity. If the function each is not nil, it is called with every group.
func (r *reader) readEntity(each func(code int, value []byte) error) (e entity, err error) {
	e = entity{kind: string(r.pairs.value[:min(len(r.pairs.value), text.MaxName)]), layer: "0", scale: [3]float64{1, 1, 1}, normal: [3]float64{0, 0, 1}, color: byLayer}
	for r.pairs.next() {
		if r.pairs.code == 0 {
			r.pairs.pushedBack = true
			break
		}
		e.setGroup(r.pairs.code, r.pairs.value)
		if each != nil {
			if err := each(r.pairs.code, r.pairs.value); err != nil {
				return e, err
			}
		}
	}
	if e.badValues > 0 {
		return e, r.warn.Add(r.place(), "%d numbers of %s are none", e.badValues, text.Short(e.kind))
	}
	return e, nil
}

// setGroup sets the field of e for a group code to a value.
func (e *entity) setGroup(code int, value []byte) {
	switch code {
	case 2:
		e.name = string(value[:min(len(value), text.MaxName)])
		return
	case 8:
		e.layer = string(value[:min(len(value), text.MaxName)])
		return
	}
	to := e.floatField(code)
	if to != nil {
		e.placed = e.placed || code == 10
		v, ok := parseFloat(value)
		if !ok {
			v = math.NaN()
			e.badValues++
		}
		*to = v
		return
	}
	v, ok := parseNumber(value)
	switch {
	case !ok:
		return
	case code >= 70 && code <= 77:
		e.ints[code-70] = v
	case code == 60:
		e.invisible = v == 1
	case code == 62 && e.color < trueColor:
		e.color = v
	case code == 420 && v >= 0:
		e.color = trueColor | v&0xffffff
	}
}

// floatField returns the field for a group code if its value is a float, and nil otherwise.
func (e *entity) floatField(code int) *float64 {
	switch {
	case code >= 10 && code < 40 && code%10 < 4:
		return &e.p[code%10][code/10-1]
	case code >= 41 && code <= 43:
		return &e.scale[code-41]
	case code == 44 || code == 45:
		return &e.spacing[code-44]
	case code == 50:
		return &e.turn
	case code == 210 || code == 220 || code == 230:
		return &e.normal[code/10-21]
	}
	return nil
}

// A block holds entities that an insert places together. The model, which is the drawing itself, is also a block.
type block struct {
	base      [3]float64
	positions [][3]float64
	faces     []face
	lines     []segment
	inserts   []insert
	shapes    map[style][]*assembly.Shape // shapes for each style of the insert
	built     bool
	builder   *corners.Builder
}

// A face has three or four corners. If it has three, the last index is negative.
type face struct {
	corners [4]int32
	style   int32
}

// Sizes in bytes of a position, a face and an insert.
const (
	positionBytes = 24
	faceBytes     = 20
	insertBytes   = 256
)

// maxPositions is the greatest number of positions of a block.
const maxPositions = math.MaxInt32 / 2

// addVertex adds a position to a block and returns its index.
func (r *reader) addVertex(b *block, p [3]float64) (int32, error) {
	if len(b.positions) >= maxPositions {
		return 0, r.in.Damage(r.place(), "there are more than %d places", maxPositions)
	}
	return int32(len(b.positions)), appendCounted(r, &b.positions, p, positionBytes)
}

// addEntity reads an entity into block b. The group that was read last must be the name of the entity.
func (r *reader) addEntity(b *block) error {
	switch string(r.pairs.value) {
	case "3DFACE":
		return r.readFace(b)
	case "POLYLINE":
		return r.readPolyline(b)
	case "MESH":
		return r.readMesh(b)
	case "LINE", "LWPOLYLINE", "CIRCLE", "ARC":
		r.undrawn[ofLines]++
		return r.readCurve(b)
	case "POINT":
		return r.readPoint(b)
	case "INSERT":
		e, err := r.readEntity(nil)
		if err != nil || e.invisible {
			return err
		}
		s, err := r.styleNumber(&e)
		if err != nil {
			return err
		}
		return appendCounted(r, &b.inserts, insert{of: e.name, line: r.pairs.line, style: s, entity: e}, insertBytes)
	}
	if k, ok := kinds[string(r.pairs.value)]; ok {
		r.undrawn[k]++
	}
	_, err := r.readEntity(nil)
	return err
}

// readFace reads a 3DFACE. If it is a triangle, its last two corners are equal.
func (r *reader) readFace(b *block) error {
	e, err := r.readEntity(nil)
	if err != nil || e.invisible {
		return err
	}
	f := face{}
	if f.style, err = r.styleNumber(&e); err != nil {
		return err
	}
	for k, p := range e.p {
		if f.corners[k], err = r.addVertex(b, p); err != nil {
			return err
		}
	}
	if e.p[3] == e.p[2] {
		f.corners[3] = -1
	}
	return r.addFace(b, f)
}

// Flags of polylines and of their vertices.
const (
	closedM, threeD, polygonMesh, closedN, polyface = 1, 8, 16, 32, 64
	splineFrame, meshVertex, faceVertex             = 16, 64, 128
)

// A polyline is the state of reading a POLYLINE. Its vertices are separate entities.
type polyline struct {
	*reader
	to *block

	flags     int
	first     int // index of the polyline's first position in the block
	badValues int
	path      path // used if the polyline is a line, not a mesh
}

// readPolyline reads a POLYLINE and its vertices.
func (r *reader) readPolyline(b *block) error {
	e, err := r.readEntity(nil)
	if err != nil {
		return err
	}
	s, err := r.styleNumber(&e)
	if err != nil {
		return err
	}
	p := &polyline{reader: r, to: b, flags: e.ints[0], first: len(b.positions)}
	p.path = path{reader: r, to: b, style: s, closed: p.flags&closedM != 0, axes: scenes.Identity()}
	if p.flags&threeD == 0 {
		p.path.axes = axesOf(e.normal)
	}
	if p.flags&(polygonMesh|polyface) == 0 {
		r.undrawn[ofLines]++
	}
	for r.pairs.next() {
		if r.pairs.code != 0 || string(r.pairs.value) != "VERTEX" {
			if string(r.pairs.value) == "SEQEND" {
				_, err = r.readEntity(nil)
			} else {
				r.pairs.pushedBack = true
			}
			break
		}
		if err := p.readVertex(); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if p.badValues > 0 {
		if err := r.warn.Add(r.place(), "%d faces left out that have corners which do not exist, or too few corners", p.badValues); err != nil {
			return err
		}
	}
	if p.flags&polygonMesh != 0 {
		return r.addGrid(b, p.first, &e, s)
	}
	return p.path.closeIfClosed()
}

// readVertex reads a VERTEX, which is a position or a face of a polyface mesh.
func (p *polyline) readVertex() error {
	bulge := 0.0
	v, err := p.readEntity(func(code int, value []byte) error {
		if code == 42 {
			bulge, _ = parseFloat(value)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case p.flags&polyface != 0 && v.ints[0]&(faceVertex|meshVertex) == faceVertex:
		return p.addPolyface(p.to, p.first, v.ints[1:5], p.path.style, &p.badValues)
	case v.ints[0]&splineFrame != 0:
		return nil
	case p.flags&(polygonMesh|polyface) == 0:
		return p.path.addPoint(v.p[0], bulge)
	}
	_, err = p.addVertex(p.to, v.p[0])
	return err
}

// addPolyface adds a face of a polyface mesh. `of` holds the corners of the face, as numbers of positions counted
// from 1. A negative number means that the edge after the corner is hidden.
func (r *reader) addPolyface(b *block, first int, of []int, s int32, strange *int) error {
	f := face{corners: [4]int32{-1, -1, -1, -1}, style: s}
	n := 0
	for _, i := range of {
		if i < 0 {
			i = -i
		}
		if i == 0 {
			continue
		}
		if i > len(b.positions)-first {
			*strange++
			return nil
		}
		f.corners[n] = int32(first + i - 1)
		n++
	}
	if n < 3 {
		if n == 0 {
			*strange++
		}
		return nil // a face with fewer corners is a point or an edge
	}
	return r.addFace(b, f)
}

// addGrid adds the faces of a polygon mesh, which is a grid of rows and columns. It uses the smoothed form of the mesh
// if the file has one.
func (r *reader) addGrid(b *block, first int, e *entity, s int32) error {
	m, n := e.ints[1], e.ints[2]
	have := len(b.positions) - first
	if e.ints[5] != 0 && e.ints[3] > 1 && e.ints[4] > 1 {
		m, n = e.ints[3], e.ints[4]
	}
	if m < 2 || n < 2 || int64(m)*int64(n) > int64(have) {
		return r.warn.Add(r.place(), "a mesh of %d times %d places left out: it has %d", m, n, have)
	}
	rows, columns := m-1, n-1
	if e.ints[0]&closedM != 0 {
		rows = m
	}
	if e.ints[0]&closedN != 0 {
		columns = n
	}
	at := func(i, k int) int32 { return int32(first + i%m*n + k%n) }
	for i := range rows {
		for k := range columns {
			f := face{[4]int32{at(i, k), at(i+1, k), at(i+1, k+1), at(i, k+1)}, s}
			if err := r.addFace(b, f); err != nil {
				return err
			}
		}
	}
	return nil
}
