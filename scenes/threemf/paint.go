package threemf

import (
	"errors"

	"lockstep/scenes/internal/text"
)

// Slicers paint parts of triangles with filaments (paint_color of Bambu Studio and Orca, mmu_segmentation of
// PrusaSlicer). A painted triangle is divided repeatedly, and each part has the number of a filament. All this is in
// one attribute, a string of hexadecimal digits that is read from its end. Source: TriangleSelector of PrusaSlicer,
// serialize and perform_split.

// maxPaintLevels limits how many times a triangle and its parts may be divided in turn. Slicers do not divide parts
// that are smaller than the nozzle.
const maxPaintLevels = 40

var errPaint = errors.New("it ends too early, or divides a triangle too often")

// A painting is the state of dividing one painted triangle of an object.
type painting struct {
	*parser
	of     *object
	digits []byte // unread digits
}

// addPaintedParts adds the parts of the painted triangle v.
func (p *parser) addPaintedParts(v [3]uint32, digits []byte) error {
	return (&painting{p, p.of, digits}).divide(v, 0)
}

// nextDigit returns the next digit.
func (p *painting) nextDigit() (uint32, error) {
	if len(p.digits) == 0 {
		return 0, errPaint
	}
	c := p.digits[len(p.digits)-1]
	p.digits = p.digits[:len(p.digits)-1]
	switch {
	case c >= '0' && c <= '9':
		return uint32(c - '0'), nil
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return uint32(c|0x20-'a') + 10, nil
	}
	return 0, errPaint
}

// divide adds triangle v or its parts. The next digit holds how many sides are divided, and the corner from which the
// sides are counted. If no side is divided, it holds the filament.
func (p *painting) divide(v [3]uint32, level int) error {
	code, err := p.nextDigit()
	if err != nil {
		return err
	}
	sides, first := code&3, code>>2
	if sides == 0 {
		filament, err := p.readFilament(first)
		if err != nil {
			return err
		}
		return p.addPart(v, filament)
	}
	if level == maxPaintLevels || first > 2 {
		return errPaint
	}
	parts, err := p.split([3]uint32{v[first], v[(first+1)%3], v[(first+2)%3]}, sides)
	if err != nil {
		return err
	}
	for i := len(parts) - 1; i >= 0; i-- { // the text stores the last part first
		if err := p.divide(parts[i], level+1); err != nil {
			return err
		}
	}
	return nil
}

// readFilament returns the number of the filament of a part; 0 means the filament of the object. n is the number in the
// digit that divide has read. If n is greater than 2, the number of the filament is in further digits.
func (p *painting) readFilament(n uint32) (uint32, error) {
	if n < 3 {
		return n, nil
	}
	for {
		more, err := p.nextDigit()
		if err != nil || more < 15 {
			return n + more, err
		}
		n += 15
	}
}

// split divides triangle v at the middles of one, two or three of its sides. If sides is less than 3, corner v[0]
// determines which sides are divided.
func (p *painting) split(v [3]uint32, sides uint32) (parts [][3]uint32, err error) {
	var m [3]uint32 // middle of the side from corner k to the next corner
	for k := range m {
		if sides == 1 && k != 1 || sides == 2 && k == 1 {
			continue
		}
		a, b := p.of.points[v[k]], p.of.points[v[(k+1)%3]]
		m[k] = uint32(len(p.of.points))
		if err := appendCounted(p.reader, &p.of.points, [3]float64{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2}); err != nil {
			return nil, err
		}
	}
	switch sides {
	case 1:
		return [][3]uint32{{v[0], v[1], m[1]}, {m[1], v[2], v[0]}}, nil
	case 2:
		return [][3]uint32{{v[0], m[0], m[2]}, {m[0], v[1], m[2]}, {v[1], v[2], m[2]}}, nil
	}
	return [][3]uint32{{v[0], m[0], m[2]}, {m[0], v[1], m[1]}, {m[1], v[2], m[2]}, {m[0], m[1], m[2]}}, nil
}

// addPart adds a triangle that is painted with one filament.
func (p *painting) addPart(v [3]uint32, filament uint32) error {
	o := p.of
	if most := p.reader.in.Options.MaxTriangles; most > 0 && int64(len(o.triangles)) >= most {
		return p.reader.in.Allow(int64(len(o.triangles))+1, 0)
	}
	if err := appendCounted(p.reader, &o.triangles, v); err != nil {
		return err
	}
	return setProperty(p.reader, &o.filament, len(o.triangles), filament, 0)
}

// undoPaint removes all points and triangles that a damaged painting has added. points and triangles are their numbers
// before the painting.
func (o *object) undoPaint(points, triangles int) {
	o.points, o.triangles = o.points[:points], o.triangles[:triangles]
	o.filament = o.filament[:min(len(o.filament), triangles)]
}

// paintOrWhole adds the painted parts of triangle v and returns true. If v is not painted, or the paint is damaged, it
// adds the whole triangle and returns false. It warns about damaged paint.
func (p *parser) paintOrWhole(v [3]uint32, digits []byte) (painted bool, err error) {
	if len(digits) > 0 {
		points, triangles := len(p.of.points), len(p.of.triangles)
		err := p.addPaintedParts(v, digits)
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, errPaint) {
			return false, err
		}
		p.of.undoPaint(points, triangles)
		if err := p.warnf("the paint %s of a triangle left out: %v", text.Short(digits), err); err != nil {
			return false, err
		}
	}
	return false, appendCounted(p.reader, &p.of.triangles, v)
}
