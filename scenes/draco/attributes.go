package draco

import (
	"encoding/binary"
	"math"
)

// A Type tells what an attribute is: a position, a normal, a colour and so on.
type Type uint8

// Types of attributes.
const (
	Position Type = iota
	Normal
	Color
	TexCoord
	Generic
)

// A Kind is the numeric type of an attribute's values.
type Kind uint8

// Numeric types.
const (
	Int8 Kind = 1 + iota
	Uint8
	Int16
	Uint16
	Int32
	Uint32
	Int64
	Uint64
	Float32
	Float64
	Bool
)

// Size returns the number of bytes of a number, or 0 if the kind is unknown.
func (k Kind) Size() int {
	switch k {
	case Int8, Uint8, Bool:
		return 1
	case Int16, Uint16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Int64, Uint64, Float64:
		return 8
	}
	return 0
}

// An Attribute gives each point Width numbers.
type Attribute struct {
	Type       Type
	ID         uint32 // number by which glTF refers to the attribute
	Kind       Kind
	Width      int
	Normalized bool
	Data       []byte // values of all points, one after the other, little-endian
}

// Numbers writes the numbers of a point to `to`. It does not scale the integers of normalised attributes.
func (a *Attribute) Numbers(point int, to []float64) {
	size := a.Kind.Size()
	p := a.Data[point*size*a.Width:]
	for i := range min(len(to), a.Width) {
		to[i] = a.Kind.number(p[i*size:])
	}
}

func (k Kind) number(p []byte) float64 {
	switch k {
	case Int8:
		return float64(int8(p[0]))
	case Int16:
		return float64(int16(binary.LittleEndian.Uint16(p)))
	case Uint16:
		return float64(binary.LittleEndian.Uint16(p))
	case Int32:
		return float64(int32(binary.LittleEndian.Uint32(p)))
	case Uint32:
		return float64(binary.LittleEndian.Uint32(p))
	case Int64:
		return float64(int64(binary.LittleEndian.Uint64(p)))
	case Uint64:
		return float64(binary.LittleEndian.Uint64(p))
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p)))
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(p))
	}
	return float64(p[0])
}

// Forms in which the values of an attribute are stored.
const (
	plainValues      = 0
	integerValues    = 1
	quantizedValues  = 2
	octahedralValues = 3
)

// A group is a set of attributes whose values are stored in the same order. An entry is the value of an attribute at
// one position in this order. The specification calls a group an "attributes decoder".
type group struct {
	*surface         // surface with the vertices of these attributes; nil if each point has its own entry
	byDegree bool    // the order is that of section Prediction Degree of the specification
	order    []int32 // for each entry, one corner that has it
	entries  []int32 // for each corner, its entry
	n        int     // number of entries
	values   []*values
}

// values holds an attribute while it is decoded.
type values struct {
	Attribute
	*group
	coding uint8
	width  int     // number of integers in an entry
	ints   []int32 // integers of all entries
	raw    []byte  // bytes of all entries, if the values are stored as plain bytes

	minimum []float32 // the least value of each component
	span    float32
	bits    uint8
}

// readAttributes reads all attributes.
func (d *decoder) readAttributes(edgebreaker bool) {
	if edgebreaker {
		d.readSurfaces()
	} else {
		for n := int(d.u8()); len(d.groups) < n && d.err == nil; {
			d.groups = append(d.groups, &group{n: d.mesh.Points})
		}
	}
	for _, g := range d.groups {
		d.readDescriptions(g)
	}
	if edgebreaker && d.err == nil {
		d.numberPoints()
	}
	for _, g := range d.groups {
		if g.surface != nil && d.err == nil {
			g.order, g.entries = d.traverse(g.surface, g.byDegree)
			g.n = len(g.order)
		}
	}
	for _, g := range d.groups {
		d.decodeGroup(g)
	}
	if d.err == nil {
		d.addToMesh()
	}
}

// readSurfaces reads the seams. A seam is an edge where the values of attributes differ between both sides.
// readSurfaces then sets the surface of each group of attributes.
func (d *decoder) readSurfaces() {
	positions := d.positionSurface()
	d.readSeams(positions)
	taken := false
	for n := int(d.u8()); len(d.groups) < n && d.err == nil; {
		g := &group{surface: positions}
		data, corner, order := d.u8(), d.u8(), uint8(0)
		if d.version >= version12 {
			order = d.u8()
		}
		g.byDegree = order == 1
		switch {
		case d.err != nil:
			return
		case corner > 1 || order > 1 || corner == 1 && order == 1:
			d.fail("attributes of the kind %d in the order %d", corner, order)
		case data >= 128 && (taken || corner == 1):
			d.fail("two groups of attributes with positions")
		case data < 128 && (int(data) >= len(d.seams) || d.seams[data].used):
			d.fail("attributes on the seams %d of %d", data, len(d.seams))
		case data >= 128:
			taken = true
		default:
			if d.seams[data].used = true; corner == 1 {
				g.surface = &d.seams[data].surface
			}
		}
		d.groups = append(d.groups, g)
	}
}

