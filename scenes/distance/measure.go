package distance

import (
	"context"
	"fmt"
	"math"
	"sync"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// FieldName is the name of the field of Measured.Mesh that holds the distances.
const FieldName = "distance"

// Options controls how distances are measured. The zero value is the default.
type Options struct {
	Refinement
	// Workers is the number of goroutines; 0: all cores. The distances do not depend on it.
	Workers int
	// Progress, if not nil, is called from time to time. Its arguments are the number of positions measured so far
	// (done) and the number of all positions (total). Calls may come from any goroutine, but never two at once. done
	// never decreases.
	Progress func(done, total int64)
}

// A Measured holds the distances from points of the first surface to the second surface. Lengths are in units of the
// coordinates after the transforms of the items.
type Measured struct {
	// Mesh is the first mesh with large triangles divided, in the coordinates of its file. Its field FieldName holds
	// the signed distance of each vertex from the second surface. The distance is positive outside the second
	// surface. It is NaN for a vertex that is not finite.
	Mesh *scenes.Mesh
	// Owners[t] is the triangle of the first mesh to which triangle t of Mesh belongs.
	Owners []uint32
	// Distances holds the distance of each vertex in float64.
	Distances []float64
	// Shares holds the part of Area that each vertex stands for. A vertex stands for a third of the area of each
	// triangle around it.
	Shares []float64
	// Area is the area of the first surface.
	Area float64
	// Least and Greatest are the extreme distances. Mean is the mean of the magnitudes of all distances. RMS is the
	// root of the mean of their squares. Both means are weighted by area. Vertices without an area do not count.
	Least, Greatest, Mean, RMS float64
	// Farthest is the point of the first surface whose distance has the greatest magnitude, in coordinates after the
	// transform.
	Farthest [3]float64
	// Samples is the number of vertices that count in the statistics. Spacing is the length of the longest edge
	// between such vertices. Together, Spacing and Max bound the distance at points that were not measured. At no
	// point is the magnitude of the distance more than Max + 0.58*Spacing. The reason is that every point of a
	// triangle is within 0.58*Spacing of a corner. When a point moves, its distance from the surface changes by no
	// more than the point moves.
	Samples int
	Spacing float64
	// LeftOut counts, for each surface, the triangles that have no area or are not finite.
	LeftOut [2]int
}

// Max returns the greatest magnitude of a distance.
func (m *Measured) Max() float64 { return max(m.Greatest, -m.Least) }

// Beyond returns the part of the area, from 0 to 1, whose distance exceeds `distance` in magnitude.
func (m *Measured) Beyond(distance float64) float64 {
	sum := 0.0
	for i, d := range m.Distances {
		if math.Abs(d) > distance {
			sum += m.Shares[i]
		}
	}
	return min(sum/m.Area, 1)
}

// A NoSurfaceError reports that item 0 or item 1 has no triangle with an area.
type NoSurfaceError struct{ Item int }

// Error names the item.
func (e *NoSurfaceError) Error() string { return fmt.Sprintf("item %d: %v", e.Item, ErrNoSurface) }

// Unwrap returns ErrNoSurface.
func (*NoSurfaceError) Unwrap() error { return ErrNoSurface }

// Measure returns the distances from the surface of `from` to the surface of `to`. It first refines the surface of
// `from` (see Refine), so that large triangles are measured at many points. Magnitudes below 2^-40 of the largest
// coordinate, relative to the origin of the first mesh, become 0.
//
// The error is a *NoSurfaceError or the error of ctx. Measure needs as much memory as New for the second mesh and
// Refine for the first.
func Measure(ctx context.Context, from, to Item, o Options) (*Measured, error) {
	base := from.Mesh.Origin
	s, err := newSurface(ctx, to, base, o.Workers)
	if err == ErrNoSurface {
		return nil, &NoSurfaceError{1}
	}
	if err != nil {
		return nil, err
	}
	fine := Refine(from.Mesh, o.Refinement)
	m := &Measured{Mesh: fine.Mesh, Owners: fine.Owners, LeftOut: [2]int{0, s.LeftOut()}}
	points := fine.Points
	for i, p := range points {
		points[i] = from.point(p, base)
	}
	if m.shareArea(fine, points, m.markLeftOut(from, base)); m.Area == 0 {
		return nil, &NoSurfaceError{0}
	}
	m.Distances = make([]float64, len(points))
	if err := s.measure(ctx, points, m.Distances, o.Workers, progressFunc(o.Progress, len(points))); err != nil {
		return nil, err
	}
	m.dropNoise(s, points)
	m.computeStatistics(points, base)
	values := make([]float32, len(points))
	for i, d := range m.Distances {
		values[i] = float32(d)
	}
	m.Mesh.Attributes.Fields = []scenes.Field{{Name: FieldName, Values: values, Symmetric: s.minColorRange()}}
	return m, nil
}

// minColorRange returns the smallest range for colours of distances. It is a millionth of the diagonal of the surface's
// box. With a smaller range, rounding errors would have strong colours.
func (s *Surface) minColorRange() float64 {
	const millionth = 1e-6
	d := vector.Sub(s.boxes[0].high, s.boxes[0].low)
	return float64(math.Sqrt(vector.Dot(d, d)) * millionth)
}

// progressFunc returns a function that adds n to the number of measured positions and passes the sum to progress.
func progressFunc(progress func(done, total int64), total int) func(n int) {
	if progress == nil {
		return func(int) {}
	}
	var mu sync.Mutex
	done := int64(0)
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		done += int64(n)
		progress(done, int64(total))
	}
}

