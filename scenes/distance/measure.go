package distance

import (
	"context"
	"fmt"
	"math"
	"sync"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// FieldName is the name of the field of distances.
const FieldName = "distance"

// Options say how distances are measured. The zero value is the default.
type Options struct {
	Refinement
	// Workers is the number of goroutines; 0: all cores. Distances do not depend on it.
	Workers int
	// Progress, if not nil, is called now and then with how many places were measured and how many there are. Calls
	// come from any goroutine, but never two at once, and done never falls.
	Progress func(done, total int64)
}

// A Measured says how far a surface lies from another. Lengths are in units of the place of both.
type Measured struct {
	// Mesh is the refined mesh, where its file has it, with the field FieldName: the signed distance of each vertex from the
	// other surface, positive outside it; NaN for vertices that are not finite.
	Mesh *scenes.Mesh
	// Owners are the triangles that those of Mesh are parts of, by their number before.
	Owners []uint32
	// Distances are those of the vertices, in float64.
	Distances []float64
	// Shares are the parts of Area that the vertices stand for: a third of each triangle at them.
	Shares []float64
	// Area is that of the surface.
	Area float64
	// Least and Greatest are the extreme distances, Mean and RMS the mean of their magnitudes and the root of the mean
	// of their squares, by area. Vertices of triangles without an area count nowhere.
	Least, Greatest, Mean, RMS float64
	// Farthest is where the magnitude is greatest, in coordinates of the place.
	Farthest [3]float64
	// Samples is the number of places that count, Spacing the longest edge between them, in units of the place. The
	// magnitude is nowhere greater than Max by more than 0.58 of it: no point of a triangle is farther from all corners,
	// and distances change by no more than a point moves.
	Samples int
	Spacing float64
	// LeftOut are the triangles of both surfaces that have no area or are not finite.
	LeftOut [2]int
}

// Max returns the greatest magnitude of a distance.
func (m *Measured) Max() float64 { return max(m.Greatest, -m.Least) }

// Beyond returns the part of the area, 0 to 1, that lies farther away than a distance.
func (m *Measured) Beyond(distance float64) float64 {
	sum := 0.0
	for i, d := range m.Distances {
		if math.Abs(d) > distance {
			sum += m.Shares[i]
		}
	}
	return min(sum/m.Area, 1)
}

// A NoSurfaceError is the error of the first or the second item, 0 or 1, without a triangle that has an area.
type NoSurfaceError struct{ Item int }

// Error says so.
func (e *NoSurfaceError) Error() string { return fmt.Sprintf("item %d: %v", e.Item, ErrNoSurface) }

// Unwrap returns ErrNoSurface.
func (*NoSurfaceError) Unwrap() error { return ErrNoSurface }

// Measure returns how far the surface of an item lies from that of another. The first is divided, see Refine, so that large
// triangles are measured in many places. Magnitudes below 2^-40 of the largest coordinate, relative to the origin of
// the first mesh, are 0. The error is a *NoSurfaceError or that of ctx. It takes the memory of New for the second mesh
// and of Refine for the first one.
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
	if m.share(fine, points, m.leave(from, base)); m.Area == 0 {
		return nil, &NoSurfaceError{0}
	}
	m.Distances = make([]float64, len(points))
	if err := s.measure(ctx, points, m.Distances, o.Workers, advance(o.Progress, len(points))); err != nil {
		return nil, err
	}
	m.dropNoise(s, points)
	m.sum(points, base)
	values := make([]float32, len(points))
	for i, d := range m.Distances {
		values[i] = float32(d)
	}
	m.Mesh.Attributes.Fields = []scenes.Field{{Name: FieldName, Values: values, Symmetric: s.least()}}
	return m, nil
}

// least returns how far the colours of distances reach at least, about 0: a millionth of the diagonal of the surface's
// box, so that what rounding of coordinates leaves is not drawn in full colours.
func (s *Surface) least() float64 {
	const millionth = 1e-6
	d := vector.Sub(s.boxes[0].high, s.boxes[0].low)
	return float64(math.Sqrt(vector.Dot(d, d)) * millionth)
}

// advance returns a function that tells of progress.
func advance(progress func(done, total int64), total int) func(n int) {
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

// leave finds the triangles of an item that are no part of its surface, and counts them.
func (m *Measured) leave(it Item, base [3]float64) (left []bool) {
	left = make([]bool, it.Mesh.Len())
	for t := range left {
		var c [3][3]float64
		for k := range c {
			c[k] = it.point(cornerOf(it.Mesh, k, t), base)
		}
		if left[t] = !counts(c[0], c[1], c[2]); left[t] {
			m.LeftOut[0]++
		}
	}
	return left
}

// share finds the areas that vertices stand for and the longest edge, without what the refined mesh has of triangles that
// are left out.
func (m *Measured) share(fine Refined, points [][3]float64, left []bool) {
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

// noise is the part of the largest coordinate below which distances are rounding of float64: a few units in its last
// place add up, and files hold no more than a part in 2^24.
const noise = 1.0 / (1 << 40)

// dropNoise makes distances 0 that are rounding.
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
		if math.Abs(d) < float64(noise*largest) {
			m.Distances[i] = 0
		}
	}
}

// sum finds the numbers, in the order of the vertices.
func (m *Measured) sum(points [][3]float64, base [3]float64) {
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

// Memory returns about how many bytes Measure allocates for meshes of so many triangles, at most.
func Memory(from, to int) int64 {
	const second, refined = 200, 150 // bytes a triangle
	return int64(to)*second + int64(max(from, mostRefined))*refined
}
