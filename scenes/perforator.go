package scenes

import (
	"context"
	"math"
	"sync"
)

// PerforatorZoom is how much the views of scene:perforator that are called M
// are magnified. With it, at 512x512 pixels and the default size, the largest
// and the mean scan-line workloads of both versions come within 20 % of those
// in Table 1 of the paper on the cost-effective renderer, which gives none. The
// mean is over all polygons; those outside the picture have no scan lines.
const PerforatorZoom = 2.15

// The perforator's default size and lattice. They, the places of its parts and
// the zoom belong together: they were chosen for the workloads that TestTable1
// holds.
const (
	perforatorTriangles = 8700
	perforatorLeast     = 4000
	// The whole surface is in memory, about 400 bytes a triangle at most.
	perforatorMost = 1_000_000

	// The size of a cell at perforatorFar for the default number of triangles.
	// Cells are lower than wide, because the front view shows their height
	// only and the oblique view the other two sides as well: so triangles are
	// about as tall in one view as in the other.
	perforatorCell = 0.0605
	perforatorFlat = 0.612
	// Cells shrink towards perforatorNear by this ratio, so that perspective
	// makes them about equal in the front view.
	perforatorRatio = 0.47
	perforatorNear  = -1.6
	perforatorFar   = 1.6
	// Half the lattice's breadth and height at perforatorFar: its lines
	// converge, and the block of rock at the near end must fit.
	perforatorHalfX, perforatorHalfZ = 1.6, 1.1
)

// perforator is the scene of that name, the jet of a shaped charge that has
// broken through the casing of a well: an isosurface, polygonised by marching
// cubes. Its triangles depend on each other, so the first of Len and fill
// computes all of them, and they stay in memory.
type perforator struct {
	triangles  int
	seed       uint64
	unbalanced bool

	once sync.Once
	mesh Block
}

func buildPerforator(p *params) shape {
	s := &perforator{
		triangles: p.count("triangles", perforatorTriangles, perforatorLeast, perforatorMost),
		seed:      p.seed(),
	}
	switch v, _ := p.get("version"); v {
	case "balanced":
	case "unbalanced":
		s.unbalanced = true
	default:
		if p.values.Has("version") {
			p.fail("version", v, "balanced or unbalanced")
		}
	}
	return s
}

func (s *perforator) Len() int {
	s.once.Do(s.generate)
	return s.mesh.Len()
}

func (s *perforator) colored() bool { return true }

func (s *perforator) fill(first int, b *Block) {
	s.once.Do(s.generate)
	part := s.mesh.Slice(first, first+b.Len())
	b.copyAt(0, &part)
}

// generate computes all triangles.
func (s *perforator) generate() {
	f := newPerforatorField(s.seed)
	cell := perforatorCell * math.Sqrt(float64(perforatorTriangles)/float64(s.triangles))
	l := newLattice(cell, float64(perforatorFlat*cell), perforatorNear, perforatorFar, perforatorHalfX, perforatorHalfZ, perforatorRatio)
	m := march(l, f.at)
	if s.unbalanced {
		f.sweepStem(m, cell)
		f.merge(m, l)
	} else {
		l.relax(m)
	}
	s.mesh = f.paint(m)
}

// relax removes the needles that marching cubes leaves where the surface
// passes close to a corner of the lattice. What remains is no larger than a
// cell, which bounds the largest workload from above while the mean grows.
func (l *lattice) relax(m *surface) {
	const (
		shortest  = 0.5  // cells
		longest   = 1.04 // cells
		deviation = 0.12 // cells
	)
	m.collapse(l.steps, func(_, _ int32, off, length, reach float64) (float64, bool) {
		return length, length < shortest && reach < longest && off < deviation*l.cell
	})
}

// merge joins triangles where the surface is flat or curved one way only, as a
// mesher does that adapts to curvature: plates become a few large polygons and
// the wall of the pipe becomes slivers from end to end.
func (f *perforatorField) merge(m *surface, l *lattice) {
	tolerance := make([]float64, len(m.points))
	_ = forEach(context.Background(), workerCount(0, len(tolerance)), len(tolerance), func(_, p int) error {
		tolerance[p] = f.tolerance(m.points[p])
		return nil
	})
	m.collapse(l.steps, func(u, _ int32, off, length, _ float64) (float64, bool) {
		// Of equal deviations the shortest edge goes first: fewer fans.
		return off + float64(1e-4*float64(l.cell*length)), off <= tolerance[u]
	})
}

// tolerance returns how far from the surface a merged triangle may lie.
func (f *perforatorField) tolerance(p [3]float64) float64 {
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

// perforatorColors are the colours of the parts when they are cold.
var perforatorColors = [perforatorParts]uint32{
	partCasing: 0x8fa3b5, partCement: 0xc9c1ae, partRock: 0xa5805a, partJet: 0xd9793a, partTip: 0xf0a040,
	partLiner: 0x8a4b2a, partCase: 0x56606a, partSplinter: 0x8d97a0, partChunk: 0x96775a,
}

// glowing is the colour of the casing at the hole.
const glowing = 0xd8562a

// paint returns the triangles with their colours, which are those of the
// parts that they belong to.
func (f *perforatorField) paint(m *surface) Block {
	b := MakeBlock(len(m.triangles))
	b.Colors = make([]uint32, len(m.triangles))
	_ = forEach(context.Background(), workerCount(0, b.Len()), b.Len(), func(_, t int) error {
		var corners [3][3]float32
		var middle [3]float64
		for k, p := range m.triangles[t] {
			corners[k] = single(m.points[p])
			middle = add(middle, scale(1.0/3, m.points[p]))
		}
		b.Set(t, corners)
		b.Colors[t] = f.color(middle)
		return nil
	})
	return b
}

func (f *perforatorField) color(p [3]float64) uint32 {
	_, part := f.nearest(p)
	base := perforatorColors[part]
	if part != partCasing {
		return base
	}
	heat := 1.25 - f.place(p).radius/(0.8*lipReach)
	return blend(base, glowing, math.Max(0, math.Min(0.9, heat)))
}

// blend mixes two colours, t of the second.
func blend(a, b uint32, t float64) (rgb uint32) {
	for shift := 16; shift >= 0; shift -= 8 {
		v := mix(t, float64(a>>shift&255), float64(b>>shift&255))
		rgb = rgb<<8 | uint32(math.Round(v))
	}
	return rgb
}
