package isosurface

// Relax removes the needles that marching cubes makes where the surface passes close to a lattice point. It does not
// make edges much longer than a cell. So the mean number of scan lines of a triangle grows, but the largest does not.
func (s *Surface) Relax(l *Lattice) {
	const (
		shortest  = 0.5  // shorter edges are collapsed; in cells
		longest   = 1.04 // greatest length of an edge after a collapse, in cells
		deviation = 0.12 // greatest deviation from the surface, in cells
	)
	s.Collapse(l.Steps, func(_, _ int32, off, length, reach float64) (float64, bool) {
		return length, length < shortest && reach < longest && off < deviation*l.Cell
	})
}