// readDescriptions reads the type, the numeric type and the coding of each attribute of a group. Attributes of a point
// cloud in a kd-tree have no coding.
func (d *decoder) readDescriptions(g *group) {
	least := uint64(6) // least number of bytes that describe one attribute
	if d.tree {
		least = 5
	}
	n := d.readCount("attributes", least, 1)
	if d.err == nil && n == 0 {
		d.fail("a group without attributes")
	}
	if !d.reserveMemory(256 * int64(n)) {
		return
	}
	for range n {
		v := &values{group: g}
		v.Type, v.Kind, v.Width, v.Normalized = Type(d.u8()), Kind(d.u8()), int(d.u8()), d.u8() != 0
		if d.version < version13 {
			v.ID = uint32(d.u16())
		} else {
			v.ID = uint32(d.varint())
		}
		if d.err == nil && (v.Kind.Size() == 0 || v.Width == 0) {
			d.fail("attribute %d has %d numbers of the kind %d", v.ID, v.Width, v.Kind)
		}
		v.width = v.Width
		g.values = append(g.values, v)
	}
	if !d.tree {
		d.readCodings(g)
	}
}

// readCodings reads the coding of each attribute of a group.
func (d *decoder) readCodings(g *group) {
	for _, v := range g.values {
		v.coding = d.u8()
		bad := v.coding > octahedralValues || v.coding > integerValues && v.Kind != Float32
		switch v.coding {
		case integerValues:
			bad = v.Kind > Uint32 && v.Kind != Bool
		case octahedralValues:
			bad = bad || v.Width != 3
			v.width = 2
		}
		if bad && d.err == nil {
			d.fail("attribute %d has %d numbers of the kind %d in the coding %d", v.ID, v.Width, v.Kind, v.coding)
		}
	}
}

// decodeGroup reads the values of the attributes of a group.
func (d *decoder) decodeGroup(g *group) {
	if d.err != nil {
		return
	}
	if d.tree {
		d.decodeCloud(g)
		return
	}
	for _, v := range g.values {
		if v.coding == plainValues {
			v.raw = d.take(uint64(g.n) * uint64(v.Width*v.Kind.Size()))
			continue
		}
		d.readIntegers(v)
	}
	for _, v := range g.values {
		if d.version >= version20 {
			d.readSteps(v)
		}
	}
}

// readSteps reads the minimum and the step size by which the integers of an attribute become floats.
func (d *decoder) readSteps(v *values) {
	switch v.coding {
	case quantizedValues:
		v.minimum = make([]float32, v.Width)
		for i := range v.minimum {
			v.minimum[i] = d.float()
		}
		v.span = d.float()
		v.bits = d.u8()
	case octahedralValues:
		v.bits = d.u8()
	default:
		return
	}
	if d.err == nil && (v.bits < 1 || v.bits > 30 || v.coding == octahedralValues && v.bits < 2) {
		d.fail("numbers of %d bits", v.bits)
	}
}

// readIntegers reads the integers of an attribute, which are stored as differences from predictions.
func (d *decoder) readIntegers(v *values) {
	n := int64(v.n) * int64(v.width)
	if n > maxPoints {
		d.fail("%d numbers of attribute %d", n, v.ID)
	}
	if !d.reserveMemory(4*n) || !d.spendWork(2*n) {
		return
	}
	p := prediction{decoder: d, values: v, scheme: int8(d.u8())}
	if p.scheme != noPrediction {
		p.transform = int8(d.u8())
	}
	p.check()
	if d.version < version20 {
		d.readSteps(v)
	}
	v.ints = make([]int32, n)
	if packed := d.u8(); packed > 0 {
		d.readSymbols(v.ints, v.width)
	} else {
		d.readPlainIntegers(v.ints)
	}
	if p.transform == wrapTransform || p.scheme == noPrediction {
		for i, folded := range v.ints { // zigzag code: 0, 1, 2, 3, ... mean 0, -1, 1, -2, ...
			v.ints[i] = int32(uint32(folded)>>1) ^ -(folded & 1)
		}
	}
	if p.scheme != noPrediction && d.err == nil {
		p.restore()
	}
}

// readPlainIntegers reads integers that are stored with a fixed number of bytes each.
func (d *decoder) readPlainIntegers(to []int32) {
	size := uint64(d.u8())
	if d.err == nil && (size < 1 || size > 4) {
		d.fail("whole numbers of %d bytes", size)
	}
	p := d.take(size * uint64(len(to)))
	if d.err != nil {
		return
	}
	var whole [4]byte
	for i := range to {
		copy(whole[:], p[uint64(i)*size:][:size])
		to[i] = int32(binary.LittleEndian.Uint32(whole[:]))
	}
}
