package normals

import (
	"fmt"
	"math"
)

// CheckCrease returns the error that NewSurface would return for a mesh with the given number of triangles and for
// this crease angle in degrees, or nil.
func CheckCrease(triangles int, crease float64) error {
	if !(crease >= 0 && crease <= 180) {
		return fmt.Errorf("crease %g: expected 0 to 180 degrees", crease)
	}
	if triangles > math.MaxUint32/3 {
		return fmt.Errorf("%d triangles: too many for smooth shading", triangles)
	}
	return nil
}
