// Package origin decides what to subtract from the coordinates of a file before they are rounded to float32.
//
// Single precision has 24 bits. Coordinates may be much larger than the mesh, as in maps and plans of buildings. Most
// of the 24 bits then describe the distance from zero. Along an axis, the origin is nevertheless zero unless both
// conditions hold:
//   - the largest coordinate is more than farAway times the extent of the mesh;
//   - some coordinate has more digits than float32 holds.
//
// If both conditions hold, the origin is the middle of the extent. With an origin of zero, coordinates are the
// numbers of the file rounded to float32. The second condition is for texts with only the digits of float32 numbers.
// Such a text gives the same mesh, bit for bit, as a binary file of the same numbers.
package origin

import (
	"bytes"
	"iter"
	"math"
	"strconv"

	"lockstep/scenes/internal/vector"
)

// SampleSize is the number of triangles from which the origin of a mesh is chosen if the mesh is read from front to
// back. So many triangles usually span more than a detail of the mesh. They take less than 100 KB.
const SampleSize = 1024

// farAway is 2^5. If coordinates are at most farAway times the extent, rounding to float32 costs at most 2^-20 of the
// extent (2^-25 of the coordinate). This is 1/256 of a pixel in a picture of 4096 pixels. Vertices are rounded to
// 1/256 of a pixel anyway.
const farAway = 32

// Choose returns the origin for a sample of the vertices of a file, by the rule in the package comment. It ignores
// vertices that are not finite, or so large that the extent could overflow.
func Choose(sample iter.Seq[[3]float64]) (origin [3]float64) {
	inf := math.Inf(1)
	lo, hi := [3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}
	for p := range sample {
		if !vector.Finite(vector.Scale(4, p)) {
			continue
		}
		for c := range 3 {
			lo[c], hi[c] = math.Min(lo[c], p[c]), math.Max(hi[c], p[c])
		}
	}
	extent := max(hi[0]-lo[0], hi[1]-lo[1], hi[2]-lo[2])
	if !(extent > 0) {
		return origin
	}
	for c := range 3 {
		if max(-lo[c], hi[c]) > farAway*extent && anyLosesDigits(sample, c) {
			origin[c] = lo[c]/2 + hi[c]/2
		}
	}
	return origin
}

// anyLosesDigits reports whether float32 loses digits of coordinate c (0, 1 or 2) in any point.
func anyLosesDigits(sample iter.Seq[[3]float64], c int) bool {
	for p := range sample {
		if v := p[c]; v-v == 0 && losesDigits(v) {
			return true
		}
	}
	return false
}

// losesDigits reports whether rounding v to float32 changes the digits of the shortest decimal number that stands for
// v.
func losesDigits(v float64) bool {
	off := math.Abs(float64(float32(v)) - v)
	if off == 0 {
		return false
	}
	// The text has the form -d.dddde+xx. A unit of its last digit is 10 to the power of e minus the number of digits
	// after the point, where e is the number after the letter e.
	var room [32]byte
	mantissa, exponent, _ := bytes.Cut(strconv.AppendFloat(room[:0], math.Abs(v), 'e', -1, 64), []byte{'e'})
	e, err := strconv.Atoi(string(exponent))
	if err != nil {
		panic("origin: strconv wrote a number without an exponent")
	}
	decimals := max(0, len(mantissa)-2)
	half := math.Pow10(e-decimals) / 2
	if off <= half+math.Abs(v)*0x1p-52 { // the last term allows for rounding of v itself
		return false
	}
	// Just below a power of two, the spacing of float32 numbers is half of the spacing above it. There, the shortest
	// decimal for a float32 is not always the nearest decimal of its length. Therefore the digits are compared, too.
	var single [32]byte
	short := strconv.AppendFloat(single[:0], math.Abs(float64(float32(v))), 'e', -1, 32)
	return !bytes.Equal(short, strconv.AppendFloat(room[:0], math.Abs(v), 'e', -1, 64))
}
