// Package cloud projects the points of a cloud onto the screen, as discs that face the eye, and turns the discs into
// the span array.
package cloud

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
)

const (
	// Share is the radius of a disc as a fraction of scenes.Points.Size. The disc is as large as an octahedron of that
	// size looks on average, over all directions of view. A convex body covers a quarter of its surface on average;
	// the surface of the octahedron is 4*sqrt(3) times the square of the size.
	Share = 0.74254

	// minDiscRadius is the least radius of a disc, in subpixels: half the diagonal of a sample. A disc of this radius
	// covers the sample that contains its centre. Smaller points cover exactly that sample, so no point falls between
	// samples.
	minDiscRadius = 184
	// maxRadius limits the radius to 4096 samples, so that its square is exact in float64.
	maxRadius = 1 << 20
)

// A Frame holds the values that are the same for all points of a frame.
type Frame struct {
	View    *geometry.View
	Radius  float32 // radius of points in subpixels, times w in perspective
	RowKeys int32   // number of keys between the starts of two rows
}

// DiscRadius returns the radius of the discs of points with the given size, see scenes.Points. The radius is in the
// unit of the size. A disc that would be smaller than a sample covers one sample.
func DiscRadius(size float32) float64 { return max(Share*float64(size), 0) }

// RadiusOf returns Frame.Radius for points of the given size, see scenes.Points.
func RadiusOf(v *geometry.View, size float32) float32 {
	return max(float32(Share*float64(size)*float64(v.Scale)*float64(v.Unit)), 0)
}

// radius returns the radius in subpixels of a point with the given 1/w.
func (f *Frame) radius(inverse float32) int32 {
	r := float32(f.Radius * inverse)
	if !(r < maxRadius) { // also true for NaN
		r = maxRadius
	}
	return int32(r + 0.5)
}

// A Block is a run of points.
type Block struct{ X, Y, Z []float32 }

// Len returns the number of points.
func (b *Block) Len() int { return len(b.X) }

// Output receives the points of a block. All points must fit into its arrays.
type Output struct {
	// Spans receives a span of one key for each point that is not larger than a sample. The payload is the number of
	// the point in its block.
	Spans *array.Spans
	// Discs receives the larger points.
	Discs *array.Discs
	// MinX to MaxY is the range of samples that the spans cover, inclusive. It is empty (Min > Max) if there are no
	// spans.
	MinX, MaxX, MinY, MaxY int32

	unplaced []int32 // scratch memory of the vector loops: indices of points that cannot be snapped, see View.Place
}

// NewOutput returns an output for blocks of at most capacity points. The output puts spans into the array spans.
func NewOutput(capacity int, spans *array.Spans) *Output {
	return &Output{Spans: spans, Discs: array.MakeDiscs(capacity), unplaced: array.Columns[int32](1, capacity)[0]}
}

// reset empties the output.
func (o *Output) reset() {
	o.Spans.N, o.Discs.N = 0, 0
	o.MinX, o.MinY, o.MaxX, o.MaxY = math.MaxInt32, math.MaxInt32, math.MinInt32, math.MinInt32
}

// Loop is the function type of Project and of its vector loops.
type Loop func(f *Frame, b *Block, to *Output, counts *geometry.Counts)

// Project projects the points of a block, in order, and replaces the contents of the output. Points whose centre is in
// front of the near plane or outside the guard band are culled. Vector loops must give the same results.
func Project(f *Frame, b *Block, to *Output, counts *geometry.Counts) {
	to.reset()
	v, s, n := f.View, to.Spans, b.Len()
	x, y, z := b.X[:n], b.Y[:n], b.Z[:n]
	for i := range n {
		at, inverse, ok := v.Place(x[i], y[i], z[i])
		if !ok {
			countUnplaced(x[i], y[i], z[i], counts)
			continue
		}
		if radius := f.radius(inverse); radius >= minDiscRadius {
			to.addDisc(v, at, radius, i, counts)
			continue
		}
		px, py := at.X>>array.SubBits, at.Y>>array.SubBits
		if px < 0 || px >= v.Width || py < 0 || py >= v.Height {
			counts.Culled++
			continue
		}
		counts.Drawn++
		k := s.N
		s.Start[k], s.Count[k], s.E[k], s.DE[k], s.Payload[k] = uint32(py*f.RowKeys+px), 1, at.E, 0, uint32(i)
		s.N = k + 1
		to.MinX, to.MaxX = min(to.MinX, px), max(to.MaxX, px)
		to.MinY, to.MaxY = min(to.MinY, py), max(to.MaxY, py)
	}
}

