package array

import "math"

// Rows of tiles have TileRows rows, see package tile. Deferred cuts boxes there.
const (
	TileShift = 4
	TileRows  = 1 << TileShift
)

// DeferredExtent bounds the width and height, in subpixels, of polygons that are deferred: 64
// pixels. NearestBound rests on it.
const DeferredExtent = 1 << 14

// Deferred takes small back faces instead of a polygon array. Most of them lie behind front faces,
// which is found out by their boxes: the pixels that such a polygon can cover in a row of tiles, and a
// bound of their nearness.
//
// Box b is a span of its first row: Start[b] is the key there, Count[b] the width, E[b] the bound,
// DE[b] holds the bits of its Place, and Payload[b] is the number of the triangle.
type Deferred struct {
	Boxes *Spans
	First uint32 // number of the block's first triangle
	// Stride is the distance between rows of the frame, in keys.
	Stride int32
	// MostRows is the most rows of tiles that such a polygon has boxes in; 0 means that none is deferred.
	MostRows int32
}

// Where the parts of a box's place are.
const (
	PlaceRowShift  = 16
	PlaceRowsShift = PlaceRowShift + TileShift
)

// Place packs the first column of a box, below 1<<PlaceRowShift, its first row in the row of tiles, and
// the number of its rows, up to TileRows.
func Place(column, row, rows int32) uint32 {
	return uint32(column) | uint32(row)<<PlaceRowShift | uint32(rows-1)<<PlaceRowsShift
}

// PlaceBits returns a Place as a float32 with its bits.
func PlaceBits(column, row, rows int32) float32 {
	return math.Float32frombits(Place(column, row, rows))
}

// PlaceOf unpacks a place, given as a float32 with its bits.
func PlaceOf(bits float32) (column, row, rows int) {
	place := math.Float32bits(bits)
	return int(place % (1 << PlaceRowShift)), int(place >> PlaceRowShift % TileRows), int(place>>PlaceRowsShift) + 1
}

const (
	nearestFactor = 1 + 0x1p-18
	nearestLeast  = 0x1p-125
)

// NearestBound bounds the nearness of all samples of a polygon with three corners of a nearness,
// none negative, that is no larger than DeferredExtent.
//
// A sample that is covered lies within the triangle, so that its nearness is at most m, that of the
// nearest corner, but for rounding. Scan conversion finds the plane in float64: of each slope by a
// difference of two products below m*2^14, divided by an area of 1 at least, and takes each slope
// times at most 2^14. So each of a dozen roundings is off by at most m*2^(14+14+1-53), all together
// by less than m*2^-20. In float32 the first nearness of a span and the sum with its growth are
// rounded, each by up to m*2^-24. So are the growth from sample to sample and its product with the
// distance, by up to 2^-24 of the growth over a span, which stays below m but for the roundings
// above. That is less than m*2^-19 in all. Nearness below MinNearness is raised to that.
func NearestBound(a, b, c float32) float32 {
	return max(float32(max(a, b, c)*nearestFactor), nearestLeast)
}

// Set reports whether there is one, and any polygon is deferred.
func (d *Deferred) Set() bool { return d != nil && d.MostRows > 0 }

// Take defers a polygon with corners v and a box, of triangle source of the block, if it is a
// small back face in few rows of tiles. It reports whether it did.
func (d *Deferred) Take(v *[3]Vertex, box Box, source int) bool {
	if !d.Set() || (box.Y1-1)>>TileShift-box.Y0>>TileShift >= d.MostRows {
		return false
	}
	x0, x1 := min(v[0].X, v[1].X, v[2].X), max(v[0].X, v[1].X, v[2].X)
	y0, y1 := min(v[0].Y, v[1].Y, v[2].Y), max(v[0].Y, v[1].Y, v[2].Y)
	if max(x1-x0, y1-y0) >= DeferredExtent || (v[1].X-v[0].X)*(v[2].Y-v[0].Y) <= (v[2].X-v[0].X)*(v[1].Y-v[0].Y) {
		return false
	}
	bound := NearestBound(v[0].E, v[1].E, v[2].E)
	for y := box.Y0; y < box.Y1; {
		next := min((y|(TileRows-1))+1, box.Y1)
		d.push(box.X0, box.X1, y, next, bound, d.First+uint32(source))
		y = next
	}
	return true
}

// push appends the box of rows y0 to y1 (exclusive) of one row of tiles.
func (d *Deferred) push(x0, x1, y0, y1 int32, bound float32, number uint32) {
	b := d.Boxes
	n := b.N
	b.Start[n], b.Count[n], b.E[n], b.Payload[n] = uint32(y0*d.Stride+x0), x1-x0, bound, number
	b.DE[n] = math.Float32frombits(Place(x0, y0%TileRows, y1-y0))
	b.N = n + 1
}
