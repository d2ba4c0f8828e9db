// Package fluid generates two scenes that look like the output of fluid dynamics, as isosurfaces made by marching
// cubes. The vortices of turbulence have triangles of about equal size. The shear layer rolls up along one axis. Its
// triangles are merged where the surface is flat or curved in one direction only, which makes slivers.
//
// The scenes stand for data sets in the second experiment of the paper on the cost-effective renderer. The paper does
// not describe them further.
package fluid

import (
	"math"
	"sync"

	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/isosurface"
	"lockstep/scenes/procedural/internal/numeric"
)

// Default and limits of the number of triangles.
const (
	DefaultTriangles = 9000
	MinTriangles     = 4000
	MaxTriangles     = 200_000
)

// A Scene is one of the two scenes. Its triangles depend on each other, so the first call of Len or Fill computes all
// of them. They then stay in memory.
type Scene struct {
	triangles int
	surface   func(cell float64) *isosurface.Surface
	cell      float64 // size of a cell of the lattice for the default number of triangles

	once sync.Once
	mesh scenes.Block
}

// Len returns the number of triangles.
func (s *Scene) Len() int {
	s.once.Do(s.generate)
	return s.mesh.Len()
}

// Memory returns the greatest number of bytes that generating the scene takes: for the whole surface, and for the queue
// of edges that may be merged. The surface of the shear layer starts with up to eight times its final number of
// triangles.
func (s *Scene) Memory() int64 { return 3200 * int64(s.triangles) }

// Colored returns false, because the scenes have no colours.
func (s *Scene) Colored() bool { return false }

// Fill fills b with the triangles that start at index `first`.
func (s *Scene) Fill(first int, b *scenes.Block) {
	s.once.Do(s.generate)
	part := s.mesh.Slice(first, first+b.Len())
	b.CopyAt(0, &part)
}

func (s *Scene) generate() {
	m := s.surface(s.cell * math.Sqrt(float64(DefaultTriangles)/float64(s.triangles)))
	s.mesh = scenes.MakeBlock(len(m.Triangles))
	parallel.ForEach(s.mesh.Len(), func(t int) {
		var corners [3][3]float32
		for k, p := range m.Triangles[t] {
			corners[k] = vector.Single(m.Points[p])
		}
		s.mesh.Set(t, corners)
	})
}

// A mode is a plane wave.
type mode struct {
	wave        [3]float64 // wave vector: periods per unit of length along each axis
	phase, size float64
}

// modes is a list of plane waves. Their sum is a smooth random field.
type modes []mode

// at returns the sum of the waves at a point.
func (m modes) at(p [3]float64) (sum float64) {
	for _, w := range m {
		c, _ := numeric.Circle(vector.Dot(w.wave, p) + w.phase)
		sum += float64(w.size * c)
	}
	return sum
}

// slopeBound returns an upper bound of the slope of the sum.
func (m modes) slopeBound() (sum float64) {
	for _, w := range m {
		sum += float64(w.size * (2 * math.Pi * math.Sqrt(vector.Dot(w.wave, w.wave))))
	}
	return sum
}

// Vortices returns the scene of turbulence for a seed, with about `triangles` triangles.
func Vortices(triangles int, seed uint64) *Scene {
	return &Scene{triangles: triangles, cell: 0.0526, surface: func(cell float64) *isosurface.Surface {
		l := isosurface.NewLattice(cell, cell, 1, isosurface.Region{Near: -1.1, Far: 1.1, HalfX: 1.1, HalfZ: 1.1})
		m := isosurface.March(l, vortices(seed))
		m.Relax(l)
		return m
	}}
}

// vortices returns the solid in which the sum of random waves exceeds a level, within the unit ball.
func vortices(seed uint64) isosurface.Field {
	const (
		waves    = 20
		shortest = 0.8 // length of the shortest wave vector, in periods per unit of length
		longest  = 1.5 // length of the longest
		level    = 1.5 // about half of sqrt(waves/2), the standard deviation of the sum
	)
	var r numeric.Rand
	r.Seed(seed, 0)
	var field modes
	for range waves {
		turns := r.Between(shortest, longest)
		field = append(field, mode{vector.Scale(turns, r.Direction()), r.Unit(), 1})
	}
	slope := field.slopeBound()
	return func(p [3]float64) float64 {
		return math.Max(math.Sqrt(vector.Dot(p, p))-1, (level-field.at(p))/slope)
	}
}

// Shear returns the scene of the shear layer for a seed. Marching cubes makes about `triangles` triangles. They are
// then merged wherever this moves the surface by less than `flat` cells.
func Shear(triangles int, seed uint64) *Scene {
	const flat = 0.004
	return &Scene{triangles: triangles, cell: 0.026, surface: func(cell float64) *isosurface.Surface {
		l := isosurface.NewLattice(cell, cell, 1, isosurface.Region{Near: -1, Far: 1, HalfX: 1.1, HalfZ: 1.1})
		m := isosurface.March(l, shear(seed))
		m.Collapse(l.Steps, func(_, _ int32, off, length, _ float64) (float64, bool) {
			// Of edges with equal deviations, the shortest is removed first, which makes fewer fans of triangles.
			return off + float64(1e-4*float64(cell*length)), off <= float64(flat*cell)
		})
		return m
	}}
}

// shear returns the fluid between an interface and the plane y = half. The interface has billows along x, which are the
// same at every height, and turbulent ripples in a band.
func shear(seed uint64) isosurface.Field {
	const (
		billows = 5
		eddies  = 12
		ripple  = 0.012 // amplitude of the wave of an eddy
		half    = 0.35  // distance from the mean interface to that plane
		band    = 0.5   // half the width of the turbulent band
	)
	var r numeric.Rand
	r.Seed(seed, 1)
	var billow, eddy modes
	for i := range billows {
		turns := 0.5 * float64(i+1)
		billow = append(billow, mode{[3]float64{turns, 0, 0}, r.Unit(), 0.16 / float64(i+1)})
	}
	for range eddies {
		eddy = append(eddy, mode{vector.Scale(r.Between(2, 4), r.Direction()), r.Unit(), ripple})
	}
	middle := r.Between(-0.5, 0.5)
	along := billow.slopeBound() + eddy.slopeBound() + eddies*ripple/band
	slope := 1 + along
	return func(p [3]float64) float64 {
		height := billow.at(p)
		if near := math.Max(0, 1-math.Abs(p[0]-middle)/band); near > 0 {
			height += float64(near * eddy.at(p))
		}
		box := math.Max(math.Max(math.Abs(p[0])-1, math.Abs(p[2])-1), p[1]-half)
		return math.Max((-p[1]-height)/slope, box)
	}
}
