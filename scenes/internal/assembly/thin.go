package assembly

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/solid"
)

// A Thin is points or lines of a Shape, which has no triangles of its own then: they are drawn as solids, points as large as
// their neighbours are far, lines as thick as a part of the scene's diagonal.
type Thin struct {
	Points []uint32    // indices of points
	Lines  [][2]uint32 // indices of the ends of pieces
}

// triangles returns how many triangles t is drawn with.
func (t *Thin) triangles() int64 {
	return int64(len(t.Points))*int64(len(solid.Octahedron)) + int64(len(t.Lines))*int64(len(solid.Rod))
}

// solidCorners is the number of corners of an octahedron, and of a rod.
const solidCorners = 6

// thinBytes is what the corner of a solid takes beside the mesh, with its colour.
const thinBytes = 3*8 + 4

// A thinKey names a thin shape and how thick its solids are.
type thinKey struct {
	shape  *Shape
	radius float64
}

// thicken replaces thin shapes by those of solids.
func (b *builder) thicken() error {
	if !b.hasThin() {
		return nil
	}
	diagonal := b.diagonal()
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
				continue // flattened: nothing of it would be visible
			}
			if made[key] == nil {
				one, err := b.solids(s, key.radius)
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

// diagonal returns that of the box of all points where they are drawn.
func (b *builder) diagonal() float64 {
	inf := math.Inf(1)
	lo, hi := [3]float64{inf, inf, inf}, [3]float64{-inf, -inf, -inf}
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
					if p = at.Transform.Point(p); solid.Finite(p) {
						for d := range p {
							lo[d], hi[d] = min(lo[d], p[d]), max(hi[d], p[d])
						}
					}
				}
			}
		}
	}
	return math.Hypot(math.Hypot(hi[0]-lo[0], hi[1]-lo[1]), hi[2]-lo[2])
}

// solids returns the shape of the solids of a thin one.
func (b *builder) solids(s *Shape, radius float64) (*Shape, error) {
	n := len(s.Thin.Points) + len(s.Thin.Lines)
	b.Held += solidCorners * thinBytes * int64(n)
	if err := b.in.Allow(s.Thin.triangles(), b.Held+3*8*int64(s.Points.N)); err != nil {
		return nil, err
	}
	at := make([][3]float64, s.Points.N)
	s.Points.Positions(0, len(at), at)
	corners, of := make([][3]float64, 0, solidCorners*n), make([]uint32, 0, solidCorners*n)
	if len(s.Thin.Points) > 0 {
		size := solid.PointSize(len(s.Thin.Points), func(i int) [3]float64 { return at[s.Thin.Points[i]] })
		for _, i := range s.Thin.Points {
			for k := range solidCorners {
				corners, of = append(corners, solid.OctahedronCorner(at[i], size, k)), append(of, i)
			}
		}
	}
	points := len(corners) / solidCorners
	for _, ends := range s.Thin.Lines {
		if rod, ok := solid.RodCorners(at[ends[0]], at[ends[1]], radius); ok {
			for k, p := range rod {
				corners, of = append(corners, p), append(of, ends[k/3])
			}
		}
	}
	rods := len(corners)/solidCorners - points
	out := &Shape{Material: s.Material, N: points*len(solid.Octahedron) + rods*len(solid.Rod), Points: thinPoints(s.Points, corners, of)}
	// An octahedron has as many faces as a rod.
	out.Corners = func(lo, _ int, to [][3]uint32) {
		for i := range to {
			body, face := (lo+i)/len(solid.Rod), (lo+i)%len(solid.Rod)
			c := solid.Octahedron[face]
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

// thinPoints returns corners of solids as points, each with the colour of a point that it belongs to.
func thinPoints(from *Points, corners [][3]float64, of []uint32) *Points {
	p := &Points{N: len(corners), Positions: func(lo, hi int, to [][3]float64) { copy(to, corners[lo:hi]) }}
	if from.Colors != nil {
		colors := make([]scenes.RGBA, from.N)
		from.Colors(0, from.N, colors)
		p.Colors = func(lo, hi int, to []scenes.RGBA) {
			for i, v := range of[lo:hi] {
				to[i] = colors[v]
			}
		}
	}
	return p
}
