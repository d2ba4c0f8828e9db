package assembly

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/octahedron"
	"lockstep/scenes/internal/solid"
)

// A Thin holds the points or lines of a Shape without triangles. Points are drawn as octahedra and lines as rods. The
// size of points follows from the distance to their neighbours. The thickness of lines follows from the diagonal of the
// scene.
type Thin struct {
	Points []uint32    // indices into Shape.Points
	Lines  [][2]uint32 // indices of both ends of each line
}

// triangleCount returns the number of triangles of the solids that draw t.
func (t *Thin) triangleCount() int64 {
	return int64(len(t.Points))*int64(len(octahedron.Faces)) + int64(len(t.Lines))*int64(len(solid.Rod))
}

// solidCorners is the number of corners of a solid. An octahedron, which draws a point, has six corners. A rod, which
// draws a line, also has six.
const solidCorners = 6

// thinBytes is the number of bytes outside the mesh for each corner of a solid, including its colour. thinScratch is
// the number of bytes for each point while solids are made.
const (
	thinBytes   = 3*8 + 4 + 4
	thinScratch = 3*8 + 4
)

// A thinKey identifies the solids of a shape of points or lines with a certain radius.
type thinKey struct {
	shape  *Shape
	radius float64
}

// makeSolids replaces shapes of points or lines by shapes of solids.
func (b *builder) makeSolids() error {
	if !b.hasThin() {
		return nil
	}
	diagonal, wanted := b.diagonal(), b.wantedSize()
	made := map[thinKey]*Shape{}
	for i := range b.Instances {
		at := &b.Instances[i]
		scale := math.Cbrt(math.Abs(at.Transform.Det()))
		var shapes []*Shape
		for _, s := range at.Shapes {
			if s.Thin == nil {
				shapes = append(shapes, s)
				continue
			}
			key := thinKey{s, solid.Thickness * diagonal / scale}
			if !(scale > 0) || math.IsInf(key.radius, 0) || key.radius != key.radius {
				continue // the transform flattens the shape, or no radius can be computed
			}
			if made[key] == nil {
				one, err := b.solidShape(s, key.radius, wanted/scale)
				if err != nil {
					return err
				}
				made[key] = one
			}
			shapes = append(shapes, made[key])
		}
		at.Shapes = shapes
	}
	return nil
}

func (b *builder) hasThin() bool {
	for i := range b.Instances {
		for _, s := range b.Instances[i].Shapes {
			if s.Thin != nil {
				return true
			}
		}
	}
	return false
}

// eachPoint calls the function `each` with every transformed point. Points that several shapes of an instance share are
// visited once.
func (b *builder) eachPoint(each func(p [3]float64)) {
	var room [chunk][3]float64
	for i := range b.Instances {
		at := &b.Instances[i]
		seen := map[*Points]bool{}
		for _, s := range at.Shapes {
			if seen[s.Points] {
				continue
			}
			seen[s.Points] = true
			for from := 0; from < s.Points.N; from += chunk {
				some := room[:min(chunk, s.Points.N-from)]
				s.Points.Positions(from, from+len(some), some)
				for _, p := range some {
					each(at.Transform.Point(p))
				}
			}
		}
	}
}

// diagonal returns the diagonal of the bounding box of all points.
func (b *builder) diagonal() float64 {
	inf := math.Inf(1)
	lo, hi := [3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}
	b.eachPoint(func(p [3]float64) {
		if solid.Finite(p) {
			for d := range p {
				lo[d], hi[d] = min(lo[d], p[d]), max(hi[d], p[d])
			}
		}
	})
	return math.Hypot(math.Hypot(hi[0]-lo[0], hi[1]-lo[1]), hi[2]-lo[2])
}

// wantedSize returns the size of points that the options set, or 0 if they set none.
func (b *builder) wantedSize() float64 {
	if b.in.Options.PointSize == nil {
		return 0
	}
	sample, n := solid.Sample{}, 0
	b.eachPoint(func([3]float64) { n++ })
	sample.SetTotal(n)
	b.eachPoint(sample.Add)
	return sample.WantedSize(&b.in.Options, b.Up)
}

// ends returns the indices of the points of t, followed by both ends of its lines.
func (t *Thin) ends() []uint32 {
	all := make([]uint32, 0, len(t.Points)+2*len(t.Lines))
	all = append(all, t.Points...)
	for _, ends := range t.Lines {
		all = append(all, ends[0], ends[1])
	}
	return all
}

// sparseShare decides how gather reads points. If a shape uses less than 1/sparseShare of the points, gather reads
// the points of the shape one by one. This is faster if many small shapes share the points of a whole file. Otherwise
// gather reads all points at once.
const sparseShare = 8

// gather reads the values of the points whose indices are in `of`. There are n points in total.
func gather[T any](n int, of []uint32, read func(lo, hi int, to []T)) []T {
	out := make([]T, len(of))
	if len(of) < n/sparseShare {
		for k, i := range of {
			read(int(i), int(i)+1, out[k:k+1])
		}
		return out
	}
	all := make([]T, n)
	read(0, n, all)
	for k, i := range of {
		out[k] = all[i]
	}
	return out
}

// solidShape returns the shape of the solids that draw the points and lines of s. Lines get the given radius, and
// points the given size. If size is 0, the size of points follows from the distance between them.
func (b *builder) solidShape(s *Shape, radius, size float64) (*Shape, error) {
	dots := len(s.Thin.Points)
	n := dots + len(s.Thin.Lines)
	b.Held += solidCorners * thinBytes * int64(n)
	if err := b.in.Allow(s.Thin.triangleCount(), b.Held+thinScratch*int64(s.Points.N)); err != nil {
		return nil, err
	}
	ends := s.Thin.ends()
	at := gather(s.Points.N, ends, s.Points.Positions)
	corners, of := make([][3]float64, 0, solidCorners*n), make([]int32, 0, solidCorners*n)
	if dots > 0 {
		if size == 0 {
			size = solid.PointSize(dots, func(i int) [3]float64 { return at[i] })
		}
		for i := range dots {
			for k := range solidCorners {
				corners, of = append(corners, octahedron.Corner(at[i], size, k)), append(of, int32(i))
			}
		}
	}
	points := len(corners) / solidCorners
	for i := dots; i < len(at); i += 2 {
		if rod, ok := solid.RodCorners(at[i], at[i+1], radius); ok {
			for k, p := range rod {
				corners, of = append(corners, p), append(of, int32(i+k/3))
			}
		}
	}
	rods := len(corners)/solidCorners - points
	out := &Shape{Material: s.Material, N: points*len(octahedron.Faces) + rods*len(solid.Rod)}
	out.Points = &Points{N: len(corners), Positions: func(lo, hi int, to [][3]float64) { copy(to, corners[lo:hi]) }}
	if s.Points.Colors != nil {
		colors := gather(s.Points.N, ends, s.Points.Colors)
		out.Points.Colors = func(lo, hi int, to []scenes.RGBA) {
			for i, v := range of[lo:hi] {
				to[i] = colors[v]
			}
		}
	}
	// Octahedra and rods have the same number of faces.
	out.Corners = func(lo, _ int, to [][3]uint32) {
		for i := range to {
			body, face := (lo+i)/len(solid.Rod), (lo+i)%len(solid.Rod)
			c := octahedron.Faces[face]
			if body >= points {
				c = solid.Rod[face]
			}
			for k := range c {
				to[i][k] = uint32(solidCorners*body) + uint32(c[k])
			}
		}
	}
	return out, nil
}
