// Package perforator generates the scene of that name: the jet of a shaped charge that has broken through the casing of
// a well. It is an isosurface made by marching cubes. It stands for the data set of Table 1 of the paper on the
// cost-effective renderer.
package perforator

import (
	"math"
	"sync"

	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/isosurface"
	"lockstep/scenes/procedural/internal/numeric"
)

// Zoom is the magnification of the views of the scene. The paper on the cost-effective renderer calls the magnification
// M, and does not state its value. With Zoom, at 512x512 pixels and the default size, the largest and the mean number
// of scan lines of a polygon are within 20 % of those in Table 1 of the paper, for both versions of the scene. The mean
// is over all polygons, of which those outside the picture have no scan lines.
const Zoom = 2.15

// Default and limits of the number of triangles.
const (
	DefaultTriangles = 8700
	MinTriangles     = 4000
	MaxTriangles     = 1_000_000
)

// Shape of the lattice for the default number of triangles. The lattice, the positions of the parts and the zoom were
// chosen together, so that numbers of scan lines pass TestTable1.
const (
	// cellWidth is the width of a cell at latticeFar for the default number of triangles. cellFlatness is the ratio of
	// its height to its width. The front view shows only the height of a cell. The oblique view also shows its width
	// and depth. With these values, triangles are about equally tall in both views.
	cellWidth    = 0.0605
	cellFlatness = 0.612
	// cellRatio is the size of cells at latticeNear as a fraction of their size at latticeFar. With this ratio, near
	// and far cells look about equally large in the perspective of the front view.
	cellRatio   = 0.47
	latticeNear = -1.6
	latticeFar  = 1.6
	// latticeHalfX and latticeHalfZ are half the width and half the height of the lattice at latticeFar. The lattice
	// narrows towards the near end, where the block of rock must still fit.
	latticeHalfX, latticeHalfZ = 1.6, 1.1
)

// A Scene is the jet for a seed. Its triangles depend on each other, so the first call of Len or Fill computes all of
// them. They then stay in memory.
type Scene struct {
	triangles  int
	seed       uint64
	unbalanced bool

	once sync.Once
	mesh scenes.Block
}

// New returns the jet. If unbalanced is false, it has about `triangles` triangles of similar size. Otherwise these
// triangles are merged where possible, which makes their sizes differ widely.
func New(triangles int, seed uint64, unbalanced bool) *Scene {
	return &Scene{triangles: triangles, seed: seed, unbalanced: unbalanced}
}

// Len returns the number of triangles.
func (s *Scene) Len() int {
	s.once.Do(s.generate)
	return s.mesh.Len()
}

// Memory returns the greatest number of bytes that generating the scene takes: for the whole surface, and for the queue
// of edges that may be merged.
func (s *Scene) Memory() int64 { return 400 * int64(s.triangles) }

// Colored returns true, because Fill also sets colours.
func (s *Scene) Colored() bool { return true }

// Fill fills b with the triangles that start at index `first`.
func (s *Scene) Fill(first int, b *scenes.Block) {
	s.once.Do(s.generate)
	part := s.mesh.Slice(first, first+b.Len())
	b.CopyAt(0, &part)
}

// generate computes all triangles.
func (s *Scene) generate() {
	f := newField(s.seed)
	cell := cellWidth * math.Sqrt(float64(DefaultTriangles)/float64(s.triangles))
	l := isosurface.NewLattice(cell, float64(cellFlatness*cell), cellRatio, isosurface.Region{Near: latticeNear, Far: latticeFar, HalfX: latticeHalfX, HalfZ: latticeHalfZ})
	m := isosurface.March(l, f.at)
	if s.unbalanced {
		f.sweepStem(m, cell)
		f.merge(m, l)
	} else {
		m.Relax(l)
	}
	s.mesh = f.paint(m)
}

// merge merges triangles where the surface is flat or curved in one direction only. Mesh generators that adapt to
// curvature do the same. Plates become a few large polygons, and the wall of the pipe becomes slivers from end to end.
func (f *field) merge(m *isosurface.Surface, l *isosurface.Lattice) {
	tolerance := make([]float64, len(m.Points))
	parallel.ForEach(len(tolerance), func(p int) {
		tolerance[p] = f.tolerance(m.Points[p])
	})
	m.Collapse(l.Steps, func(u, _ int32, off, length, _ float64) (float64, bool) {
		// Of edges with equal deviations, the shortest is removed first, which makes fewer fans of triangles.
		return off + float64(1e-4*float64(l.Cell*length)), off <= tolerance[u]
	})
}

// tolerance returns the greatest distance that a merged triangle at p may have from the surface.
func (f *field) tolerance(p [3]float64) float64 {
	switch _, part := f.nearest(p); part {
	case partCasing:
		if f.place(p).radius < 1.1*lipReach {
			return 0.0015
		}
		return 0.008
	case partCase:
		return 0.002
	case partRock, partCement:
		return 0.0005
	}
	return 0
}

// coldColors holds the colour of each part where it does not glow.
var coldColors = [components]uint32{
	partCasing: 0x8fa3b5, partCement: 0xc9c1ae, partRock: 0xa5805a, partJet: 0xd9793a, partTip: 0xf0a040,
	partLiner: 0x8a4b2a, partCase: 0x56606a, partSplinter: 0x8d97a0, partChunk: 0x96775a,
}

// glowing is the colour of the casing at the hole.
const glowing = 0xd8562a

// paint returns the triangles as a block, with the colours of the parts to which they belong.
func (f *field) paint(m *isosurface.Surface) scenes.Block {
	b := scenes.MakeBlock(len(m.Triangles))
	b.Colors = make([]uint32, len(m.Triangles))
	parallel.ForEach(b.Len(), func(t int) {
		var corners [3][3]float32
		var middle [3]float64
		for k, p := range m.Triangles[t] {
			corners[k] = vector.Single(m.Points[p])
			middle = vector.Add(middle, vector.Scale(1.0/3, m.Points[p]))
		}
		b.Set(t, corners)
		b.Colors[t] = f.color(middle)
	})
	return b
}

func (f *field) color(p [3]float64) uint32 {
	_, part := f.nearest(p)
	base := coldColors[part]
	if part != partCasing {
		return base
	}
	heat := 1.25 - f.place(p).radius/(0.8*lipReach)
	return blend(base, glowing, math.Max(0, math.Min(0.9, heat)))
}

// blend mixes two colours; t is the fraction of the second.
func blend(a, b uint32, t float64) (rgb uint32) {
	for shift := 16; shift >= 0; shift -= 8 {
		v := numeric.Mix(t, float64(a>>shift&255), float64(b>>shift&255))
		rgb = rgb<<8 | uint32(math.Round(v))
	}
	return rgb
}
