package procedural

import (
	"math"

	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/numeric"
)

// cubeGrid returns the six faces of a cube, each of n by n quadrilaterals. The function place maps a point of the
// cube's surface to its position in the scene. The coordinates of the point are integers from -n to n in steps of 2,
// and at least one of them is -n or n. Adjacent faces share their edges exactly, because they pass the same integers to
// place.
func cubeGrid(n int, place func(a [3]int) [3]float64) *grid {
	return &grid{faces: 6, nu: n, nv: n, point: func(face, i, j int) [3]float64 {
		axis := face / 2
		var a [3]int
		u, v := 2*i-n, 2*j-n
		if a[axis] = n; face%2 == 1 {
			a[axis] = -n
			u, v = v, u // swap the axes, to stay counter-clockwise as seen from outside
		}
		a[(axis+1)%3], a[(axis+2)%3] = u, v
		return place(a)
	}}
}

// cubeSize returns the n for which cubeGrid has about `triangles` triangles.
func cubeSize(triangles int) int {
	return max(1, int(math.Round(math.Sqrt(float64(triangles)/12))))
}

func buildCube(p *params) shape {
	n := cubeSize(p.triangles(12, 12))
	return cubeGrid(n, func(a [3]int) (q [3]float64) {
		for c := range q {
			q[c] = float64(a[c]) / float64(n)
		}
		return q
	})
}

// sphereGrid returns a grid on a cube whose points are projected onto the unit sphere. The function point maps unit
// vectors to positions in the scene. The grid lines are spaced at equal angles, so the largest triangle has only 1.4
// times the mean area. A grid of longitude and latitude would have slivers at its poles.
func sphereGrid(n int, point func(dir [3]float64) [3]float64) *grid {
	tangent := make([]float64, n+1)
	for i := range tangent {
		c, s := numeric.Turn(i, 8*n)
		tangent[i] = s / c
	}
	warp := func(a int) float64 {
		if a < 0 {
			return -tangent[-a]
		}
		return tangent[a]
	}
	return cubeGrid(n, func(a [3]int) [3]float64 {
		q := [3]float64{warp(a[0]), warp(a[1]), warp(a[2])}
		return point(vector.Scale(1/math.Sqrt(vector.Dot(q, q)), q))
	})
}

func buildSphere(p *params) shape {
	return sphereGrid(cubeSize(p.triangles(20_000, 12)), func(dir [3]float64) [3]float64 { return dir })
}

// buildBumpy moves the points of a sphere in and out by five octaves of noise. Each octave has half the size and 0.38
// of the height of the octave before. So the surface is smooth and yet has bumps of a thirtieth of the radius, like a
// scanned object.
func buildBumpy(p *params) shape {
	n := cubeSize(p.triangles(1_000_000, 12))
	seed := p.seed()
	height := p.number("height", 0.4, 0, 1)
	const octaves, firstFrequency = 5, 1.7
	return sphereGrid(n, func(dir [3]float64) [3]float64 {
		r, h, f := 1.0, height, firstFrequency
		for o := range octaves {
			r += float64(h * numeric.Noise(seed+uint64(o), vector.Scale(f, dir)))
			h *= 0.38
			f *= 2
		}
		return vector.Scale(math.Max(r, 0.1), dir)
	})
}
