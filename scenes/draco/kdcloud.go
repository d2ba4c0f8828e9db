package draco

// Methods by which bitstreams before version 2.3 store clouds in kd-trees.
const (
	floatTree   = 0 // the tree holds quantized coordinates
	integerTree = 1 // the tree holds the bits of all attributes
)

// decodeCloud reads the values of the attributes of a group that is stored as a kd-tree.
func (d *decoder) decodeCloud(g *group) {
	if d.version < version23 {
		d.decodeOldCloud(g)
		return
	}
	for _, v := range g.values {
		switch v.Kind {
		case Float32:
			v.coding = quantizedValues
		case Int8, Int16, Int32, Uint8, Uint16, Uint32:
			v.coding = integerValues
		default:
			d.fail("numbers of the kind %d in a kd-tree", v.Kind)
			return
		}
	}
	d.readTree(g, uint32(d.u8()))
	for _, v := range g.values {
		d.readSteps(v)
	}
	for _, v := range g.values {
		if v.Kind == Int8 || v.Kind == Int16 || v.Kind == Int32 {
			d.addLeast(v)
		}
	}
}

// addLeast reads the least value of each component of a signed attribute and adds it to the values of this component.
// The tree holds only integers that are not negative. Therefore the encoder has subtracted the least value.
func (d *decoder) addLeast(v *values) {
	for c := range v.width {
		folded := uint32(d.varint())
		least := int32(folded>>1) ^ -int32(folded&1)
		for i := c; i < len(v.ints) && d.err == nil; i += v.width {
			v.ints[i] += least
		}
	}
}

// decodeOldCloud reads a group of attributes from a bitstream before version 2.3.
func (d *decoder) decodeOldCloud(g *group) {
	method, level := d.u8(), d.u8()
	d.checkCloudPoints(g)
	switch method {
	case floatTree:
		d.readFloatTree(g)
	case integerTree:
		for _, v := range g.values {
			if v.coding = integerValues; v.Kind.Size() > 4 {
				d.fail("numbers of the kind %d in a kd-tree", v.Kind)
			}
		}
		d.readTree(g, uint32(level))
	default:
		d.fail("unknown method %d of a kd-tree", method)
	}
}

// checkCloudPoints reads the number of points, which is stored a second time, and records an error if it differs.
func (d *decoder) checkCloudPoints(g *group) {
	if n := d.u32(); d.err == nil && int64(n) != int64(g.n) {
		d.fail("%d points in a kd-tree, of %d", n, g.n)
	}
}

// readFloatTree reads positions. It also reads the level of compression, which is stored a second time. A coordinate
// is an integer from -m to m, where m is 1<<bits - 1. The tree holds each coordinate plus m, which is not negative.
func (d *decoder) readFloatTree(g *group) {
	v := g.values[0]
	if len(g.values) != 1 || v.Width != 3 || v.Kind != Float32 {
		d.fail("a kd-tree of positions holds %d attributes, the first of %d numbers of the kind %d", len(g.values), v.Width, v.Kind)
		return
	}
	const plain, withMethod = 2, 3 // versions of this part of the file
	switch version := d.u32(); version {
	case plain:
	case withMethod:
		if method := d.u8(); method != 1 {
			d.fail("unknown method %d of a kd-tree of positions", method)
		}
	default:
		d.fail("unknown version %d of a kd-tree of positions", version)
	}
	bits := d.u32()
	if v.span = d.float(); d.err == nil && (bits < 1 || bits > 31) {
		d.fail("positions of %d bits in a kd-tree", bits)
	}
	d.checkCloudPoints(g)
	level := d.u32()
	if d.err != nil {
		return
	}
	v.coding, v.bits, v.minimum = quantizedValues, uint8(bits), make([]float32, 3)
	d.readTree(g, level)
	for i := range v.ints {
		v.ints[i] -= int32(uint32(1)<<bits - 1)
	}
}
