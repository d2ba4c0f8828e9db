package geometry

import "math"

// Ambient and Diffuse define the intensity of a flat polygon under a headlight: Ambient + Diffuse*|n.v|.
const (
	Ambient = 0.15
	Diffuse = 0.85
)

// point is a position in the scaled coordinates q of View.
type point struct{ x, y, z float32 }

// intensity returns the intensity of the triangle abc, lit from the eye. It is Ambient + Diffuse*|n.v|, where n is the
// normal and v the direction from the centroid to the eye. A triangle so small that its normal underflows is lit as if
// seen edge-on.
func (v *View) intensity(a, b, c point) float32 {
	ux, uy, uz := b.x-a.x, b.y-a.y, b.z-a.z
	wx, wy, wz := c.x-a.x, c.y-a.y, c.z-a.z
	nx := float32(uy*wz) - float32(uz*wy)
	ny := float32(uz*wx) - float32(ux*wz)
	nz := float32(ux*wy) - float32(uy*wx)
	ex, ey, ez := v.Eye[0], v.Eye[1], v.Eye[2]
	if !v.Orthographic {
		// Three times the vector from the centroid to the eye. Its length cancels out below.
		ex -= float32(float32(a.x+b.x) + c.x)
		ey -= float32(float32(a.y+b.y) + c.y)
		ez -= float32(float32(a.z+b.z) + c.z)
	}
	nn := dot(nx, ny, nz, nx, ny, nz)
	ee := dot(ex, ey, ez, ex, ey, ez)
	cos := float32(math.Abs(float64(dot(nx, ny, nz, ex, ey, ez)))) / float32(math.Sqrt(float64(float32(nn*ee))))
	if !(cos > 0) { // cos is NaN if it was computed as 0/0
		cos = 0
	}
	return Ambient + float32(Diffuse*min(cos, 1))
}

func dot(ax, ay, az, bx, by, bz float32) float32 {
	return float32(float32(ax*bx)+float32(ay*by)) + float32(az*bz)
}
