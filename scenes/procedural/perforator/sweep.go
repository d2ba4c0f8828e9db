package perforator

import (
	"math"
	"slices"

	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/internal/isosurface"
	"lockstep/scenes/procedural/internal/numeric"
)

// A section of the stem is covered with straight strips from end to end. sweepFirst and sweepLast are the ends of the
// section, and sweepStrips is the number of strips. The section does not include the slug and the tip. A straight strip
// deviates from the cone only as much as a chord from its arc.
const (
	sweepFirst  = -0.17
	sweepLast   = jetLast - 0.17
	sweepStrips = 20
)

// sweepStem replaces the triangles of a section of the stem by strips of two triangles each, and connects the strips to
// the rest of the surface at both ends. cell is the size of a cell of the lattice. If this section is not a tube, for
// example because debris touches it, sweepStem does nothing.
func (f *field) sweepStem(s *isosurface.Surface, cell float64) {
	inside := func(p int32) bool {
		j := f.place(s.Points[p])
		return j.along > sweepFirst && j.along < sweepLast && j.radius < 1.3*jetRadius0
	}
	removed := make([]bool, len(s.Triangles))
	for t, tri := range s.Triangles {
		removed[t] = inside(tri[0]) && inside(tri[1]) && inside(tri[2])
	}
	rims := s.Rims(removed)
	if len(rims) != 2 {
		return
	}
	along := func(rim []int32) float64 { return f.place(s.Points[rim[0]]).along }
	if along(rims[0]) > along(rims[1]) {
		rims[0], rims[1] = rims[1], rims[0]
	}
	if along(rims[1])-along(rims[0]) < 0.9*(sweepLast-sweepFirst) {
		return
	}
	s.Remove(removed)
	// The strips end at a distance from the rims, because a rim may be up to a cell inside the removed section.
	gap := math.Min(0.04, float64(0.7*cell))
	low, high := f.addRing(s, sweepFirst+gap), f.addRing(s, sweepLast-float64(0.75*gap))
	if f.signedTurn(s, rims[0]) < 0 {
		slices.Reverse(low)
		slices.Reverse(high)
	}
	s.Zip(rims[0], low)
	for k := range low {
		l := (k + 1) % len(low)
		s.Triangles = append(s.Triangles, [3]int32{low[k], low[l], high[l]}, [3]int32{low[k], high[l], high[k]})
	}
	slices.Reverse(high)
	s.Zip(rims[1], high)
}

// addRing adds a ring of points around the stem, where strips start or end, and returns their indices. `along` is the
// position of the ring on the axis of the jet.
func (f *field) addRing(s *isosurface.Surface, along float64) (ring []int32) {
	t := (along - jetFirst) / (jetLast - jetFirst)
	radius := numeric.Mix(t, jetRadius0, jetRadius1)
	center := vector.Add(holeCenter, vector.Scale(along, f.ahead))
	for k := range sweepStrips {
		c, sn := numeric.Turn(k, sweepStrips)
		p := vector.Add(center, vector.Add(vector.Scale(float64(radius*c), f.side), vector.Scale(float64(radius*sn), f.rise)))
		ring = append(ring, int32(len(s.Points)))
		s.Points = append(s.Points, p)
	}
	return ring
}

// signedTurn returns a positive number if loop turns around the jet in the direction from side to rise.
func (f *field) signedTurn(s *isosurface.Surface, loop []int32) (sum float64) {
	for k := range loop {
		a, b := f.place(s.Points[loop[k]]), f.place(s.Points[loop[(k+1)%len(loop)]])
		sum += float64(a.side*b.rise) - float64(a.rise*b.side)
	}
	return sum
}
