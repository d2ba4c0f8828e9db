package array

import "math"

// A tile row is a row of tiles, TileRows rows of pixels high; see package tile. Deferred cuts boxes at the borders of
// tile rows.
const (
	TileShift = 4
	TileRows  = 1 << TileShift
)

// DeferredExtent is the largest width and height of deferred polygons, in subpixels: 64 pixels. The proof of
// NearestBound depends on it.
const DeferredExtent = 1 << 14

// Deferred receives small back faces instead of a polygon array, because most of them are hidden behind front faces. A
// face is stored as boxes, which are enough to show that it is hidden. A box is the range of pixels that the face can
// cover in a tile row, with an upper bound of the face's nearness.
//
// Box b is stored as a span of its first row:
//   - Start[b] is the index of its first key.
//   - Count[b] is its width.
//   - E[b] is the bound of the nearness.
//   - DE[b] has the bits of its Place.
//   - Payload[b] is the number of the triangle.
type Deferred struct {
	Boxes *Spans
	First uint32 // number of the block's first triangle
	// Stride is the number of keys between the starts of two rows of the frame.
	Stride int32
	// MaxRows is the largest number of tile rows that a deferred polygon may cover; 0 means that no polygon is
	// deferred.
	MaxRows int32
}

// Bit positions in a Place: of the box's first row, and of its number of rows.
const (
	PlaceRowShift  = 16
	PlaceRowsShift = PlaceRowShift + TileShift
)

// Place packs the place of a box: its first column, its first row within the tile row, and its number of rows. The
// column must be below 1<<PlaceRowShift, and there are at most TileRows rows.
func Place(column, row, rows int32) uint32 {
	return uint32(column) | uint32(row)<<PlaceRowShift | uint32(rows-1)<<PlaceRowsShift
}

// PlaceBits returns a float32 whose bits are a Place.
func PlaceBits(column, row, rows int32) float32 {
	return math.Float32frombits(Place(column, row, rows))
}

// PlaceOf unpacks a place that PlaceBits returned.
func PlaceOf(bits float32) (column, row, rows int) {
	place := math.Float32bits(bits)
	return int(place % (1 << PlaceRowShift)), int(place >> PlaceRowShift % TileRows), int(place>>PlaceRowsShift) + 1
}

const (
	nearestFactor = 1 + 0x1p-18
	nearestLeast  = 0x1p-125
)

// NearestBound returns an upper bound of the nearness of all samples of a polygon. a, b and c are the nearness of its
// corners. They must not be negative, and the polygon must not exceed DeferredExtent.
//
// Proof. A covered sample lies within the triangle. Without rounding, its nearness is therefore at most m, the
// nearness of the nearest corner. It remains to bound the rounding errors.
//
// Scan conversion computes the plane in float64. Each slope is a difference of two products below m*2^14, divided by
// an area of at least 1, and is multiplied by at most 2^14. Each of a dozen roundings is therefore off by at most
// m*2^(14+14+1-53), and all together by less than m*2^-20.
//
// In float32, the first nearness of a span and its sum with the growth are rounded, each by up to m*2^-24. The growth
// per sample and its product with the distance are also rounded, by up to 2^-24 of the growth over a span. That growth
// is below m, except for the roundings above.
//
// The total is less than m*2^-19. Nearness below MinNearness is raised to MinNearness.
func NearestBound(a, b, c float32) float32 {
	return max(float32(max(a, b, c)*nearestFactor), nearestLeast)
}

// Set reports whether d defers polygons. d may be nil.
func (d *Deferred) Set() bool { return d != nil && d.MaxRows > 0 }

// Take defers the polygon with corners v if it is a small back face that covers at most MaxRows tile rows, and reports
// whether it did. The polygon comes from triangle number `source` of the block and can cover the pixels of box.
func (d *Deferred) Take(v *[3]Vertex, box Box, source int) bool {
	if !d.Set() || (box.Y1-1)>>TileShift-box.Y0>>TileShift >= d.MaxRows {
		return false
	}
	x0, x1 := min(v[0].X, v[1].X, v[2].X), max(v[0].X, v[1].X, v[2].X)
	y0, y1 := min(v[0].Y, v[1].Y, v[2].Y), max(v[0].Y, v[1].Y, v[2].Y)
	if max(x1-x0, y1-y0) >= DeferredExtent || (v[1].X-v[0].X)*(v[2].Y-v[0].Y) <= (v[2].X-v[0].X)*(v[1].Y-v[0].Y) {
		return false
	}
	PushBoxes(d.Boxes, box, NearestBound(v[0].E, v[1].E, v[2].E), d.First+uint32(source), d.Stride)
	return true
}

// PushBoxes appends one box for each tile row of a polygon. The polygon has the given number and nearness bound, and
// can cover the pixels of box. stride is the number of keys between the starts of two rows of the frame.
func PushBoxes(boxes *Spans, box Box, bound float32, number uint32, stride int32) {
	for y := box.Y0; y < box.Y1; {
		next := min((y|(TileRows-1))+1, box.Y1)
		n := boxes.N
		boxes.Start[n], boxes.Count[n] = uint32(y*stride+box.X0), box.X1-box.X0
		boxes.E[n], boxes.DE[n], boxes.Payload[n] = bound, PlaceBits(box.X0, y%TileRows, next-y), number
		boxes.N = n + 1
		y = next
	}
}
