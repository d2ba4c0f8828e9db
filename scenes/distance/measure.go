package distance

import (
	"context"
	"fmt"
	"math"
	"sync"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// FieldName is the name of the field that holds the distances.
const FieldName = "distance"

// Options controls how distances are measured. The zero value is the default.
type Options struct {
	Refinement
	// Workers is the number of goroutines; 0: all cores. The distances do not depend on it.
	Workers int
	// Progress, if not nil, is called now and then with the number of positions measured and their total. Any goroutine
	// may call it, but never two at once, and done never decreases.
	Progress func(done, total int64)
}

// A Measured holds the distances of the first surface from the second. Lengths are in units of the coordinates after
// the transforms of the items.
type Measured struct {
	// Mesh is the refined first mesh, in the coordinates of its file, with the field FieldName. The field holds the
	// signed distance of each vertex from the second surface, which is positive outside that surface. It is NaN for a
	// vertex that is not finite.
	Mesh *scenes.Mesh
	// Owners[t] is the triangle of the first mesh to which triangle t of Mesh belongs.
	Owners []uint32
	// Distances holds the distance of each vertex in float64.
	Distances []float64
	// Shares holds the part of Area that each vertex represents: a third of the area of each triangle at the vertex.
	Shares []float64
	// Area is the area of the first surface.
	Area float64
	// Least and Greatest are the extreme distances. Mean is the mean of the magnitudes of all distances, and RMS is the
	// root of the mean of the squares of all distances. Both are weighted by area. Vertices that only belong to
	// triangles without an area do not count.
	Least, Greatest, Mean, RMS float64
	// Farthest is the point of the first surface where the distance has the greatest magnitude. Its coordinates are
	// those after the transform.
	Farthest [3]float64
	// Samples is the number of vertices that count in the statistics. Spacing is the length of the longest edge between
	// such vertices. At other points of the surface the magnitude is at most Max + 0.58*Spacing: every point of a
	// triangle is within 0.58*Spacing of a corner, and the distance changes by no more than the point moves.
	Samples int
	Spacing float64
	// LeftOut is the number of triangles of each surface that have no area or are not finite.
	LeftOut [2]int
}

// Max returns the greatest magnitude of a distance.
func (m *Measured) Max() float64 { return max(m.Greatest, -m.Least) }

// Beyond returns the share of the area, 0 to 1, whose distance exceeds `distance` in magnitude.
func (m *Measured) Beyond(distance float64) float64 {
	sum := 0.0
	for i, d := range m.Distances {
		if math.Abs(d) > distance {
			sum += m.Shares[i]
		}
	}
	return min(sum/m.Area, 1)
}

// A NoSurfaceError says that item 0 or 1 has no triangle with an area.
type NoSurfaceError struct{ Item int }

// Error names the item.
func (e *NoSurfaceError) Error() string { return fmt.Sprintf("item %d: %v", e.Item, ErrNoSurface) }

// Unwrap returns ErrNoSurface.
func (*NoSurfaceError) Unwrap() error { return ErrNoSurface }

// Measure returns the distances of the first surface, which is the surface of `from`, to the second surface, which is
// the surface of `to`. It refines the first surface (see Refine), so that large triangles are measured at many points.
// Magnitudes below 2^-40 of the largest coordinate, relative to the origin of the first mesh, become 0.
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

// minColorRange returns the smallest x for colours of distances from -x to x. It is a millionth of the diagonal of the
// box of the surface. Without this limit, rounding errors would be drawn in full colours.
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

// markLeftOut marks and counts the triangles of an item that do not belong to its surface. left[t] marks triangle t.
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

// shareArea computes the areas that vertices represent, and the longest edge. It ignores each triangle whose original
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

// Distances below noiseShare times the largest coordinate are rounding errors of float64. Several errors of a unit in
// the last place may add up. The files themselves are no more precise than 2^-24 of a coordinate.
const noiseShare = 1.0 / (1 << 40)

// dropNoise sets distances that are rounding errors to 0.
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

// computeStatistics computes the statistics, in the order of the vertices, so that they are the same on every machine.
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
	const second, refined = 200, 150 // bytes per triangle
	return int64(to)*second + int64(max(from, mostRefined))*refined
}
