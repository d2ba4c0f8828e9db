package array

import (
	"fmt"
	"unsafe"
)

// Polygons is the polygon array: the polygons that may be visible, with a slice for each property. Each polygon is a
// virtual processor.
//
// Polygon p has the snapped corners (X[k][p], Y[k][p]) with nearness E[k][p], in the order of the mesh. Its tasks are
// the Rows[p] scan lines from First[p] on. There is at least one scan line, and all lie in the picture. The polygon
// comes from triangle Source[p] of the block. Payload[p] is the value that its pixels receive. Until Shade sets it,
// the same memory holds Intensities.
//
// All slices have the same length, which is the capacity. Vector kernels read and write whole vectors, up to Lanes
// entries after entry N, even past the length. MakePolygons allocates these entries.
type Polygons struct {
	N           int // number of polygons in use
	X, Y        [3][]int32
	E           [3][]float32
	First, Rows []int32
	Source      []int32
	Payload     []uint32
	// MinX, MaxX, MinY and MaxY are the range of pixels that the polygons can cover together, exclusive at Max. If N
	// is 0, the range is empty (Min > Max).
	MinX, MaxX, MinY, MaxY int32
	MaxRows                int32 // number of rows of the tallest polygon
	// Groups are the numbers of the groups of triangles (see package groups) in the block. It is nil if the block is a
	// range of the mesh.
	Groups []int32
	// Numbers are the numbers of the block's triangles in the mesh. It is nil if the block is a range of the mesh or
	// consists of Groups, which determine the numbers.
	Numbers []uint32
	// Deferred, if not nil, receives small back faces in place of this array.
	Deferred *Deferred
}

// MakePolygons returns an empty array with room for capacity polygons.
func MakePolygons(capacity int) *Polygons {
	p := new(Polygons)
	ints, floats := Columns[int32](9, capacity), Columns[float32](3, capacity)
	for k := range 3 {
		p.X[k], p.Y[k], p.E[k] = ints[k], ints[3+k], floats[k]
	}
	p.First, p.Rows, p.Source = ints[6], ints[7], ints[8]
	p.Payload = Columns[uint32](1, capacity)[0]
	p.Reset()
	return p
}

// Intensities returns the light intensities of the polygons. Project sets them, and Shade overwrites them with
// payloads.
func (p *Polygons) Intensities() []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(p.Payload))), len(p.Payload))
}

