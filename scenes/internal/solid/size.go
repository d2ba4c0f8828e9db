package solid

import (
	"math"
	"slices"

	"lockstep/scenes"
)

// The size of points: touching is the part of the distance between neighbours that a corner reaches, so that dense points
// close a surface. Sparse ones have at least, dense ones at most, a part of the box's diagonal.
const (
	touching   = 0.9
	leastPoint = 1e-4
	mostPoint  = 0.01
)

// Thickness is the part of the box's diagonal that is the radius of a line.
const Thickness = 1.0 / 500

// The points of a sample, and those among which the nearest of each is looked for.
const (
	sampled = 64
	looked  = 1 << 14
)

// PointSize returns, of n points, how far the corners of a point lie from it: by the distance of neighbours, the median of those of
// some points. Among a part of the points neighbours are farther away: by the root of the part on a surface, which most
// clouds are.
func PointSize(n int, at func(i int) [3]float64) float64 {
	var some [][3]float64
	step := max(1, n/looked)
	for i := range n {
		p := at(i)
		if !Finite(p) {
			continue
		}
		if i%step == 0 {
			some = append(some, p)
		}
	}
	diagonal := Diagonal(n, at)
	if diagonal == 0 {
		return 1 // a single place
	}
	near := nearest(some)
	if near == 0 {
		near = diagonal / 20
	}
	near /= math.Sqrt(float64(step))
	return min(max(touching*near, leastPoint*diagonal), mostPoint*diagonal)
}

// Beside returns the size of points beside lines and surfaces in a box: at least as thick as lines are.
func Beside(size, diagonal float64) float64 {
	return min(max(size, Thickness*diagonal), mostPoint*diagonal)
}

// A Sample is some of many points, in the coordinates of a mesh.
type Sample struct {
	some       [][3]float64
	seen, step int
}

// mostSampled is about how many points a Sample has.
const mostSampled = 4096

// Of says how many points there are.
func (s *Sample) Of(n int) { s.step = max(1, n/mostSampled) }

// Add takes the next point, if it is one of the sample.
func (s *Sample) Add(p [3]float64) {
	if s.seen%s.step == 0 && Finite(p) {
		s.some = append(s.some, p)
	}
	s.seen++
}

// Wanted returns how far the corners of points lie from them by the options of a read; 0: as PointSize says.
func (s *Sample) Wanted(options *scenes.ReadOptions, up scenes.Axis) float64 {
	size := options.PointSize(s.some, up) / 2
	if !(size > 0) || math.IsInf(size, 1) {
		return 0
	}
	return size
}

// Diagonal returns that of the box of the finite points, 0 for a single place.
func Diagonal(n int, at func(i int) [3]float64) float64 {
	inf := math.Inf(1)
	lo, hi := [3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}
	for i := range n {
		if p := at(i); Finite(p) {
			for d := range p {
				lo[d], hi[d] = min(lo[d], p[d]), max(hi[d], p[d])
			}
		}
	}
	d := norm([3]float64{hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]})
	if !(d > 0) || math.IsInf(d, 1) {
		return 0
	}
	return d
}

// nearest returns the median distance from some points to the nearest that is not at the same place; 0 for a single
// place.
func nearest(points [][3]float64) float64 {
	var all []float64
	for i := 0; i < len(points); i += max(1, len(points)/sampled) {
		least := math.Inf(1)
		for _, q := range points {
			square := 0.0
			for d := range q {
				square += float64((q[d] - points[i][d]) * (q[d] - points[i][d]))
			}
			if square > 0 {
				least = min(least, square)
			}
		}
		if !math.IsInf(least, 1) {
			all = append(all, math.Sqrt(least))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
