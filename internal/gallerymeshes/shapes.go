package main

import "math"

// A surface is a mesh with shared points.
type surface struct {
	points    [][3]float64
	triangles [][3]int
}

// gridSurface returns a surface of nu by nv points. The function `at` returns the position of a point. Every row, along
// u, is a closed curve. Every column, along v, is a closed curve if `closed` is true.
func gridSurface(nu, nv int, closed bool, at func(u, v float64) [3]float64) (s surface) {
	for j := range nv {
		for i := range nu {
			s.points = append(s.points, at(float64(i)/float64(nu), float64(j)/float64(nv)))
		}
	}
	rows := nv - 1
	if closed {
		rows = nv
	}
	for j := range rows {
		for i := range nu {
			a, b := j*nu+i, j*nu+(i+1)%nu
			c, d := (j+1)%nv*nu+i, (j+1)%nv*nu+(i+1)%nu
			s.triangles = append(s.triangles, [3]int{a, b, d}, [3]int{a, d, c})
		}
	}
	return s
}

// prism returns an upright prism of n sides around the z axis.
func prism(n int, radius, height float64) surface {
	s := gridSurface(n, 2, false, func(u, v float64) [3]float64 {
		sin, cos := math.Sincos(2 * math.Pi * (u + 0.5/float64(n)))
		return [3]float64{radius * cos, radius * sin, 2 * v * height}
	})
	for i := 2; i < n; i++ {
		s.triangles = append(s.triangles, [3]int{0, i, i - 1}, [3]int{n, n + i - 1, n + i})
	}
	return s
}

// trefoilPoint returns a point of a tube along a trefoil knot.
func trefoilPoint(u, v float64) [3]float64 {
	at := func(t float64) [3]float64 {
		return [3]float64{math.Sin(t) + 2*math.Sin(2*t), math.Cos(t) - 2*math.Cos(2*t), -1.2 * math.Sin(3*t)}
	}
	t := 2 * math.Pi * v
	p, q := at(t), at(t+1e-4)
	along := normalized(minus(q, p))
	side := normalized(cross(along, [3]float64{0, 0, 1}))
	up := cross(side, along)
	sin, cos := math.Sincos(2 * math.Pi * u)
	radius := 0.42 + 0.05*math.Sin(48*math.Pi*v)
	for i := range p {
		p[i] += radius * (cos*side[i] + sin*up[i])
	}
	return p
}

func minus(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func normalized(a [3]float64) [3]float64 {
	l := math.Sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2])
	return [3]float64{a[0] / l, a[1] / l, a[2] / l}
}
