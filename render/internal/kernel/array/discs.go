package array

// Discs holds the points of a block that are larger than a sample, as discs that face the eye. It has a slice for each
// property. All slices have the same length, which is the capacity. Vector kernels may write up to a vector of entries
// past the last disc.
//
// Disc d has its centre at (X[d], Y[d]) and the radius Radius[d], in subpixels. The whole disc has the nearness E[d].
// It comes from point Source[d] of the block.
type Discs struct {
	N                    int // number of discs in use
	X, Y, Radius, Source []int32
	E                    []float32
}

// MakeDiscs returns an empty array with room for capacity discs.
func MakeDiscs(capacity int) *Discs {
	ints := Columns[int32](4, capacity)
	return &Discs{X: ints[0], Y: ints[1], Radius: ints[2], Source: ints[3], E: Columns[float32](1, capacity)[0]}
}
