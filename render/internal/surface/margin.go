package surface

import (
	"math"

	"lockstep/render/internal/kernel/occlude"
)

// AverageMargin is how many rows of cells away the averages of a row reach: both passes
// of Down, and At.
const AverageMargin = 2 + 2 + 1

// Margin returns how many rows of cells away what Occlusion.At returns of a row may come from.
func (v *OcclusionView) Margin() int {
	reach := v.Radius / v.PerCell
	if !v.Orthographic {
		reach /= v.Nearest
	}
	if !(reach < occlude.FarthestTap) {
		reach = occlude.FarthestTap // whatever is near the eye
	}
	return int(math.Ceil(float64(reach))) + 1 + AverageMargin
}
