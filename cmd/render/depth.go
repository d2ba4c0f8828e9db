package main

import "math"

// depthRange returns the least and the greatest finite depth.
func depthRange(depths []float32) (near, far float64) {
	near, far = math.Inf(1), math.Inf(-1)
	for _, d := range depths {
		if v := float64(d); !math.IsInf(v, 0) {
			near, far = min(near, v), max(far, v)
		}
	}
	return near, far
}

// quantizeDepth maps depths linearly to 1..65535, near to far; infinite ones,
// where nothing was drawn, to 0.
func quantizeDepth(depths []float32, near, far float64) []uint16 {
	steps := 0.0 // a flat picture is all near
	if far > near {
		steps = 65534 / (far - near)
	}
	grey := make([]uint16, len(depths))
	for i, d := range depths {
		if v := float64(d); !math.IsInf(v, 0) {
			grey[i] = uint16(1 + math.RoundToEven(float64((v-near)*steps)))
		}
	}
	return grey
}