// markLeftOut marks and counts some triangles of an item: those without an area, and those with a coordinate that is
// not finite. left[t] is true if triangle t is marked.
func (m *Measured) markLeftOut(it Item, base [3]float64) (left []bool) {
	left = make([]bool, it.Mesh.Len())
	for t := range left {
		var c [3][3]float64
		for k := range c {
			c[k] = it.point(cornerOf(it.Mesh, k, t), base)
		}
		if left[t] = !isCounted(c[0], c[1], c[2]); left[t] {
			m.LeftOut[0]++
		}
	}
	return left
}

// shareArea computes the area that each vertex stands for, and the longest edge. It ignores triangles whose original
// triangle is marked in `left`.
func (m *Measured) shareArea(fine Refined, points [][3]float64, left []bool) {
	m.Shares = make([]float64, len(points))
	longest := 0.0
	for t, c := range fine.triangles {
		if left[fine.Owners[t]] {
			continue
		}
		ab, ac := vector.Sub(points[c[1]], points[c[0]]), vector.Sub(points[c[2]], points[c[0]])
		bc := vector.Sub(ac, ab)
		n := vector.Cross(ab, ac)
		double := math.Sqrt(vector.Dot(n, n))
		longest = max(longest, vector.Dot(ab, ab), vector.Dot(ac, ac), vector.Dot(bc, bc))
		m.Area += double / 2
		for _, v := range c {
			m.Shares[v] += double / 6
		}
	}
	m.Spacing = math.Sqrt(longest)
}

// noiseShare is the size of rounding errors of distances, as a fraction of the largest coordinate. Distances are
// computed in float64. Several errors of a unit in the last place may add up. The coordinates in files have errors of
// 2^-24 of a coordinate, which are much larger.
const noiseShare = 1.0 / (1 << 40)

// dropNoise sets distances to 0 that are only rounding errors, see noiseShare.
func (m *Measured) dropNoise(s *Surface, points [][3]float64) {
	largest := 0.0
	for axis := range 3 {
		largest = max(largest, math.Abs(s.boxes[0].low[axis]), math.Abs(s.boxes[0].high[axis]))
	}
	for i, p := range points {
		if m.Shares[i] > 0 {
			largest = max(largest, math.Abs(p[0]), math.Abs(p[1]), math.Abs(p[2]))
		}
	}
	for i, d := range m.Distances {
		if math.Abs(d) < float64(noiseShare*largest) {
			m.Distances[i] = 0
		}
	}
}

// computeStatistics computes the statistics. It adds in the order of the vertices, so that the sums are the same on
// every machine.
func (m *Measured) computeStatistics(points [][3]float64, base [3]float64) {
	m.Least, m.Greatest = math.Inf(1), math.Inf(-1)
	farthest := -1.0
	for i, d := range m.Distances {
		share := m.Shares[i]
		if !(share > 0) {
			continue
		}
		m.Samples++
		m.Least, m.Greatest = min(m.Least, d), max(m.Greatest, d)
		if size := math.Abs(d); size > farthest {
			farthest, m.Farthest = size, vector.Add(points[i], base)
		}
		m.Mean += float64(share * math.Abs(d))
		m.RMS += float64(float64(share*d) * d)
	}
	m.Mean /= m.Area
	m.RMS = math.Sqrt(m.RMS / m.Area)
}

// Memory returns roughly the greatest number of bytes that Measure allocates if the first mesh has `from` triangles and
// the second has `to`.
func Memory(from, to int) int64 {
	const second, refined = 200, 150 // bytes per triangle of the second mesh, and of the refined first mesh
	return int64(to)*second + int64(max(from, mostRefined))*refined
}
