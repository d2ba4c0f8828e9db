package surface

import (
	"math"

	"lockstep/render/internal/kernel/occlude"
)

// AverageMargin is how many rows of cells away the averages of a row reach: both passes
// of Down, and At.
const AverageMargin = 2 + 2 + 1

// Margin returns how many rows of cells away what At returns of a row may come from. Begin
// must have been called.
func (o *Occlusion) Margin() int {
	reach := o.view.Radius / o.view.PerCell
	if !o.view.Orthographic || !(reach < occlude.FarthestTap) {
		reach = occlude.FarthestTap // whatever is near the eye
	}
	return int(math.Ceil(float64(reach))) + 1 + AverageMargin
}
