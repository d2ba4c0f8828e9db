package cells

// drawBoxes draws the outer faces of a grid whose cells are boxes. If the grid is flat, it draws all cells.
func (b *builder) drawBoxes() error {
	d := b.g.Dims
	quads, flat := int64(0), -1
	for axis := range 3 {
		u, v := (axis+1)%3, (axis+2)%3
		if d[axis] == 1 {
			flat = axis
		}
		quads += 2 * int64(max(0, d[u]-1)) * int64(max(0, d[v]-1))
	}
	if err := b.In.Repeated(2 * quads); err != nil {
		return err
	}
	for axis := range 3 {
		if flat >= 0 && axis != flat {
			continue
		}
		if err := b.drawSide(axis, 0, flat < 0); err != nil {
			return err
		}
		if flat < 0 {
			if err := b.drawSide(axis, d[axis]-1, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawSide draws the faces in one plane of grid points, perpendicular to an axis. If turned is set, their fronts face
// the other way.
func (b *builder) drawSide(axis, at int, turned bool) error {
	d := b.g.Dims
	u, v := (axis+1)%3, (axis+2)%3
	steps := [3]int{1, d[0], d[0] * d[1]}
	cells := [3]int{1, max(1, d[0]-1), max(1, d[0]-1) * max(1, d[1]-1)}
	cellAt := min(at, max(0, d[axis]-2))
	for j := range max(0, d[v]-1) {
		if err := b.In.Context().Err(); err != nil {
			return err
		}
		for i := range max(0, d[u]-1) {
			p := uint32(at*steps[axis] + i*steps[u] + j*steps[v])
			of := [4]uint32{p, p + uint32(steps[u]), p + uint32(steps[u]+steps[v]), p + uint32(steps[v])}
			if turned {
				of[1], of[3] = of[3], of[1]
			}
			b.cell = cellAt*cells[axis] + i*cells[u] + j*cells[v]
			if b.cell < len(b.g.Ghost) && b.g.Ghost[b.cell] != 0 {
				continue
			}
			if err := b.face(b.cell, of[:]); err != nil {
				return err
			}
		}
	}
	return nil
}