// countUnplaced counts a point that cannot be snapped: it was dropped if it is not finite, and otherwise culled.
func countUnplaced(x, y, z float32, counts *geometry.Counts) {
	if x-x != 0 || y-y != 0 || z-z != 0 {
		counts.Dropped++
	} else {
		counts.Culled++
	}
}

// addDisc appends a disc, if its box contains the centre of a sample of the picture.
func (o *Output) addDisc(v *geometry.View, at array.Vertex, radius int32, i int, counts *geometry.Counts) {
	if box := boxOf(v, at.X, at.Y, radius); box.X0 >= box.X1 || box.Y0 >= box.Y1 {
		counts.Culled++
		return
	}
	counts.Drawn++
	d := o.Discs
	d.X[d.N], d.Y[d.N], d.Radius[d.N], d.E[d.N], d.Source[d.N] = at.X, at.Y, radius, at.E, int32(i)
	d.N++
}

// boxOf returns the samples of the picture whose centres lie in the box of a disc.
func boxOf(v *geometry.View, x, y, radius int32) array.Box {
	return array.Box{
		X0: max(array.FirstCenter(x-radius), 0), X1: min(array.FirstCenter(x+radius), v.Width),
		Y0: max(array.FirstCenter(y-radius), 0), Y1: min(array.FirstCenter(y+radius), v.Height),
	}
}

// A Cursor is a position in the rows of discs: the next row to be written.
type Cursor struct {
	disc int
	row  int32 // number of the row, counted from the first row of the disc
}

// Box returns the samples of the picture that a disc can cover.
func Box(v *geometry.View, d *array.Discs, disc int) array.Box {
	return boxOf(v, d.X[disc], d.Y[disc], d.Radius[disc])
}

// Rows fills spans with rows of discs, from the cursor on, as many as fit. It moves the cursor, and returns false
// after the last row. The payload of a span is the number of the point in its block. The nearness is the same along
// the row.
func Rows(f *Frame, d *array.Discs, at *Cursor, spans *array.Spans) bool {
	spans.N = 0
	for ; at.disc < d.N; at.disc, at.row = at.disc+1, 0 {
		i := at.disc
		x, y, radius := d.X[i], d.Y[i], d.Radius[i]
		box := boxOf(f.View, x, y, radius)
		for row := box.Y0 + at.row; row < box.Y1; row++ {
			if spans.Room() == 0 {
				at.row = row - box.Y0
				return true
			}
			half := halfChord(radius, row<<array.SubBits+array.Half-y)
			x0, x1 := max(array.FirstCenter(x-half), box.X0), min(array.FirstCenter(x+half), box.X1)
			if x0 >= x1 {
				continue
			}
			k := spans.N
			spans.Start[k], spans.Count[k], spans.E[k], spans.DE[k], spans.Payload[k] = uint32(row*f.RowKeys+x0), x1-x0, d.E[i], 0, uint32(d.Source[i])
			spans.N = k + 1
		}
	}
	return spans.N > 0
}

// halfChord returns half the length of a row of a disc, in subpixels. dy is the distance of the row from the disc's
// centre, and must not exceed the radius.
func halfChord(radius, dy int32) int32 {
	return int32(math.Sqrt(float64(int64(radius)*int64(radius) - int64(dy)*int64(dy))))
}
