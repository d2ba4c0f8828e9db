package kernel

import "unsafe"

// Polygons is the polygon array: one virtual processor a surviving polygon, in
// structure-of-arrays form. All slices have the same length, the capacity. Vector
// kernels read and write whole vectors, so that the entries of all columns from N
// to N+Lanes are theirs, past the length too: MakePolygons provides them.
//
// Polygon p has the snapped corners (X[k][p], Y[k][p]) with nearness E[k][p],
// in the order of the mesh. Its tasks are the Rows[p] scan lines from First[p]
// on; at least one, all in the picture. It comes from triangle Source[p] of the
// block. Payload[p] is what its pixels receive, from Shade on; before, the same memory
// holds Intensities.
type Polygons struct {
	N           int // polygons in use
	X, Y        [3][]int32
	E           [3][]float32
	First, Rows []int32
	Source      []int32
	Payload     []uint32
	// MinX, MaxX, MinY and MaxY bound the pixels of all polygons, exclusive at
	// Max; they are empty (Min > Max) when N is 0.
	MinX, MaxX, MinY, MaxY int32
	MaxRows                int32 // of any polygon
}

// MakePolygons returns an empty array with room for capacity polygons.
func MakePolygons(capacity int) *Polygons {
	p := new(Polygons)
	ints, floats := makeColumns[int32](9, capacity), makeColumns[float32](3, capacity)
	for k := range 3 {
		p.X[k], p.Y[k], p.E[k] = ints[k], ints[3+k], floats[k]
	}
	p.First, p.Rows, p.Source = ints[6], ints[7], ints[8]
	p.Payload = makeColumns[uint32](1, capacity)[0]
	p.Reset()
	return p
}

// Intensities returns the intensities in which the polygons' triangles are lit, which
// Geometry finds and Shade replaces by payloads, in the same memory.
func (p *Polygons) Intensities() []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(p.Payload))), len(p.Payload))
}

// makeColumns returns columns of capacity elements of 4 bytes with room for a
// vector behind. They lie one behind the other, in whole cache lines, and never
// at a distance of whole pages: allocated one by one, all of them would start at
// the same place of a page, and what is written at the same index of 13 columns
// would compete for one set of a first-level cache of 8 or 12 ways.
func makeColumns[T int32 | float32 | uint32](columns, capacity int) [][]T {
	const line, page = 64 / 4, 4096 / 4
	stride := (capacity + Lanes + line - 1) / line * line
	if stride%page == 0 {
		stride += line
	}
	all := make([]T, columns*stride)
	cut := make([][]T, columns)
	for i := range cut {
		cut[i] = all[i*stride : i*stride+capacity : i*stride+capacity+Lanes]
	}
	return cut
}

// Reset empties the array.
func (p *Polygons) Reset() {
	p.N, p.MaxRows = 0, 0
	p.MinX, p.MinY = 1<<30, 1<<30
	p.MaxX, p.MaxY = -1<<30, -1<<30
}

// Room returns how many more polygons fit.
func (p *Polygons) Room() int { return len(p.Payload) - p.N }

// firstCenter returns the first pixel whose centre is at or after the
// coordinate c, in subpixels: ceil((c - Half) / Sub).
func firstCenter(c int32) int32 { return (c + Half - 1) >> SubBits }

// pixelBox is a range of pixels, exclusive at the ends.
type pixelBox struct{ x0, x1, y0, y1 int32 }

// visible bounds the pixels of the picture that a polygon can cover. It reports
// whether there are any, which is not so for polygons without area, facing
// away, outside the picture or between pixel centres.
func (v *View) visible(a, b, c Vertex) (box pixelBox, ok bool) {
	x0, x1 := min(a.X, b.X, c.X), max(a.X, b.X, c.X)
	y0, y1 := min(a.Y, b.Y, c.Y), max(a.Y, b.Y, c.Y)
	box = pixelBox{
		x0: max(firstCenter(x0), 0), x1: min(firstCenter(x1), v.Width),
		y0: max(firstCenter(y0), 0), y1: min(firstCenter(y1), v.Height),
	}
	// Twice the area; y points down, so front faces come out negative.
	area := int64(b.X-a.X)*int64(c.Y-a.Y) - int64(c.X-a.X)*int64(b.Y-a.Y)
	culled := area == 0 || area < 0 && v.CullFront || area > 0 && v.CullBack
	return box, !culled && box.x0 < box.x1 && box.y0 < box.y1
}

// push appends a polygon that visible has accepted, from a triangle of the block
// that is lit in an intensity.
func (p *Polygons) push(a, b, c Vertex, box pixelBox, intensity float32, source int) {
	n := p.N
	p.X[0][n], p.Y[0][n], p.E[0][n] = a.X, a.Y, a.E
	p.X[1][n], p.Y[1][n], p.E[1][n] = b.X, b.Y, b.E
	p.X[2][n], p.Y[2][n], p.E[2][n] = c.X, c.Y, c.E
	p.First[n], p.Rows[n], p.Source[n] = box.y0, box.y1-box.y0, int32(source)
	p.Intensities()[n] = intensity
	p.N = n + 1
	p.MinX, p.MaxX = min(p.MinX, box.x0), max(p.MaxX, box.x1)
	p.MinY, p.MaxY = min(p.MinY, box.y0), max(p.MaxY, box.y1)
	p.MaxRows = max(p.MaxRows, box.y1-box.y0)
}

// corner returns corner k of polygon n.
func (p *Polygons) corner(k, n int) Vertex {
	return Vertex{p.X[k][n], p.Y[k][n], p.E[k][n]}
}
