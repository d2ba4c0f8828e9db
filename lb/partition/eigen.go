package partition

import "math"

// eigen returns the eigenvalues of a symmetric matrix, largest first, and orthogonal eigenvectors of length 1. It uses
// Jacobi's method. Each sweep of rotations roughly squares the ratio of the off-diagonal elements to the diagonal ones.
// So a dozen sweeps are enough for any matrix.
func eigen(a [3][3]float64) (value [3]float64, vector [3][3]float64) {
	v := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for range 12 {
		for p := range 2 {
			for q := p + 1; q < 3; q++ {
				rotate(&a, &v, p, q)
			}
		}
	}
	order := [3]int{0, 1, 2}
	for _, s := range [...][2]int{{0, 1}, {1, 2}, {0, 1}} {
		if a[order[s[1]]][order[s[1]]] > a[order[s[0]]][order[s[0]]] {
			order[s[0]], order[s[1]] = order[s[1]], order[s[0]]
		}
	}
	for k, i := range order {
		value[k] = a[i][i]
		for d := range 3 {
			vector[k][d] = v[d][i]
		}
	}
	return value, vector
}

// rotate makes element (p, q) of a zero by a rotation, and rotates the columns of v too.
func rotate(a, v *[3][3]float64, p, q int) {
	if a[p][q] == 0 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Hypot(theta, 1))
	if theta < 0 {
		t = -t
	}
	cos := 1 / math.Hypot(t, 1)
	sin := t * cos
	for k := range 3 {
		x, y := a[k][p], a[k][q]
		a[k][p], a[k][q] = float64(cos*x)-float64(sin*y), float64(sin*x)+float64(cos*y)
	}
	for k := range 3 {
		x, y := a[p][k], a[q][k]
		a[p][k], a[q][k] = float64(cos*x)-float64(sin*y), float64(sin*x)+float64(cos*y)
		x, y = v[k][p], v[k][q]
		v[k][p], v[k][q] = float64(cos*x)-float64(sin*y), float64(sin*x)+float64(cos*y)
	}
	a[p][q], a[q][p] = 0, 0
}
