package cells

import "slices"

// drawThin adds the lines and single points of a grid to the mesh, after the surfaces of the grid.
func (b *builder) drawThin() error {
	if b.lines+b.dots == 0 {
		return nil
	}
	g := b.g
	for c, t := range g.Types {
		of := g.cellCorners(c)
		if n := kinds[t].corners; n > 0 {
			of = of[:min(n, len(of))]
		}
		if t == Dropped || kinds[t].dimension > 1 || slices.ContainsFunc(of, func(v uint32) bool { return uint64(v) >= uint64(g.N) }) {
			continue
		}
		points := make([]int64, len(of))
		for i, v := range of {
			var err error
			if points[i], err = b.pointNumber(int(v)); err != nil {
				return err
			}
			if kinds[t].dimension == 0 {
				if err := b.mesh.AddDot(points[i]); err != nil {
					return err
				}
			}
		}
		if kinds[t].dimension == 1 {
			if err := b.mesh.AddLine(nil, points...); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawCloud makes the mesh draw lines and points if no grid has surfaces. If there are neither lines nor dots, it adds
// all points of the grids that have no cells.
func (b *builder) drawCloud() error {
	if b.Warn.First() != nil {
		return nil // the damage may be the reason why cells are missing
	}
	b.mesh.Cloud = true
	if b.lines+b.dots > 0 {
		return nil
	}
	for _, g := range b.Grids {
		if b.g = g; len(g.Types) > 0 {
			continue
		}
		if g.Dims != ([3]int{}) { // a few bytes may describe very many points
			if err := b.In.Repeated(8 * int64(g.N)); err != nil {
				return err
			}
		}
		b.points = columnsOf(g.PointData, &b.ofPoints)
		if err := b.prepareNumbers(g); err != nil {
			return err
		}
		for v := range g.N {
			if _, err := b.pointNumber(v); err != nil {
				return err
			}
		}
	}
	return nil
}