// Columns returns slices of capacity elements of 4 bytes, each followed by one more vector. The slices start at whole
// cache lines, and at different offsets in a page. Separate allocations would all start at the same offset. The
// entries at one index of 13 columns would then compete for one set of a first-level cache, which has 8 or 12 ways.
func Columns[T int32 | float32 | uint32](columns, capacity int) [][]T {
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

// Room returns the number of further polygons that fit.
func (p *Polygons) Room() int { return len(p.Payload) - p.N }

// Box is a range of pixels. X1 and Y1 are exclusive.
type Box struct{ X0, X1, Y0, Y1 int32 }

// Push appends a polygon that comes from triangle number `source` of the block. Its box must contain a pixel.
func (p *Polygons) Push(a, b, c Vertex, box Box, intensity float32, source int) {
	n := p.N
	p.X[0][n], p.Y[0][n], p.E[0][n] = a.X, a.Y, a.E
	p.X[1][n], p.Y[1][n], p.E[1][n] = b.X, b.Y, b.E
	p.X[2][n], p.Y[2][n], p.E[2][n] = c.X, c.Y, c.E
	p.First[n], p.Rows[n], p.Source[n] = box.Y0, box.Y1-box.Y0, int32(source)
	p.Intensities()[n] = intensity
	p.N = n + 1
	p.MinX, p.MaxX = min(p.MinX, box.X0), max(p.MaxX, box.X1)
	p.MinY, p.MaxY = min(p.MinY, box.Y0), max(p.MaxY, box.Y1)
	p.MaxRows = max(p.MaxRows, box.Y1-box.Y0)
}

// Corner returns corner k of polygon n.
func (p *Polygons) Corner(k, n int) Vertex {
	return Vertex{p.X[k][n], p.Y[k][n], p.E[k][n]}
}

// NeedRoom panics if n more polygons and a vector after them do not fit.
func (p *Polygons) NeedRoom(n int) {
	most := p.N + n
	if most > len(p.Payload) || most+Lanes > cap(p.Payload) {
		panic("kernel: no room for the polygons of a block")
	}
}

// MakeRowRanges returns an empty polygon array for row ranges, which are some rows of polygons of other arrays. It has
// only the columns that scan conversion reads.
func MakeRowRanges(capacity int) *Polygons {
	p := new(Polygons)
	ints, floats := Columns[int32](8, capacity), Columns[float32](3, capacity)
	for k := range 3 {
		p.X[k], p.Y[k], p.E[k] = ints[k], ints[3+k], floats[k]
	}
	p.First, p.Rows = ints[6], ints[7]
	p.Payload = Columns[uint32](1, capacity)[0]
	p.Reset()
	return p
}

// PushRows appends `rows` rows of polygon n of another array, starting with row `first`. It panics if that polygon does
// not have these rows. It does not update the bounds of p.
func (p *Polygons) PushRows(from *Polygons, n int, first, rows int32) {
	if first < from.First[n] || rows <= 0 || first+rows > from.First[n]+from.Rows[n] {
		panic(fmt.Sprintf("kernel: rows %d to %d of a polygon with rows %d to %d",
			first, first+rows, from.First[n], from.First[n]+from.Rows[n]))
	}
	at := p.N
	for k := range 3 {
		p.X[k][at], p.Y[k][at], p.E[k][at] = from.X[k][n], from.Y[k][n], from.E[k][n]
	}
	p.First[at], p.Rows[at], p.Payload[at] = first, rows, from.Payload[n]
	p.N = at + 1
}

// SavedIterations returns how many iterations scan conversion saves if it leaves out the polygons with the given
// indices. The indices must be in ascending order. Scan conversion steps Lanes successive polygons together, and takes
// as many iterations as the tallest of them has rows.
func (p *Polygons) SavedIterations(index []int32) (iterations int64) {
	for len(index) > 0 {
		group := index[0] / Lanes * Lanes
		most, others := int32(0), int32(0)
		for n := group; n < min(group+Lanes, int32(p.N)); n++ {
			most = max(most, p.Rows[n])
			if len(index) > 0 && index[0] == n {
				index = index[1:]
			} else {
				others = max(others, p.Rows[n])
			}
		}
		iterations += int64(most - others)
	}
	return iterations
}

// PushAll appends all rows of all polygons of another array. It panics if they do not fit. It does not update the
// bounds of p.
func (p *Polygons) PushAll(from *Polygons) {
	p.NeedRoom(from.N)
	for k := range 3 {
		copy(p.X[k][p.N:], from.X[k][:from.N])
		copy(p.Y[k][p.N:], from.Y[k][:from.N])
		copy(p.E[k][p.N:], from.E[k][:from.N])
	}
	copy(p.First[p.N:], from.First[:from.N])
	copy(p.Rows[p.N:], from.Rows[:from.N])
	copy(p.Payload[p.N:], from.Payload[:from.N])
	p.N += from.N
}

// TakeRows sets p to pieces of polygons of another array: the rows of each polygon that lie in y0 to y1 (exclusive).
// index holds the indices of the polygons; each must have rows there. Of the bounds of p, TakeRows sets only MaxRows.
// It panics if the pieces do not fit. It works column by column, because polygon by polygon takes four times as long.
func (p *Polygons) TakeRows(from *Polygons, index []int32, y0, y1 int32) {
	p.Reset()
	p.NeedRoom(len(index))
	for k := range 3 {
		take(p.X[k], from.X[k], index)
		take(p.Y[k], from.Y[k], index)
		take(p.E[k], from.E[k], index)
	}
	take(p.Payload, from.Payload, index)
	first, rows := p.First[:len(index)], p.Rows[:len(index)]
	for n, i := range index {
		top := from.First[i]
		first[n] = max(top, y0)
		rows[n] = min(top+from.Rows[i], y1) - first[n]
		p.MaxRows = max(p.MaxRows, rows[n])
	}
	p.N = len(index)
}

func take[T any](to, from []T, index []int32) {
	to = to[:len(index)]
	for n, i := range index {
		to[n] = from[i]
	}
}

// MoveRows moves polygon n to another array. The last polygon of p takes its place. MoveRows moves only the columns
// that MakeRowRanges makes.
func (p *Polygons) MoveRows(to *Polygons, n int) {
	to.PushRows(p, n, p.First[n], p.Rows[n])
	last := p.N - 1
	if n != last {
		p.N = n
		p.PushRows(p, last, p.First[last], p.Rows[last])
	}
	p.N = last
}
