package dataset

import (
	"math"
	"strconv"
)

// mostDepth is the greatest number of a pixel of 16 bits.
const mostDepth = 65535

// DepthScale returns the length that one step of a picture of depths of 16 bits stands for, so that the farthest depth
// has a number. It has three digits where that suffices, which read well in files.
func DepthScale(farthest float64) float64 {
	least := farthest / mostDepth
	if !(least > 0) || math.IsInf(least, 0) {
		return 1
	}
	for _, more := range []float64{1, 1.005, 1.01} {
		scale, err := strconv.ParseFloat(strconv.FormatFloat(least*more, 'e', 2, 64), 64)
		if err == nil && scale >= least {
			return scale
		}
	}
	return least
}

// Depths returns depths as numbers of steps of the scale: 0 where there is none (they are infinite), else at least 1.
func Depths(depths []float32, scale float64) []uint16 {
	steps := make([]uint16, len(depths))
	for i, d := range depths {
		if v := float64(d); !math.IsInf(v, 0) && !math.IsNaN(v) {
			steps[i] = uint16(min(max(math.RoundToEven(v/scale), 1), mostDepth))
		}
	}
	return steps
}
