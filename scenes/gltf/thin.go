package gltf

import "lockstep/scenes/internal/assembly"

// Modes of primitives without triangles.
const (
	dots     = 0
	lineList = 1
	loop     = 2
	polygon  = 3 // a line of several points that is not closed
)

// setThin gives shape s the points or lines of a primitive.
func (b *meshBuilder) setThin(s *assembly.Shape, i *integer, mode integer) error {
	n, index, err := b.cornerIndices(s.Points.N, i)
	if err != nil {
		return err
	}
	if err := b.Reserve(12 * int64(n)); err != nil { // for an index, and for the two ends of a line
		return err
	}
	all := make([]uint32, n)
	index(0, all)
	s.Thin = new(assembly.Thin)
	bad := 0
	there := func(v uint32) bool { return int64(v) < int64(s.Points.N) }
	if mode == dots {
		for _, v := range all {
			if there(v) {
				s.Thin.Points = append(s.Thin.Points, v)
			} else {
				bad++
			}
		}
	}
	add := func(from, to uint32) {
		switch {
		case !there(from) || !there(to):
			bad++
		case from != to:
			s.Thin.Lines = append(s.Thin.Lines, [2]uint32{from, to})
		}
	}
	step := 1
	if mode == lineList {
		step = 2
	}
	for k := 0; mode != dots && k+1 < n; k += step {
		add(all[k], all[k+1])
	}
	if mode == loop && n > 2 {
		add(all[n-1], all[0])
	}
	if bad > 0 {
		return b.warn.Add(b.place, "%d points or pieces of lines left out that refer to vertices which do not exist: there are %d", bad, s.Points.N)
	}
	return nil
}
