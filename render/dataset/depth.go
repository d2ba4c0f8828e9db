package dataset

import (
	"math"
	"strconv"
)

// mostDepth is the greatest value of a 16-bit pixel.
const mostDepth = 65535

// DepthScale returns the length of one step of 16-bit depths. With this length, the depth `farthest` is at most 65535
// steps. If possible, the length is rounded up to three digits, for people who read it in files.
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

// Depths converts depths to steps of length scale. A pixel that shows nothing has an infinite depth, which becomes 0.
// Other depths become at least 1.
func Depths(depths []float32, scale float64) []uint16 {
	steps := make([]uint16, len(depths))
	for i, d := range depths {
		if v := float64(d); !math.IsInf(v, 0) && !math.IsNaN(v) {
			steps[i] = uint16(min(max(math.RoundToEven(v/scale), 1), mostDepth))
		}
	}
	return steps
}
