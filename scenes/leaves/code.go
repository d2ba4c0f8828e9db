package leaves

import (
	"math"

	"lockstep/scenes"
)

const (
	axisBits = 10 // number of bits of a coordinate in a code
	// CodeBits is the number of bits of a code, which is the sort key of a triangle.
	CodeBits = 3*axisBits + 2
	// largeClass and brokenClass mark the codes of large triangles and of triangles that are not finite. In a code,
	// these bits are above the position on the Morton curve. So such triangles sort after all others.
	largeClass  = 1 << (3 * axisBits)
	brokenClass = 2 << (3 * axisBits)
	// largeShift defines large triangles: their size is at least about 2^largeShift times the median size.
	largeShift = 3
)

// Measured holds what the method Coder needs to know about a mesh: the box and the sizes of its finite triangles. Its
// zero value describes no triangles. Parts of a mesh may be measured in any order.
type Measured struct {
	lo, hi   [3]float32
	nonEmpty bool
	sizes    [256]int // number of triangles for each binary exponent of their size
}

// Add adds the triangles of a block.
func (m *Measured) Add(b *scenes.Block) {
	e := extentsOf(b)
	for t := range b.Len() {
		if lo, hi, finite := e.extent(t); finite {
			m.sizes[math.Float32bits(longestSide(&lo, &hi))>>23&255]++
			m.extendBox(&lo, &hi)
		}
	}
}

// Join adds the triangles of another part of the mesh.
func (m *Measured) Join(o *Measured) {
	if !o.nonEmpty {
		return
	}
	m.extendBox(&o.lo, &o.hi)
	for e, n := range o.sizes {
		m.sizes[e] += n
	}
}

func (m *Measured) extendBox(lo, hi *[3]float32) {
	if !m.nonEmpty {
		m.lo, m.hi, m.nonEmpty = *lo, *hi, true
		return
	}
	for axis := range 3 {
		m.lo[axis], m.hi[axis] = min(m.lo[axis], lo[axis]), max(m.hi[axis], hi[axis])
	}
}

// A Coder computes a code for each triangle of a mesh. The codes determine the order of the triangles.
type Coder struct {
	lo      [3]float32
	scale   float64
	largest float32 // triangles of at least this size are large
}

// Coder returns the Coder for the mesh that was measured.
func (m *Measured) Coder() *Coder {
	c := &Coder{lo: m.lo}
	extent := 0.0
	for axis := range 3 {
		extent = max(extent, float64(m.hi[axis])-float64(m.lo[axis]))
	}
	if extent > 0 {
		c.scale = ((1 << axisBits) - 1) / extent
	}
	count := 0
	for _, n := range m.sizes {
		count += n
	}
	median := 0
	for below := m.sizes[0]; median < 255 && 2*below < count; below += m.sizes[median] {
		median++
	}
	c.largest = math.Float32frombits(uint32(min(median+1+largeShift, 254)) << 23)
	return c
}

// Codes appends the code of each triangle of b: the class of the triangle, followed by its position on the Morton
// curve.
func (c *Coder) Codes(to []uint32, b *scenes.Block) []uint32 {
	e := extentsOf(b)
	for t := range b.Len() {
		lo, hi, finite := e.extent(t)
		if !finite {
			to = append(to, brokenClass)
			continue
		}
		code := uint32(0)
		for axis := range 3 {
			middle := (float64(lo[axis]) + float64(hi[axis])) / 2
			code |= interleave(uint32((middle-float64(c.lo[axis]))*c.scale)) << axis
		}
		if longestSide(&lo, &hi) >= c.largest {
			code |= largeClass
		}
		to = append(to, code)
	}
	return to
}

// extents computes the bounding boxes of triangles from the coordinates of their corners. The slices have equal length.
type extents struct{ x0, x1, x2, y0, y1, y2, z0, z1, z2 []float32 }

func extentsOf(b *scenes.Block) extents {
	n := b.Len()
	return extents{
		b.X[0][:n], b.X[1][:n], b.X[2][:n], b.Y[0][:n], b.Y[1][:n], b.Y[2][:n], b.Z[0][:n], b.Z[1][:n], b.Z[2][:n],
	}
}

// extent returns the box of triangle t, and whether the box is finite.
func (e *extents) extent(t int) (lo, hi [3]float32, finite bool) {
	lo[0], hi[0] = leastAndGreatest(e.x0[t], e.x1[t], e.x2[t])
	lo[1], hi[1] = leastAndGreatest(e.y0[t], e.y1[t], e.y2[t])
	lo[2], hi[2] = leastAndGreatest(e.z0[t], e.z1[t], e.z2[t])
	return lo, hi, hi[0]-lo[0] <= math.MaxFloat32 && hi[1]-lo[1] <= math.MaxFloat32 && hi[2]-lo[2] <= math.MaxFloat32
}

func leastAndGreatest(a, b, c float32) (lo, hi float32) { return min(a, b, c), max(a, b, c) }

// longestSide returns the length of the longest side of a box.
func longestSide(lo, hi *[3]float32) float32 { return max(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2]) }

// interleave inserts two zero bits between the low ten bits of x.
func interleave(x uint32) uint32 {
	x = (x | x<<16) & 0x030000ff
	x = (x | x<<8) & 0x0300f00f
	x = (x | x<<4) & 0x030c30c3
	return (x | x<<2) & 0x09249249
}
