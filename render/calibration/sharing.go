package calibration

// Sharing is what it costs to let other workers draw rows of a block's polygons, in
// samples of the z-buffer.
type Sharing struct {
	Band  float64 // a band: handing it over, its last and partly filled span array
	Piece float64 // a polygon in a band: copying it, setting its lane up, marking its tiles
}

// spare is by how much the charge for sharing exceeds its cost. Where no worker is idle
// sharing saves nothing and costs a block this part of its time at most.
const spare = 32

// Of returns the charge for so many bands with so many pieces of polygons.
func (s Sharing) Of(bands int, pieces int64) float64 {
	return spare * (float64(bands)*s.Band + float64(pieces)*s.Piece)
}

// builtInSharing holds on most processors. A sample takes about half a nanosecond.
var builtInSharing = Sharing{Band: 4096, Piece: 64}
