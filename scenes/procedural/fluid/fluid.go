// Package fluid generates two outputs of a fluid-dynamics simulation as isosurfaces,
// polygonised by marching cubes: the vortices of turbulence, whose triangles are about
// equally large, and a shear layer that rolls up along one axis, whose mesh was
// merged where it is flat or curved one way only and has slivers. They stand for data
// sets of the second experiment of the paper on the cost-effective renderer, which says
// no more about them.
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

// The default size and the limits of the number of triangles.
const (
	DefaultTriangles = 9000
	MinTriangles     = 4000
	MaxTriangles     = 200_000
)

// A Scene is one output. Its triangles depend on each other, so the first of Len and
// Fill computes all of them, and they stay in memory.
type Scene struct {
	triangles int
	surface   func(cell float64) *isosurface.Surface
	cell      float64 // for the default number of triangles

	once sync.Once
	mesh scenes.Block
}

// Len returns the number of triangles.
func (s *Scene) Len() int {
	s.once.Do(s.generate)
	return s.mesh.Len()
}

// Memory returns the bytes that generating the scene takes at most: the whole
// surface is in memory, together with the queue of its edges and their quadrics. The
// merged mesh begins with up to eight times its triangles.
func (s *Scene) Memory() int64 { return 3200 * int64(s.triangles) }

// Colored reports that there are no colours.
func (s *Scene) Colored() bool { return false }

// Fill copies the triangles from first on over all of b.
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
	wave        [3]float64 // turns a unit of length along each axis
	phase, size float64
}

// modes are waves whose sum is a smooth random field.
type modes []mode

// at returns the sum of the waves at a place.
func (m modes) at(p [3]float64) (sum float64) {
	for _, w := range m {
		c, _ := numeric.Circle(vector.Dot(w.wave, p) + w.phase)
		sum += float64(w.size * c)
	}
	return sum
}

// steepest returns a bound on how fast the sum changes.
func (m modes) steepest() (sum float64) {
	for _, w := range m {
		sum += float64(w.size * (2 * math.Pi * math.Sqrt(vector.Dot(w.wave, w.wave))))
	}
	return sum
}

// Vortices returns the turbulence of a seed, with about the given number of triangles.
func Vortices(triangles int, seed uint64) *Scene {
	return &Scene{triangles: triangles, cell: 0.0526, surface: func(cell float64) *isosurface.Surface {
		l := isosurface.NewLattice(cell, cell, 1, isosurface.Region{Near: -1.1, Far: 1.1, HalfX: 1.1, HalfZ: 1.1})
		m := isosurface.March(l, vortices(seed))
		m.Relax(l)
		return m
	}}
}

// vortices is where the sum of random waves is above a level, within the unit ball.
func vortices(seed uint64) isosurface.Field {
	const (
		waves    = 20
		shortest = 0.8 // turns a unit of length
		longest  = 1.5
		level    = 1.5 // half the standard deviation of the sum, sqrt(waves/2)
	)
	var r numeric.Chance
	r.Seed(seed, 0)
	var field modes
	for range waves {
		turns := r.Between(shortest, longest)
		field = append(field, mode{vector.Scale(turns, r.Direction()), r.Unit(), 1})
	}
	slope := field.steepest()
	return func(p [3]float64) float64 {
		return math.Max(math.Sqrt(vector.Dot(p, p))-1, (level-field.at(p))/slope)
	}
}

// Shear returns the shear layer of a seed, with about the given number of triangles. Those of
// marching cubes are merged where that moves the surface by less than flat cells.
func Shear(triangles int, seed uint64) *Scene {
	const flat = 0.004
	return &Scene{triangles: triangles, cell: 0.026, surface: func(cell float64) *isosurface.Surface {
		l := isosurface.NewLattice(cell, cell, 1, isosurface.Region{Near: -1, Far: 1, HalfX: 1.1, HalfZ: 1.1})
		m := isosurface.March(l, shear(seed))
		m.Collapse(l.Steps, func(_, _ int32, off, length, _ float64) (float64, bool) {
			// Of equal deviations the shortest edge goes first: fewer fans.
			return off + float64(1e-4*float64(cell*length)), off <= float64(flat*cell)
		})
		return m
	}}
}

// shear is a slab of fluid between the interface and y = half. The interface billows along x,
// the same at every height, and has ripples of turbulence in a band.
func shear(seed uint64) isosurface.Field {
	const (
		billows = 5
		eddies  = 12
		ripple  = 0.012 // size of an eddy's wave
		half    = 0.35  // from the mean interface to the end of the slab
		band    = 0.5   // half the breadth of the turbulence
	)
	var r numeric.Chance
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
	along := billow.steepest() + eddy.steepest() + eddies*ripple/band
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
