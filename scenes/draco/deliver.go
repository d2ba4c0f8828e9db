package draco

import (
	"encoding/binary"
	"math"
)

// addToMesh adds the decoded attributes to the mesh. It copies the entries so that each point has its own values.
func (d *decoder) addToMesh() {
	for _, g := range d.groups {
		entry := d.entryOfPoints(g)
		for _, v := range g.values {
			size := v.Width * v.Kind.Size()
			each := int64(size) * int64(v.n+d.mesh.Points)
			if each > 1<<30 {
				d.fail("%d bytes of attribute %d", each, v.ID)
			}
			if d.err != nil || !d.reserveMemory(each) || !d.spendWork(int64(v.Width)*int64(v.n)+int64(d.mesh.Points)) {
				return
			}
			raw := v.entryBytes()
			if entry != nil {
				v.Data = make([]byte, size*d.mesh.Points)
				for i, e := range entry {
					copy(v.Data[i*size:][:size], raw[int(e)*size:])
				}
			} else {
				v.Data = raw
			}
			d.mesh.Attributes = append(d.mesh.Attributes, v.Attribute)
		}
	}
}

// entryOfPoints returns the entry of each point. It returns nil if point i has entry i for all i, or after an error.
func (d *decoder) entryOfPoints(g *group) []int32 {
	if g.entries == nil || !d.reserveMemory(4*int64(d.mesh.Points)) || !d.spendWork(3*int64(d.faces)) {
		return nil
	}
	entry := make([]int32, d.mesh.Points)
	for t, points := range d.mesh.Triangles {
		for k, point := range points {
			entry[point] = g.entries[3*t+k]
		}
	}
	return entry
}

// entryBytes returns the values of all entries in the form of Attribute.Data.
func (v *values) entryBytes() []byte {
	switch v.coding {
	case integerValues:
		return v.integerBytes()
	case quantizedValues:
		return v.floatBytes()
	case octahedralValues:
		return v.directionBytes()
	}
	return v.raw
}

// integerBytes returns the integers as bytes. Each integer has the size of the attribute's numeric type.
func (v *values) integerBytes() []byte {
	size := v.Kind.Size()
	to := make([]byte, size*len(v.ints))
	for i, n := range v.ints {
		switch size {
		case 1:
			to[i] = byte(n)
		case 2:
			binary.LittleEndian.PutUint16(to[2*i:], uint16(n))
		default:
			binary.LittleEndian.PutUint32(to[4*i:], uint32(n))
		}
	}
	return to
}

// floatBytes converts the quantized values to float32, and returns their bytes.
func (v *values) floatBytes() []byte {
	to := make([]byte, 4*len(v.ints))
	step := v.span / float32(uint32(1)<<v.bits-1)
	for i := 0; i < len(v.ints); i += v.width {
		for c, low := range v.minimum {
			putFloat(to, i+c, float32(float32(v.ints[i+c])*step)+low)
		}
	}
	return to
}

func putFloat(to []byte, i int, f float32) {
	binary.LittleEndian.PutUint32(to[4*i:], math.Float32bits(f))
}

// directionBytes converts octahedral coordinates to unit vectors of three float32, and returns their bytes.
func (v *values) directionBytes() []byte {
	to := make([]byte, 12*v.n)
	scale := 2 / float32(uint32(1)<<v.bits-2)
	for i := range v.n {
		y, z := float32(v.ints[2*i])*scale-1, float32(v.ints[2*i+1])*scale-1
		x := 1 - abs32(y) - abs32(z)
		if x < 0 { // x < 0 means that the point of the square is outside the diamond in its middle
			y -= float32(math.Copysign(float64(-x), float64(y)))
			z -= float32(math.Copysign(float64(-x), float64(z)))
		}
		size2 := float32(x*x) + float32(y*y) + float32(z*z)
		if size2 < 1e-6 {
			continue
		}
		size := 1 / float32(math.Sqrt(float64(size2)))
		putFloat(to, 3*i, x*size)
		putFloat(to, 3*i+1, y*size)
		putFloat(to, 3*i+2, z*size)
	}
	return to
}

func abs32(v float32) float32 { return float32(math.Abs(float64(v))) }
