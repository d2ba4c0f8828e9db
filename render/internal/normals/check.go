package normals

import (
	"fmt"
	"math"
)

// CheckCrease checks the arguments of NewSurface: the number of triangles of a mesh, and the crease in degrees. It
// returns the error that NewSurface would return, or nil.
func CheckCrease(triangles int, crease float64) error {
	if !(crease >= 0 && crease <= 180) {
		return fmt.Errorf("crease %g: expected 0 to 180 degrees", crease)
	}
	if triangles > math.MaxUint32/3 {
		return fmt.Errorf("%d triangles: too many for smooth shading", triangles)
	}
	return nil
}
