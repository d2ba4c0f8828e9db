package normals

import (
	"fmt"
	"math"
)

// CheckCrease returns why NewSurface would refuse a mesh of so many triangles.
func CheckCrease(triangles int, crease float64) error {
	if !(crease >= 0 && crease <= 180) {
		return fmt.Errorf("crease %g: expected more than 0 and at most 180 degrees", crease)
	}
	if triangles > math.MaxUint32/3 {
		return fmt.Errorf("%d triangles: too many for smooth shading", triangles)
	}
	return nil
}
