package solid

import (
	"math"
	"slices"

	"lockstep/scenes"
)

// Constants for the size of points, which are drawn as octahedra. touching is the distance from the centre of an
// octahedron to its corners, as a fraction of the distance between neighbouring points. With touching = 0.9, dense
// points look like a closed surface. leastPoint and mostPoint limit the size, as fractions of the diagonal of the
// box.
const (
	touching   = 0.9
	leastPoint = 1e-4
	mostPoint  = 0.01
)

// Thickness is the radius of a line as a fraction of the diagonal of the box.
const Thickness = 1.0 / 500

// To estimate the distance between neighbours, about maxPointSamples points are each compared with about maxLooked
// points.
const (
	maxPointSamples = 64
	maxLooked       = 1 << 14
)

// fewOfMany is the rank of a neighbour by distance. If PointSize reads only some of the points, it uses the distance to
// the neighbour of this rank. The points that it reads are spread at random over the surface. The nearest of them is
// half as far away as a neighbour in a regular grid would be. With octahedra of that size, three quarters of a surface
// had gaps. The fourth nearest is 1.09 times as far away as a neighbour in a grid.
const fewOfMany = 4

// PointSize returns how far the corners of octahedra for n points should be from their centres. The size follows from
// the median distance between a point and its nearest neighbour.
//
// If there are many points, PointSize reads only every step-th point, and uses neighbour number fewOfMany. Most
// clouds are surfaces. On a surface, reading every step-th point makes distances larger by the square root of step.
// So the result is divided by this root.
func PointSize(n int, at func(i int) [3]float64) float64 {
	var some [][3]float64
	step := max(1, n/maxLooked)
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
		return 1 // all points have the same position
	}
	neighbour := 1
	if step > 1 {
		neighbour = fewOfMany
	}
	near := medianDistance(some, neighbour)
	if near == 0 {
		near = diagonal / 20
	}
	near /= math.Sqrt(float64(step))
	return min(max(touching*near, leastPoint*diagonal), mostPoint*diagonal)
}

// ThickenedSize returns the size of points that are drawn together with lines or surfaces. It is at least the thickness
// of lines and at most the greatest size that PointSize allows.
func ThickenedSize(size, diagonal float64) float64 {
	return min(max(size, Thickness*diagonal), mostPoint*diagonal)
}

// A Sample collects a sample of many points, in the coordinates of a mesh.
type Sample struct {
	some       [][3]float64
	seen, step int
}

// mostSampled is about the greatest number of points in a Sample.
const mostSampled = 4096

// SetTotal says that Add will be called with n points.
func (s *Sample) SetTotal(n int) { s.step = max(1, n/mostSampled) }

// Add adds the next point if it belongs to the sample.
func (s *Sample) Add(p [3]float64) {
	if s.seen%s.step == 0 && Finite(p) {
		s.some = append(s.some, p)
	}
	s.seen++
}

// WantedSize returns the size of points that the options set. The size is the distance of an octahedron's corners from
// its centre. 0 means that PointSize decides.
func (s *Sample) WantedSize(options *scenes.ReadOptions, up scenes.Axis) float64 {
	size := options.PointSize(s.some, up) / 2
	if !(size > 0) || math.IsInf(size, 1) {
		return 0
	}
	return size
}

// Diagonal returns the diagonal of the bounding box of the finite points. It is 0 if all finite points are at the same
// position.
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

// medianDistance returns the median distance from a point to its k-th nearest point with another position. It is 0 if
// no point has k such neighbours.
func medianDistance(points [][3]float64, k int) float64 {
	var all []float64
	for i := 0; i < len(points); i += max(1, len(points)/maxPointSamples) {
		least := make([]float64, k) // squares of the k least distances, in ascending order
		for j := range least {
			least[j] = math.Inf(1)
		}
		for _, q := range points {
			square := 0.0
			for d := range q {
				square += float64((q[d] - points[i][d]) * (q[d] - points[i][d]))
			}
			if square > 0 && square < least[k-1] {
				at, _ := slices.BinarySearch(least, square)
				copy(least[at+1:], least[at:])
				least[at] = square
			}
		}
		if last := least[k-1]; !math.IsInf(last, 1) {
			all = append(all, math.Sqrt(last))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
