package scenes

// An Affine maps points. Coordinate r of the image of (x, y, z) is a[r][0] x + a[r][1] y + a[r][2] z + a[r][3].
type Affine [3][4]float64

// Identity returns the map that leaves every point where it is.
func Identity() Affine { return Affine{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}} }

// Point returns the image of p. It rounds after every product and every sum, so that the result is the same on every
// machine.
func (a *Affine) Point(p [3]float64) (q [3]float64) {
	for r := range q {
		q[r] = float64(a[r][0]*p[0]) + float64(a[r][1]*p[1]) + float64(a[r][2]*p[2]) + a[r][3]
	}
	return q
}

// Mul returns the map that first applies b and then applies a.
func (a *Affine) Mul(b *Affine) (c Affine) {
	for r := range 3 {
		for k := range 4 {
			c[r][k] = float64(a[r][0]*b[0][k]) + float64(a[r][1]*b[1][k]) + float64(a[r][2]*b[2][k])
		}
		c[r][3] += a[r][3]
	}
	return c
}

// Cofactors returns the matrix of cofactors. It maps a normal of a surface to a normal of the mapped surface, but does
// not keep its length.
func (a *Affine) Cofactors() (n Affine) {
	for r := range 3 {
		for c := range 3 {
			r1, r2, c1, c2 := (r+1)%3, (r+2)%3, (c+1)%3, (c+2)%3
			n[r][c] = float64(a[r1][c1]*a[r2][c2]) - float64(a[r1][c2]*a[r2][c1])
		}
	}
	return n
}

// Det returns the determinant of the map, which is the factor by which the map changes volumes. It is negative if the
// map mirrors.
func (a *Affine) Det() float64 {
	n := a.Cofactors()
	return float64(a[0][0]*n[0][0]) + float64(a[0][1]*n[0][1]) + float64(a[0][2]*n[0][2])
}
